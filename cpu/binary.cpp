// SPDX-License-Identifier: MIT
/// \file
/// Functions and comparisons of two numbers, and the choice between them.
#include <type_traits>

#include "../src/array/elementwise_choose.h"
#include "backend.h"
#include "map.h"

namespace gaia::cpu {
namespace {

template <class F>
constexpr bool kTakesBooleans = std::is_same_v<F, Maximum> || std::is_same_v<F, Minimum>;

template <class F>
constexpr bool kTakesOnlyFloats = std::is_same_v<F, Divide> || std::is_same_v<F, Arctan2> ||
                                  std::is_same_v<F, Hypot> || std::is_same_v<F, LogAddExp>;

}  // namespace

void CpuBackend::binary(const Binary& f, const View& a, const View& b, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(y.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
          if constexpr (std::is_floating_point_v<T> || (is_integer && !kTakesOnlyFloats<F>) ||
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

void CpuBackend::select(const View& condition, const View& a, const View& b, const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map<bool, T>(condition, a, b, y, [](bool holds, T p, T q) { return choose(holds, p, q); });
  });
}

}  // namespace gaia::cpu
