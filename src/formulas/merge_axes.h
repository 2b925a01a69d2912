// SPDX-License-Identifier: MIT
/// \file
/// Fewer axes for a walk over views of one shape.
#pragma once

#include <array>
#include <cstddef>

#include "shape.h"

namespace gaia {

/// The shape and strides of N views that are walked together.
template <std::size_t N>
struct SharedWalk {
  Shape shape;
  std::array<Strides, N> strides;
};

/// Merges axes that are walked as one in every view, so that contiguous arrays become one axis.  At
/// least one axis is left.
template <std::size_t N>
SharedWalk<N> merge_axes(const Shape& shape, const std::array<Strides, N>& strides) {
  SharedWalk<N> walk;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    bool joins = !walk.shape.empty();
    for (std::size_t i = 0; i < N && joins; ++i) {
      joins = walk.strides[i].back() == strides[i][axis] * shape[axis];
    }
    if (joins) {
      walk.shape.back() *= shape[axis];
      for (std::size_t i = 0; i < N; ++i) walk.strides[i].back() = strides[i][axis];
    } else {
      walk.shape.push_back(shape[axis]);
      for (std::size_t i = 0; i < N; ++i) walk.strides[i].push_back(strides[i][axis]);
    }
  }
  if (walk.shape.empty()) {
    walk.shape = {1};
    walk.strides.fill(Strides{1});
  }
  return walk;
}

}  // namespace gaia
