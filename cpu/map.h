// SPDX-License-Identifier: MIT
/// \file
/// A function of the elements of views of one shape, in parallel.
#pragma once

#include <string>
#include <variant>

#include "../src/core/error.h"
#include "../src/formulas/view.h"
#include "strided_loop.h"

namespace gaia::cpu {

/// How many elements these views of one shape have, if they lie one behind the other in all of them
/// and are one task: small arrays need no walk.  Else -1.
template <class... Views>
std::int64_t single_run(const View& y, const Views&... others) {
  if (!y.is_contiguous() || !(others.is_contiguous() && ...)) return -1;
  const std::int64_t count = y.count();
  return count <= kElementsPerTask ? count : -1;
}

/// y = f(x) along a run.  The common case of neighbours in memory is its own loop, which the
/// compiler turns into vectors.
template <class T, class U, class F>
void map_run(const T* x, std::int64_t dx, U* y, std::int64_t dy, std::int64_t n, const F& f) {
  if (dx == 1 && dy == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
  } else if (dx == -1 && dy == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[-i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i * dy] = f(x[i * dx]);
  }
}

/// y = f(a, b) along a run; an operand whose stride is 0 is one number for all.
template <class T, class U, class F>
void map_run(const T* a, std::int64_t da, const T* b, std::int64_t db, U* y, std::int64_t dy,
             std::int64_t n, const F& f) {
  if (da == 1 && db == 1 && dy == 1) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
  } else if (da == 1 && db == 0 && dy == 1) {
    const T right = *b;
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(a[i], right);
  } else if (da == 0 && db == 1 && dy == 1) {
    const T left = *a;
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(left, b[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i * dy] = f(a[i * da], b[i * db]);
  }
}

template <class T, class U, class F>
void map(const View& x, const View& y, const F& f) {
  const StridedLoop<2> loop(y.shape, {x.strides, y.strides});
  loop.for_each_run([&](const Offsets<2>& at, std::int64_t n, const Offsets<2>& step) {
    map_run(x.as<T>() + at[0], step[0], y.as<U>() + at[1], step[1], n, f);
  });
}

template <class S, class T, class F>
void map(const View& a, const View& b, const View& c, const View& y, const F& f) {
  const StridedLoop<4> loop(y.shape, {a.strides, b.strides, c.strides, y.strides});
  loop.for_each_run([&](const Offsets<4>& at, std::int64_t n, const Offsets<4>& step) {
    const S* p = a.as<S>() + at[0];
    const T* q = b.as<T>() + at[1];
    const T* r = c.as<T>() + at[2];
    T* const to = y.as<T>() + at[3];
    if (step == Offsets<4>{1, 1, 1, 1}) {
      for (std::int64_t i = 0; i < n; ++i) to[i] = f(p[i], q[i], r[i]);
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        to[i * step[3]] = f(p[i * step[0]], q[i * step[1]], r[i * step[2]]);
      }
    }
  });
}

[[noreturn]] inline void unexpected(const char* method, DType dtype) {
  throw InternalError("[cpu::" + std::string(method) + "] got " + to_string(dtype));
}

}  // namespace gaia::cpu
