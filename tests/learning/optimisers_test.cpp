// SPDX-License-Identifier: MIT
#include "../../src/learning/optimisers.h"

#include <cmath>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "../../src/core/error.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Tensor parameter(const std::vector<double>& values) {
  return {from_values(values, {static_cast<std::int64_t>(values.size())}), true};
}

/// The gradients of three steps for two numbers.
constexpr double kGradients[3][2] = {{0.5, -2.0}, {-0.25, 1.0}, {1.5, 0.125}};

/// Values of w = (1, -1) after three steps.
std::vector<double> after_three_steps(const OptimiserRule& rule) {
  const Tensor w = parameter({1.0, -1.0});
  Optimiser optimiser({w}, rule);
  for (const auto& g : kGradients) {
    Tensor handle = w;
    handle.set_grad(array({g[0], g[1]}, DType::float64));
    optimiser.step();
  }
  return w.value().to_vector<double>();
}

/// The same by PyTorch's equations for one number.
template <class Step>
void check_rule(const OptimiserRule& rule, Step step) {
  const std::vector<double> got = after_three_steps(rule);
  for (std::size_t i = 0; i < 2; ++i) {
    long double w = i == 0 ? 1.0L : -1.0L;
    long double a = 0;
    long double b = 0;
    for (int t = 1; t <= 3; ++t) {
      step(w, static_cast<long double>(kGradients[t - 1][i]), a, b, static_cast<long double>(t));
    }
    CHECK(got[i] == Approx(static_cast<double>(w)).epsilon(1e-12));
  }
}

using Real = long double;

}  // namespace

DEVICE_TEST_CASE("Optimisers follow their equations over several steps") {
  check_rule(SgdRule{.learning_rate = 0.1, .weight_decay = 0.2},
             [](Real& w, Real g, Real&, Real&, Real) { w -= 0.1L * (g + 0.2L * w); });
  check_rule(SgdRule{.learning_rate = 0.1, .momentum = 0.9},
             [](Real& w, Real g, Real& a, Real&, Real) {
               a = 0.9L * a + g;
               w -= 0.1L * a;
             });
  check_rule(SgdRule{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true},
             [](Real& w, Real g, Real& a, Real&, Real) {
               a = 0.9L * a + g;
               w -= 0.1L * (g + 0.9L * a);
             });
  const auto adam = [](Real& w, Real g, Real& a, Real& b, Real t) {
    a = 0.9L * a + 0.1L * g;
    b = 0.99L * b + 0.01L * g * g;
    w -= 0.1L * (a / (1 - std::pow(0.9L, t))) / (std::sqrt(b / (1 - std::pow(0.99L, t))) + 1e-8L);
  };
  check_rule(AdamRule{.learning_rate = 0.1, .beta2 = 0.99, .weight_decay = 0.2},
             [&](Real& w, Real g, Real& a, Real& b, Real t) { adam(w, g + 0.2L * w, a, b, t); });
  check_rule(AdamWRule{.learning_rate = 0.1, .beta2 = 0.99, .weight_decay = 0.2},
             [&](Real& w, Real g, Real& a, Real& b, Real t) {
               w -= 0.1L * 0.2L * w;
               adam(w, g, a, b, t);
             });
  check_rule(RmsPropRule{.learning_rate = 0.1, .alpha = 0.9, .momentum = 0.5},
             [](Real& w, Real g, Real& a, Real& b, Real) {
               a = 0.9L * a + 0.1L * g * g;
               b = 0.5L * b + g / (std::sqrt(a) + 1e-8L);
               w -= 0.1L * b;
             });
  check_rule(LionRule{.learning_rate = 0.1, .weight_decay = 0.2},
             [](Real& w, Real g, Real& a, Real&, Real) {
               const Real u = 0.9L * a + 0.1L * g;
               w -= 0.1L * ((u > 0 ? 1.0L : u < 0 ? -1.0L : 0.0L) + 0.2L * w);
               a = 0.99L * a + 0.01L * g;
             });
}

