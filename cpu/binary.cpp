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

/// y = f(a, b) by vectors, where the views allow it.
template <class T>
bool binary_by_vectors(const Binary& f, const View& a, const View& b, const View& y) {
  auto run = GAIA_VECTOR_KERNEL(binary_run<T>);
  if (const std::int64_t n = single_run(y, a, b); n >= 0) {
    run(f, a.as<T>(), 1, b.as<T>(), 1, y.as<T>(), n, Stores::through_caches);
    return true;
  }
  const StridedLoop<3> loop(y.shape, {a.strides, b.strides, y.strides});
  const Offsets<3> step = loop.step();
  if (step[0] < 0 || step[0] > 1 || step[1] < 0 || step[1] > 1 || step[2] != 1) return false;
  // Short runs end with what fills no vector, which AVX-512 does better.
  if (loop.is_one_run() && facts_of(f).work == Work::light) {
    run = GAIA_HALF_VECTOR_KERNEL(binary_run<T>);
  }
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

// One number at a time, for what no vectors take: along a run, with all that depends on the
// function behind a pointer, so that the walk over the runs is compiled once.

template <class F, class T, class U>
using Run = void (*)(const F& f, const T* a, std::int64_t da, const T* b, std::int64_t db, U* y,
                     std::int64_t dy, std::int64_t n);

/// nullptr where f is not defined for T.
template <class T>
Run<Binary, T, T> binary_numbers(const Binary& f) {
  return std::visit(
      [](const auto& held) -> Run<Binary, T, T> {
        using F = std::decay_t<decltype(held)>;
        if constexpr (kBinaryTakes<F, T>) {
          return [](const Binary& given, const T* a, std::int64_t da, const T* b, std::int64_t db,
                    T* y, std::int64_t dy, std::int64_t n) {
            const F function = *std::get_if<F>(&given);
            if constexpr (std::is_floating_point_v<T>) {
              for (std::int64_t i = 0; i < n; ++i) {
                y[i * dy] = function.value(a[i * da], b[i * db]);
              }
            } else {
              map_run(a, da, b, db, y, dy, n, [&](T p, T q) { return function.value(p, q); });
            }
          };
        } else {
          return nullptr;
        }
      },
      f);
}

template <class T>
Run<Comparison, T, bool> compare_numbers(const Comparison& f) {
  return std::visit(
      [](const auto& held) -> Run<Comparison, T, bool> {
        using F = std::decay_t<decltype(held)>;
        return [](const Comparison& given, const T* a, std::int64_t da, const T* b, std::int64_t db,
                  bool* y, std::int64_t dy, std::int64_t n) {
          const F function = *std::get_if<F>(&given);
          for (std::int64_t i = 0; i < n; ++i) y[i * dy] = function.value(a[i * da], b[i * db]);
        };
      },
      f);
}

template <class F, class T, class U>
void run_numbers(const Run<F, T, U>& run, const F& f, const View& a, const View& b, const View& y) {
  const StridedLoop<3> loop(y.shape, {a.strides, b.strides, y.strides});
  loop.for_each_run([&](const Offsets<3>& at, std::int64_t n, const Offsets<3>& step) {
    run(f, a.as<T>() + at[0], step[0], b.as<T>() + at[1], step[1], y.as<U>() + at[2], step[2], n);
  });
}

}  // namespace

void CpuBackend::binary(const Binary& f, const View& a, const View& b, const View& y) {
  dispatch(y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if (binary_by_vectors<T>(f, a, b, y)) return;
    }
    const Run<Binary, T, T> run = binary_numbers<T>(f);
    if (run == nullptr) unexpected("binary", y.dtype);
    run_numbers(run, f, a, b, y);
  });
}

void CpuBackend::compare(const Comparison& f, const View& a, const View& b, const View& y) {
  dispatch(a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bfloat16>) {
      unexpected("compare", a.dtype);
    } else if (!compare_by_vectors<T>(f, a, b, y)) {
      run_numbers(compare_numbers<T>(f), f, a, b, y);
    }
  });
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
