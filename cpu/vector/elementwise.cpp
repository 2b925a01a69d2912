// SPDX-License-Identifier: MIT
#include "elementwise.h"

#include <type_traits>

#include "loop.h"
#include "simd.h"
#include "simd_erf.h"
#include "simd_hyperbolic.h"
#include "simd_inverse_sqrt.h"
#include "simd_inverse_trigonometric.h"
#include "simd_logarithms.h"
#include "simd_math.h"
#include "simd_powers.h"
#include "simd_remainder.h"
#include "simd_tanh.h"
#include "simd_trigonometric.h"
#include "variant.h"

namespace gaia::cpu::GAIA_VECTOR_SET {
namespace {

/// Whether loops of F are written out for several vectors at a time.
template <class F>
constexpr bool kIsUnrolled = [] {
  static_assert(F::facts.work != Work::unknown, "the facts of a function say how much work it is");
  return F::facts.work != Work::heavy;
}();

template <class F, class T>
GAIA_INLINE Vec<T> value(const F& f, Vec<T> x) {
  return f.value(x);
}
/// The formula of src/ without its division.
template <class T>
GAIA_INLINE Vec<T> value(const Softplus& f, Vec<T> x) {
  const Vec<T> z = Vec<T>(T(f.beta)) * x;
  const Vec<T> bent = max(z, Vec<T>(T(0))) + log1p_of_exp_of_negated(abs(z));
  return choose(z > Vec<T>(T(f.threshold)), x, bent * Vec<T>(T(1.0 / f.beta)));
}
template <class T>
GAIA_INLINE Vec<T> value(const LogSigmoid&, Vec<T> x) {
  return choose(x < Vec<T>(T(0)), x, Vec<T>(T(0))) - log1p_of_exp_of_negated(abs(x));
}
/// NaN passes through max and min as their second operand.
template <class T>
GAIA_INLINE Vec<T> value(const Clip& f, Vec<T> x) {
  if (f.low != f.low || f.high != f.high) return f.value(x);
  return min(Vec<T>(T(f.high)), max(Vec<T>(T(f.low)), x));
}
#if defined(__AVX512F__)
GAIA_INLINE Vec<double> value(const Sqrt&, Vec<double> x) { return sqrt_by_estimate(x); }
#endif
template <class F, class T>
GAIA_INLINE Vec<T> value(const F& f, Vec<T> a, Vec<T> b) {
  return f.value(a, b);
}
// Those with branches have a form of their own.
template <class T>
GAIA_INLINE Vec<T> value(const Remainder&, Vec<T> a, Vec<T> b) {
  return remainder(a, b);
}
template <class T>
GAIA_INLINE Vec<T> value(const FloorDivide&, Vec<T> a, Vec<T> b) {
  return floor_divide(a, b);
}
template <class T>
GAIA_INLINE Vec<T> value(const LogAddExp&, Vec<T> a, Vec<T> b) {
  const Vec<T> difference = a - b;
  const Vec<T> larger = choose(a > b, a, b);
  const Vec<T> y = larger + log1p_of_exp_of_negated(abs(difference));
  const Vec<T> apart = choose(difference != difference, difference, y);
  return choose(a == b, a + Vec<T>(T(0.69314718055994530942)), apart);  // infinities too
}

/// y = value(first, count) of the function F.
template <class F, class T, class G>
GAIA_INLINE void write_values(T* y, std::int64_t n, Stores stores, const G& values) {
  if constexpr (kIsUnrolled<F>) {
    write_vectors(y, n, stores, values);
  } else {
    write_vectors_in_turn(y, n, stores, values);
  }
}

}  // namespace

template <class T>
GAIA_FLATTEN void unary_run(const Unary& f, const T* x, T* y, std::int64_t n, Stores stores) {
  with_alternative(f, [&](const auto& function) {
    using F = std::decay_t<decltype(function)>;
    const F kept = function;  // which no store to y can change
    write_values<F>(y, n, stores, [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
      return value(kept, load(x + i, count));
    });
  });
}

template <class T>
GAIA_FLATTEN void slope_run(const Unary& f, const T* x, const T* y, const T* dy, T* dx,
                            std::int64_t n) {
  with_alternative(f, [&](const auto& function) {
    const auto write = [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
      const Vec<T> slope = function.slope(load(x + i, count), load(y + i, count));
      store(load(dy + i, count) * slope, dx + i, count);
    };
    if constexpr (kIsUnrolled<std::decay_t<decltype(function)>>) {
      for_each_vector<T>(n, write);
    } else {
      for_each_vector_in_turn<T>(n, 0, write);
    }
  });
}

template <class T>
GAIA_FLATTEN void binary_run(const Binary& f, const T* a, std::int64_t a_stride, const T* b,
                             std::int64_t b_stride, T* y, std::int64_t n, Stores stores) {
  with_alternative(f, [&](const auto& function) {
    using F = std::decay_t<decltype(function)>;
    if constexpr (!kIsUnrolled<F>) {
      const Vec<T> left(a_stride == 0 ? *a : T(0));
      const Vec<T> right(b_stride == 0 ? *b : T(0));
      write_vectors_in_turn(y, n, stores, [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
        return value(function, a_stride == 0 ? left : load(a + i, count),
                     b_stride == 0 ? right : load(b + i, count));
      });
    } else if (a_stride != 0 && b_stride != 0) {
      write_vectors(y, n, stores, [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
        return function.value(load(a + i, count), load(b + i, count));
      });
    } else if (b_stride == 0) {
      const Vec<T> right(*b);
      write_vectors(y, n, stores, [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
        return function.value(a_stride == 0 ? Vec<T>(*a) : load(a + i, count), right);
      });
    } else {
      const Vec<T> left(*a);
      write_vectors(y, n, stores, [&](std::int64_t i, auto count) GAIA_INLINE_LAMBDA {
        return function.value(left, load(b + i, count));
      });
    }
  });
}

#define GAIA_ELEMENTWISE(T)                                                                   \
  template void unary_run(const Unary&, const T*, T*, std::int64_t, Stores);                  \
  template void slope_run(const Unary&, const T*, const T*, const T*, T*, std::int64_t);      \
  template void binary_run(const Binary&, const T*, std::int64_t, const T*, std::int64_t, T*, \
                           std::int64_t, Stores);
GAIA_ELEMENTWISE(float)
GAIA_ELEMENTWISE(double)
#undef GAIA_ELEMENTWISE

}  // namespace gaia::cpu::GAIA_VECTOR_SET
