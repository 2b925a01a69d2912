// SPDX-License-Identifier: MIT
/// \file
/// Functions and comparisons of two numbers, and the choice between them.
#include <type_traits>

#include "../src/array/elementwise_choose.h"
#include "../src/array/operand_types.h"
#include "backend.h"
#include "map.h"

namespace gaia::cpu {
void CpuBackend::binary(const Binary& f, const View& a, const View& b, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(y.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          if constexpr (kBinaryTakes<F, T>) {
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

void CpuBackend::select(const View& condition, const View& a, const View& b, const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map<bool, T>(condition, a, b, y, [](bool holds, T p, T q) { return choose(holds, p, q); });
  });
}

}  // namespace gaia::cpu
