// SPDX-License-Identifier: MIT
/// \file
/// Copies, casts, and functions of one or two numbers.
#include <cmath>
#include <limits>
#include <type_traits>

#include "backend.h"
#include "strided_loop.h"

namespace gaia::cpu {
namespace {

/// A number in another type.  To an integer: truncated, clamped to its range, 0 for NaN; to bool:
/// whether it is not zero.
template <class To, class From>
To cast(From x) {
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, bfloat16>) {
    return cast<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bfloat16>) {
    return bfloat16(cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // The upper limit is not a floating number; the power of two above it is.
    constexpr From limit = -static_cast<From>(std::numeric_limits<To>::min());
    if (std::isnan(x)) return 0;
    if (x >= limit) return std::numeric_limits<To>::max();
    if (x < -limit) return std::numeric_limits<To>::min();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

/// The common case of neighbours in memory is its own loop, which the compiler turns into vectors.
template <class T, class U, class F>
void map_run(const T* x, std::int64_t dx, U* y, std::int64_t dy, std::int64_t n, const F& f) {
  if (dx == 1 && dy == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i * dy] = f(x[i * dx]);
  }
}

template <class T, class U, class F>
void map(const View& x, const View& y, const F& f) {
  const StridedLoop<2> loop(y.shape, {x.strides, y.strides});
  loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
    map_run(x.as<T>() + at[0], step[0], y.as<U>() + at[1], step[1], n, f);
  });
}

template <class T, class U, class F>
void map(const View& a, const View& b, const View& y, const F& f) {
  const StridedLoop<3> loop(y.shape, {a.strides, b.strides, y.strides});
  loop.for_each_run([&](const Offsets<3>& at, std::int64_t n, const Offsets<3>& step) {
    const T* p = a.as<T>() + at[0];
    const T* q = b.as<T>() + at[1];
    U* r = y.as<U>() + at[2];
    if (step[0] == 1 && step[1] == 1 && step[2] == 1) {
      for (std::int64_t i = 0; i < n; ++i) r[i] = f(p[i], q[i]);
    } else if (step[0] == 1 && step[1] == 0 && step[2] == 1) {
      const T right = *q;
      for (std::int64_t i = 0; i < n; ++i) r[i] = f(p[i], right);
    } else {
      for (std::int64_t i = 0; i < n; ++i) r[i * step[2]] = f(p[i * step[0]], q[i * step[1]]);
    }
  });
}

template <class F>
constexpr bool kTakesIntegers = std::is_same_v<F, Negate> || std::is_same_v<F, Abs> ||
                                std::is_same_v<F, Sign> || std::is_same_v<F, Square>;

template <class F>
constexpr bool kTakesBooleans = std::is_same_v<F, Maximum> || std::is_same_v<F, Minimum>;

[[noreturn]] void unexpected(const char* method, DType dtype) {
  throw InternalError("[cpu::" + std::string(method) + "] got " + to_string(dtype));
}

}  // namespace

void CpuBackend::copy(const View& x, const View& y) {
  dispatch(x.dtype, [&](auto from) {
    dispatch(y.dtype, [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      map<From, To>(x, y, [](From value) { return cast<To>(value); });
    });
  });
}

void CpuBackend::fill(double value, const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T filling = cast<T>(value);
    const StridedLoop<1> loop(y.shape, {y.strides});
    loop.for_each_run([&](const Offsets<1>& at, std::int64_t n, const Offsets<1>& step) {
      T* const p = y.as<T>() + at[0];
      for (std::int64_t i = 0; i < n; ++i) p[i * step[0]] = filling;
    });
  });
}

void CpuBackend::unary(const Unary& f, const View& x, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(x.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
          if constexpr (std::is_floating_point_v<T> || (is_integer && kTakesIntegers<F>)) {
            map<T, T>(x, y, [function](T value) { return function.value(value); });
          } else {
            unexpected("unary", x.dtype);
          }
        });
      },
      f);
}

void CpuBackend::binary(const Binary& f, const View& a, const View& b, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(y.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
          if constexpr (std::is_floating_point_v<T> || (is_integer && !std::is_same_v<F, Divide>) ||
                        (std::is_same_v<T, bool> && kTakesBooleans<F>)) {
            map<T, T>(a, b, y, [function](T p, T q) { return function.value(p, q); });
          } else {
            unexpected("binary", y.dtype);
          }
        });
      },
      f);
}

void CpuBackend::compare(const Comparison& f, const View& a, const View& b, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(a.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          if constexpr (std::is_same_v<T, bfloat16>) {
            unexpected("compare", a.dtype);
          } else {
            map<T, bool>(a, b, y, [function](T p, T q) { return function.value(p, q); });
          }
        });
      },
      f);
}

}  // namespace gaia::cpu
