// SPDX-License-Identifier: MIT
// Networks that are trained by gradient, as experiments.
#include "../../array/placement.h"
#include "../../report/pages.h"
#include "../config/describe.h"
#include "../run/apply_network.h"
#include "../run/device_trial.h"
#include "../run/estimate.h"
#include "../run/network_summary.h"
#include "../run/placement.h"
#include "../run/summary.h"
#include "../run/train.h"
#include "../setup/network_checks.h"
#include "../setup/training_data.h"
#include "../setup/training_part.h"
#include "../sweep/member_table.h"
#include "kinds.h"

namespace gaia {
namespace {

class NetworkExperiment final : public ExperimentKind::Of<NetworkConfig> {
 public:
  std::unique_ptr<ExperimentKind> copy() const override {
    return std::make_unique<NetworkExperiment>(*this);
  }

  const char* meaning() const override { return "layers that are trained by gradient"; }
  std::string title() const override { return "a network"; }
  const char* unit() const override { return "epochs"; }
  const char* checkpoint_unit() const override { return "optimiser step"; }

  void source_keys(ConfigVisitor& visitor, ExperimentConfig& config) override {
    describe_source(visitor, config.data, false);
  }
  void keys(ConfigVisitor& visitor, const ExperimentConfig& config) override {
    describe(visitor, options, is_series(config.data));
  }
  void further_keys(ConfigVisitor& visitor, ExperimentConfig& config) override {
    describe_readouts(visitor, config, false);
  }
  void simplify() override {
    options.optimizer = AdamRule{};
    options.final_rate = 1.0;
    options.clip_norm.reset();
  }

  void load(Loader& loader) const override { load_network(loader); }
  bool holds_images() const override { return true; }
  bool has_parts() const override { return true; }
  TrainingPart training_part(const Experiment& experiment) const override {
    return network_training_part(experiment);
  }
  DeviceTrial trial(const Experiment& experiment) const override {
    return trial_of_training(experiment);
  }
  Needs needs(const Experiment& experiment, bool /*trial*/) const override {
    return {.memory_bytes = network_memory(experiment)};
  }
  CheckedExperiment check(Experiment& experiment, bool /*trial*/) const override {
    return checked_network(experiment);
  }
  std::string explain_device(const Experiment& experiment) const override {
    return gaia::explain_device(experiment);
  }
  std::string opening_lines(const Experiment& experiment) const override {
    return data_lines(experiment) + "model    " + network_line(options) + "\n";
  }

  std::unique_ptr<RunSummary> run(Experiment& experiment, const RunOptions& how) const override {
    return std::make_unique<TrainingSummary>(train_network(experiment, how));
  }
  std::int64_t reached(const Experiment& experiment, std::int64_t committed) const override {
    return (committed + 1) * batches_of(experiment);
  }
  std::unique_ptr<RunSummary> apply(
      const std::string& result, const ApplyOptions& what, const RunOptions& how,
      const std::function<void(const Experiment&)>& /*begin*/) const override {
    return std::make_unique<NetworkApplication>(apply_network(result, what, how));
  }

  std::vector<MemberScore> scores(const hdf5::File& result) const override {
    std::vector<MemberScore> found;
    // Members are chosen by the validation part if there is one; the test part is then reported for
    // the chosen one alone.
    const std::string part = result.has_group("validation") ? "validation" : "test";
    const hdf5::Group scored = result.open_group(part);
    const auto add = [&](const char* attribute, const std::string& description, bool is_higher,
                         bool is_main) {
      add_score(found, scored, attribute, part + "_" + attribute, description, is_higher, is_main);
    };
    const std::string samples = "the " + part + " samples";
    add("loss", "loss of " + samples, false, false);
    add("accuracy", "share of " + part + " samples whose class was answered", true, true);
    if (result.has_group("tasks")) {
      const hdf5::Group tasks = result.open_group("tasks");
      add_score(found, tasks, "mean_accuracy", "mean_accuracy",
                "mean over tasks of the share of test samples whose class was answered at the end",
                true, true);
      add_score(found, tasks, "forgetting", "forgetting",
                "mean over tasks of the accuracy that was lost by the end", false, false);
    }
    add("nrmse", "NRMSE of " + samples, false, true);
    add("r2", "R2 of " + samples, true, false);
    return found;
  }
  std::string report_page(const report::Result& result,
                          const std::vector<std::string>& left_out) const override {
    return report::network_page(result, left_out);
  }
  void compare(const report::Result& result, bool is_found,
               report::ComparedRun& run) const override {
    report::compare_network(result, is_found, run);
  }
};

}  // namespace

Kind<ExperimentKind> network_experiment() {
  return Kind<ExperimentKind>(std::make_unique<NetworkExperiment>());
}

}  // namespace gaia
