// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/plastic_sequence.h"

#include <cmath>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/autograd/grad_mode.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/layers/network/recorded_equations.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array narrow(const Shape& shape, std::uint64_t stream, DType dtype = DType::float64) {
  return random_normal(shape, 0.0, 0.7, dtype, {31, stream});
}

/// A window with all that it reads.
struct Problem {
  DifferentiableRule rule;
  std::int64_t ticks = 6, batch = 3, inputs = 5, outputs = 4;
  DType dtype = DType::float64;
  Tensor x{narrow({ticks, batch, inputs}, 1, dtype), true};
  Tensor drive{narrow({ticks, batch, outputs}, 2, dtype), true};
  Tensor plastic{narrow({batch, outputs, inputs}, 3, dtype), true};
  Tensor alpha{narrow({outputs, inputs}, 4, dtype), true};
  std::vector<Tensor> parameters;

  explicit Problem(DifferentiableRule of, DType type = DType::float64) : rule(of), dtype(type) {
    parameters.emplace_back(full({outputs, 1}, 0.2, dtype), true);
    if (rule != DifferentiableRule::abcd) return;
    parameters.emplace_back(narrow({outputs, inputs}, 5, dtype), true);
    parameters.emplace_back(narrow({}, 6, dtype), true);
    parameters.emplace_back(narrow({outputs, 1}, 7, dtype), true);
    parameters.emplace_back(narrow({1, inputs}, 8, dtype), true);
  }
  std::vector<Tensor> leaves() const {
    std::vector<Tensor> all = {x, drive, plastic, alpha};
    all.insert(all.end(), parameters.begin(), parameters.end());
    return all;
  }
  PlasticSequence run(Activation f = Activation::tanh) const {
    return plastic_sequence(rule, f, x, drive, plastic, alpha, parameters);
  }
};

constexpr DifferentiableRule kRules[] = {DifferentiableRule::hebbian, DifferentiableRule::oja,
                                         DifferentiableRule::abcd};

EquationRule text_of(DifferentiableRule rule) {
  if (rule == DifferentiableRule::hebbian) {
    return EquationRule("dw = rate*(y*x - w)", {.parameters = {{"rate", 0.2}}});
  }
  if (rule == DifferentiableRule::oja) {
    return EquationRule("dw = rate*y*(x - y*w)", {.parameters = {{"rate", 0.2}}});
  }
  return EquationRule(
      "dw = rate*(a*x*y + b*x + c*y + d)",
      {.parameters = {{"rate", 0.2}, {"a", 1.0}, {"b", 0.0}, {"c", 0.0}, {"d", 0.0}}});
}

/// A number of a parameter that is shared in some way.
double shared(const Tensor& parameter, std::int64_t i, std::int64_t j) {
  return parameter.value().broadcast_to({4, 5}).item({i, j});
}

}  // namespace

DEVICE_TEST_CASE("A plastic sequence does what a plain loop does, on every device") {
  for (const DifferentiableRule rule : kRules) {
    for (const DType dtype : {DType::float64, DType::float32}) {
      const Problem p(rule, dtype);
      INFO(to_string(rule) << ", " << to_string(dtype));
      const PlasticSequence got = p.run();
      REQUIRE(got.answers.shape() == Shape{6, 3, 4});
      REQUIRE(got.plastic.shape() == Shape{3, 4, 5});
      const double margin = dtype == DType::float64 ? 1e-12 : 1e-5;
      const auto same = [&](double is, double wanted) {
        return std::abs(is - wanted) <= margin * (1.0 + std::abs(wanted));
      };
      for (std::int64_t b = 0; b < p.batch; ++b) {
        double h[4][5];
        for (std::int64_t i = 0; i < 4; ++i) {
          for (std::int64_t j = 0; j < 5; ++j) h[i][j] = p.plastic.value().item({b, i, j});
        }
        for (std::int64_t t = 0; t < p.ticks; ++t) {
          for (std::int64_t i = 0; i < 4; ++i) {
            double z = p.drive.value().item({t, b, i});
            for (std::int64_t j = 0; j < 5; ++j) {
              z += shared(p.alpha, i, j) * h[i][j] * p.x.value().item({t, b, j});
            }
            const double y = std::tanh(z);
            CHECK(same(got.answers.value().item({t, b, i}), y));
            for (std::int64_t j = 0; j < 5; ++j) {
              const double x = p.x.value().item({t, b, j});
              const auto number = [&](std::size_t k) { return shared(p.parameters[k], i, j); };
              const double rate = number(0);
              if (rule == DifferentiableRule::hebbian) {
                h[i][j] = (1.0 - rate) * h[i][j] + rate * y * x;
              } else if (rule == DifferentiableRule::oja) {
                h[i][j] += rate * y * (x - y * h[i][j]);
              } else {
                h[i][j] += rate * (number(1) * y * x + number(2) * x + number(3) * y + number(4));
              }
            }
          }
        }
        for (std::int64_t i = 0; i < 4; ++i) {
          for (std::int64_t j = 0; j < 5; ++j) {
            CHECK(same(got.plastic.value().item({b, i, j}), h[i][j]));
          }
        }
      }
    }
  }
}

