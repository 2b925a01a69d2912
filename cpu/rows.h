// SPDX-License-Identifier: MIT
/// \file
/// What every layer needs of a row of numbers: products, norms, activations.  Sums are carried in a
/// fixed set of lanes, so they come out the same wherever the row lies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "../src/formulas/activation.h"
#include "vector/elementwise.h"
#include "vector/rows.h"

namespace gaia::cpu {

/// Sum of f(i) for i in [0, n).
template <class T, class F>
T sum_of(std::int64_t n, const F& f) {
  constexpr std::int64_t lanes = 16;
  T lane[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::int64_t j = 0; j < lanes; ++j) lane[j] += f(i + j);
  }
  for (std::int64_t j = 0; i < n; ++i, ++j) lane[j] += f(i);
  for (std::int64_t width = lanes / 2; width > 0; width /= 2) {
    for (std::int64_t j = 0; j < width; ++j) lane[j] += lane[j + width];
  }
  return lane[0];
}

template <class T>
T dot(const T* a, const T* b, std::int64_t n) {
  static const auto kernel = GAIA_VECTOR_KERNEL(dot<T>);  // rows may be short, and calls many
  return kernel(a, b, n);
}

/// y += factor x.  y may be x.
template <class T>
void add_scaled(T* y, T factor, const T* x, std::int64_t n) {
  static const auto kernel = GAIA_VECTOR_KERNEL(add_scaled<T>);
  kernel(y, factor, x, n);
}

/// x = f(x) for one neuron each, or for a whole layer.
template <class T>
void activate_row(Activation f, T* x, std::int64_t n) {
  if (f == Activation::linear) return;
  if (f == Activation::softmax) {
    if (n > 0) GAIA_VECTOR_KERNEL(softmax_row<T>)(x, x, n);
    return;
  }
  if (f == Activation::coates) return GAIA_VECTOR_KERNEL(coates_row<T>)(x, x, n);
  dispatch_activation(f, [&](auto functor) {
    if constexpr (!std::is_same_v<decltype(functor), Identity>) {
      GAIA_VECTOR_KERNEL(unary_run<T>)(functor, x, x, n, Stores::through_caches);
    }
  });
}

}  // namespace gaia::cpu
