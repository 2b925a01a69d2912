// SPDX-License-Identifier: MIT
/// \file
/// What a run tells of itself while it runs (runtime.telemetry, --telemetry, --metrics).
#pragma once

#include <optional>
#include <string>

#include "run.h"
#include "telemetry_files.h"

namespace gaia {

/// A run with its settings in effect and its telemetry, from its beginning to its end.  Without
/// either it is nothing, and `options` are those that were given.
class ToldRun {
 public:
  /// \throws OutputError for a file of telemetry that cannot be written, ArgumentError for settings
  ///         that cannot be.
  ToldRun(const Experiment& experiment, const RunOptions& options);
  /// One that nobody said the end of has failed.
  ~ToldRun();
  ToldRun(const ToldRun&) = delete;
  ToldRun& operator=(const ToldRun&) = delete;

  const RunOptions& options() const { return options_; }
  void end(const RunSummary& summary);
  void fail(const std::string& why);

 private:
  void tell(const Progress& progress);
  TelemetryLine line(const char* event) const;
  void write_end(const std::string& status, const std::string& error);

  /// Limits of memory as they were, on the devices that have others meanwhile.
  struct Limit {
    Device device;
    std::int64_t bytes;
  };

  RunOptions options_;
  std::optional<RuntimeScope> settings_;
  std::vector<Limit> limits_;
  std::optional<TelemetryFiles> files_;
  std::vector<std::pair<std::string, std::string>> words_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  TransferStats transfers_ = transfer_stats();
  Device device_;
  Progress progress_;
  std::int64_t done_ = 0;  // steps in all, through parts that each count from 0
  std::int64_t done_before_ = 0;
  double seconds_before_ = 0.0;
  double steps_per_second_ = 0.0;
  bool has_ended_ = false;
};

}  // namespace gaia
