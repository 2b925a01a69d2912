// SPDX-License-Identifier: MIT
/// \file
/// Copies and casts.
#include <cmath>
#include <limits>
#include <type_traits>

#include "backend.h"
#include "map.h"

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

}  // namespace gaia::cpu
