// SPDX-License-Identifier: MIT
/// \file
/// Steps of gradient descent against the equations of the papers, as plain loops in double.
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/learning/optimiser_step.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "../support/statistics.h"

namespace gaia::test {
namespace {

/// One number under a rule: w, g, memory and the number of the step (from 1).
using Formula = std::function<void(double& w, double g, double& a, double& b, int t)>;

struct RuleCase {
  std::string name;
  OptimiserRule rule;
  int states;
  Formula formula;
};

Formula adam(double rate, double beta1, double beta2, double epsilon, double l2, double decay) {
  return [=](double& w, double g, double& a, double& b, int t) {
    g = g + l2 * w;
    w = w - rate * decay * w;
    a = beta1 * a + (1 - beta1) * g;
    b = beta2 * b + (1 - beta2) * g * g;
    const double a_hat = a / (1 - std::pow(beta1, t));
    const double b_hat = b / (1 - std::pow(beta2, t));
    w = w - rate * a_hat / (std::sqrt(b_hat) + epsilon);
  };
}

std::vector<RuleCase> rule_cases() {
  return {
      {"sgd", SgdRule{.learning_rate = 0.1}, 0,
       [](double& w, double g, double&, double&, int) { w -= 0.1 * g; }},
      {"sgd with decay", SgdRule{.learning_rate = 0.1, .weight_decay = 0.3}, 0,
       [](double& w, double g, double&, double&, int) { w -= 0.1 * (g + 0.3 * w); }},
      {"momentum", SgdRule{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.1}, 1,
       [](double& w, double g, double& a, double&, int) {
         a = 0.9 * a + g + 0.1 * w;
         w -= 0.1 * a;
       }},
      {"nesterov", SgdRule{.learning_rate = 0.1, .momentum = 0.8, .nesterov = true}, 1,
       [](double& w, double g, double& a, double&, int) {
         a = 0.8 * a + g;
         w -= 0.1 * (g + 0.8 * a);
       }},
      {"adam", AdamRule{.learning_rate = 0.05}, 2, adam(0.05, 0.9, 0.999, 1e-8, 0, 0)},
      {"adam with decay",
       AdamRule{
           .learning_rate = 0.05, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.2},
       2, adam(0.05, 0.8, 0.9, 1e-3, 0.2, 0)},
      {"adamw", AdamWRule{.learning_rate = 0.05}, 2, adam(0.05, 0.9, 0.999, 1e-8, 0, 0.01)},
      {"rmsprop", RmsPropRule{.learning_rate = 0.02, .weight_decay = 0.1}, 1,
       [](double& w, double g, double& a, double&, int) {
         g += 0.1 * w;
         a = 0.99 * a + 0.01 * g * g;
         w -= 0.02 * g / (std::sqrt(a) + 1e-8);
       }},
      {"rmsprop with momentum",
       RmsPropRule{.learning_rate = 0.02, .alpha = 0.9, .epsilon = 1e-4, .momentum = 0.5}, 2,
       [](double& w, double g, double& a, double& b, int) {
         a = 0.9 * a + 0.1 * g * g;
         b = 0.5 * b + g / (std::sqrt(a) + 1e-4);
         w -= 0.02 * b;
       }},
      {"lion", LionRule{.learning_rate = 0.03, .weight_decay = 0.1}, 1,
       [](double& w, double g, double& a, double&, int) {
         const double c = 0.9 * a + 0.1 * g;
         w = w - 0.03 * ((c > 0) - (c < 0)) - 0.03 * 0.1 * w;
         a = 0.99 * a + 0.01 * g;
       }},
  };
}

OptimisedArray with_memory(const OptimiserRule& rule, const Array& parameter) {
  OptimisedArray of{parameter, {}, {}, {}};
  if (state_count(rule) >= 1) of.first = zeros(parameter.shape(), parameter.dtype());
  if (state_count(rule) >= 2) of.second = zeros(parameter.shape(), parameter.dtype());
  return of;
}

DEVICE_TEST_CASE("Every rule follows its equation for many steps") {
  for (const RuleCase& rule : rule_cases()) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{5, 6}, Shape{0, 3}}) {
        INFO(rule.name << " " << to_string(dtype) << " " << to_string(shape));
        CHECK(state_count(rule.rule) == rule.states);
        std::mt19937_64 engine(1);
        Operand w = random_operand(engine, shape, dtype);
        Values a(shape);
        Values b(shape);
        OptimisedArray of = with_memory(rule.rule, w.array);
        for (int t = 1; t <= 20; ++t) {
          const Operand g = random_operand(engine, shape, dtype);
          of.gradient = g.array;
          optimiser_step(rule.rule, t, std::vector{of});
          for (std::size_t i = 0; i < a.numbers.size(); ++i) {
            rule.formula(w.values.numbers[i], g.values.numbers[i], a.numbers[i], b.numbers[i], t);
          }
        }
        check_near(of.parameter, w.values, dtype == DType::float32 ? 64 : 256, 1);
        if (rule.states >= 1) check_near(of.first, a, 256, 1);
        if (rule.states >= 2) check_near(of.second, b, 256, 1);
      }
    }
  }
}

