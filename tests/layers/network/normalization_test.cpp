// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/normalization.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/unfused.h"
#include "../../../src/autograd/fused.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array wide(const Shape& shape, std::uint64_t stream, double mean = 0.0) {
  return random_normal(shape, mean, 2.0, DType::float64, {21, stream});
}

/// Mean and variance of one channel of x [batch, channels, positions].
std::pair<double, double> moments(const Array& x, std::int64_t channel) {
  long double sum = 0;
  long double squares = 0;
  long double count = 0;
  for (std::int64_t b = 0; b < x.shape(0); ++b) {
    for (std::int64_t i = 0; i < x.shape(2); ++i) sum += x.item({b, channel, i}), count += 1;
  }
  const long double mean = sum / count;
  for (std::int64_t b = 0; b < x.shape(0); ++b) {
    for (std::int64_t i = 0; i < x.shape(2); ++i) {
      const long double d = x.item({b, channel, i}) - mean;
      squares += d * d;
    }
  }
  return {static_cast<double>(mean), static_cast<double>(squares / count)};
}

}  // namespace

DEVICE_TEST_CASE("LayerNorm brings each sample to mean 0 and variance 1, then scales and shifts") {
  LayerNorm layer(Shape{2, 3}, {.epsilon = 0.0, .dtype = DType::float64});
  layer.set_state({{"weight", full({2, 3}, 2.0)}, {"bias", full({2, 3}, 1.0)}});
  const Array x = array({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, DType::float64).reshape({1, 2, 3});
  const Array y = layer(Tensor(x)).value();
  const double deviation = std::sqrt(35.0 / 12.0);
  for (std::int64_t i = 0; i < 6; ++i) {
    const double expected = 2.0 * (static_cast<double>(i) - 2.5) / deviation + 1.0;
    CHECK(y.item({0, i / 3, i % 3}) == Approx(expected).epsilon(1e-12));
  }
  LayerNorm plain(3, {.affine = false});
  CHECK(plain.parameter_count() == 0);
  CHECK(norm(mean(plain(Tensor(x)).value(), {-1})).item() < 1e-6);
}

DEVICE_TEST_CASE("BatchNorm uses the batch while training and what it has seen else") {
  BatchNorm1d layer(2, {.momentum = 0.3, .dtype = DType::float64});
  layer.set_state({{"weight", array({2.0, -1.0})},
                   {"bias", array({0.5, 1.0})},
                   {"running_mean", array({1.0, 2.0})},
                   {"running_variance", array({4.0, 0.25})}});
  const Array x = wide({3, 2, 4}, 1, 5.0);
  const Array y = layer(Tensor(x)).value();
  for (std::int64_t c = 0; c < 2; ++c) {
    const auto [mean, variance] = moments(x, c);
    const double weight = c == 0 ? 2.0 : -1.0;
    const double bias = c == 0 ? 0.5 : 1.0;
    for (std::int64_t b = 0; b < 3; ++b) {
      for (std::int64_t i = 0; i < 4; ++i) {
        const double expected =
            weight * (x.item({b, c, i}) - mean) / std::sqrt(variance + 1e-5) + bias;
        CHECK(y.item({b, c, i}) == Approx(expected).epsilon(1e-10));
      }
    }
    const double old_mean = c == 0 ? 1.0 : 2.0;
    const double old_variance = c == 0 ? 4.0 : 0.25;
    CHECK(layer.running_mean().item({c}) == Approx(0.7 * old_mean + 0.3 * mean).epsilon(1e-12));
    CHECK(layer.running_variance().item({c}) ==
          Approx(0.7 * old_variance + 0.3 * variance * 12.0 / 11.0).epsilon(1e-12));
  }
  const double running_mean = layer.running_mean().item({0});
  const double running_variance = layer.running_variance().item({0});
  layer.eval();
  const Array z = layer(Tensor(x)).value();
  CHECK(z.item({1, 0, 2}) ==
        Approx(2.0 * (x.item({1, 0, 2}) - running_mean) / std::sqrt(running_variance + 1e-5) + 0.5)
            .epsilon(1e-12));
  CHECK(layer.running_mean().item({0}) == running_mean);
  // One sample is enough now.
  CHECK(layer(Tensor(wide({1, 2}, 2))).shape() == Shape{1, 2});
}

DEVICE_TEST_CASE("A batch with NaN does not move what BatchNorm has seen") {
  BatchNorm1d norm(3, {.dtype = DType::float64});
  norm.forward(wide({8, 3}, 1));
  const std::vector<double> mean = norm.running_mean().to_vector<double>();
  const std::vector<double> variance = norm.running_variance().to_vector<double>();
  const Array bad = wide({8, 3}, 2).copy();
  bad[4].slice(0, 1, 2).fill(NAN);
  CHECK(std::isnan(norm.forward(bad).value().item({0, 1})));
  // Statistics of the channel with NaN alone stay as they were.
  CHECK(norm.running_mean().to_vector<double>()[1] == mean[1]);
  CHECK(norm.running_variance().to_vector<double>()[1] == variance[1]);
  CHECK(norm.running_mean().to_vector<double>()[0] != mean[0]);
  CHECK(first_not_finite(norm.running_variance()) < 0);
}

TEST_CASE("Gradients of normalisation agree with differences") {
  LayerNorm layer(Shape{4}, {.dtype = DType::float64});
  CHECK(gradient_complaint(layer, wide({3, 2, 4}, 3)) == "");
  BatchNorm1d batch(3, {.dtype = DType::float64});
  CHECK(gradient_complaint(batch, wide({5, 3}, 4)) == "");
  CHECK(gradient_complaint(batch, wide({2, 3, 4}, 5)) == "");
  BatchNorm2d plane(2, {.affine = false, .dtype = DType::float64});
  CHECK(gradient_complaint(plane, wide({2, 2, 2, 3}, 6)) == "");
  batch.eval();
  CHECK(gradient_complaint(batch, wide({5, 3}, 7)) == "");
}

TEST_CASE("Normalisation refuses what does not fit") {
  LayerNorm layer(Shape{2, 3});
  CHECK_THROWS_WITH_TEXT(layer(Tensor(ones({2, 4}))), ShapeError,
                         "[layer_norm] expected last axes [2, 3], got shape [2, 4]");
  CHECK_THROWS_AS(layer(Tensor(ones({3}))), ShapeError);
  CHECK_THROWS_AS(LayerNorm(0), ArgumentError);
  BatchNorm1d batch(3);
  CHECK_THROWS_WITH_TEXT(batch(Tensor(ones({1, 3}))), ShapeError,
                         "more than one value per channel");
  CHECK_THROWS_WITH_TEXT(batch(Tensor(ones({2, 4}))), ShapeError,
                         "expected [batch, 3] or [batch, channels, length], got shape [2, 4]");
  CHECK_THROWS_AS(batch(Tensor(ones({2, 3, 4, 5}))), ShapeError);
  CHECK_THROWS_AS(BatchNorm2d(2)(Tensor(ones({2, 2}))), ShapeError);
  CHECK_THROWS_AS(BatchNorm2d(2, {.momentum = 1.5}), ArgumentError);
}

DEVICE_TEST_CASE("Layers bring numbers to variance 1 whose squares float32 does not hold") {
  for (const double size : {1e20, 1e30}) {
    INFO(size);
    const std::vector<double> wanted = {1, -1, 1, -1};
    const auto check = [&](const Tensor& y) {
      const std::vector<double> got = y.value().to_vector<double>();
      for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(got[i] == Approx(wanted[i]));
    };
    BatchNorm1d batch(1);
    const Tensor column(array({size, -size, size, -size}).reshape({4, 1}), true);
    const Tensor y = batch(column);
    check(y);
    sum(y * y * Tensor(array({1.0, 2.0, 3.0, 4.0}).reshape({4, 1}))).backward();
    CHECK(all(isfinite(column.grad())).item() == 1.0);
    CHECK(std::isfinite(batch.running_variance().item()));
    batch.eval();
    CHECK(batch(column).value().item({0, 0}) > 0.0);
    LayerNorm layer(4);
    check(layer(Tensor(array({size, -size, size, -size}).reshape({1, 4}))));
    check(unfused::layer_norm_forward(array({size, -size, size, -size})).y);
  }
}

TEST_CASE("Layers that normalise refuse an epsilon that is none in their dtype") {
  for (const double epsilon : {-1.0, std::nan(""), 1e-50, 1e39}) {
    INFO(epsilon);
    CHECK_THROWS_AS(LayerNorm(2, {.epsilon = epsilon}), ArgumentError);
    CHECK_THROWS_AS(BatchNorm1d(2, {.epsilon = epsilon}), ArgumentError);
    CHECK_THROWS_AS(layer_norm(ones({2, 2}), {}, {}, {.epsilon = epsilon}), ArgumentError);
  }
  CHECK_THROWS_WITH_TEXT(BatchNorm2d(2, {.epsilon = 1e-50}), ArgumentError,
                         "[batch_norm2d] epsilon: expected a number that float32 can hold");
  BatchNorm1d(2, {.epsilon = 1e-50, .dtype = DType::float64});
  LayerNorm(2, {.epsilon = 1e-50, .dtype = DType::float64});
}
