// SPDX-License-Identifier: MIT
/// \file
/// What a backend sees of an array: where its elements lie, and nothing about who owns them.
#pragma once

#include <algorithm>

#include "dtype.h"
#include "shape.h"

namespace gaia {

struct View {
  void* data = nullptr;
  DType dtype = DType::float32;
  Shape shape;
  Strides strides;

  int rank() const { return shape.rank(); }
  std::int64_t count() const { return count_elements(shape); }

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }

  /// Whether the elements lie one behind the other, last axis fastest.
  bool is_contiguous() const {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
    std::int64_t expected = 1;
    for (int axis = rank() - 1; axis >= 0; --axis) {
      if (shape[axis] != 1 && strides[axis] != expected) return false;
      expected *= shape[axis];
    }
    return true;
  }
};

}  // namespace gaia
