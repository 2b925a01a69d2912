// SPDX-License-Identifier: MIT
/// \file
/// Sums, products, means and extremes along axes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "backend.h"
#include "map.h"
#include "reduce_loops.h"

namespace gaia::cpu {
namespace {

/// Squares of distances from a center for each output; centers lie as the outputs do, or, where
/// there are none, at 0.
struct SquaredDistances {
  const double* centers;
  SquaredDistance at(std::int64_t output) const {
    return {centers == nullptr ? 0.0 : centers[output]};
  }
};

/// The place to which joined values of V go: those of a mean divided by their number, of a norm by
/// its root.
/// The type of the outputs is behind a pointer, so that the loops over what is joined are compiled
/// once for all of them.
template <class V>
class Outputs {
 public:
  /// To y, which holds one of Us.
  template <class... Us>
  static Outputs of(const View& y, double divisor = 1.0, bool by_root = false) {
    Outputs to;
    to.data_ = y.data;
    to.divisor_ = divisor;
    to.by_root_ = by_root;
    ((y.dtype == dtype_of<Us>() ? void(to.write_ = &Outputs::write<Us>) : void()), ...);
    if (to.write_ == nullptr) unexpected("reduce", y.dtype);
    return to;
  }

  void operator()(std::int64_t at, V value) const { write_(*this, at, value); }

 private:
  template <class U>
  static void write(const Outputs& to, std::int64_t at, V value) {
    if constexpr (std::is_same_v<V, double>) {
      value /= to.divisor_;
      if (to.by_root_) value = std::sqrt(value);
    }
    static_cast<U*>(to.data_)[at] = static_cast<U>(value);
  }

  void* data_ = nullptr;
  double divisor_ = 1.0;
  bool by_root_ = false;
  void (*write_)(const Outputs& to, std::int64_t at, V value) = nullptr;
};

}  // namespace

void CpuBackend::reduce(Reduction kind, const View& x, const View& y) {
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto join = [&](auto reducer, const auto& outputs) {
      reduce_with<decltype(reducer), T>(x, y, Elements{}, outputs);
    };
    using V = Carried<T>;
    const auto sums = [&] { return Outputs<V>::template of<float, double, std::int64_t>(y); };
    const auto extremes = [&] {  // as they are, or as they are read
      using U = std::conditional_t<std::is_same_v<T, bfloat16>, float, T>;
      return Outputs<Read<T>>::template of<T, U>(y);
    };
    switch (kind) {
      case Reduction::sum:
        return join(Sum<V>{}, sums());
      case Reduction::prod:
        return join(Product<V>{}, sums());
      case Reduction::mean: {
        // In double throughout, for a sum of int64 may wrap.
        const auto count = x.count() / std::max<std::int64_t>(1, y.count());
        return join(Sum<double>{}, Outputs<double>::of<float, double, std::int64_t>(
                                       y, static_cast<double>(count)));
      }
      case Reduction::max:
        return join(Largest<Read<T>>{}, extremes());
      case Reduction::min:
        return join(Smallest<Read<T>>{}, extremes());
      case Reduction::norm:
        return reduce_with<Sum<double>, T>(x, y, SquaredDistances{nullptr},
                                           Outputs<double>::of<float, double>(y, 1.0, true));
    }
  });
}

void CpuBackend::squares(const View& x, const View& center, const View& y) {
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    reduce_with<Sum<double>, T>(x, y, SquaredDistances{center.as<double>()},
                                Outputs<double>::of<double>(y));
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
