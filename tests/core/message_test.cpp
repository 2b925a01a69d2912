// SPDX-License-Identifier: MIT
/// \file
/// How values stand in messages.
#include "../../src/core/message.h"

#include <limits>

#include "../../src/array/array.h"
#include "../support/catch.h"

namespace gaia::test {
namespace {

TEST_CASE("messages show text as it is, and numbers as they read back") {
  CHECK(message("nothing to fill in") == "nothing to fill in");
  CHECK(message("[f] expected {}, got '{}'", std::string("a{}b"), "c") ==
        "[f] expected a{}b, got 'c'");
  CHECK(message("{} of {}", std::int64_t{-3}, std::numeric_limits<std::uint64_t>::max()) ==
        "-3 of 18446744073709551615");
  CHECK(message("{} {} {}", 2.0, 0.1f, std::uint8_t{65}) == "2.0 " + number_text(0.1f) + " 65");
  CHECK(message("{{{}}}", 1) == "{1}");
}

TEST_CASE("messages show what has a to_string by it") {
  CHECK(message("{} of {}", DType::float64, Shape{2, 3}) == "float64 of [2, 3]");
}

TEST_CASE("fail and require throw what they are asked to") {
  CHECK_THROWS_AS(fail<ShapeError>("[f] expected {}", 1), ShapeError);
  CHECK_THROWS_WITH(fail<ShapeError>("[f] expected {}", 1), "[f] expected 1");
  CHECK_NOTHROW(require(true, "[f] expected {}", 1));
  CHECK_THROWS_AS(require(false, "[f] wrong"), ArgumentError);
  CHECK_THROWS_AS(require<ShapeError>(false, "[f] wrong"), ShapeError);
  CHECK_THROWS_WITH(require(false, "[f] expected {}, got {}", "more", 0.5),
                    "[f] expected more, got 0.5");
}

}  // namespace
}  // namespace gaia::test
