// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/plastic_linear.h"

#include <cmath>
#include <limits>

#include "../../../src/array/create.h"
#include "../../../src/array/device.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/grad_mode.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/autograd/trace_guard.h"
#include "../../../src/core/error.h"
#include "../../../src/layers/network/pointwise.h"
#include "../../../src/learning/losses.h"
#include "../../../src/learning/optimisers.h"
#include "../../support/devices.h"
#include "plastic_linear_reference.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array normal_samples(const Shape& shape, std::uint64_t stream, double deviation = 1.0,
                     DType dtype = DType::float64) {
  return random_normal(shape, 0.0, deviation, dtype, {61, stream});
}

bool near(const Array& got, const Rows& wanted, double tolerance = 1e-12) {
  return all_close(got.reshape({-1}).astype(DType::float64),
                   from_values(flat(wanted), {got.size()}), tolerance, tolerance);
}

std::vector<double> all_numbers(const Module& net) {
  std::vector<double> all;
  for (const auto& [name, value] : net.state()) {
    for (const double one : value.to_vector<double>()) all.push_back(one);
  }
  return all;
}

}  // namespace

DEVICE_TEST_CASE("PlasticLinear answers and writes its traces as plain loops do") {
  for (const DType dtype : {DType::float64, DType::float32}) {
    const double tolerance = dtype == DType::float64 ? 1e-12 : 2e-5;
    PlasticLinear layer(7, 5, {.bias = true, .dtype = dtype, .random = {61, 1}});
    const Array bias = normal_samples({5}, 2);
    layer.state().at("bias").assign(bias);
    ReferencePlasticLinear loops{.weights = rows_of(layer.weights().value().to_vector<double>(), 7),
                                 .bias = bias.to_vector<double>()};
    bool was_shortened = false;
    bool was_not = false;
    for (std::uint64_t step = 0; step < 8; ++step) {
      // [2, 3, 7]: 6 rows; from the fifth step on long enough for the bound.
      const Array x = normal_samples({2, 3, 7}, 10 + step, step < 4 ? 1.0 : 12.0, dtype);
      const Rows rows = rows_of(x.to_vector<double>(), 7);
      const Rows expected = loops.forward(rows);
      const Tensor y = layer(Tensor(x));
      loops.write(rows, expected);
      REQUIRE(y.shape() == Shape{2, 3, 5});
      CHECK(y.dtype() == dtype);
      CHECK(near(y.value(), expected, tolerance));
      CHECK(near(layer.fast(), loops.fast, tolerance));
      CHECK(near(layer.slow(), loops.slow, tolerance));
      CHECK(layer.diagnostics().update_norm == Approx(loops.update_norm).epsilon(tolerance));
      (loops.was_shortened ? was_shortened : was_not) = true;
    }
    CHECK(was_shortened);
    CHECK(was_not);
  }
}

TEST_CASE("PlasticLinear takes its numbers from its options") {
  PlasticLinear layer(4, 3,
                      {.fast_gain = 0.3,
                       .slow_gain = -0.2,
                       .fast_decay = 0.6,
                       .fast_rate = 0.5,
                       .slow_decay = 0.7,
                       .slow_rate = 0.4,
                       .trace_bound = 0.05,
                       .deviation = 0.5,
                       .dtype = DType::float64,
                       .random = {61, 3}});
  const Array first = layer.weights().value().copy();
  ReferencePlasticLinear loops{.weights = rows_of(first.to_vector<double>(), 4),
                               .bias = std::vector<double>(3),
                               .a = 0.3,
                               .b = -0.2,
                               .fast_decay = 0.6,
                               .fast_rate = 0.5,
                               .slow_decay = 0.7,
                               .slow_rate = 0.4,
                               .bound = 0.05};
  for (std::uint64_t step = 0; step < 5; ++step) {
    const Array x = normal_samples({2, 4}, 20 + step, 0.1 + 0.2 * static_cast<double>(step));
    const Rows rows = rows_of(x.to_vector<double>(), 4);
    const Rows expected = loops.forward(rows);
    CHECK(near(layer(Tensor(x)).value(), expected));
    loops.write(rows, expected);
    CHECK(near(layer.fast(), loops.fast));
    CHECK(near(layer.slow(), loops.slow));
  }
  CHECK(loops.was_shortened);
  // Many weights have the deviation that was asked for.
  const PlasticLinear large(200, 200, {.deviation = 0.5, .random = {61, 4}});
  CHECK(standard_deviation(large.weights().value()).item() == Approx(0.5).epsilon(0.02));
  CHECK(std::abs(mean(large.weights().value()).item()) < 0.01);
}

