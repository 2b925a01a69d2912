// SPDX-License-Identifier: MIT
// The list of kinds, and what is said of a kind that does not say it itself.
#include "../config/experiment_kind.h"

#include "../../array/placement.h"
#include "../../core/error.h"
#include "../../io/hdf5.h"
#include "../../report/comparison.h"
#include "../config/describe.h"
#include "../run/apply.h"
#include "../run/needs.h"
#include "../run/run.h"
#include "../setup/training_part.h"
#include "../sweep/member_table.h"
#include "../sweep/seed_scores.h"
#include "kinds.h"

namespace gaia {

KindList<ExperimentKind>& ExperimentKind::list() {
  static KindList<ExperimentKind> kinds(
      {hierarchy_experiment(), network_experiment(), agent_experiment()});
  return kinds;
}

const ExperimentKind& kind_of_results(const std::function<bool(const std::string&)>& has_group) {
  for (const Kind<ExperimentKind>& kind : ExperimentKind::list()) {
    if (has_group(kind->group())) return *kind;
  }
  return *ExperimentKind::list().first();
}

void ExperimentKind::source_keys(ConfigVisitor& visitor, ExperimentConfig& config) {
  describe_source(visitor, config.data, true);
}

TrainingPart ExperimentKind::training_part(const Experiment& experiment) const {
  return TrainingPart::whole(experiment.trials, experiment.config.data.window);
}

DeviceTrial ExperimentKind::trial(const Experiment& experiment) const {
  throw ArgumentError(experiment.file + ": device auto: nothing tells how fast " + title() +
                      " is; name a device");
}

Needs ExperimentKind::needs(const Experiment& /*experiment*/, bool /*trial*/) const { return {}; }

CheckedExperiment ExperimentKind::check(Experiment& experiment, bool /*trial*/) const {
  CheckedExperiment checked;
  checked.text = opening_lines(experiment);
  return checked;
}

std::string ExperimentKind::explain_device(const Experiment& experiment) const {
  return "device: " + experiment.config.device + "\n";
}

std::unique_ptr<RunSummary> ExperimentKind::apply(
    const std::string& result, const ApplyOptions& /*options*/, const RunOptions& /*how*/,
    const std::function<void(const Experiment&)>& /*begin*/) const {
  throw ConfigError(result + ": is the result of " + title() +
                    "; only hierarchies and networks are applied to data");
}

std::vector<MemberScore> ExperimentKind::scores(const hdf5::File& /*result*/) const { return {}; }

SeedPlan ExperimentKind::plan_seeds(const Experiment& experiment) const {
  throw ConfigError(experiment.file + ": there is no verdict over seeds of " + title());
}

void ExperimentKind::add_seed(ReadoutOverSeeds& /*readout*/, const std::string& result) const {
  throw DataError(result + ": there is no verdict over seeds of " + title());
}

void ExperimentKind::compare(const report::Result& /*result*/, bool /*is_found*/,
                             report::ComparedRun& /*run*/) const {}

}  // namespace gaia
