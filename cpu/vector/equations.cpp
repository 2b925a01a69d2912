// SPDX-License-Identifier: MIT
#include "equations.h"

#include "../../src/formulas/elementwise.h"
#include "rows.h"
#include "simd.h"
#include "simd_hyperbolic.h"
#include "simd_logarithms.h"
#include "simd_math.h"
#include "simd_powers.h"
#include "simd_tanh.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

template <class T>
GAIA_INLINE Vec<T> truth(Mask<T> holds) {
  return choose(holds, Vec<T>(T(1)), Vec<T>(T(0)));
}
template <class T>
GAIA_INLINE Mask<T> is_true(Vec<T> x) {
  return x != Vec<T>(T(0));
}

/// A step and the rows that it reads and writes.
template <class T>
class Step {
 public:
  Step(const EquationSteps<T>& steps, const EquationCode& code)
      : steps_(steps),
        to_(steps.cells[code.to].numbers),
        a_(steps.cells[code.a]),
        b_(steps.cells[code.b]),
        c_(steps.cells[code.c]),
        numbers_(code.is_single ? Vec<T>::lanes : steps.numbers) {}

  template <class F>
  GAIA_INLINE void each_of_one(const F& f) const {
    for (std::int64_t i = 0; i < numbers_; i += Vec<T>::lanes) f(at(a_, i)).store(to_ + i);
  }
  template <class F>
  GAIA_INLINE void each_of_two(const F& f) const {
    for (std::int64_t i = 0; i < numbers_; i += Vec<T>::lanes) {
      f(at(a_, i), at(b_, i)).store(to_ + i);
    }
  }
  GAIA_INLINE void select() const {
    for (std::int64_t i = 0; i < numbers_; i += Vec<T>::lanes) {
      choose(is_true(at(a_, i)), at(b_, i), at(c_, i)).store(to_ + i);
    }
  }
  /// One number of all neurons.
  template <class F>
  void over_layer(const F& f) const {
    Vec<T>(f(a_.numbers, steps_.neurons)).store(to_);
  }
  void soften() const {
    softmax_row(a_.numbers, to_, steps_.neurons);
    clear_padding();
  }
  void across(EquationOp op) const {
    steps_.across(op, to_, a_.numbers, b_.numbers[0], steps_.neurons);
    clear_padding();
  }

 private:
  GAIA_INLINE static Vec<T> at(const EquationCell<T>& cell, std::int64_t i) {
    return Vec<T>::load(cell.numbers + i * cell.stride);
  }
  void clear_padding() const {
    for (std::int64_t i = steps_.neurons; i < numbers_; ++i) to_[i] = T(0);
  }

  const EquationSteps<T>& steps_;
  T* to_;
  EquationCell<T> a_, b_, c_;
  std::int64_t numbers_;
};

template <class T>
T sum_of_layer(const T* x, std::int64_t n) {
  return static_cast<T>(sum_row(x, n));
}

/// Those of one number, and the rest below: together they would be one function too long to be
/// compiled well.
template <class T>
bool run_of_one(const Step<T>& step, EquationOp op) {
  using V = Vec<T>;
  switch (op) {
    case EquationOp::copy:
      step.each_of_one([](V x) { return x; });
      return true;
    case EquationOp::negate:
      step.each_of_one([](V x) { return -x; });
      return true;
    case EquationOp::logical_not:
      step.each_of_one([](V x) { return truth<T>(x == V(T(0))); });
      return true;
    case EquationOp::exp:
      step.each_of_one([](V x) { return Exp{}.value(x); });
      return true;
    case EquationOp::log:
      step.each_of_one([](V x) { return Log{}.value(x); });
      return true;
    case EquationOp::sqrt:
      step.each_of_one([](V x) { return Sqrt{}.value(x); });
      return true;
    case EquationOp::abs:
      step.each_of_one([](V x) { return abs(x); });
      return true;
    case EquationOp::sign:
      step.each_of_one([](V x) { return Sign{}.value(x); });
      return true;
    case EquationOp::tanh:
      step.each_of_one([](V x) { return Tanh{}.value(x); });
      return true;
    case EquationOp::sigmoid:
      step.each_of_one([](V x) { return Sigmoid{}.value(x); });
      return true;
    case EquationOp::relu:
      step.each_of_one([](V x) { return Relu{}.value(x); });
      return true;
    case EquationOp::floor:
      step.each_of_one([](V x) { return Floor{}.value(x); });
      return true;
    default:
      return false;
  }
}

