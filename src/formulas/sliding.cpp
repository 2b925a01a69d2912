// SPDX-License-Identifier: MIT
#include "sliding.h"

#include <algorithm>
#include <string>

#include "../core/checked.h"
#include "../core/error.h"

namespace gaia {

std::int64_t count_windows(std::int64_t length, const SlidingWindow& window, int side,
                           bool ceil_mode, const char* function) {
  const auto which = static_cast<std::size_t>(side);
  const std::int64_t kernel = window.kernel[which];
  const std::int64_t stride = window.stride[which];
  const std::int64_t padding = window.padding[which];
  const std::int64_t dilation = window.dilation[which];
  const std::string tag = "[" + std::string(function) + "] ";
  if (kernel < 1 || stride < 1 || dilation < 1 || padding < 0) {
    throw ArgumentError(tag + "expected kernel, stride and dilation >= 1 and padding >= 0, got " +
                        std::to_string(kernel) + ", " + std::to_string(stride) + ", " +
                        std::to_string(dilation) + " and " + std::to_string(padding));
  }
  const auto reach = checked_multiply(kernel - 1, dilation);
  const auto both = checked_multiply(padding, 2);
  const auto padded = both ? checked_add(*both, length) : both;
  const auto rounded = padded ? checked_add(*padded, stride) : padded;
  if (!reach || !rounded) {
    throw ShapeError(tag + "the lengths of a padded axis or of a window exceed 2^63");
  }
  const std::int64_t free = *padded - *reach - 1;
  if (free < 0) {
    throw ShapeError(tag + "a window of " + std::to_string(kernel) + " with dilation " +
                     std::to_string(dilation) + " does not fit into an axis of length " +
                     std::to_string(length) + " with padding " + std::to_string(padding));
  }
  std::int64_t count = free / stride + 1;
  if (ceil_mode && free % stride != 0 && count * stride < length + padding) ++count;
  return count;
}

}  // namespace gaia
