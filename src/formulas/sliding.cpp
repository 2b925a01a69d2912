// SPDX-License-Identifier: MIT
#include "sliding.h"

#include <algorithm>
#include <string>

#include "../core/checked.h"
#include "../core/message.h"

namespace gaia {

std::int64_t count_windows(std::int64_t length, const SlidingWindow& window, int side,
                           bool ceil_mode, const char* function) {
  const auto which = static_cast<std::size_t>(side);
  const std::int64_t kernel = window.kernel[which];
  const std::int64_t stride = window.stride[which];
  const std::int64_t padding = window.padding[which];
  const std::int64_t dilation = window.dilation[which];
  const std::string tag = message("[{}] ", function);
  if (kernel < 1 || stride < 1 || dilation < 1 || padding < 0) {
    fail<ArgumentError>(
        "{}expected kernel, stride and dilation >= 1 and padding >= 0, got {}, {}, {} and {}", tag,
        kernel, stride, dilation, padding);
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
    fail<ShapeError>(
        "{}a window of {} with dilation {} does not fit into an axis of length {} with padding {}",
        tag, kernel, dilation, length, padding);
  }
  std::int64_t count = free / stride + 1;
  if (ceil_mode && free % stride != 0 && count * stride < length + padding) ++count;
  return count;
}

}  // namespace gaia
