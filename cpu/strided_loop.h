// SPDX-License-Identifier: MIT
/// \file
/// One pass over the elements of N views of the same shape, as runs along the last axis.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "../src/core/parallel.h"
#include "../src/formulas/merge_axes.h"

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
      // The start of a run is counted on from the one before, for divisions take as long as a short
      // run.
      Runs at(walk_, first, from);
      for (std::int64_t r = first; r < last; ++r, at.advance()) run(at.offsets(), count, step);
    });
  }

 private:
  /// Run after run, each from its element number `from` on.
  class Runs {
   public:
    Runs(const SharedWalk<N>& walk, std::int64_t index, std::int64_t from)
        : walk_(walk), last_axis_(walk.shape.rank() - 2), position_(walk.shape) {
      move(last_axis_ + 1, from);
      for (int axis = last_axis_; axis >= 0; --axis) {
        // The last position is what is left: most walks have it alone, and divisions take long.
        position_[axis] = axis == 0 ? index : index % walk_.shape[axis];
        if (axis > 0) index /= walk_.shape[axis];
        move(axis, position_[axis]);
      }
    }
    const Offsets<N>& offsets() const { return at_; }
    /// Past the last run it starts anew.
    void advance() {
      for (int axis = last_axis_; axis >= 0; --axis) {
        for (std::size_t i = 0; i < N; ++i) at_[i] += walk_.strides[i][axis];
        if (++position_[axis] < walk_.shape[axis]) return;
        move(axis, -position_[axis]);
        position_[axis] = 0;
      }
    }

   private:
    void move(int axis, std::int64_t by) {
      for (std::size_t i = 0; i < N; ++i) at_[i] += by * walk_.strides[i][axis];
    }

    const SharedWalk<N>& walk_;
    int last_axis_;
    Shape position_;
    Offsets<N> at_{};
  };

  SharedWalk<N> walk_;
};

}  // namespace gaia::cpu
