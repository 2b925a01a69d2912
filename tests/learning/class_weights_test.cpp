// SPDX-License-Identifier: MIT
#include "../../src/learning/class_weights.h"

#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"

using namespace gaia;

TEST_CASE("balanced weights let classes count alike, and those without a sample not at all") {
  // 6 samples of 2 classes that are there: 6 / (2 * 4) and 6 / (2 * 2).
  const std::vector<std::int64_t> samples = {0, 2, 0, 0, 2, 0};
  CHECK(balanced_class_weights(samples, 4) == std::vector<double>{0.75, 0.0, 1.5, 0.0});
  CHECK(balanced_class_weights({}, 2) == std::vector<double>{0.0, 0.0});
  CHECK(balanced_class_weights({}, 0).empty());
}

TEST_CASE("balanced weights take classes that there are") {
  const std::vector<std::int64_t> samples = {0, 3};
  CHECK_THROWS_WITH_TEXT(balanced_class_weights(samples, 3), ArgumentError,
                         "expected classes from 0 to 2, got 3");
  CHECK_THROWS_WITH_TEXT(balanced_class_weights(std::vector<std::int64_t>{-1}, 3), ArgumentError,
                         "got -1");
}

TEST_CASE("names of class weights") {
  CHECK(to_string(class_weight_from_name("balanced")) == "balanced");
  CHECK(to_string(class_weight_from_name("none")) == "none");
  CHECK_THROWS_WITH_TEXT(class_weight_from_name("equal"), ArgumentError, "none, balanced");
}
