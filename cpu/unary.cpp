// SPDX-License-Identifier: MIT
/// \file
/// Functions of one number and their slopes.
#include <type_traits>

#include "backend.h"
#include "map.h"

namespace gaia::cpu {
namespace {

template <class F>
constexpr bool kTakesIntegers = std::is_same_v<F, Negate> || std::is_same_v<F, Abs> ||
                                std::is_same_v<F, Sign> || std::is_same_v<F, Square>;

}  // namespace

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

void CpuBackend::unary_slope(const Unary& f, const View& x, const View& y, const View& dy,
                             const View& dx) {
  std::visit(
      [&](const auto& function) {
        dispatch_floating(dx.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          map<T, T>(x, y, dy, dx, [function](T p, T q, T d) { return d * function.slope(p, q); });
        });
      },
      f);
}

}  // namespace gaia::cpu