TEST_CASE("A parameter without a gradient stays, and counts its own steps") {
  Tensor late = parameter({1.0});
  Tensor early = parameter({1.0});
  Optimiser optimiser({early, late}, AdamRule{.learning_rate = 0.1});
  for (int i = 0; i < 3; ++i) {
    early.set_grad(array({2.0}, DType::float64));
    optimiser.step();
  }
  CHECK(late.item() == 1.0);
  optimiser.zero_grad();
  CHECK_FALSE(early.has_grad());
  const double held = early.item();
  late.set_grad(array({2.0}, DType::float64));
  optimiser.step();
  // The first step of Adam is the learning rate, whatever the gradient.
  CHECK(late.item() == Approx(0.9).epsilon(1e-6));
  CHECK(early.item() == held);
}

DEVICE_TEST_CASE("Training goes on from a saved state as if nothing had been between") {
  for (const std::string& name : optimiser_names()) {
    INFO(name);
    const Tensor w = parameter({1.0, -1.0});
    Optimiser one({w}, optimiser_from_name(name));
    const auto step = [](const Tensor& x, Optimiser& optimiser) {
      optimiser.zero_grad();
      sum(square(x - 3.0)).backward();
      optimiser.step();
    };
    for (int i = 0; i < 3; ++i) step(w, one);
    one.set_learning_rate(0.02);
    const Tensor v(w.value().copy(), true);
    Optimiser two({v}, optimiser_from_name(name));
    two.set_state(one.state());
    CHECK(two.learning_rate() == 0.02);
    for (int i = 0; i < 3; ++i) {
      step(w, one);
      step(v, two);
    }
    CHECK(v.value().to_vector<double>() == w.value().to_vector<double>());
  }
}

TEST_CASE("The state of another optimiser is refused") {
  Optimiser adam({parameter({1.0, 2.0})}, AdamRule{});
  Optimiser sgd({parameter({1.0, 2.0})}, SgdRule{});
  Optimiser wide({parameter({1.0, 2.0, 3.0})}, AdamRule{});
  CHECK_THROWS_WITH_TEXT(adam.set_state(sgd.state()), ArgumentError, "expected an array '0.first'");
  CHECK_THROWS_AS(sgd.set_state(adam.state()), ArgumentError);
  CHECK_THROWS_WITH_TEXT(adam.set_state(wide.state()), ShapeError,
                         "expected 0.first of shape [2], got [3]");
  // Nothing of a state with a number that cannot be is taken over.
  const ArrayMap before = adam.state();
  for (const double steps : {-5.0, 0.5, static_cast<double>(NAN), 1e300}) {
    ArrayMap state = adam.state();
    state["learning_rate"] = full({}, 0.5, DType::float64);
    state["0.first"] = ones({2}, state["0.first"].dtype());
    state["0.steps"] = full({}, steps, DType::float64);
    CHECK_THROWS_WITH_TEXT(adam.set_state(state), ArgumentError,
                           "[optimiser] expected 0.steps to be a count, got ");
  }
  for (const auto& [name, value] : adam.state()) {
    INFO(name);
    CHECK(value.to_vector<double>() == before.at(name).to_vector<double>());
  }
}

TEST_CASE("A factor on the learning rate is no part of the state") {
  const Tensor w = parameter({1.0});
  Optimiser optimiser({w}, SgdRule{.learning_rate = 0.2});
  optimiser.scale_learning_rate(0.25);
  CHECK(optimiser.learning_rate() == 0.05);
  CHECK(optimiser.state().at("learning_rate").item() == 0.2);
  sum(w).backward();
  optimiser.step();
  CHECK(w.value().item() == Approx(0.95));
  CHECK_THROWS_AS(optimiser.scale_learning_rate(-1.0), ArgumentError);
  CHECK_THROWS_AS(optimiser.scale_learning_rate(NAN), ArgumentError);
  CHECK(optimiser.learning_rate() == 0.05);
  optimiser.scale_learning_rate(1.0);
  CHECK(optimiser.learning_rate() == 0.2);
  optimiser.scale_learning_rate(0.25);
  optimiser.set_learning_rate(0.4);
  CHECK(optimiser.learning_rate() == 0.4);
}

