// SPDX-License-Identifier: MIT
/// \file
/// Copies and casts.
#include "../src/array/cast.h"
#include "backend.h"
#include "map.h"

namespace gaia::cpu {

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
