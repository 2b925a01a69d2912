// SPDX-License-Identifier: MIT
#include "parallel_habits.h"

#include <algorithm>

namespace gaia {
namespace {

// Calls of each kind that are done together before the calling thread is tried alone.
constexpr std::uint32_t kFirst = 32;
constexpr std::int32_t kTrials = 8;
// Calls of a trial that are not measured: threads that are asleep wake up in them.
constexpr std::int32_t kWakingUp = 3;
constexpr std::uint32_t kBetweenTrials = 256;
// The same where one way takes less by a third.
constexpr std::uint32_t kBetweenTrialsWhereClear = 2048;
constexpr double kClear = 1.3;
constexpr std::uint32_t kMemory = 128;
// Seconds from which work is always shared: a thread that is not running is back in less.
constexpr double kLong = 5e-3;
// Mean times that differ by less are the same.
constexpr double kSame = 0.97;

}  // namespace

ParallelHabit::Choice ParallelHabit::choose() {
  const std::uint32_t call = calls_.fetch_add(1, std::memory_order_relaxed);
  const double together = together_.mean.load(std::memory_order_relaxed);
  const double alone = alone_.mean.load(std::memory_order_relaxed);
  if (call < kFirst) return {Way::together, call >= std::uint32_t{kWakingUp}};
  if (together > kLong) return {Way::together, true};
  if (alone_.count.load(std::memory_order_relaxed) < std::uint32_t{kTrials})
    return {Way::alone, true};
  const Way usual = alone < kSame * together ? Way::alone : Way::together;
  const Way other = usual == Way::together ? Way::alone : Way::together;
  // Negative before the trial; right where the number of calls wraps round.
  const auto since = static_cast<std::int32_t>(call - trial_.load(std::memory_order_relaxed));
  if (since < 0) return {usual, true};
  if (since < kTrials) return {other, other == Way::alone || since >= kWakingUp};
  // Behind a trial alone threads are asleep again.
  if (since < kTrials + kWakingUp) return {usual, false};
  const bool is_clear = std::max(alone, together) > kClear * std::min(alone, together);
  trial_.store(call + (is_clear ? kBetweenTrialsWhereClear : kBetweenTrials),
               std::memory_order_relaxed);
  return {usual, true};
}

void ParallelHabit::learn(Way way, double seconds) {
  Timing& timing = way == Way::together ? together_ : alone_;
  // Threads that learn at the same time may lose one.
  const std::uint32_t count = std::min(timing.count.load(std::memory_order_relaxed) + 1, kMemory);
  const double mean = timing.mean.load(std::memory_order_relaxed);
  timing.mean.store(mean + (seconds - mean) / count, std::memory_order_relaxed);
  timing.count.store(count, std::memory_order_relaxed);
}

ParallelHabit& ParallelHabits::of(std::uintptr_t work, std::int64_t tasks) {
  // Functions lie at multiples of 16, and numbers of tasks are small.
  const std::uint64_t mixed =
      ((work >> 4) ^ (static_cast<std::uint64_t>(tasks) << 40)) * 0x9E3779B97F4A7C15U;
  return places_[mixed >> 54];
}

}  // namespace gaia
