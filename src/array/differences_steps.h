// SPDX-License-Identifier: MIT
/// \file
/// Differences between neighbours: written once, for arrays and for tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "../core/message.h"
#include "../formulas/shape.h"

namespace gaia::detail {

/// What stands beside x along `axis`: as it is, or one number at each place.
template <class T>
T end_of(const T& x, const T& end, int axis) {
  if (end.rank() > 0) return end;
  Shape shape = x.shape();
  shape[axis] = 1;
  return end.broadcast_to(shape);
}

/// `neighbours` gives the differences along an axis once.
template <class T, class Neighbours>
T diff_of(const T& x, std::int64_t n, std::int64_t axis, const std::optional<T>& prepend,
          const std::optional<T>& append, Neighbours neighbours) {
  if (x.rank() == 0) {
    throw ShapeError("[diff] expected at least 1 dimension, got shape []");
  }
  if (n < 0) fail<ArgumentError>("[diff] expected n of at least 0, got {}", n);
  const int which = normalize_axis(axis, x.rank(), "diff");
  if (n == 0) return x;
  T y = x;
  if (prepend || append) {
    std::vector<T> parts;
    if (prepend) parts.push_back(end_of(x, *prepend, which));
    parts.push_back(x);
    if (append) parts.push_back(end_of(x, *append, which));
    y = concatenate(std::move(parts), which);
  }
  for (std::int64_t i = 0; i < n && y.shape(which) > 0; ++i) y = neighbours(y, which);
  return y;
}

}  // namespace gaia::detail
