// SPDX-License-Identifier: MIT
/// \file
/// What a result says of a stream that is to be built from it: its experiment with every name
/// found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../config/config.h"
#include "../data/stored_run.h"
#include "stream.h"

namespace gaia {

struct LivePlan {
  std::string result;  ///< Path as given.
  std::shared_ptr<const StoredRun> run;
  /// Experiment as stored; readouts whose solutions are stored do not learn, and places of targets
  /// and of what a consensus fuses are found.
  ExperimentConfig config;
  std::int64_t steps = 0;             ///< Steps that the run has done.
  std::vector<std::string> channels;  ///< Names of what the levels read.
  std::vector<std::string> targets;   ///< Names of data.targets.
  std::string label;                  ///< Column of labels, or empty.
  std::vector<std::string> classes;   ///< Names of all classes that it knows.
  /// Names of the classes that rules read, in the order of their neurons.
  std::vector<std::string> label_classes;
  std::string trials;                 ///< Column of trials, or empty.
  std::int64_t trial_rows = 0;        ///< Rows of each trial; 0: they say nothing of that.
  std::vector<std::size_t> readouts;  ///< Places of those that are shown, in the order of outputs.
  std::vector<std::size_t> computed;  ///< Places of those and of what they fuse; a consensus last.
  std::vector<std::string> outputs;   ///< Names of what is shown.
  std::vector<std::string> warnings;  ///< What anyone who asked should know, in sentences.

  std::int64_t features() const { return config.data.window * std::ssize(channels); }
};

/// \throws ConfigError for a result that no stream can be built from, an output that it has not or
/// options that do not fit; DataError for a file that cannot be read.
LivePlan plan_stream(const std::string& result, const StreamOptions& options);

}  // namespace gaia
