// SPDX-License-Identifier: MIT
/// \file
/// Rules by their equations in a network.
#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/reductions.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/layers/network/plastic.h"
#include "../../learning/equation_draws.h"
#include "../../support/catch.h"
#include "normal.h"

using namespace gaia;
using namespace gaia::test;
using gaia::test::DrawsOfLayer;

namespace {

HebbianOptions options(const PlasticityRule& rule, Activation f = Activation::tanh) {
  return {.rule = rule, .activation = f, .dtype = DType::float64, .random = {51, 1}};
}

const EquationRule kOja("dw = rate*y*(x - y*w)", {.parameters = {{"rate", 0.05}}});

/// Spiking neurons with a membrane, traces and an eligibility: everything that needs steps.
EquationRule spiking() {
  return EquationRule(
      "v = leak*v*(v < 1) + z\n"
      "y = v >= 1\n"
      "seen = seen + 0.1*(y - seen)\n"
      "de = y*pre - e/5\n"
      "dw = rate*(1 - seen)*e + 0.001*t*x",
      {.parameters = {{"rate", 0.01}, {"leak", 0.8}},
       .memory = {{"seen", 0.25}},
       .traces = {{"pre", 3.0}}});
}

bool same(const Array& a, const Array& b) { return all_close(a, b, 1e-12, 1e-14); }

}  // namespace

TEST_CASE("Oja's rule as its equation is Oja's rule, gradients included") {
  for (const bool has_steps : {false, true}) {
    for (const bool with_gradient : {true, false}) {
      INFO(has_steps << with_gradient);
      PlasticModule text(4, 3, options(kOja));
      PlasticModule named(4, 3, options(OjaRule{.learning_rate = 0.05}));
      const Array x = normal(has_steps ? Shape{5, 6, 4} : Shape{5, 4}, 2);
      const Array dy = normal(has_steps ? Shape{5, 6, 3} : Shape{5, 3}, 3);
      const Tensor mine(x, with_gradient);
      const Tensor theirs(x, with_gradient);
      for (int call = 0; call < 2; ++call) {
        const Tensor y = text(mine);
        const Tensor expected = named(theirs);
        CHECK(y.shape() == expected.shape());
        CHECK(same(y.value(), expected.value()));
        CHECK(same(text.weights(), named.weights()));
        if (!with_gradient) continue;
        y.backward({.gradient = dy});
        expected.backward({.gradient = dy});
        CHECK(same(mine.grad(), theirs.grad()));
      }
    }
  }
}

TEST_CASE("Every sample is a stream and a trial of its own") {
  const EquationRule rule = spiking();
  PlasticModule module(4, 3, options(rule, Activation::linear));
  HebbianLayer layer(4, 3, options(rule, Activation::linear));
  for (std::uint64_t call = 0; call < 3; ++call) {
    // The last batch is smaller.
    const Array x = normal({call < 2 ? 5 : 2, 7, 4}, 10 + call);
    // A layer whose memories for learning begin as the module's are.
    layer.allocate_state(x.shape(0));
    layer.reset_state();
    layer.memory().slice(1, 1, 2).fill(0.25);
    const Array seen = module.state().at("seen").copy();
    layer.memory().slice(1, 1, 2).assign(seen);
    const Array expected = layer.process(x, true);
    const Array y = module(Tensor(x)).value();
    CHECK(same(y, expected));
    CHECK(same(module.weights(), layer.weights()));
    // What is remembered for learning alone becomes the mean of what the samples leave.
    const Array left = mean(layer.memory().slice(1, 1, 2).squeeze({1}), {0});
    CHECK(same(module.state().at("seen"), left));
    CHECK_FALSE(same(module.state().at("seen"), seen));
  }
  // The membrane begins anew with every sample, and is no part of the state.
  CHECK(module.state().size() == 2);
}

TEST_CASE("A rule that does not learn here answers all the same, and changes nothing") {
  const EquationRule rule = spiking();
  HebbianOptions fixed = options(rule, Activation::linear);
  fixed.learn = false;
  PlasticModule told_not_to(4, 3, fixed);
  PlasticModule evaluated(4, 3, options(rule, Activation::linear));
  evaluated.eval();
  const Array x = normal({5, 7, 4}, 20);
  HebbianLayer layer(4, 3, options(rule, Activation::linear));
  const Array expected = layer.process(x, false);
  CHECK(sum(expected).item() > 0.0);
  for (PlasticModule* module : {&told_not_to, &evaluated}) {
    const Array weights = module->weights().copy();
    for (int call = 0; call < 2; ++call) {
      CHECK(same((*module)(Tensor(x)).value(), expected));
    }
    CHECK(all_close(module->weights(), weights, 0.0, 0.0));
    CHECK(all_close(module->state().at("seen"), full({3}, 0.25, DType::float64), 0.0, 0.0));
  }
}

TEST_CASE("With gradients a rule with traces learns as without, from step to step") {
  const EquationRule rule(
      "mean_y = mean_y + (y - mean_y)/4\ndw = 0.05*(y - mean_y)*pre - 0.01*y*y*w",
      {.traces = {{"pre", 2.0}}});
  const Array x = normal({3, 6, 4}, 30);
  PlasticModule without(4, 2, options(rule));
  PlasticModule with(4, 2, options(rule));
  Array weights[6];
  HebbianLayer layer(4, 2, options(rule));
  layer.allocate_state(3);
  for (std::int64_t t = 0; t < 6; ++t) {
    weights[t] = layer.weights().copy();
    layer.process(x.slice(1, t, t + 1), true);
  }
  const Tensor input(x, true);
  const Tensor y = with(input);
  CHECK(same(y.value(), without(Tensor(x)).value()));
  CHECK(same(with.weights(), without.weights()));
  CHECK(same(with.weights(), layer.weights()));
  CHECK(same(with.state().at("mean_y"), without.state().at("mean_y")));
  const Array dy = normal({3, 6, 2}, 31);
  y.backward({.gradient = dy});
  for (std::int64_t t = 0; t < 6; ++t) {
    const Array now = y.value().slice(1, t, t + 1);
    CHECK(same(input.grad().slice(1, t, t + 1),
               matmul(dy.slice(1, t, t + 1) * (1.0 - square(now)), weights[t])));
  }
}

