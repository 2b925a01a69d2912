// SPDX-License-Identifier: MIT
// Hierarchies, as experiments.
#include "../../array/device.h"
#include "../../core/error.h"
#include "../../report/pages.h"
#include "../config/describe.h"
#include "../data/stored_run.h"
#include "../readouts/readout_verdict.h"
#include "../run/apply.h"
#include "../run/device_trial.h"
#include "../run/hierarchy_run.h"
#include "../run/hierarchy_summary.h"
#include "../run/placement.h"
#include "../run/summary.h"
#include "../setup/hierarchy_checks.h"
#include "../setup/load.h"
#include "../setup/training_part.h"
#include "../sweep/member_table.h"
#include "../sweep/seed_scores.h"
#include "kinds.h"

namespace gaia {
namespace {

class HierarchyExperiment final : public ExperimentKind::Of<HierarchyConfig> {
 public:
  std::unique_ptr<ExperimentKind> copy() const override {
    return std::make_unique<HierarchyExperiment>(*this);
  }

  const char* meaning() const override { return "the levels, from fast to slow"; }
  std::string title() const override { return "a hierarchy"; }
  std::string group() const override { return "levels"; }

  void keys(ConfigVisitor& visitor, const ExperimentConfig& /*config*/) override {
    describe(visitor, options);
  }
  void further_keys(ConfigVisitor& visitor, ExperimentConfig& config) override {
    describe_readouts(visitor, config, true);
  }
  std::vector<std::string> output_keys() const override {
    return {"representations", "weights", "inputs", "compression"};
  }
  void simplify() override {
    for (LevelConfig& level : options.levels) {
      for (LayerConfig& layer : level.layers) layer.kind->simplify();
    }
  }

  void load(Loader& loader) const override { load_hierarchy(loader); }
  TrainingPart training_part(const Experiment& experiment) const override {
    return readout_training_part(experiment);
  }
  DeviceTrial trial(const Experiment& experiment) const override {
    return trial_of_hierarchy(experiment);
  }
  Needs needs(const Experiment& experiment, bool trial) const override {
    return hierarchy_needs(experiment, trial);
  }
  CheckedExperiment check(Experiment& experiment, bool trial) const override {
    return checked_hierarchy(experiment, trial);
  }
  std::string explain_device(const Experiment& experiment) const override {
    return gaia::explain_device(experiment);
  }
  std::string opening_lines(const Experiment& experiment) const override {
    return data_lines(experiment) + "model    " + hierarchy_line(options) + "\n";
  }

  std::unique_ptr<RunSummary> run(Experiment& experiment, const RunOptions& how) const override {
    return std::make_unique<HierarchySummary>(run_hierarchy(experiment, how));
  }
  bool runs_with_others() const override { return true; }
  std::unique_ptr<RunSummary> apply(
      const std::string& result, const ApplyOptions& what, const RunOptions& how,
      const std::function<void(const Experiment&)>& begin) const override {
    Experiment experiment = application_of(result, what);
    begin(experiment);
    return run_experiment(experiment, how);
  }

  std::vector<MemberScore> scores(const hdf5::File& result) const override {
    return readout_scores(result);
  }
  bool has_verdict() const override { return true; }
  SeedPlan plan_seeds(const Experiment& experiment) const override {
    const ExperimentConfig& config = experiment.config;
    if (config.readouts.empty()) {
      throw ConfigError(experiment.file + ": has no readouts, so there is nothing to judge it by");
    }
    SeedPlan plan;
    const auto* const images = std::get_if<ImagesConfig>(&config.data.source);
    const bool is_drawn =
        config.data.order.by != OrderConfig::By::none || !config.data.drift.empty();
    plan.has_fixed_data = !is_drawn && (std::holds_alternative<FileConfig>(config.data.source) ||
                                        std::holds_alternative<EventsConfig>(config.data.source) ||
                                        (images != nullptr && images->patch.empty()));
    const bool in_sample =
        experiment.from && reads_same_data(hashes_of_inputs(experiment), *experiment.from);
    for (const ReadoutConfig& readout : config.readouts) {
      if (!readout.predicts()) continue;
      ReadoutOverSeeds& one = plan.readouts.emplace_back(
          no_seeds_yet(readout, target_text(readout, experiment.series->channel_names())));
      one.remarks = remarks_about(config, readout, in_sample);
      if (readout.looks_ahead) one.remarks.emplace_back(kLooksAhead);
      one.purge = purge_text(readout_ticks(readout, config, experiment.trials).purged(),
                             purge_of(readout, config), readout.folds > 0);
    }
    plan.settings = {"output.weights=none", "checkpoint.every=0", "checkpoint.minutes=0",
                     "output.inputs=none"};
    // With every N-th tick it is said which of them readouts read, too.
    if (config.output.representations.what != Recording::What::every) {
      plan.settings.emplace_back("output.representations=none");
    }
    return plan;
  }
  void add_seed(ReadoutOverSeeds& readout, const std::string& result) const override {
    add_scores(readout, result);
  }
  std::string report_page(const report::Result& result,
                          const std::vector<std::string>& left_out) const override {
    return report::hierarchy_page(result, left_out);
  }
  void compare(const report::Result& result, bool is_found,
               report::ComparedRun& run) const override {
    report::compare_hierarchy(result, is_found, run);
  }
};

}  // namespace

Kind<ExperimentKind> hierarchy_experiment() {
  return Kind<ExperimentKind>(std::make_unique<HierarchyExperiment>());
}

}  // namespace gaia
