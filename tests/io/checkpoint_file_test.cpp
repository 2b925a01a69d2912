// SPDX-License-Identifier: MIT
#include "../../src/io/checkpoint_file.h"

#include <iterator>
#include <string>

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../../src/io/sha256.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A checkpoint of these bytes, with the hash that belongs to them.
std::string with_hash(const std::string& content) {
  return "gaia checkpoint 1\n" + sha256_of(content) + "\n" + content;
}

std::string content_of(const std::string& path) { return file_text(path).substr(18 + 64 + 1); }

}  // namespace

FOLDER_TEST_CASE("a checkpoint comes back as it was") {
  const std::string path = folder.path("c");
  write_checkpoint(path, {.run = "r",
                          .step = 9,
                          .arrays = {{"m", ones({3}, DType::boolean)}, {"w", full({2, 2}, 0.5)}}});
  const Checkpoint back = read_checkpoint(path);
  CHECK(back.run == "r");
  CHECK(back.step == 9);
  CHECK(back.arrays.at("m").dtype() == DType::boolean);
  CHECK(back.arrays.at("w").to_vector<double>() == std::vector<double>(4, 0.5));
}

FOLDER_TEST_CASE("a checkpoint with the right hash is not believed either") {
  const std::string path = folder.path("c");
  write_checkpoint(path, {.run = "r", .step = 9, .arrays = {{"m", ones({3}, DType::boolean)}}});
  const std::string content = content_of(path);
  std::string neither = content;
  neither.back() = 2;
  folder.write("c", with_hash(neither));
  CHECK_THROWS_WITH_TEXT(read_checkpoint(path), DataError, "neither true nor false");
  for (std::size_t length = 0; length < content.size(); ++length) {
    folder.write("c", with_hash(content.substr(0, length)));
    CHECK_THROWS_AS(read_checkpoint(path), DataError);
  }
  folder.write("c", with_hash(content).substr(1));
  CHECK_THROWS_WITH_TEXT(read_checkpoint(path), DataError, "is not a checkpoint");
}
