// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/recorded_equations.h"

#include "../../../src/array/create.h"
#include "../../../src/array/functions.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/layers/network/plastic.h"
#include "../../../src/learning/catalogue/catalogue.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array drawn_array(const Shape& shape, std::uint64_t stream, double deviation = 0.8) {
  return random_normal(shape, 0.0, deviation, DType::float64, {41, stream});
}

Tensor number(double value) { return Tensor(full({}, value, DType::float64)); }

/// The answers, and the weights after them, of a layer that is nothing but H.
PlasticSequence recorded(const EquationRule& rule, Activation f, const Array& x,
                         const Array& weights) {
  std::vector<Tensor> parameters;
  for (const double value : rule.parameters()) parameters.push_back(number(value));
  const Tensor drive(zeros({x.shape(0), 1, weights.shape(0)}, DType::float64));
  return plastic_sequence(rule, f, Tensor(x.expand_dims(1)), drive, Tensor(weights.expand_dims(0)),
                          number(1.0), parameters);
}

}  // namespace

TEST_CASE("The catalogue's rules do when recorded what their executors do") {
  int compared = 0;
  for (const NamedRule& named : named_rules()) {
    const PlasticityRule made = rule_from_name(named.name);
    const auto* const rule = std::get_if<EquationRule>(&made);
    if (rule == nullptr || !why_not_recorded(*rule).empty()) continue;
    INFO(named.name);
    ++compared;
    const Activation f = rule->program().assigns_output ? Activation::linear : Activation::tanh;
    PlasticModule layer(
        6, 4, {.rule = *rule, .activation = f, .dtype = DType::float64, .random = {41, 1}});
    layer.weights().assign(sigmoid(layer.weights()));  // some rules take powers of w and 1 - w
    const Array x = drawn_array({12, 6}, 2);
    const PlasticSequence mine = recorded(*rule, f, x, layer.weights().copy());
    const Tensor theirs = layer(Tensor(x.expand_dims(0)));
    CHECK(all_close(mine.answers.value().squeeze({1}), theirs.value().squeeze({0}), 1e-10, 1e-12));
    CHECK(all_close(mine.plastic.value().squeeze({0}), layer.weights(), 1e-10, 1e-12));
  }
  INFO(compared << " rules");
  CHECK(compared >= 12);
}

TEST_CASE("Recorded equations run on every device") {
  const EquationRule rule(
      "theta = theta + (y^2 - theta)/tau\nde = y*pre - e/4\n"
      "dw = rate*kwta(y, 2)*(y - theta)*x + rate*e*softmax(z) - 0.01*back(y)",
      {.parameters = {{"rate", 0.1}, {"tau", 3.0}},
       .memory = {{"theta", 0.5}},
       .traces = {{"pre", "tau"}}});
  const Array x = drawn_array({8, 5}, 3);
  const Array w = drawn_array({4, 5}, 4);
  const PlasticSequence wanted = recorded(rule, Activation::sigmoid, x, w);
  on_each_device([&] {
    const PlasticSequence got = recorded(rule, Activation::sigmoid, x, w);
    CHECK(all_close(got.answers.value().to(Device::cpu()), wanted.answers.value(), 1e-11, 1e-13));
    CHECK(all_close(got.plastic.value().to(Device::cpu()), wanted.plastic.value(), 1e-11, 1e-13));
  });
}

TEST_CASE("Each stream is a trial of its own") {
  const EquationRule rule("m = m + z\ndw = rate*(y*pre - m*w + 0.1*t)",
                          {.parameters = {{"rate", 0.1}}, .traces = {{"pre", 3.0}}});
  const Array x = drawn_array({6, 3, 4}, 5);
  const Array h = drawn_array({3, 2, 4}, 6);
  const auto run = [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    return plastic_sequence(rule, Activation::tanh, Tensor(x.slice(1, first, last)),
                            Tensor(zeros({6, n, 2}, DType::float64)),
                            Tensor(h.slice(0, first, last)), number(0.5), {number(0.1)});
  };
  const PlasticSequence together = run(0, 3);
  for (std::int64_t b = 0; b < 3; ++b) {
    const PlasticSequence alone = run(b, b + 1);
    CHECK(all_close(together.answers.value().slice(1, b, b + 1), alone.answers.value(), 1e-13,
                    1e-15));
    CHECK(all_close(together.plastic.value()[b], alone.plastic.value()[0], 1e-13, 1e-15));
  }
}

TEST_CASE("What cannot be recorded is refused, with the reason") {
  CHECK_THROWS_WITH_TEXT(recorded(EquationRule("y = uniform() < z\ndw = y*x"), Activation::linear,
                                  drawn_array({3, 2}, 1), drawn_array({2, 2}, 2)),
                         ArgumentError,
                         "expected a rule that can be recorded, got one that draws random numbers");
  const EquationRule rewarded("dw = reward*y*x",
                              {.signals = {{.name = "reward", .columns = {"r"}}}});
  CHECK(why_not_recorded(rewarded).find("signals") != std::string::npos);
  const EquationRule rule("m = gain*y\ns = sum(m)\ndw = s*x", {.parameters = {{"gain", 1.0}}});
  const auto run = [&](const Shape& shape) {
    return plastic_sequence(rule, Activation::linear, Tensor(drawn_array({2, 1, 3}, 1)),
                            Tensor(drawn_array({2, 1, 2}, 2)), Tensor(drawn_array({1, 2, 3}, 3)),
                            number(1.0), {Tensor(ones(shape, DType::float64))});
  };
  CHECK_NOTHROW(run({2, 1}));
  CHECK_THROWS_WITH_TEXT(run({2, 3}), ArgumentError,
                         "is made of a parameter of shape [outputs, inputs]; expected one that the "
                         "inputs of a neuron share, [outputs, 1] or []");
  const EquationRule slow("dw = pre*y", {.parameters = {{"tau", 2.0}}, .traces = {{"pre", "tau"}}});
  CHECK_THROWS_WITH_TEXT(
      plastic_sequence(slow, Activation::linear, Tensor(drawn_array({2, 1, 3}, 1)),
                       Tensor(drawn_array({2, 1, 2}, 2)), Tensor(drawn_array({1, 2, 3}, 3)),
                       number(1.0), {number(-1.0)}),
      ArgumentError, "the trace pre has the time constant tau: expected numbers of ticks above 0");
}
