// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/group_normalization.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/autograd/normalization.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// group_norm of x [batch, channels, positions] by plain loops.
double grouped(const Array& x, std::int64_t groups, double epsilon, std::int64_t b, std::int64_t c,
               std::int64_t p) {
  const std::int64_t width = x.shape(1) / groups;
  const std::int64_t first = c / width * width;
  double sum = 0;
  double squares = 0;
  const double count = static_cast<double>(width * x.shape(2));
  for (std::int64_t i = first; i < first + width; ++i) {
    for (std::int64_t j = 0; j < x.shape(2); ++j) sum += x.item({b, i, j});
  }
  for (std::int64_t i = first; i < first + width; ++i) {
    for (std::int64_t j = 0; j < x.shape(2); ++j) {
      squares += std::pow(x.item({b, i, j}) - sum / count, 2);
    }
  }
  return (x.item({b, c, p}) - sum / count) / std::sqrt(squares / count + epsilon);
}

}  // namespace

DEVICE_TEST_CASE("GroupNorm and InstanceNorm agree with plain loops, while training and not") {
  const Array x = random_normal({2, 6, 5}, 1.0, 2.0, DType::float64, {31, 1});
  const Array w = random_normal({6}, 1.0, 0.5, DType::float64, {31, 2});
  const Array b = random_normal({6}, 0.0, 0.5, DType::float64, {31, 3});
  for (const std::int64_t groups : {1, 2, 3, 6}) {
    GroupNorm layer(groups, 6, {.dtype = DType::float64});
    InstanceNorm alone(6, {.affine = true, .dtype = DType::float64});
    for (const bool training : {true, false}) {
      layer.train(training);
      layer.set_state({{"weight", w}, {"bias", b}});
      alone.set_state({{"weight", w}, {"bias", b}});
      const Array y = layer(Tensor(x)).value();
      const Array single = alone(Tensor(x)).value();
      for (std::int64_t i = 0; i < 60; ++i) {
        const std::int64_t n = i / 30;
        const std::int64_t c = i / 5 % 6;
        const double expected = grouped(x, groups, 1e-5, n, c, i % 5) * w.item({c}) + b.item({c});
        CHECK(y.item({n, c, i % 5}) == Approx(expected).margin(1e-10));
        if (groups == 6) CHECK(single.item({n, c, i % 5}) == Approx(expected).margin(1e-10));
      }
    }
  }
}

DEVICE_TEST_CASE("RmsNorm divides by the root of the mean square alone") {
  const Array x = random_normal({3, 2, 4}, 1.0, 2.0, DType::float64, {32, 1});
  RmsNorm one(4, {.epsilon = 0.25, .dtype = DType::float64});
  RmsNorm two(Shape{2, 4}, {.affine = false, .dtype = DType::float64});
  const Array y = one(Tensor(x)).value();
  const Array z = two(Tensor(x)).value();
  for (std::int64_t b = 0; b < 3; ++b) {
    double all = 0;
    for (std::int64_t i = 0; i < 2; ++i) {
      double row = 0;
      for (std::int64_t j = 0; j < 4; ++j) row += std::pow(x.item({b, i, j}), 2);
      all += row;
      for (std::int64_t j = 0; j < 4; ++j) {
        CHECK(y.item({b, i, j}) ==
              Approx(x.item({b, i, j}) / std::sqrt(row / 4 + 0.25)).margin(1e-12));
      }
    }
    CHECK(z.item({b, 1, 3}) == Approx(x.item({b, 1, 3}) / std::sqrt(all / 8)).margin(1e-12));
  }
}

TEST_CASE("Gradients of norms by groups agree with central differences") {
  const Array x = random_normal({2, 4, 3}, 0.5, 1.5, DType::float64, {33, 1});
  GroupNorm group(2, 4, {.dtype = DType::float64});
  InstanceNorm instance(4, {.affine = true, .dtype = DType::float64});
  RmsNorm rms(Shape{4, 3}, {.dtype = DType::float64});
  CHECK(gradient_complaint(group, x).empty());
  CHECK(gradient_complaint(instance, x).empty());
  CHECK(gradient_complaint(rms, x).empty());
}

TEST_CASE("Norms by groups refuse what does not fit") {
  CHECK_THROWS_WITH_TEXT(GroupNorm(4, 6), ArgumentError,
                         "[group_norm] groups: expected a divisor of 6 channels, got 4");
  CHECK_THROWS_AS(GroupNorm(0, 6), ArgumentError);
  CHECK_THROWS_AS(GroupNorm(1, 6, {.epsilon = -1.0}), ArgumentError);
  CHECK_THROWS_AS(GroupNorm(2, 6)(Tensor(ones({2, 4}))), ShapeError);
  CHECK_THROWS_AS(InstanceNorm(6)(Tensor(ones({2, 6, 1}))), ShapeError);
  CHECK_THROWS_AS(InstanceNorm(6)(Tensor(ones({2, 6}))), ShapeError);
  CHECK_THROWS_AS(RmsNorm(6)(Tensor(ones({2, 5}))), ShapeError);
  CHECK_THROWS_AS(rms_norm(ones({2, 5}), ones({4})), ShapeError);
  CHECK(GroupNorm(2, 4)(Tensor(zeros({0, 4, 3}))).shape() == Shape{0, 4, 3});
}
