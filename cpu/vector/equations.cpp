// SPDX-License-Identifier: MIT
#include "equations.h"

#include "../../src/formulas/equations/functions.h"
#include "rows.h"
#include "simd.h"
#include "simd_hyperbolic.h"
#include "simd_logarithms.h"
#include "simd_math.h"
#include "simd_powers.h"
#include "simd_tanh.h"
#include "simd_trigonometric.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

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

  // Members are copied: as far as the compiler sees, what is stored could be they.
  template <class F>
  GAIA_INLINE void each_of_one(const F& f) const {
    const EquationCell<T> a = a_;
    each([&](std::int64_t i) { return f(at(a, i)); });
  }
  template <class F>
  GAIA_INLINE void each_of_two(const F& f) const {
    const EquationCell<T> a = a_, b = b_;
    each([&](std::int64_t i) { return f(at(a, i), at(b, i)); });
  }
  GAIA_INLINE void select() const {
    const EquationCell<T> a = a_, b = b_, c = c_;
    each([&](std::int64_t i) { return choose(at(a, i) != Vec<T>(T(0)), at(b, i), at(c, i)); });
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
    steps_.across(op, to_, a_.numbers, b_.numbers, b_.stride, steps_.neurons);
    clear_padding();
  }

 private:
  template <class F>
  GAIA_INLINE void each(const F& f) const {
    T* const to = to_;
    const std::int64_t numbers = numbers_;
    for (std::int64_t i = 0; i < numbers; i += Vec<T>::lanes) f(i).store(to + i);
  }
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

template <class T>
void run_step(const Step<T>& step, EquationOp op) {
  if (with_function_of_one(op, [&](const auto& function) { step.each_of_one(function); })) return;
  if (with_function_of_two(op, [&](const auto& function) { step.each_of_two(function); })) return;
  switch (op) {
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
    const EquationCode& code = steps.codes[i];
    const Step<T> step(steps, code);
    if (code.by_rank) {
      step.across(code.op);
    } else {
      run_step(step, code.op);
    }
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

template <class T>
void move_chains(const T* w, T* const* behind, const ChainPulls<T>& pulls, T* pull,
                 std::int64_t n) {
  using V = Vec<T>;
  const auto move = [&](std::int64_t i, auto size) {
    V before = V::load(w + i, size);
    V now = V::load(behind[0] + i, size);
    (V(pulls.behind[0]) * (now - before)).store(pull + i, size);
    for (std::int64_t k = 1; k < pulls.length; ++k) {
      const V next = k + 1 < pulls.length ? V::load(behind[k] + i, size) : V(T(0));
      const V drawn = fma(V(pulls.before[k]), before - now, now);
      fma(V(pulls.behind[k]), next - now, drawn).store(behind[k - 1] + i, size);
      before = now;
      now = next;
    }
  };
  std::int64_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) move(i, std::int64_t{V::lanes});
  if (i < n) move(i, n - i);
}

template <class T>
void bound_row(T* row, T low, T high, std::int64_t n) {
  using V = Vec<T>;
  const auto bound = [&](std::int64_t i, auto size) {
    const V x = V::load(row + i, size);
    choose(x < V(low), V(low), choose(V(high) < x, V(high), x)).store(row + i, size);
  };
  std::int64_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) bound(i, std::int64_t{V::lanes});
  if (i < n) bound(i, n - i);
}

template <class T>
void add_products(T* row, T share, EquationCell<T> a, EquationCell<T> b, std::int64_t n) {
  using V = Vec<T>;
  const auto add = [&](std::int64_t i, auto size) {
    // Cells have room for whole vectors.
    const V product = V::load(a.numbers + i * a.stride) * V::load(b.numbers + i * b.stride);
    fma(product, V(share), V::load(row + i, size)).store(row + i, size);
  };
  std::int64_t i = 0;
  for (; i + V::lanes <= n; i += V::lanes) add(i, std::int64_t{V::lanes});
  if (i < n) add(i, n - i);
}

template void move_chains(const float*, float* const*, const ChainPulls<float>&, float*,
                          std::int64_t);
template void move_chains(const double*, double* const*, const ChainPulls<double>&, double*,
                          std::int64_t);
template void bound_row(float*, float, float, std::int64_t);
template void bound_row(double*, double, double, std::int64_t);
template void add_products(float*, float, EquationCell<float>, EquationCell<float>, std::int64_t);
template void add_products(double*, double, EquationCell<double>, EquationCell<double>,
                           std::int64_t);
template void update_equation_row(float*, const float*, const float* const*, const float*,
                                  std::int64_t, std::int64_t);
template void update_equation_row(double*, const double*, const double* const*, const double*,
                                  std::int64_t, std::int64_t);
template void run_equation_steps(const EquationSteps<float>&);
template void run_equation_steps(const EquationSteps<double>&);

}  // namespace gaia::cpu::GAIA_VECTOR_SET