DEVICE_TEST_CASE("A step changes arrays of any layout in place, and views see it") {
  std::mt19937_64 engine(2);
  for (const RuleCase& rule : rule_cases()) {
    for (const Layout layout : {Layout::transposed, Layout::sliced, Layout::reversed}) {
      for (const DType dtype : {DType::float32, DType::float64}) {
        INFO(rule.name << " " << to_string(layout) << " " << to_string(dtype));
        const Operand w = random_operand(engine, {6, 5}, dtype, layout);
        const Array same = w.array.copy();
        const Array whole = w.array.transpose();
        const Operand g = random_operand(engine, {6, 5}, dtype, Layout::reversed);
        OptimisedArray strided = with_memory(rule.rule, w.array);
        if (rule.states >= 1) strided.first = zeros({5, 6}, dtype).transpose();
        if (rule.states >= 2) strided.second = zeros({6, 10}, dtype).slice(1, 0, {}, 2);
        OptimisedArray dense = with_memory(rule.rule, same);
        strided.gradient = dense.gradient = g.array;
        const double rounding = 4 * epsilon(dtype);
        const std::int64_t version = w.array.version();
        const std::vector both = {strided, dense};
        optimiser_step(rule.rule, 1, both);
        optimiser_step(rule.rule, 2, both);
        CHECK(all_close(w.array, same, rounding, rounding));
        CHECK(all_close(whole.transpose(), same, rounding, rounding));
        CHECK_FALSE(
            all_close(same, from_values(w.values.numbers, {6, 5}).astype(dtype), 1e-6, 1e-6));
        CHECK(w.array.version() == version + 2);
      }
    }
  }
}

TEST_CASE("Adam's first step is the learning rate, whatever the size of the gradient") {
  for (const double size : {1e-3, 1.0, 1e15}) {
    const Array w = zeros({3});
    OptimisedArray of = with_memory(AdamRule{}, w);
    of.gradient = full({3}, size);
    optimiser_step(AdamRule{.learning_rate = 0.25}, 1, std::vector{of});
    CHECK(w.item({1}) == Approx(-0.25).epsilon(1e-4));
  }
}

TEST_CASE("The number of threads changes no bit of a step or a norm") {
  std::mt19937_64 engine(3);
  const Array start = random_operand(engine, {100003}, DType::float32).array;
  const Array gradient = random_operand(engine, {100003}, DType::float32).array;
  for (const RuleCase& rule : rule_cases()) {
    std::vector<std::uint64_t> seen;
    for (const int threads : {1, 2, 5}) {
      const Threads scope(threads);
      OptimisedArray of = with_memory(rule.rule, start.copy());
      of.gradient = gradient;
      optimiser_step(rule.rule, 1, std::vector{of});
      seen.push_back(fingerprint(of.parameter.to_vector<float>()));
      seen.push_back(fingerprint(std::vector<double>{total_norm(std::vector{gradient, start})}));
    }
    CHECK(seen[2] == seen[0]);
    CHECK(seen[4] == seen[0]);
    CHECK(seen[3] == seen[1]);
    CHECK(seen[5] == seen[1]);
  }
}

TEST_CASE("A step refuses what does not belong together") {
  const AdamRule adam_rule;
  OptimisedArray of = with_memory(adam_rule, zeros({2, 3}));
  of.gradient = ones({2, 3});
  const auto run = [&](const OptimisedArray& one) {
    optimiser_step(adam_rule, 1, std::vector{one});
  };
  CHECK_NOTHROW(run(of));
  CHECK_THROWS_WITH_TEXT(optimiser_step(adam_rule, 0, std::vector{of}), ArgumentError,
                         "steps count from 1, got 0");
  OptimisedArray wrong = of;
  wrong.gradient = ones({3});
  CHECK_THROWS_WITH_TEXT(run(wrong), ShapeError,
                         "[optimiser_step] expected a gradient of shape [2, 3] like the parameter, "
                         "got [3]");
  wrong = of;
  wrong.gradient = ones({2, 3}, DType::float64);
  CHECK_THROWS_AS(run(wrong), DTypeError);
  wrong = of;
  wrong.second = Array();
  CHECK_THROWS_WITH_TEXT(run(wrong), ShapeError, "a second memory");
  wrong = of;
  wrong.first = zeros({2, 3}, DType::float64);
  CHECK_THROWS_AS(run(wrong), DTypeError);
  wrong = of;
  wrong.first = zeros({3}).broadcast_to({2, 3});
  CHECK_THROWS_WITH_TEXT(run(wrong), ArgumentError, "is a broadcast view that");
  CHECK_THROWS_AS(optimiser_step(SgdRule{}, 1,
                                 std::vector<OptimisedArray>{
                                     {zeros({2}, DType::int64), ones({2}, DType::int64), {}, {}}}),
                  DTypeError);
  CHECK_NOTHROW(optimiser_step(adam_rule, 1, std::vector<OptimisedArray>{}));
}

