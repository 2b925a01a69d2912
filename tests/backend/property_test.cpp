// SPDX-License-Identifier: MIT
/// \file
/// Some thousand operations on arrays of random shape, dtype and layout, on every device, against
/// plain loops.  A failure names its number; the same number fails again.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "../../src/array/ops.h"
#include "../reference/elementwise.h"
#include "../reference/linear.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/near.h"
#include "../support/operands.h"

namespace gaia::test {
namespace {

constexpr DType kAll[] = {DType::boolean,  DType::int32,   DType::int64,
                          DType::bfloat16, DType::float32, DType::float64};

/// Draws what one trial needs from its own number.
class Trial {
 public:
  explicit Trial(std::uint64_t number) : engine_(number) {}

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  Shape shape(int most_axes = 4) {
    Shape result;
    for (std::int64_t axes = below(most_axes + 1); axes > 0; --axes) {
      result.push_back(below(12) == 0 ? 0 : 1 + below(below(4) == 0 ? 40 : 6));
    }
    return result;
  }
  /// A shape that broadcasts with `other`: axes left out or of length 1.
  Shape partner(const Shape& other) {
    Shape result;
    for (int axis = static_cast<int>(below(other.rank() + 1)); axis < other.rank(); ++axis) {
      result.push_back(below(3) == 0 ? 1 : other[axis]);
    }
    return result;
  }
  Axes axes(int rank) {
    Axes result;
    for (int axis = 0; axis < rank; ++axis) {
      if (below(2) == 0) result.push_back(axis);
    }
    return result;
  }
  DType dtype() { return kAll[below(6)]; }
  Operand operand(const Shape& shape, DType dtype, double low = -4, double high = 4) {
    return random_operand(engine_, shape, dtype, all_layouts()[static_cast<std::size_t>(below(5))],
                          low, high);
  }

