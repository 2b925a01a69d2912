// SPDX-License-Identifier: MIT
/// \file
/// What a run will need, reported before it starts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../hierarchy/manager.h"
#include "../../learning/rule_execution.h"
#include "../data/experiment.h"
#include "filter_estimate.h"
#include "needs.h"
#include "talk_estimate.h"

namespace gaia {

struct LevelEstimate {
  std::int64_t temporal_resolution = 1;
  std::int64_t input_size = 0;
  std::int64_t output_size = 0;
  std::int64_t ticks = 0;    ///< In one epoch.
  std::int64_t weights = 0;  ///< Numbers in all weights of the level.
};

/// How a plastic layer learns, reported before it does.
struct RuleEstimate {
  std::string layer;  ///< "hierarchy.levels[0].layers[1]"
  std::string rule;   ///< Its name, or "equations".
  RuleExecution execution;
  bool is_on_host = false;            ///< Whatever the device of the run.
  std::optional<RuleSite> site = {};  ///< Site of a rule by its equations, on the CPU.
};

struct Estimate : Needs {
  std::string device;  ///< Name of the device, and why it was chosen.
  std::vector<LevelEstimate> levels;
  std::vector<RuleEstimate> rules;           ///< Estimates of the plastic layers, in order.
  std::vector<FilterEstimate> filters = {};  ///< Estimates of the layers that filter, in order.
  std::vector<TalkEstimate> talks;  ///< Estimates of the levels that hear one above, in order.
  std::int64_t block_steps = 0;
};

/// Estimate for a hierarchy that was built for the experiment: all but the device and the time.
Estimate estimate_sizes(const Experiment& experiment, const HierarchyManager& hierarchy);

/// Memory that the training of a network takes: parameters, gradients and what the optimiser keeps
/// of each, a batch on its way through the layers and back, and the samples.
double network_memory(const Experiment& experiment);

/// Builds the hierarchy and, if `trial` or to choose between devices, tries how fast it is
/// (trial.h).  Nothing is written.
Estimate estimate_run(const Experiment& experiment, bool trial);

}  // namespace gaia
