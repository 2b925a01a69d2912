// SPDX-License-Identifier: MIT
/// \file
/// Ten thousand operations on arrays of random shape, dtype and layout, on every device, against
/// plain loops.  A failure names its number; the same number fails again.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "../../src/array/apply.h"
#include "../../src/array/ops.h"
#include "../reference/linear.h"
#include "../reference/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/long_tests.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "../support/trial.h"

namespace gaia::test {
namespace {

Values as(DType dtype, const Values& x) {
  return map(x, [&](double v) { return stored(v, dtype); });
}

bool takes_bool(const Binary& f) {
  return std::holds_alternative<Add>(f) || std::holds_alternative<Multiply>(f) ||
         std::holds_alternative<Maximum>(f) || std::holds_alternative<Minimum>(f);
}

void binary_trial(Trial& trial) {
  static const std::vector<BinaryOp> cases = binary_ops();
  const BinaryOp& c = pick(trial, cases);
  const Shape shape = trial.shape();
  const DType left = trial.dtype();
  const DType right = trial.dtype();
  const DType both = promote(left, right);
  const bool is_power = c.name == "power";
  // Integers are not zero divisors here, and exponents are small and not negative.
  const Operand a = trial.operand(shape, left, -4, 4);
  const Operand b = trial.operand(trial.partner(shape), right, is_power ? 0 : 1, is_power ? 4 : 9);
  const bool only_floats = c.name == "divide" || (!c.of_integers && !is_power);
  if (both == DType::boolean && !only_floats && !takes_bool(c.function)) {
    CHECK_THROWS_AS(c.named.of_array(a.array, b.array), DTypeError);
    return;
  }
  const DType dtype = only_floats ? floating_result(both) : both;
  const Values p = as(dtype, a.values);
  Values q = as(dtype, b.values);
  Array other = b.array;
  if (!only_floats && both != DType::boolean && right == DType::boolean && !is_power) {
    other = ones_like(b.array);  // false divides nothing
    q = map(q, [](double) { return 1.0; });
  }
  const Array got = c.named.of_array(a.array, other);
  REQUIRE(got.dtype() == dtype);
  // NaN of both sides counts as equal; powers of negative numbers are that.
  check_near(got, as(dtype, map(p, q, shape, c)), c.units, c.units);
}

void comparison_trial(Trial& trial) {
  static const std::vector<ComparisonOp> cases = comparison_ops();
  const ComparisonOp& c = pick(trial, cases);
  const Shape shape = trial.shape();
  const Operand a = trial.operand(shape, trial.dtype(), -2, 2);
  const Operand b = trial.operand(trial.partner(shape), trial.dtype(), -2, 2);
  const DType both = promote(a.array.dtype(), b.array.dtype());
  const Values expected = map(as(both, a.values), as(both, b.values), shape, c.exact);
  const Array got = c.of_array(a.array, b.array);
  REQUIRE(got.dtype() == DType::boolean);
  check_near(got, expected, 0);
  if (c.name == "less") {
    check_near(greater(b.array, a.array).broadcast_to(got.shape()), expected, 0);
  }
}

void where_trial(Trial& trial) {
  const Shape shape = trial.shape();
  const Operand c = trial.operand(trial.partner(shape), trial.dtype(), -1.5, 1.5);
  const Operand a = trial.operand(shape, trial.dtype());
  const Operand b = trial.operand(trial.partner(shape), trial.dtype());
  const DType dtype = promote(a.array.dtype(), b.array.dtype());
  Values expected(shape);
  for_each_index(shape, [&](const Dims& at) {
    expected[at] =
        stored(c.values.spread(at) != 0 ? a.values.spread(at) : b.values.spread(at), dtype);
  });
  const Array got = where(c.array, a.array, b.array);
  REQUIRE(got.dtype() == dtype);
  check_near(got, expected, 0);
}

void unary_trial(Trial& trial) {
  static const std::vector<UnaryOp> cases = unary_ops();
  const UnaryOp& c = pick(trial, cases);
  const DType dtype = trial.below(2) == 0 ? DType::float32 : trial.dtype();
  const bool fractions = c.low > -1 || c.high < 1;  // of integers little is left there
  const Operand x = trial.operand(
      trial.shape(), fractions && !is_floating(dtype) ? DType::float64 : dtype, c.low, c.high);
  const Values at = map(x.values, [&](double v) { return std::min(std::max(v, c.low), c.high); });
  if (at.numbers != x.values.numbers) return;  // bfloat16 has rounded out of the domain
  const Array got = apply(c.function, x.array, "test");
  REQUIRE(got.dtype() == floating_result(x.array.dtype()));
  check_near(got, map(x.values, c), 16, 1);
}

void scalar_trial(Trial& trial) {
  struct Case {
    std::function<Array(const Array&)> run;
    std::function<double(double)> reference;
  };
  using A = const Array&;
  static const std::vector<Case> cases = {
      {[](A x) { return 2.5 - x; }, [](double x) { return 2.5 - x; }},
      {[](A x) { return x * 3.0; }, [](double x) { return x * 3.0; }},
      {[](A x) { return clip(x, -1.5, 2.0); },
       [](double x) { return std::max(-1.5, std::min(2.0, x)); }},
      {[](A x) { return maximum(x, 0.5); }, [](double x) { return std::max(x, 0.5); }},
      {[](A x) { return x > 0.5; }, [](double x) { return x > 0.5 ? 1.0 : 0.0; }},
      {[](A x) { return 1 <= x; }, [](double x) { return x >= 1 ? 1.0 : 0.0; }},
      {[](A x) { return x.copy(); }, [](double x) { return x; }},
      {[](A x) { return x.astype(DType::float64); }, [](double x) { return x; }},
  };
  const Operand x = trial.operand(trial.shape(), trial.dtype());
  const Case& c = pick(trial, cases);
  check_near(c.run(x.array), map(x.values, c.reference), 1);
}

void in_place_trial(Trial& trial) {
  const Shape shape = trial.shape();
  const DType dtype = trial.below(2) == 0 ? DType::float64 : DType::int64;
  const Array base = random_normal(shape, 0, 9, DType::float64, {trial.seed(), 0}).astype(dtype);
  Array view = base;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (trial.below(2) == 0) view = view.slice(axis, {}, {}, trial.below(2) == 0 ? -1 : 2);
  }
  if (trial.below(2) == 0) view = view.transpose();
  const Array before = view.copy();
  const DType other = dtype == DType::float64 ? DType::float32 : DType::int32;
  const Operand b = trial.operand(trial.partner(view.shape()), other, 1, 9);
  const std::int64_t version = base.version();
  view -= b.array;
  CHECK((view.to_vector<double>() == (before - b.array).to_vector<double>()));
  CHECK(base.version() == version + (view.size() > 0 ? 1 : 0));
  view += view;  // from its own memory
  CHECK((view.to_vector<double>() == ((before - b.array) * 2).to_vector<double>()));
}

void matmul_trial(Trial& trial) {
  const std::int64_t rows = trial.below(20);
  const std::int64_t inner = trial.below(20);
  const std::int64_t columns = trial.below(20);
  const Shape batch = trial.shape(2);
  const auto with_matrix = [](Shape shape, std::int64_t m, std::int64_t n) {
    shape.push_back(m);
    shape.push_back(n);
    return shape;
  };
  const Operand a = trial.operand(with_matrix(batch, rows, inner), trial.dtype(), -2, 2);
  Shape partner = batch;
  for (int axis = 0; axis < partner.rank(); ++axis) {
    if (trial.below(2) == 0) partner[axis] = 1;
  }
  const Operand b = trial.operand(with_matrix(partner, inner, columns), trial.dtype(), -2, 2);
  const Array got = matmul(a.array, b.array);
  const DType dtype = promote(a.array.dtype(), b.array.dtype());
  REQUIRE(got.dtype() == (dtype == DType::bfloat16 ? DType::float32 : dtype));
  Values expected = matmul(a.values, b.values, with_matrix(batch, rows, columns));
  if (dtype == DType::boolean) {
    for (double& number : expected.numbers) number = number != 0.0 ? 1.0 : 0.0;
  }
  check_near(got, expected, 24, 4);
}

void view_trial(Trial& trial) {
  Operand x = trial.operand(trial.shape(), trial.dtype());
  for (std::int64_t steps = trial.below(4); steps > 0 && x.array.rank() > 0; --steps) {
    const int axis = static_cast<int>(trial.below(x.array.rank()));
    const std::int64_t length = x.array.shape(axis);
    const std::int64_t step = 1 + trial.below(3);
    if (trial.below(2) == 0) {  // every step-th, backwards
      Shape shape = x.values.shape;
      shape[axis] = (length + step - 1) / step;
      Values taken(shape);
      for_each_index(shape, [&](const Dims& at) {
        Dims from = at;
        from[axis] = length - 1 - at[axis] * step;
        taken[at] = x.values[from];
      });
      x = {x.array.slice(axis, {}, {}, -step), taken};
    } else {
      Shape shape = x.values.shape;
      std::swap(shape[0], shape[axis]);
      Values turned(shape);
      for_each_index(shape, [&](const Dims& at) {
        Dims from = at;
        std::swap(from[0], from[axis]);
        turned[at] = x.values[from];
      });
      x = {x.array.swapaxes(0, axis), turned};
    }
  }
  check_near(x.array, x.values, 0);
  check_near(x.array.contiguous(), x.values, 0);
  Values flat = x.values;
  flat.shape = Shape{static_cast<std::int64_t>(flat.numbers.size())};
  check_near(x.array.reshape(flat.shape), flat, 0);
}

TEST_CASE("Thousands of random operations agree with plain loops") {
  const std::uint64_t trials = only_real_gpus() ? 700 : few_or_many<std::uint64_t>(2000, 7000);
  static const std::vector<void (*)(Trial&)> kinds = {
      binary_trial, comparison_trial, where_trial,  unary_trial,
      scalar_trial, in_place_trial,   matmul_trial, view_trial};
  on_each_device([&] {
    for (std::uint64_t number = 1; number <= trials; ++number) {
      INFO("trial " << number);
      Trial trial(number);
      kinds[number % kinds.size()](trial);
    }
  });
}

}  // namespace
}  // namespace gaia::test