 private:
  std::mt19937_64 engine_;
};

Values as(DType dtype, const Values& x) {
  return map(x, [&](double v) { return stored(v, dtype); });
}

void binary_trial(Trial& trial) {
  struct Case {
    std::function<Array(const Array&, const Array&)> run;
    std::function<double(double, double)> reference;
    bool is_comparison;
  };
  using A = const Array&;
  static const std::vector<Case> cases = {
      {[](A a, A b) { return a + b; }, [](double a, double b) { return a + b; }, false},
      {[](A a, A b) { return a - b; }, [](double a, double b) { return a - b; }, false},
      {[](A a, A b) { return a * b; }, [](double a, double b) { return a * b; }, false},
      {[](A a, A b) { return maximum(a, b); }, [](double a, double b) { return a < b ? b : a; },
       false},
      {[](A a, A b) { return minimum(a, b); }, [](double a, double b) { return a < b ? a : b; },
       false},
      {[](A a, A b) { return less(a, b); }, [](double a, double b) { return a < b; }, true},
      {[](A a, A b) { return less_equal(a, b); }, [](double a, double b) { return a <= b; }, true},
      {[](A a, A b) { return equal(a, b); }, [](double a, double b) { return a == b; }, true},
      {[](A a, A b) { return not_equal(a, b); }, [](double a, double b) { return a != b; }, true},
  };
  const Shape shape = trial.shape();
  const Operand a = trial.operand(shape, trial.dtype());
  const Operand b = trial.operand(trial.partner(shape), trial.dtype());
  const Case& c =
      cases[static_cast<std::size_t>(trial.below(static_cast<std::int64_t>(cases.size())))];
  const DType both = promote(a.array.dtype(), b.array.dtype());
  const bool swapped = trial.below(2) == 0;
  const Operand& left = swapped ? b : a;
  const Operand& right = swapped ? a : b;
  if (both == DType::boolean && &c == &cases[1]) {
    CHECK_THROWS_AS(c.run(left.array, right.array), DTypeError);
    return;
  }
  const DType dtype = c.is_comparison ? DType::boolean : both;
  // Operands are cast before they meet, as both do in a plain loop of that dtype.
  const Values expected =
      as(dtype, map(as(both, left.values), as(both, right.values), shape, c.reference));
  const Array got = c.run(left.array, right.array);
  REQUIRE(got.dtype() == dtype);
  check_near(got, expected, 0);
}

void divide_trial(Trial& trial) {
  const Shape shape = trial.shape();
  const Operand a = trial.operand(shape, trial.dtype());
  const Operand b = trial.operand(trial.partner(shape), trial.dtype(), 1, 9);
  const DType dtype = floating_result(promote(a.array.dtype(), b.array.dtype()));
  const Array got = a.array / b.array;
  REQUIRE(got.dtype() == dtype);
  check_near(
      got, as(dtype, map(a.values, b.values, shape, [](double p, double q) { return p / q; })), 0);
}

void unary_trial(Trial& trial) {
  struct Case {
    std::function<Array(const Array&)> run;
    std::function<double(double)> reference;
  };
  using A = const Array&;
  static const std::vector<Case> cases = {
      {[](A x) { return exp(x); }, [](double x) { return std::exp(x); }},
      {[](A x) { return tanh(x); }, [](double x) { return std::tanh(x); }},
      {[](A x) { return sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {[](A x) { return relu(x); }, [](double x) { return x > 0 ? x : 0.0; }},
      {[](A x) { return x.astype(DType::float64); }, [](double x) { return x; }},
      {[](A x) { return 2.5 - x; }, [](double x) { return 2.5 - x; }},
      {[](A x) { return x * 3.0; }, [](double x) { return x * 3.0; }},
      {[](A x) { return x.copy(); }, [](double x) { return x; }},
  };
  const Operand x = trial.operand(trial.shape(), trial.dtype());
  const Case& c =
      cases[static_cast<std::size_t>(trial.below(static_cast<std::int64_t>(cases.size())))];
  check_near(c.run(x.array), map(x.values, c.reference), 4);
}

void reduce_trial(Trial& trial) {
  const Operand x = trial.operand(trial.shape(), trial.dtype());
  const Axes axes = trial.axes(x.array.rank());
  const Axes all = normalize_axes(axes, x.array.rank(), "test");
  const auto kind = static_cast<Reduction>(trial.below(4));
  const bool keep = trial.below(2) == 0;
  const auto run = [&] {
    switch (kind) {
      case Reduction::sum:
        return sum(x.array, axes, keep);
      case Reduction::mean:
        return mean(x.array, axes, keep);
      case Reduction::max:
        return max(x.array, axes, keep);
      case Reduction::min:
        break;
    }
    return min(x.array, axes, keep);
  };
  Values expected = reduce(kind, x.values, all);
  const bool lacks_elements = x.values.numbers.empty() && !expected.numbers.empty();
  if (lacks_elements && (kind == Reduction::max || kind == Reduction::min)) {
    CHECK_THROWS_AS(run(), ShapeError);
    return;
  }
  if (!keep) {
    Shape shape;
    for (int axis = 0; axis < x.array.rank(); ++axis) {
      const bool gone = std::find(all.begin(), all.end(), axis) != all.end();
      if (!gone) shape.push_back(x.values.shape[axis]);
    }
    expected.shape = shape;
  }
  const Array got = run();
  check_near(got, expected, got.dtype() == DType::float64 ? 1000 : 1, 1);
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
  REQUIRE(got.dtype() == floating_result(promote(a.array.dtype(), b.array.dtype())));
  check_near(got, matmul(a.values, b.values, with_matrix(batch, rows, columns)), 24, 4);
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
  constexpr std::uint64_t trials = 3000;
  on_each_device([] {
    for (std::uint64_t number = 1; number <= trials; ++number) {
      INFO("trial " << number);
      Trial trial(number);
      switch (number % 6) {
        case 0:
          binary_trial(trial);
          break;
        case 1:
          divide_trial(trial);
          break;
        case 2:
          unary_trial(trial);
          break;
        case 3:
          reduce_trial(trial);
          break;
        case 4:
          matmul_trial(trial);
          break;
        default:
          view_trial(trial);
          break;
      }
    }
  });
}

}  // namespace
}  // namespace gaia::test