template <class T>
void run_of_more(const Step<T>& step, EquationOp op) {
  using V = Vec<T>;
  switch (op) {
    case EquationOp::add:
      return step.each_of_two([](V a, V b) { return a + b; });
    case EquationOp::subtract:
      return step.each_of_two([](V a, V b) { return a - b; });
    case EquationOp::multiply:
      return step.each_of_two([](V a, V b) { return a * b; });
    case EquationOp::divide:
      return step.each_of_two([](V a, V b) { return a / b; });
    case EquationOp::power:
      return step.each_of_two([](V a, V b) { return pow(a, b); });
    case EquationOp::less:
      return step.each_of_two([](V a, V b) { return truth<T>(a < b); });
    case EquationOp::less_equal:
      return step.each_of_two([](V a, V b) { return truth<T>(a <= b); });
    case EquationOp::greater:
      return step.each_of_two([](V a, V b) { return truth<T>(b < a); });
    case EquationOp::greater_equal:
      return step.each_of_two([](V a, V b) { return truth<T>(b <= a); });
    case EquationOp::equal:
      return step.each_of_two([](V a, V b) { return truth<T>(a == b); });
    case EquationOp::not_equal:
      return step.each_of_two([](V a, V b) { return truth<T>(a != b); });
    case EquationOp::logical_and:
      return step.each_of_two([](V a, V b) { return truth<T>(is_true(a) & is_true(b)); });
    case EquationOp::logical_or:
      return step.each_of_two([](V a, V b) { return truth<T>(is_true(a) | is_true(b)); });
    case EquationOp::minimum:
      return step.each_of_two([](V a, V b) { return Minimum{}.value(a, b); });
    case EquationOp::maximum:
      return step.each_of_two([](V a, V b) { return Maximum{}.value(a, b); });
    case EquationOp::where:
      return step.select();
    case EquationOp::layer_sum:
      return step.over_layer([](const T* x, std::int64_t n) { return sum_of_layer(x, n); });
    case EquationOp::layer_mean:
      return step.over_layer(
          [](const T* x, std::int64_t n) { return sum_of_layer(x, n) / static_cast<T>(n); });
    case EquationOp::layer_largest:
      return step.over_layer([](const T* x, std::int64_t n) { return largest_of_row(x, n); });
    case EquationOp::layer_smallest:
      return step.over_layer([](const T* x, std::int64_t n) { return smallest_of_row(x, n); });
    case EquationOp::softmax:
      return step.soften();
    default:
      return step.across(op);
  }
}

}  // namespace

template <class T>
void run_equation_steps(const EquationSteps<T>& steps) {
  for (std::int64_t i = 0; i < steps.count; ++i) {
    const Step<T> step(steps, steps.codes[i]);
    if (!run_of_one(step, steps.codes[i].op)) run_of_more(step, steps.codes[i].op);
  }
}

template <class T>
void update_equation_row(T* row, const T* keep, const T* const* vectors, const T* factors,
                         std::int64_t count, std::int64_t n) {
  using V = Vec<T>;
  const auto update = [&](std::int64_t i, auto size) {
    V x = V::load(row + i, size);
    if (keep != nullptr) x = fma(V::load(keep + i, size), x, x);
    for (std::int64_t k = 0; k < count; ++k) {
      x = fma(V::load(vectors[k] + i, size), V(factors[k]), x);
    }
    x.store(row + i, size);
  };
  std::int64_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) update(i, std::int64_t{V::lanes});
  if (i < n) update(i, n - i);
}

template void update_equation_row(float*, const float*, const float* const*, const float*,
                                  std::int64_t, std::int64_t);
template void update_equation_row(double*, const double*, const double* const*, const double*,
                                  std::int64_t, std::int64_t);
template void run_equation_steps(const EquationSteps<float>&);
template void run_equation_steps(const EquationSteps<double>&);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