TEST_CASE("A step runs where its parameter lives") {
  const FakeDevice fake;
  const Array here = ones({3});
  const Array there = ones({3}).to(fake.device());
  const Array gradient = ones({3});
  const std::vector<OptimisedArray> both = {{here, gradient, {}, {}}, {there, gradient, {}, {}}};
  optimiser_step(SgdRule{.learning_rate = 0.5}, 1, both);
  CHECK(there.device() == fake.device());
  check_equal(here, DType::float32, {3}, {0.5, 0.5, 0.5});
  check_equal(there.to(Device::cpu()), DType::float32, {3}, {0.5, 0.5, 0.5});
  OptimisedArray split = with_memory(AdamRule{}, there);
  split.gradient = gradient;
  CHECK_THROWS_AS(optimiser_step(AdamRule{}, 1, std::vector{split}), DeviceError);
}

DEVICE_TEST_CASE("total_norm is that of all elements together") {
  const std::vector<Array> arrays = {array({3, 0}), array({{0, 4}}, DType::float64).transpose(),
                                     zeros({0, 2}), full({}, 12.0)};
  CHECK(total_norm(arrays) == 13.0);
  CHECK(total_norm(std::vector<Array>{}) == 0.0);
  // Squares beyond float32, and more terms than it can count.
  CHECK(total_norm(std::vector{full({4}, 1e30)}) == Approx(2e30));
  CHECK(total_norm(std::vector{full({40000}, 0.1)}) ==
        Approx(200 * static_cast<double>(0.1f)).epsilon(1e-12));
  CHECK(std::isnan(total_norm(std::vector{array({1, std::nan("")})})));
}

DEVICE_TEST_CASE("clip_grad_norm scales all arrays, and only if they are too long") {
  const Array a = array({3, 0});
  const Array b = array({{4}}, DType::float64);
  const std::vector<Array> both = {a, b};
  CHECK(clip_grad_norm(both, 6.0) == 5.0);
  check_equal(a, DType::float32, {2}, {3, 0});
  CHECK(clip_grad_norm(both, 1.0) == 5.0);
  CHECK(a.item({0}) == Approx(0.6));
  CHECK(b.item() == Approx(0.8));
  CHECK(total_norm(both) == Approx(1.0).epsilon(1e-6));
  CHECK(clip_grad_norm(both, 0.0) == Approx(1.0));
  CHECK(total_norm(both) == 0.0);
  CHECK_THROWS_AS(clip_grad_norm(both, -1.0), ArgumentError);
  CHECK_THROWS_AS(clip_grad_norm(both, std::nan("")), ArgumentError);
}

DEVICE_TEST_CASE("clip_grad_norm takes views, arrays that share elements, and those without any") {
  const Array x = array({{3, 0}, {0, 4}});
  const double half = 2.5 / (5.0 + 1e-6);
  SECTION("columns") {
    clip_grad_norm(std::vector{x.slice(1, 0, 1), x.slice(1, 1, 2)}, 2.5);
    CHECK(x.item({0, 0}) == Approx(3 * half));
    CHECK(x.item({1, 1}) == Approx(4 * half));
  }
  SECTION("rows") {
    clip_grad_norm(std::vector{x[0], x[1], Array(), zeros({0, 3})}, 2.5);
    CHECK(x.item({0, 0}) == Approx(3 * half));
    CHECK(x.item({1, 1}) == Approx(4 * half));
  }
  SECTION("the same elements twice") {
    const double norm = clip_grad_norm(std::vector{x, x.reshape({4})}, 1.0);
    CHECK(norm == Approx(5.0 * std::sqrt(2.0)));
    CHECK(x.item({0, 0}) == Approx(3 / norm));
    CHECK(x.item({1, 1}) == Approx(4 / norm));
  }
}

DEVICE_TEST_CASE("scaled gives new arrays, each as if it were alone") {
  const Array wide = random_normal({3, 7}, 0.0, 1.0, DType::float64, {1, 1});
  const std::vector<Array> arrays = {wide, wide.astype(DType::float32).transpose(),
                                     array({1, 2, 3}).astype(DType::int32), zeros({0, 2}),
                                     array({1, 2}).astype(DType::bfloat16)};
  const std::vector<Array> made = scaled(arrays, 0.3);
  REQUIRE(made.size() == arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array alone = arrays[i] * 0.3;
    CHECK(made[i].dtype() == alone.dtype());
    CHECK(made[i].shape() == alone.shape());
    CHECK(made[i].to_vector<double>() == alone.to_vector<double>());
  }
  CHECK(wide.to_vector<double>() ==
        random_normal({3, 7}, 0.0, 1.0, DType::float64, {1, 1}).to_vector<double>());
}

}  // namespace
}  // namespace gaia::test
