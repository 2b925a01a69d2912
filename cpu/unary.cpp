// SPDX-License-Identifier: MIT
/// \file
/// Functions of one number and their slopes.
#include <type_traits>

#include "../src/formulas/operand_types.h"
#include "backend.h"
#include "half_vectors.h"
#include "map.h"
#include "vector/elementwise.h"

namespace gaia::cpu {
namespace {

/// Functions that take less time than to load and store numbers.
template <class F>
constexpr bool kIsLight =
    std::is_same_v<F, Negate> || std::is_same_v<F, Abs> || std::is_same_v<F, Square> ||
    std::is_same_v<F, Floor> || std::is_same_v<F, Ceil> || std::is_same_v<F, Round> ||
    std::is_same_v<F, Trunc> || std::is_same_v<F, Clip> || std::is_same_v<F, Relu>;

/// y = f(x) by vectors, where f and the views allow it.
template <class F, class T>
bool unary_by_vectors(const Unary& f, const View& x, const View& y) {
  auto run = GAIA_VECTOR_KERNEL(unary_run<T>);
  if (const std::int64_t n = single_run(y, x); n >= 0) {
    return run(f, x.as<T>(), y.as<T>(), n, Stores::through_caches);
  }
  const StridedLoop<2> loop(y.shape, {x.strides, y.strides});
  if (loop.step() != Offsets<2>{1, 1}) return false;
  if (!run(f, nullptr, nullptr, 0, Stores::through_caches)) return false;
  // Short runs end with what fills no vector, which AVX-512 does better.
  if (kIsLight<F> && loop.is_one_run()) run = GAIA_HALF_VECTOR_KERNEL(unary_run<T>);
  const Stores stores =
      stores_for(y.count() * static_cast<std::int64_t>(sizeof(T)), x.data == y.data);
  loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>&) {
    run(f, x.as<T>() + at[0], y.as<T>() + at[1], n, stores);
  });
  return true;
}

template <class T>
bool slope_by_vectors(const Unary& f, const View& x, const View& y, const View& dy,
                      const View& dx) {
  const StridedLoop<4> loop(dx.shape, {x.strides, y.strides, dy.strides, dx.strides});
  if (loop.step() != Offsets<4>{1, 1, 1, 1}) return false;
  const auto run = GAIA_VECTOR_KERNEL(slope_run<T>);
  if (!run(f, nullptr, nullptr, nullptr, nullptr, 0)) return false;
  loop.for_each_run([&](const Offsets<4>& at, std::int64_t n, const Offsets<4>&) {
    run(f, x.as<T>() + at[0], y.as<T>() + at[1], dy.as<T>() + at[2], dx.as<T>() + at[3], n);
  });
  return true;
}

}  // namespace

void CpuBackend::unary(const Unary& f, const View& x, const View& y) {
  std::visit(
      [&](const auto& function) {
        dispatch(x.dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          using F = std::decay_t<decltype(function)>;
          if constexpr (kUnaryTakes<F, T>) {
            if constexpr (std::is_floating_point_v<T>) {
              if (unary_by_vectors<F, T>(f, x, y)) return;
            }
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
          if (slope_by_vectors<T>(f, x, y, dy, dx)) return;
          map<T, T>(x, y, dy, dx, [function](T p, T q, T d) { return d * function.slope(p, q); });
        });
      },
      f);
}

}  // namespace gaia::cpu
