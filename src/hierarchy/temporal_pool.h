// SPDX-License-Identifier: MIT
/// \file
/// From the representation below a level to what the level reads at its ticks.
#pragma once

#include <cstdint>
#include <vector>

#include "../array/array.h"
#include "../array/undo.h"
#include "../formulas/pooling.h"

namespace gaia {

/// Number of steps t in [first_step, first_step + steps) with t = phase, phase + resolution, ...;
/// 0 <= phase < resolution.
std::int64_t count_ticks(std::int64_t first_step, std::int64_t steps, std::int64_t resolution,
                         std::int64_t phase = 0);

/// The first such step at or after `step`.
std::int64_t next_tick(std::int64_t step, std::int64_t resolution, std::int64_t phase = 0);

/// When something ticks: at the steps phase, phase + resolution, ... of a trial.
struct TickTimes {
  TickTimes(std::int64_t every = 1, std::int64_t first = 0) : resolution(every), phase(first) {}
  std::int64_t resolution;
  std::int64_t phase;
};

/// Pools a held representation over the steps between a level's ticks (see Pooling).  A series may
/// come in blocks of any length: what a window has seen so far is kept.
class TemporalPool {
 public:
  /// `rows` of Pooling::legendre.  \throws ArgumentError if resolution is below 1, and unless
  ///         0 <= phase < resolution and, of legendre, 1 <= rows <= resolution.
  TemporalPool(Pooling pooling, std::int64_t resolution, std::int64_t rows = 0,
               std::int64_t phase = 0);

  Pooling pooling() const { return pooling_; }
  std::int64_t resolution() const { return resolution_; }
  std::int64_t phase() const { return phase_; }

  /// Length of what the level reads, for a representation of length n below.
  std::int64_t output_size(std::int64_t n) const;

  /// source [streams, source ticks, n] holds the ticks of `from` in [first_step, first_step +
  /// steps); returns [streams, own ticks in the range, output_size(n)].
  /// `held` [streams, n] is what the source showed before its first tick in the range; it is set to
  /// what it shows after the last.  Steps follow on those of the last call, else the window starts
  /// anew: steps that never came do not exist.
  Array process(const Array& source, TickTimes from, std::int64_t first_step, std::int64_t steps,
                const Array& held);

  /// Makes room for the window of a source [streams, n] that ticks as `from` says.
  void allocate(std::int64_t streams, std::int64_t n, TickTimes from, DType dtype);

  /// A pool of its own that has seen the same.
  TemporalPool clone() const;
  /// The pools of replicas as one, whose streams are theirs one after another.
  static TemporalPool joined(const std::vector<const TemporalPool*>& replicas);
  /// The streams [first, first + count) of it.
  TemporalPool part(std::int64_t first, std::int64_t count) const;
  /// Whether both have seen the same steps, so that `joined` takes them.
  bool stands_like(const TemporalPool& other) const;

  /// Place where it stands in the series.
  struct Place {
    std::int64_t steps_held = 0;
    std::int64_t next_step = 0;
  };
  /// Keeps in `undo` what the window has seen, and returns the rest, for `stand_at`.
  Place keep(ArrayUndo& undo);

  /// Forgets what the window has seen.
  void reset();

  /// For checkpoints: what the window has seen (see PoolRun; empty where it need not remember), and
  /// how many steps it holds.
  const Array& state() const { return state_; }
  std::int64_t steps_held() const { return steps_held_; }
  /// Stands before step `next_step` with a window of `steps_held` steps; what these were is to be
  /// assigned to state().
  void stand_at(std::int64_t next_step, std::int64_t steps_held) {
    next_step_ = next_step;
    steps_held_ = steps_held;
  }

 private:
  /// Whether every input is a row of the source, which ticks whenever the level does, with nothing
  /// to remember in between.
  bool picks_rows(TickTimes from) const;
  /// How the window is kept: as concat where products are computed from it.
  Pooling window_pooling() const {
    return pooling_ == Pooling::legendre ? Pooling::concat : pooling_;
  }
  /// Products of windows [streams, ticks, resolution n] with the polynomials.
  Array products(const Array& windows, std::int64_t n) const;

  Pooling pooling_;
  std::int64_t resolution_;
  std::int64_t rows_;
  std::int64_t phase_;
  Array state_;  // see PoolRun
  std::int64_t steps_held_ = 0;
  std::int64_t next_step_ = 0;
};

}  // namespace gaia
