// SPDX-License-Identifier: MIT
/// \file
/// Whether the threads of the pool pay, for each kind of work.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gaia {

/// What is known of one kind of work, that is of one call of parallel_for with one number of tasks:
/// how long it takes with the pool and on the calling thread alone.
///
/// On a quiet machine threads pay for nearly all that is cut into tasks.  Where other programs want
/// the processors, the thread that is waited for may not be running, which takes thousands of times
/// as long as small work does.  Nobody can tell that beforehand, so both ways are measured: the one
/// that takes less is taken, and the other is tried again from time to time.  Results do not depend
/// on it, since the borders of tasks do not.
class ParallelHabit {
 public:
  enum class Way : std::uint8_t { together, alone };
  struct Choice {
    Way way = Way::together;
    bool is_measured = false;  ///< Whether `learn` is to be told how long it took.
  };

  /// How the next call is done.
  Choice choose();
  void learn(Way way, double seconds);

 private:
  /// Mean seconds of a call, of the last 128 or so.
  struct Timing {
    std::atomic<double> mean{0.0};
    std::atomic<std::uint32_t> count{0};
  };

  Timing together_;
  Timing alone_;
  std::atomic<std::uint32_t> calls_{0};  // so far
  std::atomic<std::uint32_t> trial_{0};  // number of the call at which the other way is tried
};

/// Habits by kind of work, for as many kinds as programs have; those that would share a place are
/// one kind.
class ParallelHabits {
 public:
  ParallelHabit& of(std::uintptr_t work, std::int64_t tasks);

 private:
  static constexpr std::size_t kPlaces = 1024;
  std::array<ParallelHabit, kPlaces> places_;
};

}  // namespace gaia
