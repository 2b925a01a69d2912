// SPDX-License-Identifier: MIT
/// \file
/// How fast rows of a stream are answered.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../src/experiment/live/latencies.h"

namespace gaia::app {

/// The latency of a row is the time from when its last byte has been read until its answer has been
/// written.
class StreamSpeed {
 public:
  /// Bytes have been read.
  void note_arrival();
  /// A row of these bytes has been answered.
  void note_row();
  /// All answers have been written.
  void note_written();
  /// A line for a human.
  std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Clock::time_point arrival;
    std::int64_t rows;
  };

  std::optional<Clock::time_point> first_;
  Clock::time_point last_;  // time at which answers were written
  Clock::time_point arrival_;
  std::vector<Waiting> waiting_;  // rows whose answers have not been written
  Latencies latencies_;
};

}  // namespace gaia::app
