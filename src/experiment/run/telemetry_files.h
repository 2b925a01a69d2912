// SPDX-License-Identifier: MIT
/// \file
/// Files in which a program tells, while it runs, how it is doing: lines of JSON for those who read
/// them later, and a text in Prometheus's format for those who watch.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "../../array/device.h"
#include "../../array/runtime_config.h"

namespace gaia {

/// A number under its name in JSON, and as a metric.
struct TelemetryNumber {
  const char* group = "";   ///< Object of JSON that it stands in; empty: in none.
  const char* name = "";    ///< Name there; empty: it is a metric alone.
  const char* metric = "";  ///< Name of the metric, without "gaia_"; empty: it is none.
  const char* help = "";    ///< Meaning of the metric; one that ends in "_total" only rises.
  double value = 0.0;       ///< NaN: not known, and left out.
};

/// What is reported at one moment.
struct TelemetryLine {
  std::string event = {};  ///< "begin", "progress", "end".
  /// Words that say of what: the experiment, its file.  Labels of the metrics too.
  std::vector<std::pair<std::string, std::string>> words = {};
  std::vector<TelemetryNumber> numbers = {};
  std::string status = {};  ///< End of what has ended: "complete", "interrupted", "failed".
  std::string error = {};   ///< Why something has failed.
};

/// One line of JSON, with its end: {"time": "2026-11-28T12:00:00.000Z", "event": ..., ...}.
std::string json_line(const TelemetryLine& line);

/// In Prometheus's text format, version 0.0.4.  Labels are the words.
std::string metrics_text(const TelemetryLine& line);

/// Memory, pool and load of a device, and the copies by this thread since `before`.
std::vector<TelemetryNumber> device_numbers(Device device, const TransferStats& before);

class TelemetryFiles {
 public:
  /// \throws OutputError if a file cannot be written, or holds something else: a file of lines is
  ///         added to, and the metrics replaced, only where a program like this has left them.
  explicit TelemetryFiles(TelemetryConfig config);
  ~TelemetryFiles();
  TelemetryFiles(const TelemetryFiles&) = delete;
  TelemetryFiles& operator=(const TelemetryFiles&) = delete;

  /// Whether enough time has gone by since the last line.
  bool is_due() const;
  /// Adds the line, and replaces the metrics.  What cannot be written, on a full disk say, is
  /// reported once in the log; what is computed goes on.
  void write(const TelemetryLine& line) noexcept;

 private:
  void add_line(const std::string& text);
  void replace_metrics(const std::string& text);

  TelemetryConfig config_;
  int lines_ = -1;  // a file descriptor
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace gaia
