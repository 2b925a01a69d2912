// SPDX-License-Identifier: MIT
/// \file
/// Functions of one number and their slopes.
#include <type_traits>

#include "../src/array/operand_types.h"
#include "backend.h"
#include "map.h"

namespace gaia::cpu {
void CpuBackend::unary(const Unary& f, const View& x, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(x.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          if constexpr (kUnaryTakes<F, T>) {
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