DEVICE_TEST_CASE("Rules with names give what their equations give, gradients included") {
  for (const DifferentiableRule rule : kRules) {
    for (const Activation f :
         {Activation::tanh, Activation::softmax, Activation::relu, Activation::coates}) {
      INFO(to_string(rule) << ", " << to_string(f));
      const Problem p(rule);
      const PlasticSequence named = p.run(f);
      const PlasticSequence text =
          plastic_sequence(text_of(rule), f, p.x, p.drive, p.plastic, p.alpha, p.parameters);
      CHECK(all_close(named.answers.value(), text.answers.value(), 1e-12, 1e-14));
      CHECK(all_close(named.plastic.value(), text.plastic.value(), 1e-12, 1e-14));
      const GradOptions seeds{.seeds = {narrow({6, 3, 4}, 11), narrow({3, 4, 5}, 12)}};
      const auto ours = grad({named.answers, named.plastic}, p.leaves(), seeds);
      const auto theirs = grad({text.answers, text.plastic}, p.leaves(), seeds);
      for (std::size_t k = 0; k < ours.size(); ++k) {
        INFO("input " << k);
        CHECK(all_close(ours[k], theirs[k], 1e-11, 1e-13));
      }
    }
  }
}

TEST_CASE("A gradient may be asked for by any one of the inputs alone") {
  for (const DifferentiableRule rule : kRules) {
    const Problem all(rule);
    const PlasticSequence whole = all.run();
    const GradOptions seeds{.seeds = {narrow({6, 3, 4}, 11), narrow({3, 4, 5}, 12)}};
    const auto wanted = grad({whole.answers, whole.plastic}, all.leaves(), seeds);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      Problem one(rule);
      const std::vector<Tensor> leaves = one.leaves();
      for (std::size_t other = 0; other < leaves.size(); ++other) {
        Tensor leaf = leaves[other];
        leaf.set_requires_grad(other == k);
      }
      const PlasticSequence alone = one.run();
      const auto got = grad({alone.answers, alone.plastic}, {leaves[k]}, seeds);
      INFO(to_string(rule) << ", input " << k);
      CHECK(all_close(got[0], wanted[k], 1e-13, 1e-14));
    }
  }
}

TEST_CASE("Weights of each tick are kept for the way back alone, and go with it") {
  for (const DifferentiableRule rule : kRules) {
    const Problem p(rule);
    INFO(to_string(rule));
    const std::int64_t before = memory_stats().arrays;
    {
      const NoGrad no_grad;
      const PlasticSequence nothing = p.run();
      CHECK_FALSE(nothing.answers.requires_grad());
      CHECK(memory_stats().arrays == before + 2);
    }
    CHECK(memory_stats().arrays == before);
    const PlasticSequence recorded = p.run();
    CHECK(memory_stats().arrays > before + 2);
    grad({recorded.answers, recorded.plastic}, {p.alpha},
         {.seeds = {narrow({6, 3, 4}, 11), narrow({3, 4, 5}, 12)}});
    CHECK(memory_stats().arrays == before + 2);
  }
}

