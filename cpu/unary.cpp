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

/// y = f(x) by vectors, where the views allow it.
template <class T>
bool unary_by_vectors(const Unary& f, const View& x, const View& y) {
  auto run = GAIA_VECTOR_KERNEL(unary_run<T>);
  if (const std::int64_t n = single_run(y, x); n >= 0) {
    run(f, x.as<T>(), y.as<T>(), n, Stores::through_caches);
    return true;
  }
  const StridedLoop<2> loop(y.shape, {x.strides, y.strides});
  if (loop.step() != Offsets<2>{1, 1}) return false;
  // Short runs end with what fills no vector, which AVX-512 does better.
  if (loop.is_one_run() && facts_of(f).work == Work::light) {
    run = GAIA_HALF_VECTOR_KERNEL(unary_run<T>);
  }
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
  loop.for_each_run([&](const Offsets<4>& at, std::int64_t n, const Offsets<4>&) {
    run(f, x.as<T>() + at[0], y.as<T>() + at[1], dy.as<T>() + at[2], dx.as<T>() + at[3], n);
  });
  return true;
}

// One number at a time, for what no vectors take: along a run, with all that depends on the
// function behind a pointer, so that the walk over the runs is compiled once.

template <class T>
using UnaryRun = void (*)(const Unary& f, const T* x, std::int64_t dx, T* y, std::int64_t dy,
                          std::int64_t n);
/// nullptr where f is not defined for T.
template <class T>
UnaryRun<T> unary_numbers(const Unary& f) {
  return std::visit(
      [](const auto& held) -> UnaryRun<T> {
        using F = std::decay_t<decltype(held)>;
        if constexpr (kUnaryTakes<F, T>) {
          return [](const Unary& unary, const T* x, std::int64_t dx, T* y, std::int64_t dy,
                    std::int64_t n) {
            const F function = *std::get_if<F>(&unary);
            if constexpr (std::is_floating_point_v<T>) {
              for (std::int64_t i = 0; i < n; ++i) y[i * dy] = function.value(x[i * dx]);
            } else {
              map_run(x, dx, y, dy, n, [&](T value) { return function.value(value); });
            }
          };
        } else {
          return nullptr;
        }
      },
      f);
}

template <class T>
using SlopeRun = void (*)(const Unary& f, const T* x, const T* y, const T* dy, T* dx,
                          const Offsets<4>& step, std::int64_t n);
template <class T>
SlopeRun<T> slope_numbers(const Unary& f) {
  return std::visit(
      [](const auto& held) -> SlopeRun<T> {
        using F = std::decay_t<decltype(held)>;
        return [](const Unary& unary, const T* x, const T* y, const T* dy, T* dx,
                  const Offsets<4>& step, std::int64_t n) {
          const F function = *std::get_if<F>(&unary);
          for (std::int64_t i = 0; i < n; ++i) {
            dx[i * step[3]] = dy[i * step[2]] * function.slope(x[i * step[0]], y[i * step[1]]);
          }
        };
      },
      f);
}

}  // namespace

void CpuBackend::unary(const Unary& f, const View& x, const View& y) {
  dispatch(x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if (unary_by_vectors<T>(f, x, y)) return;
    }
    const UnaryRun<T> run = unary_numbers<T>(f);
    if (run == nullptr) unexpected("unary", x.dtype);
    const StridedLoop<2> loop(y.shape, {x.strides, y.strides});
    loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
      run(f, x.as<T>() + at[0], step[0], y.as<T>() + at[1], step[1], n);
    });
  });
}

void CpuBackend::unary_slope(const Unary& f, const View& x, const View& y, const View& dy,
                             const View& dx) {
  dispatch_floating(dx.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (slope_by_vectors<T>(f, x, y, dy, dx)) return;
    const SlopeRun<T> run = slope_numbers<T>(f);
    const StridedLoop<4> loop(dx.shape, {x.strides, y.strides, dy.strides, dx.strides});
    loop.for_each_run([&](const Offsets<4>& at, std::int64_t n, const Offsets<4>& step) {
      run(f, x.as<T>() + at[0], y.as<T>() + at[1], dy.as<T>() + at[2], dx.as<T>() + at[3], step, n);
    });
  });
}

}  // namespace gaia::cpu
