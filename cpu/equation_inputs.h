// SPDX-License-Identifier: MIT
/// \file
/// What a rule's program reads of the samples themselves: traces, and squares.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../src/array/backend.h"
#include "plastic.h"

namespace gaia::cpu {

/// A trace goes on by a tick: trace <- keep trace + x.
template <class T>
void advance_trace(T* trace, T keep, const T* x, std::int64_t inputs) {
  for (std::int64_t j = 0; j < inputs; ++j) trace[j] = keep * trace[j] + x[j];
}

/// The traces of some ticks of a block, and their |x|^2.
template <class T>
class EquationInputs {
 public:
  EquationInputs(const EquationRun& run, std::int64_t most_ticks)
      : run_(run),
        x_(run.samples),
        traces_(std::ssize(run.program->traces)),
        most_ticks_(most_ticks),
        rows_(static_cast<std::size_t>(x_.streams * most_ticks * traces_ * x_.inputs)),
        squares_(
            static_cast<std::size_t>(run.program->reads_square ? x_.streams * most_ticks : 0)) {}

  /// Reads the ticks [first, first + count) of the block; the run's traces go on with them.
  void read(std::int64_t first, std::int64_t count) {
    first_ = first;
    const std::int64_t n = x_.inputs;
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      for (std::int64_t t = first; t < first + count; ++t) {
        const T* const x = x_.row(b, t);
        for (std::int64_t k = 0; k < traces_; ++k) {
          const T keep = static_cast<T>(run_.trace_keeps[static_cast<std::size_t>(k)]);
          T* const now = run_.traces.as<T>() + (b * traces_ + k) * n;
          advance_trace(now, keep, x, n);
          std::copy_n(now, n, trace(b, t, k));
        }
        if (!squares_.empty()) squares_[place(b, t)] = dot(x, x, n);
      }
    }
  }

  /// The trace at a tick that has been read, [inputs].
  T* trace(std::int64_t stream, std::int64_t tick, std::int64_t index) {
    return rows_.data() +
           (static_cast<std::int64_t>(place(stream, tick)) * traces_ + index) * x_.inputs;
  }
  T square(std::int64_t stream, std::int64_t tick) const {
    return squares_.empty() ? T(0) : squares_[place(stream, tick)];
  }

 private:
  std::size_t place(std::int64_t stream, std::int64_t tick) const {
    return static_cast<std::size_t>(stream * most_ticks_ + tick - first_);
  }

  const EquationRun& run_;
  Samples<T> x_;
  std::int64_t traces_;
  std::int64_t most_ticks_;
  std::int64_t first_ = 0;
  std::vector<T> rows_;  // [streams, ticks, traces, inputs]
  std::vector<T> squares_;
};

}  // namespace gaia::cpu
