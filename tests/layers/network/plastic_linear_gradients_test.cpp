// SPDX-License-Identifier: MIT
/// Rounding has no gradient, so that of the weights has no differences to be compared with, but
/// the traces stand beside the codes in one sum: what is left of the differences by F, divided by
/// its gain, is the gradient that straight through gives to W.
#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/layers/network/plastic_linear.h"
#include "../../support/devices.h"
#include "plastic_linear_reference.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array normal_inputs(const Shape& shape, std::uint64_t stream) {
  return random_normal(shape, 0.0, 1.0, DType::float64, {62, stream});
}

/// A layer whose traces hold something, and that writes no more.
void fill_traces(PlasticLinear& layer) {
  for (std::uint64_t step = 0; step < 4; ++step) {
    layer(Tensor(normal_inputs({3, layer.weights().shape(1)}, 40 + step) * 4.0));
  }
  layer.enable_plasticity(false);
}

/// sum of sin(y) by loops, which no gradient of is constant.
double loss_of(const ReferencePlasticLinear& loops, const Rows& x) {
  double loss = 0.0;
  for (const auto& row : loops.forward(x)) {
    for (const double y : row) loss += std::sin(y);
  }
  return loss;
}

template <class Loss>
double difference(ReferencePlasticLinear& loops, Rows& x, double& number, const Loss& loss) {
  constexpr double step = 1e-5;
  const double before = number;
  number = before + step;
  const double above = loss(loops, x);
  number = before - step;
  const double below = loss(loops, x);
  number = before;
  return (above - below) / (2.0 * step);
}

}  // namespace

DEVICE_TEST_CASE(
    "Gradients of PlasticLinear are those of differences: inputs, bias, and W by its traces") {
  PlasticLinear layer(5, 4, {.bias = true, .dtype = DType::float64, .random = {62, 1}});
  layer.state().at("bias").assign(normal_inputs({4}, 2));
  fill_traces(layer);
  const Tensor x(normal_inputs({3, 5}, 3), true);
  layer.zero_grad();
  sum(sin(layer(x))).backward();

  ReferencePlasticLinear loops{.weights = rows_of(layer.weights().value().to_vector<double>(), 5),
                               .bias = layer.bias().value().to_vector<double>()};
  loops.fast = rows_of(layer.fast().to_vector<double>(), 5);
  loops.slow = rows_of(layer.slow().to_vector<double>(), 5);
  Rows rows = rows_of(x.value().to_vector<double>(), 5);
  for (std::size_t n = 0; n < 3; ++n) {
    for (std::size_t i = 0; i < 5; ++i) {
      const double wanted = difference(loops, rows, rows[n][i], loss_of);
      CHECK(x.grad().item({static_cast<std::int64_t>(n), static_cast<std::int64_t>(i)}) ==
            Approx(wanted).margin(1e-8));
    }
  }
  for (std::size_t o = 0; o < 4; ++o) {
    const auto row = static_cast<std::int64_t>(o);
    CHECK(layer.bias().grad().item({row}) ==
          Approx(difference(loops, rows, loops.bias[o], loss_of)).margin(1e-8));
    for (std::size_t i = 0; i < 5; ++i) {
      const double by_fast = difference(loops, rows, loops.fast[o][i], loss_of) / 0.1;
      const double by_slow = difference(loops, rows, loops.slow[o][i], loss_of) / 0.05;
      const double got = layer.weights().grad().item({row, static_cast<std::int64_t>(i)});
      CHECK(got == Approx(by_fast).margin(1e-7));
      CHECK(got == Approx(by_slow).margin(1e-7));
    }
  }
}

TEST_CASE("The gradient of the weights is that of v3.1 no more, which came through the scale") {
  // By the scale alone, dw = (sum of the row's gradient times codes) sign(w) / inputs.
  PlasticLinear layer(6, 2, {.dtype = DType::float64, .random = {62, 4}});
  layer.enable_plasticity(false);
  const Array x = normal_inputs({4, 6}, 5);
  const Array dy = normal_inputs({4, 2}, 6);
  layer(Tensor(x)).backward({.gradient = dy});
  const Rows rows = rows_of(x.to_vector<double>(), 6);
  const Rows seeds = rows_of(dy.to_vector<double>(), 2);
  const Rows weights = rows_of(layer.weights().value().to_vector<double>(), 6);
  for (std::size_t o = 0; o < 2; ++o) {
    bool has_other_sign = false;
    for (std::size_t i = 0; i < 6; ++i) {
      double straight = 0.0;
      for (std::size_t n = 0; n < 4; ++n) straight += seeds[n][o] * rows[n][i];
      const double got =
          layer.weights().grad().item({static_cast<std::int64_t>(o), static_cast<std::int64_t>(i)});
      CHECK(got == Approx(straight));
      const double first = layer.weights().grad().item({static_cast<std::int64_t>(o), 0});
      has_other_sign |= (got * weights[o][i] > 0.0) != (first * weights[o][0] > 0.0);
    }
    CHECK(has_other_sign);
  }
}

TEST_CASE("Traces that are written between forward and backward do not reach the gradient") {
  PlasticLinear writes(5, 3, {.dtype = DType::float64, .random = {62, 7}});
  PlasticLinear keeps(5, 3, {.plasticity = false, .dtype = DType::float64, .random = {62, 7}});
  const Tensor x(normal_inputs({2, 5}, 8), true);
  const Tensor y = writes(x);
  writes(Tensor(normal_inputs({2, 5}, 9)));
  y.backward({.gradient = normal_inputs({2, 3}, 10)});
  const Array dx = x.grad().copy();
  const Tensor same(x.value(), true);
  keeps(same).backward({.gradient = normal_inputs({2, 3}, 10)});
  CHECK(norm(writes.fast()).item() > 0.0);
  CHECK(same.grad().to_vector<double>() == dx.to_vector<double>());
  CHECK(keeps.weights().grad().to_vector<double>() == writes.weights().grad().to_vector<double>());
}