DEVICE_TEST_CASE(
    "Traces are used and not written without plasticity, in evaluation, under a guard") {
  PlasticLinear layer(6, 4, {.dtype = DType::float64, .random = {61, 5}});
  const Tensor x(normal_samples({3, 6}, 6, 3.0));
  for (int step = 0; step < 3; ++step) layer(x);
  REQUIRE(norm(layer.slow()).item() > 0.0);
  const std::vector<double> before = all_numbers(layer);
  const std::vector<double> answer = [&] {
    const TraceGuard guard;
    return layer(x).value().to_vector<double>();
  }();
  CHECK(all_numbers(layer) == before);
  layer.enable_plasticity(false);
  CHECK_FALSE(layer.plasticity_enabled());
  CHECK(layer(x).value().to_vector<double>() == answer);
  layer.enable_plasticity();
  layer.eval();
  CHECK(layer(x).value().to_vector<double>() == answer);
  CHECK(all_numbers(layer) == before);
  // The traces are in the answer.
  PlasticLinear twin(6, 4, {.dtype = DType::float64, .random = {61, 5}});
  twin.eval();
  CHECK(twin(x).value().to_vector<double>() != answer);
  layer.train();
  const NoGrad no_grad;  // of no matter to traces
  layer(x);
  CHECK(all_numbers(layer) != before);
  layer.reset_traces();
  layer.eval();
  CHECK(layer(x).value().to_vector<double>() == twin(x).value().to_vector<double>());
}

TEST_CASE("Plasticity is switched for all layers of a network, and its layers are found by name") {
  NeuralNetwork inner;
  inner.add<ReluLayer>().add<PlasticLinear>(3, 3, PlasticLinearOptions{.random = {61, 7}});
  NeuralNetwork net;
  net.add<PlasticLinear>(4, 3, PlasticLinearOptions{.plasticity = false, .random = {61, 8}});
  net.add(std::make_shared<TanhLayer>());
  for (const auto& [name, child] : inner.children()) net.add(child);
  const auto layers = plastic_linear_layers(net);
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].first == "0");
  CHECK(layers[1].first == "3");
  CHECK_FALSE(layers[0].second->plasticity_enabled());
  CHECK(layers[1].second->plasticity_enabled());
  enable_plasticity(net);
  CHECK(layers[0].second->plasticity_enabled());
  enable_plasticity(net, false);
  for (const auto& [name, layer] : layers) CHECK_FALSE(layer->plasticity_enabled());
  const PlasticLinear alone(2, 2);
  CHECK(plastic_linear_layers(alone).front().first.empty());
}

DEVICE_TEST_CASE("A restored PlasticLinear goes on bit for bit, and takes its traces along") {
  const PlasticLinearOptions options{.bias = true, .random = {61, 9}};
  const auto train = [](PlasticLinear& layer, std::uint64_t first, std::uint64_t last) {
    Optimiser optimiser(layer.parameters(), SgdRule{.learning_rate = 0.05});
    for (std::uint64_t step = first; step < last; ++step) {
      optimiser.zero_grad();
      mse(layer(Tensor(normal_samples({4, 6}, 100 + step, 1.0, DType::float32))),
          normal_samples({4, 3}, 200 + step, 1.0, DType::float32))
          .backward();
      optimiser.step();
    }
  };
  PlasticLinear whole(6, 3, options);
  train(whole, 0, 12);
  PlasticLinear begun(6, 3, options);
  train(begun, 0, 5);
  PlasticLinear resumed(6, 3, {.bias = true, .random = {61, 10}});
  resumed.set_state(begun.state());
  train(resumed, 5, 12);
  CHECK(all_numbers(resumed) == all_numbers(whole));
  CHECK(begun.state().size() == 5);
  CHECK(begun.parameter_count() == 6 * 3 + 3);
  // A state without the traces is none.
  ArrayMap less = begun.state();
  less.erase("slow");
  CHECK_THROWS_AS(resumed.set_state(less), ArgumentError);
}