TEST_CASE("A window that is kept can be walked twice") {
  for (const DifferentiableRule rule : kRules) {
    const Problem p(rule);
    INFO(to_string(rule));
    const PlasticSequence recorded = p.run();
    const Tensor loss = sum(square(recorded.answers)) + sum(square(recorded.plastic));
    loss.backward({.retain_graph = true});
    std::vector<Array> once;
    for (const Tensor& leaf : p.leaves()) once.push_back(leaf.grad().copy());
    loss.backward();
    for (std::size_t k = 0; k < once.size(); ++k) {
      CHECK(all_close(p.leaves()[k].grad(), 2.0 * once[k], 1e-13, 1e-14));
    }
  }
}

TEST_CASE("A parameter that changes before its gradient is needed is noticed") {
  const Problem p(DifferentiableRule::oja);
  const PlasticSequence recorded = p.run();
  p.alpha.value().assign(p.alpha.value() * 2.0);
  CHECK_THROWS_AS(sum(recorded.answers).backward(), ArgumentError);
}

TEST_CASE("Windows without ticks, streams or inputs leave what they find") {
  const auto run = [](std::int64_t ticks, std::int64_t batch, std::int64_t inputs) {
    const Tensor x(zeros({ticks, batch, inputs}), true);
    const Tensor plastic(full({batch, 4, inputs}, 0.5), true);
    return plastic_sequence(DifferentiableRule::hebbian, Activation::tanh, x,
                            Tensor(ones({ticks, batch, 4})), plastic, Tensor(ones({})),
                            {Tensor(full({}, 0.5), true)});
  };
  const PlasticSequence none = run(0, 2, 3);
  CHECK(none.answers.shape() == Shape{0, 2, 4});
  CHECK(all_close(none.plastic.value(), full({2, 4, 3}, 0.5), 0.0, 0.0));
  sum(none.plastic).backward();
  CHECK(run(3, 0, 3).answers.shape() == Shape{3, 0, 4});
  const PlasticSequence blind = run(3, 2, 0);
  CHECK(blind.answers.shape() == Shape{3, 2, 4});
  CHECK(blind.answers.value().item({2, 1, 3}) == Approx(std::tanh(1.0)));
  sum(blind.answers).backward();
}

TEST_CASE("A plastic sequence refuses what does not fit") {
  const Problem p(DifferentiableRule::hebbian);
  const auto run = [&](const Tensor& x, const Tensor& drive, const Tensor& plastic,
                       const Tensor& alpha, const std::vector<Tensor>& parameters) {
    return plastic_sequence(p.rule, Activation::tanh, x, drive, plastic, alpha, parameters);
  };
  CHECK_THROWS_WITH_TEXT(
      run(p.x, p.drive, p.plastic[0], p.alpha, p.parameters), ShapeError,
      "[plastic_sequence] expected x [ticks, batch, inputs], drive [ticks, batch, outputs] and "
      "plastic [batch, outputs, inputs], got [6, 3, 5], [6, 3, 4] and [4, 5]");
  CHECK_THROWS_WITH_TEXT(run(p.x, p.drive, p.plastic, Tensor(narrow({4}, 1)), p.parameters),
                         ShapeError,
                         "alpha: expected a shape that broadcasts to [outputs, inputs]");
  CHECK_THROWS_WITH_TEXT(run(p.x, p.drive, p.plastic, p.alpha, {Tensor(ones({}))}), DTypeError,
                         "rate: expected float32 or float64, of the drive's dtype float64, got "
                         "float32; cast it by astype");
  CHECK_THROWS_WITH_TEXT(run(p.x, p.drive, p.plastic, p.alpha, {}), ArgumentError,
                         "expected the parameters rate, got 0");
  CHECK(differentiable_rule_from_name("oja") == DifferentiableRule::oja);
  CHECK_THROWS_WITH_TEXT(differentiable_rule_from_name("ojo"), ArgumentError,
                         "unknown differentiable rule 'ojo' (did you mean 'oja'?)");
}
