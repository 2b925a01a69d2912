// SPDX-License-Identifier: MIT
#include "../../src/array/array_map.h"

#include "../../src/array/create.h"
#include "../../src/core/error.h"
#include "../support/catch.h"

namespace gaia {
namespace {

TEST_CASE("arrays below a prefix have the rest of their names") {
  const ArrayMap arrays = {{"net", zeros({1})},
                           {"net.0", zeros({2})},
                           {"net.1.bias", zeros({3})},
                           {"nets.0", zeros({4})}};
  const ArrayMap below = arrays_below(arrays, "net.");
  REQUIRE(below.size() == 2);
  CHECK(below.at("0").size() == 2);
  CHECK(below.at("1.bias").size() == 3);
  CHECK(arrays_below(arrays, "none.").empty());
  CHECK(arrays_below(arrays, "").size() == arrays.size());
}

TEST_CASE("an array of a state is there and has the shape that is expected") {
  const ArrayMap state = {{"means", zeros({2, 3})}};
  CHECK(array_of_state("thing", state, "means").size() == 6);
  CHECK(array_of_state("thing", state, "means", {2, 3}).size() == 6);
  CHECK_THROWS_WITH_TEXT(array_of_state("thing", state, "mean"), ArgumentError,
                         "[thing] set_state: expected an array \"mean\", got none");
  CHECK_THROWS_WITH_TEXT(array_of_state("thing", state, "means", {6}), ShapeError,
                         "[thing] set_state: \"means\": expected shape [6], got [2, 3]");
}

}  // namespace
}  // namespace gaia
