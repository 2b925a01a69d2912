// SPDX-License-Identifier: MIT
#include "../../src/io/sha256.h"

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"

using namespace gaia;

FOLDER_TEST_CASE("SHA-256 of files is the standard one (FIPS 180-4)") {
  CHECK(sha256_of_file(folder.write("empty", "")) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of_file(folder.write("abc", "abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of_file(folder.write("million", std::string(1000000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK_THROWS_AS(sha256_of_file(folder.path("none")), DataError);
}
