// SPDX-License-Identifier: MIT
/// \file
/// Interpolation: NumPy's and PyTorch's numbers, a plain loop, and refusals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "../../src/array/create.h"
#include "../../src/array/interpolation.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

DEVICE_TEST_CASE("interp is numpy.interp") {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const Array xp = array({1, 2, 4}, f8);
  const Array fp = array({3, 2, 0}, f8);
  check_equal(interp(array({{0, 1, 1.5}, {3, 4, 9}}, f8), xp, fp), f8, {2, 3},
              {3, 3, 2.5, 1, 0, 0});
  check_equal(interp(array({0, 1, 5}, f8), xp, fp, {.left = -7, .right = -9}), f8, {3},
              {-7, 3, -9});
  check_equal(interp(array({nan, infinity, -infinity}, f8), xp, fp), f8, {3}, {nan, 0, 3});
  check_equal(interp(array({-180, -170, -185, 185, -10, -5, 0, 365}, f8),
                     array({190, -190, 350, -350}, f8), array({5, 10, 3, 4}, f8), {.period = 360}),
              f8, {8}, {7.5, 5, 8.75, 6.25, 3, 3.25, 3.5, 3.75});
  // Infinities are taken as far as NumPy takes them.
  check_equal(interp(array({0.5, 1, 2, 2.5}, f8), array({0, 1, 2, 3}, f8),
                     array({infinity, 1, infinity, infinity}, f8)),
              f8, {4}, {infinity, 1, infinity, infinity});
  // The first of points at one place counts below them, and the last above.
  check_equal(interp(array({0, 1, 2}, f8), array({1, 1}, f8), array({5, 6}, f8)), f8, {3},
              {5, 6, 6});
  CHECK(interp(ones({2}), ones({1}), ones({1})).dtype() == f4);
  CHECK(interp(ones({2}, i8), ones({1}), ones({1})).dtype() == f8);
  CHECK(interp(zeros({0, 2}), ones({1}), ones({1})).shape() == Shape{0, 2});
  const Array x = ones({3});
  CHECK_THROWS_WITH_TEXT(interp(x, x, ones({2})), ShapeError, "[interp] expected points");
  CHECK_THROWS_WITH_TEXT(interp(x, zeros({0}), zeros({0})), ShapeError, "at least one");
  CHECK_THROWS_WITH_TEXT(interp(x, ones({1, 3}), ones({1, 3})), ShapeError, "1-d");
  CHECK_THROWS_WITH_TEXT(interp(x, x, x, {.period = 0}), ArgumentError, "other than 0");
}

DEVICE_TEST_CASE("interpolate has PyTorch's numbers") {
  const Array x = array({1, 2, 4}).reshape({1, 1, 3});
  using Mode = Interpolation;
  check_equal(interpolate(x, {.size = {6}}), f4, {1, 1, 6}, {1, 1, 2, 2, 4, 4});
  check_equal(interpolate(x, {.size = {5}}), f4, {1, 1, 5}, {1, 1, 2, 2, 4});
  check_equal(interpolate(x, {.size = {2}}), f4, {1, 1, 2}, {1, 2});
  check_equal(interpolate(x, {.size = {2}, .mode = Mode::nearest_exact}), f4, {1, 1, 2}, {1, 4});
  check_equal(interpolate(x, {.scale = {2}, .mode = Mode::linear}), f4, {1, 1, 6},
              {1, 1.25, 1.75, 2.5, 3.5, 4});
  check_equal(interpolate(x, {.size = {5}, .mode = Mode::linear, .align_corners = true}), f4,
              {1, 1, 5}, {1, 1.5, 2, 3, 4});
  check_equal(interpolate(x, {.size = {1}, .mode = Mode::linear, .align_corners = true}), f4,
              {1, 1, 1}, {1});
  // With a scale the ratio is its reciprocal, not that of the lengths.
  check_equal(interpolate(x, {.scale = {0.5}, .mode = Mode::linear}), f4, {1, 1, 1}, {1.5});
  check_equal(interpolate(x, {.size = {1}, .mode = Mode::linear}), f4, {1, 1, 1}, {2});
  // But for lengths that stay: linear copies, and nearest of images, which doubles exactly too.
  check_equal(interpolate(x, {.scale = {1.3}, .mode = Mode::linear}), f4, {1, 1, 3}, {1, 2, 4});
  check_equal(interpolate(x, {.scale = {1.3}}), f4, {1, 1, 3}, {1, 1, 2});
  const Array row = array({1, 2, 3, 4}).reshape({1, 1, 1, 4});
  check_equal(interpolate(row, {.scale = {1, 1.2}}), f4, {1, 1, 1, 4}, {1, 2, 3, 4});
  check_equal(interpolate(row, {.scale = {1, 2.1}}), f4, {1, 1, 1, 8}, {1, 1, 2, 2, 3, 3, 4, 4});
  check_equal(interpolate(row.reshape({1, 1, 4}), {.scale = {2.1}}), f4, {1, 1, 8},
              {1, 1, 1, 2, 2, 3, 3, 4});
  check_equal(interpolate(x.astype(i4), {.size = {6}}), i4, {1, 1, 6}, {1, 1, 2, 2, 4, 4});
  CHECK(interpolate(x.astype(i4), {.size = {4}, .mode = Mode::linear}).dtype() == f8);
  CHECK(interpolate(x.astype(bf), {.size = {4}, .mode = Mode::linear}).dtype() == f4);
  const Array plane = array({{1, 2}, {3, 4}}).reshape({1, 1, 2, 2});
  check_equal(interpolate(plane, {.size = {3}, .mode = Mode::linear, .align_corners = true}), f4,
              {1, 1, 3, 3}, {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4});
  check_equal(interpolate(plane, {.size = {1, 4}}), f4, {1, 1, 1, 4}, {1, 1, 2, 2});
  CHECK(interpolate(zeros({0, 1, 2, 2}), {.size = {3}}).shape() == Shape{0, 1, 3, 3});
}

