// SPDX-License-Identifier: MIT
#include "elementwise.h"

#include <type_traits>

#include "loop.h"
#include "simd.h"
#include "simd_math.h"
#include "variant.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

template <class F, class... Fs>
constexpr bool kIsOneOf = (std::is_same_v<F, Fs> || ...);

/// Functions whose formulas simd_math.h has all of.
template <class F>
constexpr bool kHasVectorForm =
    kIsOneOf<F, Negate, Abs, Sign, Square, Sqrt, Rsqrt, Reciprocal, Exp, Expm1, Log, Log1p, Floor,
             Ceil, Round, Trunc, Clip, Tanh, Sigmoid, LogSigmoid, Relu, LeakyRelu, Elu, Selu,
             Softplus, Silu, GeluTanh, GeluExact, Erf, Erfc, Add, Subtract, Multiply, Divide, Maximum, Minimum, WeightedSum>;

/// Calls g with what f holds, and says whether that has a vector form.
template <class Variant, class G>
GAIA_INLINE bool with_vector_form(const Variant& f, const G& g) {
  bool found = false;
  with_alternative(f, [&](const auto& function) {
    if constexpr (kHasVectorForm<std::decay_t<decltype(function)>>) {
      g(function);
      found = true;
    }
  });
  return found;
}

}  // namespace

template <class T>
GAIA_FLATTEN bool unary_run(const Unary& f, const T* x, T* y, std::int64_t n, Stores stores) {
  return with_vector_form(f, [&](const auto& function) {
    write_vectors(y, n, stores, [&](std::int64_t i, auto count) {
      return function.value(load(x + i, count));
    });
  });
}

template <class T>
GAIA_FLATTEN bool slope_run(const Unary& f, const T* x, const T* y, const T* dy, T* dx, std::int64_t n) {
  return with_vector_form(f, [&](const auto& function) {
    for_each_vector<T>(n, [&](std::int64_t i, auto count) {
      const Vec<T> slope = function.slope(load(x + i, count), load(y + i, count));
      store(load(dy + i, count) * slope, dx + i, count);
    });
  });
}

template <class T>
GAIA_FLATTEN bool binary_run(const Binary& f, const T* a, std::int64_t a_stride, const T* b,
                std::int64_t b_stride, T* y, std::int64_t n, Stores stores) {
  return with_vector_form(f, [&](const auto& function) {
    if (a_stride != 0 && b_stride != 0) {
      write_vectors(y, n, stores, [&](std::int64_t i, auto count) {
        return function.value(load(a + i, count), load(b + i, count));
      });
    } else if (b_stride == 0) {
      const Vec<T> right(*b);
      write_vectors(y, n, stores, [&](std::int64_t i, auto count) {
        return function.value(a_stride == 0 ? Vec<T>(*a) : load(a + i, count), right);
      });
    } else {
      const Vec<T> left(*a);
      write_vectors(y, n, stores, [&](std::int64_t i, auto count) {
        return function.value(left, load(b + i, count));
      });
    }
  });
}

#define GAIA_ELEMENTWISE(T)                                                                     \
  template bool unary_run(const Unary&, const T*, T*, std::int64_t, Stores);                           \
  template bool slope_run(const Unary&, const T*, const T*, const T*, T*, std::int64_t);        \
  template bool binary_run(const Binary&, const T*, std::int64_t, const T*, std::int64_t, T*,   \
                           std::int64_t, Stores);
GAIA_ELEMENTWISE(float)
GAIA_ELEMENTWISE(double)
#undef GAIA_ELEMENTWISE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
