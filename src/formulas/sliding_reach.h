// SPDX-License-Identifier: MIT
/// \file
/// Which positions of a plane the windows on it read, and which windows read a position.
#pragma once

#include <cstddef>

#include "../core/host_device.h"
#include "sliding.h"

namespace gaia {

/// What one output reads along one axis: `taps` positions from `first` on, `step` apart.
struct Reach {
  std::int64_t first;
  std::int64_t taps;
  std::int64_t step;
  std::int64_t padded_taps;  ///< With those in the padding, but not beyond it.
};

/// The reach of output `i` along `side` (0: rows, 1: columns) of a plane of `length` there.
GAIA_HOST_DEVICE inline Reach reach(const SlidingWindow& window, std::size_t side,
                                    std::int64_t length, std::int64_t i) {
  const std::int64_t step = window.dilation[side];
  const std::int64_t start = i * window.stride[side] - window.padding[side];
  const std::int64_t behind = start + (window.kernel[side] - 1) * step + 1;
  const std::int64_t limit = length + window.padding[side];
  const std::int64_t end = behind < limit ? behind : limit;
  const std::int64_t skipped = start >= 0 ? 0 : (step - 1 - start) / step;
  const std::int64_t first = start + skipped * step;
  const auto taps_before = [&](std::int64_t bound) {
    return bound <= first ? 0 : (bound - first - 1) / step + 1;
  };
  return {first, taps_before(end < length ? end : length), step, skipped + taps_before(end)};
}

/// By how many positions a mean over windows is divided.
GAIA_HOST_DEVICE inline double mean_divisor(const Reach& row, const Reach& column,
                                            bool count_padding) {
  return static_cast<double>(count_padding ? row.padded_taps * column.padded_taps
                                           : row.taps * column.taps);
}

/// Whether `value` takes the place of the largest so far: NaN does.  Without a branch, which random
/// numbers would make a processor guess.
template <class T>
GAIA_HOST_DEVICE bool is_larger_or_nan(T value, T best) {
  return (value > best) | (value != value);
}

}  // namespace gaia
