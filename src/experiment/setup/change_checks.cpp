// SPDX-License-Identifier: MIT
#include "change_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../../core/names.h"
#include "../../learning/detection_readout.h"

namespace gaia {
namespace {

/// Names of readouts whose errors can be watched.
std::vector<std::string> watchable(const ExperimentConfig& config) {
  std::vector<std::string> names;
  for (const ReadoutConfig& one : config.readouts) {
    if (one.predicts() && one.teaches()) names.push_back(one.name);
  }
  return names;
}

}  // namespace

void check_change(Experiment& experiment, std::size_t index, const std::string& key,
                  const AddProblem& add) {
  ExperimentConfig& config = experiment.config;
  ReadoutConfig& readout = config.readouts[index];
  const auto* const options = readout.kind.get_if<DetectionOptions>();
  if (options == nullptr) return;
  if (options->watched == WatchedSeries::levels && readout.levels.empty()) {
    for (std::size_t n = 0; n < config.hierarchy().levels.size(); ++n) {
      readout.levels.push_back(static_cast<std::int64_t>(n));
    }
  }
  if (options->watched != WatchedSeries::levels) readout.levels.clear();
  if (options->watched != WatchedSeries::error) return;
  const std::vector<std::string> known = watchable(config);
  if (options->readout.empty()) {
    return add(key + ".readout",
               fmt::format("missing; `of: error` watches the errors of another readout; {}",
                           known.empty() ? "there is none yet, `of: levels` and `of: input` need "
                                           "none"
                                         : "known: " + join(known)));
  }
  const auto found =
      std::find_if(config.readouts.begin(), config.readouts.end(),
                   [&](const ReadoutConfig& one) { return one.name == options->readout; });
  if (found == config.readouts.end()) {
    return add(key + ".readout",
               fmt::format("there is no readout '{}'{}; known: {}", options->readout,
                           did_you_mean(options->readout, known), join(known)));
  }
  if (!found->predicts() || !found->teaches()) {
    return add(key + ".readout",
               fmt::format("'{}' is of type {}, which has no error at a tick; known: {}",
                           options->readout, found->kind->name(), join(known)));
  }
  if (found->folds > 0) {
    return add(key + ".readout",
               fmt::format("'{}' has folds, whose predictions are made when all rows have been "
                           "read; give it a split",
                           options->readout));
  }
  found->is_watched = true;
  readout.fused = {found - config.readouts.begin()};
}

}  // namespace gaia
