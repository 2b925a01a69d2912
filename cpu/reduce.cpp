// SPDX-License-Identifier: MIT
/// \file
/// Sums, products, means and extremes along axes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "backend.h"
#include "reduce_loops.h"

namespace gaia::cpu {
namespace {

/// Squares of distances from a center for each output; centers lie as the outputs do.
struct SquaredDistances {
  const double* centers;
  SquaredDistance at(std::int64_t output) const { return {centers[output]}; }
};

}  // namespace

void CpuBackend::reduce(Reduction kind, const View& x, const View& y) {
  const auto reduced = static_cast<double>(x.count() / std::max<std::int64_t>(1, y.count()));
  dispatch(x.dtype, [&](auto from) {
    using T = typename decltype(from)::type;
    dispatch(y.dtype, [&](auto to) {
      using U = typename decltype(to)::type;
      U* const out = y.as<U>();
      const auto keep = [out](std::int64_t at, auto value) { out[at] = static_cast<U>(value); };
      if constexpr (std::is_same_v<U, float> || std::is_same_v<U, double> ||
                    std::is_same_v<U, std::int64_t>) {
        using V = Carried<T>;
        if (kind == Reduction::sum) return reduce_with<Sum<V>, T>(x, y, Elements{}, keep);
        if (kind == Reduction::prod) return reduce_with<Product<V>, T>(x, y, Elements{}, keep);
        if (kind == Reduction::mean) {
          // In double throughout, for a sum of int64 may wrap.
          return reduce_with<Sum<double>, T>(x, y, Elements{}, [&](std::int64_t at, double value) {
            out[at] = static_cast<U>(value / reduced);
          });
        }
      }
      if constexpr (std::is_same_v<U, T> || std::is_same_v<U, Read<T>>) {
        using V = Read<T>;
        if (kind == Reduction::max) return reduce_with<Largest<V>, T>(x, y, Elements{}, keep);
        if (kind == Reduction::min) return reduce_with<Smallest<V>, T>(x, y, Elements{}, keep);
      }
      throw InternalError("[cpu::reduce] got " + to_string(x.dtype) + " to " + to_string(y.dtype));
    });
  });
}

void CpuBackend::squares(const View& x, const View& center, const View& y) {
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    double* const out = y.as<double>();
    reduce_with<Sum<double>, T>(x, y, SquaredDistances{center.as<double>()},
                                [out](std::int64_t at, double value) { out[at] = value; });
  });
}

std::int64_t CpuBackend::first_not_finite(const View& x) {
  return dispatch_floating(x.dtype, [&](auto tag) -> std::int64_t {
    using T = typename decltype(tag)::type;
    const std::int64_t count = x.count();
    std::int64_t first = 0;
    if (x.is_contiguous()) {
      const auto is_finite = GAIA_VECTOR_KERNEL(all_finite<T>);
      const std::int64_t pieces = (count + kElementsPerTask - 1) / kElementsPerTask;
      std::atomic<std::int64_t> earliest = pieces;
      parallel_for(pieces, [&](std::int64_t piece) {
        const std::int64_t from = piece * kElementsPerTask;
        if (is_finite(x.as<T>() + from, std::min(kElementsPerTask, count - from))) return;
        std::int64_t so_far = earliest.load();
        while (piece < so_far && !earliest.compare_exchange_weak(so_far, piece)) {
        }
      });
      if (earliest == pieces) return -1;
      first = earliest * kElementsPerTask;
    }
    for (std::int64_t i = first; i < count; ++i) {
      if (!std::isfinite(x.as<T>()[offset_of(i, x.shape, x.strides)])) return i;
    }
    return -1;
  });
}

}  // namespace gaia::cpu
