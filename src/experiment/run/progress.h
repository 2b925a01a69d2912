// SPDX-License-Identifier: MIT
/// \file
/// Shows how far a run is: a bar that moves on a terminal; elsewhere a line each 10 %, or, where a
/// run is reported in parts, as a network is epoch by epoch, each part.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "run.h"

namespace gaia {

enum class ProgressMode { none, bar, lines };

/// Progress of a run in steps: "41 %  44 280/108 000 steps  52.1 k steps/s  ETA 3 s".
Progress progress_in_steps(std::int64_t done, std::int64_t all, double seconds);

/// "52.1 k steps/s  ETA 3 s"
std::string speed_text(std::int64_t done, std::int64_t all, double seconds);

/// "52.1 k", "1.2 M": a rate in few characters.
std::string rate_text(double per_second);

class ProgressDisplay {
 public:
  ProgressDisplay(ProgressMode mode, std::FILE* stream) : mode_(mode), stream_(stream) {}
  /// Ends the line of a bar.
  ~ProgressDisplay() { finish(); }

  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// The line of a part that has ended takes the place of its bar.
  void show(const Progress& progress);
  void finish();

 private:
  void draw_bar(const Progress& progress);
  /// Whether it can be read or not, the run goes on.
  void write(const std::string& text);

  ProgressMode mode_;
  std::FILE* stream_;
  std::int64_t last_tenth_ = 0;
  bool line_is_open_ = false;
  std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace gaia
