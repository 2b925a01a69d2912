// SPDX-License-Identifier: MIT
#include "../../src/search/space.h"

#include <cmath>
#include <map>

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

double value_at(const SearchParameter& one, double point) {
  return SearchSpace({one}).values(std::vector<double>{point})[0];
}

}  // namespace

TEST_CASE("a point has values on the scale of each parameter") {
  CHECK(value_at(SearchParameter::real("a", -2, 6), 0.25) == 0.0);
  CHECK(value_at(SearchParameter::log("a", 1e-4, 1.0), 0.5) == Approx(1e-2).epsilon(1e-12));
  CHECK(value_at(SearchParameter::integer("a", 3, 5), 0.5) == 4);
  CHECK(value_at(SearchParameter::choice("a", 2), 0.6) == 1);
  CHECK(value_at(SearchParameter::real("a", 1, 1), 0.3) == 1);
}

TEST_CASE("outside of the bounds the scale is mirrored") {
  const SearchParameter one = SearchParameter::real("a", 0, 10);
  for (const double point : {-0.2, 0.2, 1.8, 2.2, -2.2, 1000.2}) {
    INFO(point);
    CHECK(value_at(one, point) == Approx(2.0).epsilon(1e-9));
  }
  CHECK(value_at(one, 1.0) == 10);
  CHECK(value_at(one, 1e300) <= 10);
}

TEST_CASE("whole numbers have equal shares, the first and the last too") {
  const SearchSpace space({SearchParameter::integer("a", 0, 3)});
  std::vector<double> points(40000);
  RandomStream{1, 2}.uniforms(0, points);
  std::map<double, int> counts;
  for (const double& point : points) ++counts[space.values({&point, 1})[0]];
  REQUIRE(counts.size() == 4);
  for (const auto& [value, count] : counts) CHECK(std::abs(count - 10000) < 400);
}

TEST_CASE("values have a point, at which they are") {
  const SearchSpace space({SearchParameter::real("a", -1, 2), SearchParameter::log("b", 1e-6, 1e6),
                           SearchParameter::integer("c", 1, 9), SearchParameter::choice("d", 5)});
  const std::vector<double> values = {0.3, 42.0, 9, 0};
  const std::vector<double> again = space.values(space.point(values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(again[i] == Approx(values[i]).epsilon(1e-12));
  }
  CHECK_THROWS_WITH_TEXT(space.point(std::vector<double>{3, 1, 1, 1}), ArgumentError,
                         "[search] parameter 'a': expected a value from -1.0 to 2.0, got 3.0");
  CHECK_THROWS_WITH_TEXT(space.point(std::vector<double>{1}), ArgumentError,
                         "expected 4 values, got 1");
  CHECK_THROWS_WITH_TEXT(space.values(std::vector<double>{1}), ArgumentError,
                         "expected a point of 4 coordinates, got 1");
}

TEST_CASE("parameters that cannot be searched are refused") {
  const auto make = [](std::vector<SearchParameter> parameters) {
    return SearchSpace(std::move(parameters));
  };
  CHECK_THROWS_WITH_TEXT(make({}), ArgumentError, "at least one parameter");
  CHECK_THROWS_WITH_TEXT(make({SearchParameter::real("a", 0, 1), SearchParameter::real("a", 0, 1)}),
                         ArgumentError, "two parameters are named 'a'");
  CHECK_THROWS_WITH_TEXT(
      make({SearchParameter::real("a", 2, 1)}), ArgumentError,
      "[search] parameter 'a': expected finite bounds, the lower one first, got 2.0 to 1.0");
  CHECK_THROWS_WITH_TEXT(make({SearchParameter::log("a", 0, 1)}), ArgumentError,
                         "bounds above 0 for a logarithmic scale");
  CHECK_THROWS_WITH_TEXT(make({SearchParameter::choice("a", 0)}), ArgumentError, "got 0.0 to -1.0");
  CHECK_THROWS_WITH_TEXT(make({{.name = "a", .low = 0.5, .high = 2, .is_integer = true}}),
                         ArgumentError, "expected whole numbers");
}
