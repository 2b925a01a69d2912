// SPDX-License-Identifier: MIT
/// \file
/// Shows how far a run is: a bar that moves on a terminal; elsewhere a line each 10 %, or, where a
/// network is trained, each epoch.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "agent_run.h"
#include "run.h"
#include "train.h"

namespace gaia {

enum class ProgressMode { none, bar, lines };

/// "41 %  44 280/108 000 steps  52.1 k steps/s  ETA 3 s".
std::string progress_text(const Progress& progress);

/// Within an epoch: "epoch   2/5   41 %  385/938 batches  loss 0.3412  12.3 k samples/s  ETA 3.1 s"
/// (ETA: of the epoch's end); at its end: "epoch   2/5  loss 0.3412  ...", with what the test
/// samples showed.
std::string progress_text(const TrainingProgress& progress);

/// "41 %  episode 412/1000 of the agent  return -3.05  52.1 k steps/s  ETA 3 s".
std::string progress_text(const AgentProgress& progress);

/// "52.1 k", "1.2 M": a rate in few characters.
std::string rate_text(double per_second);

class ProgressDisplay {
 public:
  ProgressDisplay(ProgressMode mode, std::FILE* stream) : mode_(mode), stream_(stream) {}
  /// Ends the line of a bar.
  ~ProgressDisplay() { finish(); }

  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const Progress& progress);
  /// The bar is that of an epoch; the epoch's line takes its place.
  void show(const TrainingProgress& progress);
  void show(const AgentProgress& progress);
  void finish();

 private:
  /// `text` is asked for only if it is drawn: it may have to wait for the device.
  void draw_bar(std::int64_t done, std::int64_t all, const std::function<std::string()>& text);
  /// Whether it can be read or not, the run goes on.
  void write(const std::string& text);

  ProgressMode mode_;
  std::FILE* stream_;
  std::int64_t last_tenth_ = 0;
  bool line_is_open_ = false;
  std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace gaia