TEST_CASE("interpolate agrees with straight lines along every axis") {
  std::mt19937_64 engine(4);
  for (const Layout layout : all_layouts()) {
    for (const bool corners : {false, true}) {
      const Operand x = random_operand(engine, {2, 1, 4, 3, 5}, f8, layout);
      const Shape size = {7, 2, 5};
      Values expected(Shape{2, 1, 7, 2, 5});
      for_each_index(expected.shape, [&](const Dims& at) {
        double sum = 0.0;
        for_each_index(Shape{2, 2, 2}, [&](const Dims& corner) {
          double weight = 1.0;
          Dims from = at;
          for (int i = 0; i < 3; ++i) {
            const auto n = static_cast<double>(x.values.shape[i + 2]);
            const auto m = static_cast<double>(size[i]);
            const auto p = static_cast<double>(at[i + 2]);
            const double place =
                corners ? p * (n - 1) / (m - 1) : std::max(0.0, (p + 0.5) * n / m - 0.5);
            const double low = std::floor(place);
            weight *= corner[i] == 0 ? 1.0 - (place - low) : place - low;
            const auto element = static_cast<std::int64_t>(low) + corner[i];
            from[i + 2] = std::min(element, x.values.shape[i + 2] - 1);
          }
          sum += weight * x.values[from];
        });
        expected[at] = sum;
      });
      const Array y = interpolate(
          x.array, {.size = {7, 2, 5}, .mode = Interpolation::linear, .align_corners = corners});
      check_near(y, expected, 64.0, 4.0);
    }
  }
}

TEST_CASE("interpolate tells what does not fit") {
  const Array x = ones({1, 1, 4});
  CHECK_THROWS_WITH_TEXT(interpolate(x, {}), ArgumentError, "either a size or a scale");
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.size = {2}, .scale = {2}}), ArgumentError, "either");
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.size = {2, 2}}), ArgumentError, "for each of 1");
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.size = {0}}), ArgumentError, "at least 1 element");
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.scale = {0.1}}), ArgumentError, "at least 1 element");
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.scale = {-1}}), ArgumentError, "a scale above 0");
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.scale = {std::nan("")}}), ArgumentError, "above 0");
  CHECK_THROWS_AS(interpolate(x, {.size = {std::int64_t{1} << 60}}), Error);
  CHECK_THROWS_WITH_TEXT(interpolate(x, {.size = {2}, .align_corners = true}), ArgumentError,
                         "mode linear");
  CHECK_THROWS_WITH_TEXT(interpolate(ones({2, 2}), {.size = {2}}), ShapeError, "[N, C, L]");
  CHECK_THROWS_WITH_TEXT(interpolate(ones({1, 1, 0}), {.size = {2}}), ShapeError, "no elements");
}

}  // namespace
}  // namespace gaia::test