TEST_CASE("A slow memory goes on from batch to batch without steps too") {
  const EquationRule rule("theta = theta + (y^2 - theta)/10\ndw = 0.02*y*(y - theta)*x",
                          {.memory = {{"theta", 0.5}}});
  PlasticModule module(4, 3, options(rule));
  Array theta = full({1, 3}, 0.5, DType::float64);
  Array w = module.weights().copy();
  for (std::uint64_t call = 0; call < 4; ++call) {
    const Array x = normal({6, 4}, 40 + call);
    const Array y = tanh(matmul(x, w.transpose()));
    CHECK(same(module(Tensor(x)).value(), y));
    const Array moved = theta + (square(y) - theta) / 10.0;
    w = w + 0.02 / 6.0 * matmul((y * (y - moved)).transpose(), x);
    theta = mean(moved, {0}).reshape({1, 3});
    CHECK(same(module.weights(), w));
    CHECK(same(module.state().at("theta"), theta.reshape({3})));
  }
}

TEST_CASE("Each batch that trains draws anew, and others draw what the next would") {
  const DrawsOfLayer draws({51, 1});
  PlasticModule module(4, 3, options(EquationRule("y = uniform()\ndw = 0.1*normal()*x")));
  PlasticModule later(4, 3, options(EquationRule("y = uniform()\ndw = 0.1*normal()*x")));
  const auto check = [&](std::int64_t ticks, PlasticModule& net) {
    const auto y = net(Tensor(normal({2, 5, 4}, 2))).value().to_vector<double>();
    REQUIRE(y.size() == 2 * 5 * 3);
    for (int k = 0; k < 30; ++k) {
      CHECK(y[static_cast<std::size_t>(k)] == draws.uniform(0, k / 15, ticks + k / 3 % 5, k % 3));
    }
  };
  check(0, module);
  module.eval();
  check(5, module);
  check(5, module);
  module.train();
  check(5, module);
  check(10, module);
  // Without steps a batch is one tick.
  CHECK(module(Tensor(normal({2, 4}, 2))).value().to_vector<double>()[3] ==
        draws.uniform(0, 1, 15, 0));
  later.set_state(module.state());
  later.set_counts(module.counts());
  check(16, later);
  check(16, module);
  CHECK(same(module.weights(), later.weights()));
}

TEST_CASE("Bounds hold the weights of a plastic module") {
  HebbianOptions bounded = options(kOja);
  bounded.bounds = WeightBounds{-0.1, 0.1};
  PlasticModule module(4, 3, bounded);
  module(Tensor(normal({5, 4}, 50)));
  CHECK(max(abs(module.weights())).item() <= 0.1);
  CHECK(module.execution(5).executor_why == "bounds act on each weight by itself");
}

TEST_CASE("Memories of y go on across samples where the rule says so") {
  const EquationRule rule("v = 0.5*v + z\ny = v\ndw = 0.01*y*x", {.memory_across_trials = true});
  PlasticModule module(4, 3, options(rule, Activation::linear));
  module(Tensor(normal({2, 3, 4}, 60)));
  CHECK(norm(module.state().at("v")).item() > 0.0);
}

TEST_CASE("A plastic module tells what its equations need") {
  const auto module = [](const char* text, EquationRuleOptions more = {}) {
    return PlasticModule(4, 3, options(EquationRule(text, std::move(more))));
  };
  const Tensor flat(ones({2, 4}, DType::float64));
  const auto refused = [&](const char* text, EquationRuleOptions more, const char* why) {
    PlasticModule made = module(text, std::move(more));
    CHECK_THROWS_WITH_TEXT(made(flat), ShapeError,
                           std::string("expected [batch, steps, 4], got shape [2, 4]: the rule ") +
                               why + ", and that begins anew for every sample");
  };
  refused("dw = pre*y", {.traces = {{"pre", 2.0}}}, "has traces");
  refused("de = x*y\ndw = 0.1*e", {}, "has an eligibility");
  refused("v = v/2 + z\ny = v\ndw = x*y", {}, "makes y of a memory");
  refused("dw = x*y/(1 + t)", {}, "reads t");
  // A name for a step on the way to y remembers nothing.
  PlasticModule named = module("u = 2*z\ny = tanh(u)\ndw = 0.1*y*x");
  CHECK(named(flat).shape() == Shape{2, 3});
  CHECK_THROWS_WITH_TEXT(named(Tensor(ones({2, 4}, DType::float64), true)), ArgumentError,
                         "the equations assign y, so no gradient reaches what lies below");
  CHECK(named(Tensor(ones({2, 4}, DType::float64), true).detach()).shape() == Shape{2, 3});
  CHECK_THROWS_WITH_TEXT(
      module("dw = gain*x*y", {.signals = {{.name = "gain"}}}), ArgumentError,
      "[plastic] the rule reads the signal gain, but a network has no columns beside its samples");
  CHECK(named(Tensor(zeros({2, 0, 4}, DType::float64))).shape() == Shape{2, 0, 3});
}
