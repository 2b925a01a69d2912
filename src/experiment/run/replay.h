// SPDX-License-Identifier: MIT
/// \file
/// Runs a result again, from what it says about itself, and says whether the same comes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../results/compare_results.h"
#include "run.h"

namespace gaia {

struct ReplayOptions {
  /// The file of the new run, which is kept; empty: NAME.replay.h5 beside NAME.h5, which is
  /// removed.
  std::string output = {};
  /// Folder that paths of the experiment begin in, where it is no longer that of its YAML file.
  std::string folder = {};
  /// In place of the device that the run was on; its results then agree within rounding only.
  std::optional<std::string> device = {};
  /// Share of the largest number of a dataset by which it may differ (compare_results.h).
  double tolerance = 0.0;
  /// A result that there is already; nothing runs then.
  std::string against = {};
  /// Rows that the run has read, if it read rows in memory (Overrides::rows).
  std::shared_ptr<const MemoryRows> rows = {};
};

struct Replayed {
  std::string result;  ///< Path of what was run again.
  std::string file;    ///< Path of what it was compared with, where that is still there.
  RunStatus status =
      RunStatus::complete;  ///< Status of the new run; interrupted: nothing was compared.
  std::int64_t steps_done = 0;
  std::int64_t steps = 0;
  std::vector<std::string> notes;  ///< Why more may differ: another version, another device.
  ResultComparison comparison;

  bool is_equal() const { return status == RunStatus::complete && comparison.differences.empty(); }
  /// For a person: that they are equal, or each difference, the largest first.
  std::string text() const;
};

/// Runs the experiment that a result holds again, with its seed, on its device and the files that
/// it has read, in whatever number of threads, and compares every dataset and attribute that must
/// come out the same.  A result of `gaia apply` is applied again, a member of a sweep or search
/// runs alone.  `begin` sees the experiment before it runs. \throws ConfigError if there is no such
/// result or the experiment in it cannot be run; DataError
///         for files that are gone or are no longer those that it has read; OutputError for a run
///         that is not complete; what a run throws.
Replayed replay_result(const std::string& path, const ReplayOptions& options,
                       const RunOptions& how = {},
                       const std::function<void(const Experiment&)>& begin = {});

}  // namespace gaia
