// SPDX-License-Identifier: MIT
/// \file
/// One pass over the elements of N views of the same shape, as runs along the last axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "../src/array/merge_axes.h"
#include "../src/core/parallel.h"

namespace gaia::cpu {

/// Tasks of a parallel loop hold about this many elements: enough to pay for waking a thread.
constexpr std::int64_t kElementsPerTask = 1 << 15;

template <std::size_t N>
using Offsets = std::array<std::int64_t, N>;

/// Merges axes that are walked as one in every view, so that contiguous arrays become a single run.
template <std::size_t N>
class StridedLoop {
 public:
  StridedLoop(const Shape& shape, const std::array<Strides, N>& strides)
      : walk_(merge_axes(shape, strides)) {}

  /// Whether all elements lie in one run.
  bool is_one_run() const { return walk_.shape.rank() == 1; }

  /// Strides within a run.
  Offsets<N> step() const {
    Offsets<N> step;
    for (std::size_t i = 0; i < N; ++i) step[i] = walk_.strides[i].back();
    return step;
  }

  /// Calls run(offsets of the first elements, length, strides within the run), in parallel, with
  /// about `per_task` elements to a task.
  template <class Run>
  void for_each_run(const Run& run, std::int64_t per_task = kElementsPerTask) const {
    const std::int64_t length = walk_.shape.back();
    const std::int64_t runs = count_elements(walk_.shape) / std::max<std::int64_t>(length, 1);
    if (length == 0 || runs == 0) return;
    const Offsets<N> step = this->step();
    const std::int64_t pieces = (length + per_task - 1) / per_task;
    const std::int64_t runs_per_task =
        pieces > 1 ? 1 : std::max<std::int64_t>(1, per_task / length);
    const std::int64_t groups = (runs + runs_per_task - 1) / runs_per_task;
    parallel_for(groups * pieces, [&](std::int64_t task) {
      const std::int64_t first = task / pieces * runs_per_task;
      const std::int64_t last = std::min(runs, first + runs_per_task);
      const std::int64_t from = task % pieces * per_task;
      const std::int64_t count = std::min(length - from, pieces > 1 ? per_task : length);
      for (std::int64_t r = first; r < last; ++r) {
        Offsets<N> at = offsets_of_run(r);
        for (std::size_t i = 0; i < N; ++i) at[i] += from * step[i];
        run(at, count, step);
      }
    });
  }

 private:
  Offsets<N> offsets_of_run(std::int64_t index) const {
    Offsets<N> at{};
    for (int axis = walk_.shape.rank() - 2; axis >= 0; --axis) {
      // The last position is what is left: most walks have it alone, and divisions take long.
      const std::int64_t position = axis == 0 ? index : index % walk_.shape[axis];
      if (axis > 0) index /= walk_.shape[axis];
      for (std::size_t i = 0; i < N; ++i) at[i] += position * walk_.strides[i][axis];
    }
    return at;
  }

  SharedWalk<N> walk_;
};

}  // namespace gaia::cpu
