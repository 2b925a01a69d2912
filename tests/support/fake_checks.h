// SPDX-License-Identifier: MIT
/// \file
/// What the fake device demands of the views it is given; a test that breaks it has found a bug.
#pragma once

#include <cstdint>
#include <string>

#include "../../src/core/error.h"
#include "../../src/formulas/view.h"

namespace gaia::test::fake {

inline void check(bool holds, const char* what) {
  if (!holds) throw InternalError("[fake device] " + std::string(what));
}

inline bool is_float(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

/// Addresses [first, end).
struct Range {
  std::uintptr_t first;
  std::uintptr_t end;
};

/// Bytes that a view touches.
inline Range range_of(const View& view) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int axis = 0; axis < view.rank(); ++axis) {
    const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
    (reach < 0 ? low : high) += reach;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(view.data);
  return {start + static_cast<std::uintptr_t>(low * size_of(view.dtype)),
          start + static_cast<std::uintptr_t>((high + 1) * size_of(view.dtype))};
}

inline void check_apart(const View& x, const View& y) {
  if (x.count() == 0) return;
  const Range in = range_of(x);
  const Range out = range_of(y);
  check(in.end <= out.first || out.end <= in.first, "an input overlaps the output");
}

/// `x` is indexed along `axis`; `moved` is what goes there or comes from there.
inline void check_indexing(const View& x, int axis, const View& indices, const View& moved) {
  check(indices.dtype == DType::int64, "indices of dtypes");
  check(axis >= 0 && axis < x.rank() && indices.shape == moved.shape, "indices of shapes");
  Shape expected = x.shape;
  expected[axis] = indices.shape[axis];
  check(indices.shape == expected, "indices of shapes");
}

}  // namespace gaia::test::fake
