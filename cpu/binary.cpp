// SPDX-License-Identifier: MIT
/// \file
/// Functions and comparisons of two numbers, and the choice between them.
#include <cstdint>
#include <type_traits>

#include "../src/formulas/elementwise_choose.h"
#include "../src/formulas/operand_types.h"
#include "backend.h"
#include "half_vectors.h"
#include "map.h"
#include "vector/compare.h"
#include "vector/elementwise.h"
#include "vector/select.h"

namespace gaia::cpu {
namespace {

/// Functions that take less time than to load and store numbers.
template <class F>
constexpr bool kIsLight =
    std::is_same_v<F, Add> || std::is_same_v<F, Subtract> || std::is_same_v<F, Multiply> ||
    std::is_same_v<F, Divide> || std::is_same_v<F, Maximum> || std::is_same_v<F, Minimum> ||
    std::is_same_v<F, WeightedSum>;

/// y = f(a, b) by vectors, where f and the views allow it.
template <class F, class T>
bool binary_by_vectors(const Binary& f, const View& a, const View& b, const View& y) {
  auto run = GAIA_VECTOR_KERNEL(binary_run<T>);
  if (const std::int64_t n = single_run(y, a, b); n >= 0) {
    return run(f, a.as<T>(), 1, b.as<T>(), 1, y.as<T>(), n, Stores::through_caches);
  }
  const StridedLoop<3> loop(y.shape, {a.strides, b.strides, y.strides});
  const Offsets<3> step = loop.step();
  if (step[0] < 0 || step[0] > 1 || step[1] < 0 || step[1] > 1 || step[2] != 1) return false;
  if (!run(f, nullptr, 1, nullptr, 1, nullptr, 0, Stores::through_caches)) return false;
  // Short runs end with what fills no vector, which AVX-512 does better.
  if (kIsLight<F> && loop.is_one_run()) run = GAIA_HALF_VECTOR_KERNEL(binary_run<T>);
  const Stores stores = stores_for(y.count() * static_cast<std::int64_t>(sizeof(T)),
                                   a.data == y.data || b.data == y.data);
  loop.for_each_run([&](const Offsets<3>& at, std::int64_t n, const Offsets<3>&) {
    run(f, a.as<T>() + at[0], step[0], b.as<T>() + at[1], step[1], y.as<T>() + at[2], n, stores);
  });
  return true;
}

/// The same for comparisons of T.
template <class T>
bool compare_by_vectors(const Comparison& f, const View& a, const View& b, const View& y) {
  const auto run = GAIA_VECTOR_KERNEL(compare_run<T>);
  if (const std::int64_t n = single_run(y, a, b); n >= 0) {
    return run(f, a.as<T>(), 1, b.as<T>(), 1, y.as<bool>(), n);
  }
  const StridedLoop<3> loop(y.shape, {a.strides, b.strides, y.strides});
  const Offsets<3> step = loop.step();
  if (step[0] < 0 || step[0] > 1 || step[1] < 0 || step[1] > 1 || step[2] != 1) return false;
  if (!run(f, nullptr, 1, nullptr, 1, nullptr, 0)) return false;
  loop.for_each_run([&](const Offsets<3>& at, std::int64_t n, const Offsets<3>&) {
    run(f, a.as<T>() + at[0], step[0], b.as<T>() + at[1], step[1], y.as<bool>() + at[2], n);
  });
  return true;
}

}  // namespace

void CpuBackend::binary(const Binary& f, const View& a, const View& b, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(y.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          if constexpr (kBinaryTakes<F, T>) {
            if constexpr (std::is_floating_point_v<T>) {
              if (binary_by_vectors<F, T>(f, a, b, y)) return;
            }
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
            if (compare_by_vectors<T>(f, a, b, y)) return;
            map<T, bool>(a, b, y, [function](T p, T q) { return function.value(p, q); });
          }
        });
      },
      f);
}

void CpuBackend::select(const View& condition, const View& a, const View& b, const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, bfloat16>) {
      const StridedLoop<4> loop(y.shape, {condition.strides, a.strides, b.strides, y.strides});
      const Offsets<4> step = loop.step();
      const auto is_row = [](std::int64_t one) { return one == 0 || one == 1; };
      if (step[0] == 1 && is_row(step[1]) && is_row(step[2]) && step[3] == 1) {
        const auto select_run = GAIA_VECTOR_KERNEL(select_row<T>);
        return loop.for_each_run([&](const Offsets<4>& at, std::int64_t n, const Offsets<4>&) {
          select_run(condition.as<bool>() + at[0], a.as<T>() + at[1], step[1], b.as<T>() + at[2],
                     step[2], y.as<T>() + at[3], n);
        });
      }
    }
    map<bool, T>(condition, a, b, y, [](bool holds, T p, T q) { return choose(holds, p, q); });
  });
}

}  // namespace gaia::cpu
