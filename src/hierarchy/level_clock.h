// SPDX-License-Identifier: MIT
/// \file
/// Time that levels take, where somebody asks for it.
#pragma once

#include <chrono>
#include <map>

#include "../array/device.h"

namespace gaia {

/// Seconds that each level has taken, by its id.
using LevelSeconds = std::map<int, double>;

/// Adds the time that it lives to that of a level; without a clock it does nothing.  On a GPU it
/// waits for what was given to the device, so that the time is that of the work.
class TimedLevel {
 public:
  TimedLevel(LevelSeconds* clock, int level) : clock_(clock), level_(level) {
    if (clock_ == nullptr) return;
    if (!current_device().is_cpu()) synchronize();
    start_ = std::chrono::steady_clock::now();
  }
  ~TimedLevel() {
    if (clock_ == nullptr) return;
    try {
      if (!current_device().is_cpu()) synchronize();
    } catch (...) {  // reported to the next user of the device
    }
    (*clock_)[level_] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  TimedLevel(const TimedLevel&) = delete;
  TimedLevel& operator=(const TimedLevel&) = delete;

 private:
  LevelSeconds* clock_;
  int level_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace gaia