TEST_CASE("PlasticLinear has the same bits for any number of threads") {
  std::vector<double> results[2];
  for (const int threads : {1, 2}) {
    const Threads scope(threads);
    PlasticLinear layer(300, 200, {.random = {61, 11}});
    for (std::uint64_t step = 0; step < 3; ++step) {
      layer(Tensor(normal_samples({33, 300}, 30 + step, 1.0, DType::float32)));
    }
    results[threads - 1] = all_numbers(layer);
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE("Over 2000 steps of training traces stay bounded, gradients small and memory flat") {
  // The fast trace is pressed against its bound all the time: by inputs of this size it would be
  // more than ten times as long.
  PlasticLinear layer(12, 8, {.bias = true, .random = {61, 12}});
  Optimiser optimiser(layer.parameters(), AdamRule{.learning_rate = 1e-3});
  const Array target = normal_samples({16, 8}, 13, 1.0, DType::float32);
  std::int64_t used = 0;
  std::int64_t arrays = 0;
  double largest_fast = 0.0;
  double largest_slow = 0.0;
  double largest_gradient = 0.0;
  for (std::uint64_t step = 0; step < 2000; ++step) {
    optimiser.zero_grad();
    mse(layer(Tensor(normal_samples({16, 12}, 1000 + step, 5.0, DType::float32))), target)
        .backward();
    const PlasticLinearDiagnostics now = layer.diagnostics();
    largest_fast = std::max(largest_fast, now.fast_norm);
    largest_slow = std::max(largest_slow, now.slow_norm);
    largest_gradient = std::max(largest_gradient, now.gradient_norm);
    optimiser.step();
    if (step == 10) {
      used = memory_stats(Device::cpu()).used;
      arrays = memory_stats(Device::cpu()).arrays;
    }
  }
  CHECK(largest_fast <= 5.0 * (1.0 + 1e-6));
  CHECK(largest_fast > 4.99);
  CHECK(largest_slow <= 5.0 * (1.0 + 1e-5));
  CHECK(largest_slow > 3.0);
  CHECK(largest_gradient < 100.0);
  CHECK(largest_gradient > 0.0);
  CHECK(memory_stats(Device::cpu()).used == used);
  CHECK(memory_stats(Device::cpu()).arrays == arrays);
}

DEVICE_TEST_CASE("Diagnostics of PlasticLinear are what loops count") {
  PlasticLinear layer(9, 4, {.dtype = DType::float64, .random = {61, 14}});
  CHECK(std::isnan(layer.diagnostics().gradient_norm));
  // Rows of different size, each of which has a scale of its own.
  layer.weights().value() *= array({{1.0}, {10.0}, {0.2}, {3.0}}, DType::float64);
  ReferencePlasticLinear loops{.weights = rows_of(layer.weights().value().to_vector<double>(), 9),
                               .bias = std::vector<double>(4)};
  const Array x = normal_samples({3, 9}, 15, 2.0);
  const Array dy = normal_samples({3, 4}, 16);
  const Rows rows = rows_of(x.to_vector<double>(), 9);
  layer(Tensor(x)).backward({.gradient = dy});
  loops.write(rows, loops.forward(rows));
  double zeros_there = 0.0;
  Rows gradient = loops.weights;
  const Rows seeds = rows_of(dy.to_vector<double>(), 4);
  for (std::size_t o = 0; o < 4; ++o) {
    for (std::size_t i = 0; i < 9; ++i) {
      zeros_there += loops.code(o, i) == 0 ? 1.0 : 0.0;
      gradient[o][i] = 0.0;
      for (std::size_t n = 0; n < 3; ++n) gradient[o][i] += seeds[n][o] * rows[n][i];
    }
  }
  REQUIRE(zeros_there > 0.0);
  const PlasticLinearDiagnostics got = layer.diagnostics();
  CHECK(got.fast_norm == Approx(norm_of(loops.fast)));
  CHECK(got.slow_norm == Approx(norm_of(loops.slow)));
  CHECK(got.update_norm == Approx(loops.update_norm));
  CHECK(got.weight_norm == Approx(norm_of(loops.weights)));
  CHECK(got.sparsity == Approx(zeros_there / 36.0));
  CHECK(got.gradient_norm == Approx(norm_of(gradient)));
  CHECK(got.named().size() == 6);
  CHECK(got.named()[4] == std::pair<std::string, double>("sparsity", got.sparsity));
}

TEST_CASE("PlasticLinear reads samples of one axis, and none") {
  PlasticLinear layer(3, 2, {.dtype = DType::float64, .random = {61, 17}});
  CHECK(layer(Tensor(zeros({3}, DType::float64))).shape() == Shape{2});
  const std::vector<double> before = all_numbers(layer);
  CHECK(layer(Tensor(zeros({0, 3}, DType::float64))).shape() == Shape{0, 2});
  CHECK(all_numbers(layer) == before);
  layer(Tensor(normal_samples({3}, 18)));
  CHECK(all_numbers(layer) != before);
}

DEVICE_TEST_CASE("The packed PlasticLinear answers as the layer it was made from") {
  PlasticLinear layer(70, 300, {.bias = true, .random = {61, 19}});
  layer.state().at("bias").assign(normal_samples({300}, 20, 1.0, DType::float32));
  const Tensor x(normal_samples({2, 5, 70}, 21, 1.0, DType::float32));
  layer.eval();
  const auto fresh = layer.pack();
  CHECK(all_close(fresh->forward(x).value(), layer(x).value(), 1e-5, 1e-5));
  const ArrayMap state = fresh->state();
  CHECK(state.at("packed").bytes() == 300 * 5 * 4);
  CHECK(state.at("scale").size() == 300);
  CHECK_FALSE(state.contains("traces"));
  CHECK(fresh->parameter_count() == 0);
  layer.train();
  for (int step = 0; step < 3; ++step) layer(x);
  layer.eval();
  const auto packed = layer.pack();
  CHECK(all_close(packed->forward(x).value(), layer(x).value(), 1e-5, 1e-5));
  CHECK_FALSE(all_close(fresh->forward(x).value(), layer(x).value(), 1e-5, 1e-5));
  CHECK(packed->state().at("traces").shape() == Shape{300, 70});
  // It is of its moment.
  const Array before = packed->forward(x).value();
  layer.weights().value().fill(1.0);
  layer.reset_traces();
  CHECK(packed->forward(x).value().to_vector<float>() == before.to_vector<float>());
}

DEVICE_TEST_CASE("A pass with NaN leaves the traces of a PlasticLinear as they are") {
  PlasticLinear layer(3, 4, {.dtype = DType::float64});
  layer(Tensor(normal_samples({5, 3}, 8)));
  const std::vector<double> before = all_numbers(layer);
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Array bad = normal_samples({5, 3}, 9).copy();
    bad[2].fill(value);
    layer(Tensor(bad));
    CHECK(all_numbers(layer) == before);
  }
  layer(Tensor(normal_samples({5, 3}, 9)));
  CHECK(all_numbers(layer) != before);
  CHECK(std::isfinite(layer.diagnostics().fast_norm));
}

TEST_CASE("PlasticLinear refuses what does not fit") {
  CHECK_THROWS_AS(PlasticLinear(0, 1), ArgumentError);
  CHECK_THROWS_AS(PlasticLinear(1, 0), ArgumentError);
  CHECK_THROWS_AS(PlasticLinear(1, 1, {.dtype = DType::int64}), DTypeError);
  CHECK_THROWS_WITH(PlasticLinear(1, 1, {.fast_decay = 1.0}),
                    "[plastic_linear] fast_decay: expected at least 0 and below 1, got 1.0");
  CHECK_THROWS_AS(PlasticLinear(1, 1, {.slow_decay = -0.1}), ArgumentError);
  CHECK_THROWS_AS(PlasticLinear(1, 1, {.fast_rate = -1.0}), ArgumentError);
  CHECK_THROWS_AS(PlasticLinear(1, 1, {.slow_rate = std::nan("")}), ArgumentError);
  CHECK_THROWS_AS(PlasticLinear(1, 1, {.trace_bound = 0.0}), ArgumentError);
  CHECK_THROWS_AS(PlasticLinear(1, 1, {.deviation = -1.0}), ArgumentError);
  CHECK_THROWS_AS(PlasticLinear(1, 1, {.fast_gain = std::numeric_limits<double>::infinity()}),
                  ArgumentError);
  PlasticLinear layer(3, 2);
  CHECK_THROWS_WITH(layer(Tensor(zeros({2, 4}))),
                    "[plastic_linear] expected inputs [..., 3], got shape [2, 4]");
  CHECK_THROWS_AS(layer.pack()->forward(Tensor(zeros({2, 4}))), ShapeError);
}
