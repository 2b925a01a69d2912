// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/adaptive_pooling.h"

#include <algorithm>
#include <limits>

#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

DEVICE_TEST_CASE("Adaptive pools agree with plain loops, also where windows overlap") {
  const Array x = random_normal({2, 3, 7, 5}, 0.0, 1.0, DType::float64, {41, 1});
  for (const std::int64_t m : {1, 2, 3, 7, 9}) {
    for (const std::int64_t n : {1, 4, 5}) {
      const Array mean = AdaptiveAvgPool2d(m, n)(Tensor(x)).value();
      const Array most = AdaptiveMaxPool2d(m, n)(Tensor(x)).value();
      REQUIRE(mean.shape() == Shape{2, 3, m, n});
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double sum = 0;
          double count = 0;
          double largest = -std::numeric_limits<double>::infinity();
          for (std::int64_t p = i * 7 / m; p < (i + 1) * 7 / m + ((i + 1) * 7 % m != 0); ++p) {
            for (std::int64_t q = j * 5 / n; q < (j + 1) * 5 / n + ((j + 1) * 5 % n != 0); ++q) {
              sum += x.item({1, 2, p, q});
              count += 1;
              largest = std::max(largest, x.item({1, 2, p, q}));
            }
          }
          CHECK(mean.item({1, 2, i, j}) == Approx(sum / count).margin(1e-12));
          CHECK(most.item({1, 2, i, j}) == largest);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("ZeroPad puts as many zeros before as behind as it is told") {
  const Array x = array({{1.0, 2.0}, {3.0, 4.0}}).reshape({1, 1, 2, 2});
  const Array y = ZeroPad({1, 0}, {0, 2})(Tensor(x)).value();
  CHECK(y.to_vector<double>() == std::vector<double>{0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0});
  CHECK(y.shape() == Shape{1, 1, 3, 4});
  CHECK(ZeroPad({0}, {0})(Tensor(x)).shape() == x.shape());
}

TEST_CASE("Gradients of adaptive pools and padding agree with central differences") {
  const Array x = random_normal({2, 2, 7}, 0.0, 1.0, DType::float64, {42, 1});
  AdaptiveAvgPool1d mean(3);
  AdaptiveMaxPool1d most(3);
  ZeroPad pad({1, 2}, {0, 3});
  CHECK(gradient_complaint(mean, x).empty());
  CHECK(gradient_complaint(most, x).empty());
  CHECK(gradient_complaint(pad, x).empty());
}

TEST_CASE("Adaptive pools and padding refuse what does not fit") {
  CHECK_THROWS_WITH_TEXT(AdaptiveAvgPool1d(0), ArgumentError,
                         "[adaptive_avg_pool1d] size: expected at least 1, got 0");
  CHECK_THROWS_AS(AdaptiveMaxPool2d(2)(Tensor(ones({2, 3, 4}))), ShapeError);
  CHECK_THROWS_AS(AdaptiveAvgPool1d(2)(Tensor(ones({2, 3, 0}))), ShapeError);
  CHECK_THROWS_AS(ZeroPad({1}, {1, 2}), ArgumentError);
  CHECK_THROWS_AS(ZeroPad({-1}, {1}), ArgumentError);
  CHECK_THROWS_AS(zero_pad(ones({2}), {1, 1}, {1, 1}), ShapeError);
}