TEST_CASE("Optimisers refuse what they cannot train") {
  CHECK_THROWS_AS(Optimiser({}, SgdRule{}), ArgumentError);
  CHECK_THROWS_WITH_TEXT(Optimiser({Tensor(ones({2}))}, SgdRule{}), ArgumentError,
                         "leaves that require a gradient");
  const Tensor w = parameter({1.0});
  CHECK_THROWS_WITH_TEXT(Optimiser({w, w}, SgdRule{}), ArgumentError, "twice");
  CHECK_THROWS_AS(Optimiser({w * 2.0}, SgdRule{}), ArgumentError);
  CHECK_THROWS_AS(check(SgdRule{.learning_rate = -1.0}), ArgumentError);
  CHECK_THROWS_AS(check(SgdRule{.nesterov = true}), ArgumentError);
  CHECK_THROWS_AS(check(SgdRule{.momentum = 1.0}), ArgumentError);
  CHECK_THROWS_AS(check(RmsPropRule{.momentum = 1.0}), ArgumentError);
  CHECK_THROWS_WITH_TEXT(check(AdamRule{.beta1 = 1.0}), ArgumentError,
                         "[adam] beta1: expected 0 <= x < 1, got 1.0");
  CHECK_THROWS_AS(check(AdamWRule{.epsilon = 0.0}), ArgumentError);
  CHECK_THROWS_AS(check(RmsPropRule{.alpha = NAN}), ArgumentError);
  CHECK_THROWS_AS(check(LionRule{.weight_decay = -0.1}), ArgumentError);
  Optimiser optimiser({w}, SgdRule{});
  CHECK_THROWS_AS(optimiser.set_learning_rate(NAN), ArgumentError);
  CHECK(optimiser.learning_rate() == SgdRule{}.learning_rate);
  CHECK_THROWS_WITH_TEXT(optimiser_from_name("adma"), ArgumentError, "did you mean 'adam'?");
  for (const std::string& name : optimiser_names()) {
    CHECK(optimiser_name(optimiser_from_name(name)) == name);
  }
}

TEST_CASE("Optimisers refuse numbers that their parameters' dtype rounds to 0 or infinity") {
  const Tensor single(ones({2}), true);
  const Tensor wide(ones({2}, DType::float64), true);
  const std::vector<std::pair<OptimiserRule, std::string>> rules = {
      {SgdRule{.learning_rate = 1e-50}, "[sgd] learning_rate"},
      {SgdRule{.learning_rate = 1e39}, "[sgd] learning_rate"},
      {SgdRule{.momentum = 1e-50}, "[sgd] momentum"},
      {AdamRule{.epsilon = 1e-50}, "[adam] epsilon"},
      {AdamWRule{.epsilon = 1e-50}, "[adamw] epsilon"},
      {RmsPropRule{.epsilon = 1e-50}, "[rmsprop] epsilon"},
      {LionRule{.weight_decay = 1e-50}, "[lion] weight_decay"}};
  for (const auto& [rule, text] : rules) {
    INFO(text);
    CHECK_THROWS_WITH_TEXT(Optimiser({wide, single}, rule), ArgumentError,
                           text + ": expected a number that float32 can hold");
    Optimiser({wide}, rule);
  }
  Optimiser optimiser({single}, AdamRule{});
  CHECK_THROWS_AS(optimiser.set_learning_rate(1e-50), ArgumentError);
  optimiser.scale_learning_rate(1e-60);  // a schedule may come to its end
}

DEVICE_TEST_CASE("Gradients are clipped by their common norm or one by one") {
  Tensor a = parameter({0.0, 0.0});
  Tensor b = parameter({0.0});
  const Tensor without = parameter({0.0});
  const Array shared = array({3.0, 0.0}, DType::float64);
  a.set_grad(shared);
  b.set_grad(array({4.0}, DType::float64));
  CHECK(clip_grad_norm({a, b, without}, 10.0) == Approx(5.0));
  CHECK(a.grad().item({0}) == 3.0);
  CHECK(clip_grad_norm({a, b, without}, 1.0) == Approx(5.0));
  CHECK(a.grad().item({0}) == Approx(3.0 / (5.0 + 1e-6)).epsilon(1e-12));
  CHECK(b.grad().item() == Approx(4.0 / (5.0 + 1e-6)).epsilon(1e-12));
  CHECK(shared.item({0}) == 3.0);
  clip_grad_value({a, b, without}, 0.7);
  CHECK(a.grad().item({0}) == Approx(3.0 / (5.0 + 1e-6)));
  CHECK(b.grad().item() == Approx(0.7));
  CHECK_FALSE(without.has_grad());
  CHECK_THROWS_AS(clip_grad_norm({a}, -1.0), ArgumentError);
  CHECK_THROWS_AS(clip_grad_value({a}, NAN), ArgumentError);
}
