// SPDX-License-Identifier: MIT
#include "adaptive_pooling.h"

#include <algorithm>
#include <utility>

#include "../../array/create.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"

namespace gaia {
namespace {

/// Positions from `start` to before `stop`.
struct PoolWindow {
  std::int64_t start;
  std::int64_t stop;
};

PoolWindow window_of(std::int64_t i, std::int64_t windows, std::int64_t positions) {
  return {i * positions / windows, ((i + 1) * positions + windows - 1) / windows};
}

void check_pooled(const char* function, const Tensor& x, const std::vector<std::int64_t>& sizes) {
  bool fits = x.rank() == static_cast<int>(sizes.size()) + 2;
  for (int axis = 2; fits && axis < x.rank(); ++axis) fits = x.shape(axis) > 0;
  if (!fits) {
    fail<ShapeError>(
        "[{}] expected [batch, channels, ...] with {} axes of positions, none empty, got shape {}",
        function, sizes.size(), x.shape());
  }
}

void check_sizes(const std::string& function, const std::vector<std::int64_t>& sizes) {
  if (sizes.empty()) fail<ArgumentError>("[{}] sizes: expected at least one", function);
  for (const std::int64_t size : sizes) {
    if (size < 1) fail<ArgumentError>("[{}] size: expected at least 1, got {}", function, size);
  }
}

/// [positions, windows] with 1 / length where a position belongs to a window: the mean of windows
/// is a product with it.
Array means_of_windows(std::int64_t positions, std::int64_t windows, DType dtype) {
  std::vector<double> shares(static_cast<std::size_t>(positions * windows), 0.0);
  for (std::int64_t i = 0; i < windows; ++i) {
    const PoolWindow window = window_of(i, windows, positions);
    for (std::int64_t p = window.start; p < window.stop; ++p) {
      shares[static_cast<std::size_t>(p * windows + i)] =
          1.0 / static_cast<double>(window.stop - window.start);
    }
  }
  return from_values(shares, Shape{positions, windows}).astype(dtype);
}

Tensor largest_of_windows(const Tensor& x, int axis, std::int64_t windows) {
  std::vector<Tensor> pooled;
  for (std::int64_t i = 0; i < windows; ++i) {
    const PoolWindow window = window_of(i, windows, x.shape(axis));
    pooled.push_back(max(slice(x, axis, window.start, window.stop), {axis}, true));
  }
  return concatenate(std::span<const Tensor>(pooled), axis);
}

void check_padding(const std::vector<std::int64_t>& before,
                   const std::vector<std::int64_t>& after) {
  if (before.empty() || before.size() != after.size()) {
    fail<ArgumentError>(
        "[zero_pad] before and after: expected as many numbers, at least one, got {} and {}",
        before.size(), after.size());
  }
  for (const auto* numbers : {&before, &after}) {
    for (const std::int64_t number : *numbers) {
      if (number < 0) {
        fail<ArgumentError>("[zero_pad] expected numbers >= 0 of zeros, got {}", number);
      }
    }
  }
}

}  // namespace

Tensor adaptive_avg_pool(const Tensor& x, const std::vector<std::int64_t>& sizes) {
  check_sizes("adaptive_avg_pool", sizes);
  check_pooled("adaptive_avg_pool", x, sizes);
  Tensor y = x;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int axis = static_cast<int>(i) + 2;
    const Tensor shares(means_of_windows(x.shape(axis), sizes[i], x.dtype()));
    y = swapaxes(matmul(swapaxes(y, axis, -1), shares), axis, -1);
  }
  return y;
}

Tensor adaptive_max_pool(const Tensor& x, const std::vector<std::int64_t>& sizes) {
  check_sizes("adaptive_max_pool", sizes);
  check_pooled("adaptive_max_pool", x, sizes);
  Tensor y = x;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    y = largest_of_windows(y, static_cast<int>(i) + 2, sizes[i]);
  }
  return y;
}

Tensor zero_pad(const Tensor& x, const std::vector<std::int64_t>& before,
                const std::vector<std::int64_t>& after) {
  check_padding(before, after);
  const int axes = static_cast<int>(before.size());
  if (x.rank() < axes) {
    fail<ShapeError>("[zero_pad] expected at least {} axes, got shape {}", axes, x.shape());
  }
  Tensor y = x;
  for (int i = 0; i < axes; ++i) {
    const int axis = x.rank() - axes + i;
    const auto zeros_along = [&](std::int64_t length) {
      Shape shape = y.shape();
      shape[axis] = length;
      return Tensor(zeros(shape, x.dtype()));
    };
    std::vector<Tensor> parts;
    const std::int64_t first = before[static_cast<std::size_t>(i)];
    const std::int64_t last = after[static_cast<std::size_t>(i)];
    if (first > 0) parts.push_back(zeros_along(first));
    parts.push_back(y);
    if (last > 0) parts.push_back(zeros_along(last));
    if (parts.size() > 1) y = concatenate(std::span<const Tensor>(parts), axis);
  }
  return y;
}

AdaptivePool::AdaptivePool(std::string type, bool largest, std::vector<std::int64_t> sizes)
    : type_(std::move(type)), largest_(largest), sizes_(std::move(sizes)) {
  check_sizes(type_, sizes_);
}

Tensor AdaptivePool::forward(const Tensor& x) {
  return largest_ ? adaptive_max_pool(x, sizes_) : adaptive_avg_pool(x, sizes_);
}

ZeroPad::ZeroPad(std::vector<std::int64_t> before, std::vector<std::int64_t> after)
    : before_(std::move(before)), after_(std::move(after)) {
  check_padding(before_, after_);
}

}  // namespace gaia
