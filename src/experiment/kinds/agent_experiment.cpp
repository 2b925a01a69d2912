// SPDX-License-Identifier: MIT
// Agents that act in an environment, as experiments.
#include "../../array/placement.h"
#include "../../core/error.h"
#include "../../report/pages.h"
#include "../config/describe.h"
#include "../config/yaml.h"
#include "../players/agent_player.h"
#include "../run/agent_run.h"
#include "../run/agent_summary.h"
#include "../run/apply.h"
#include "../setup/agent_checks.h"
#include "../setup/training_part.h"
#include "../sweep/member_table.h"
#include "../sweep/seed_scores.h"
#include "kinds.h"

namespace gaia {
namespace {

class AgentExperiment final : public ExperimentKind::Of<AgentConfig> {
 public:
  std::unique_ptr<ExperimentKind> copy() const override {
    return std::make_unique<AgentExperiment>(*this);
  }

  const char* meaning() const override { return "what infers, plans and acts in an environment"; }
  std::string title() const override { return "an agent"; }

  const char* source() const override { return "environment"; }
  void prepare(const YamlNode& section) override {
    const YamlNode* const type = section.find("type");
    if (type != nullptr && type->text == ContinuousAgentConfig::name) {
      options.kind = ContinuousAgentConfig();
    }
  }
  void source_keys(ConfigVisitor& visitor, ExperimentConfig& /*config*/) override {
    visitor.forbid({"data", ""}, "an agent has an environment in its place");
    visitor.forbid({"readouts", ""}, "an agent has none; what it does and believes is recorded");
    visitor.map({"environment", "the world that an agent acts in", true},
                [&] { describe(visitor, options.environment); });
  }
  void keys(ConfigVisitor& visitor, const ExperimentConfig& /*config*/) override {
    describe(visitor, options);
  }
  void further_keys(ConfigVisitor& visitor, ExperimentConfig& /*config*/) override {
    visitor.some_of(
        {"controls",
         "what is run beside the agent for comparison: random, actions at random; "
         "no_epistemic, without what outcomes tell; frozen, without learning; ucb1 "
         "and thompson, bandits whose arms are the actions; planning, "
         "of an agent whose policy acts, the same that plans throughout; none: nothing; what does "
         "not apply is left out"},
        known_agent_controls(), options.controls, {});
  }
  std::vector<std::string> output_keys() const override {
    return {"steps", "plans", "compression"};
  }
  bool has_dtype() const override { return !options.is_discrete(); }

  void load(Loader& loader) const override { load_agent(loader); }
  Needs needs(const Experiment& experiment, bool trial) const override {
    return estimate_agent(experiment, trial);
  }
  CheckedExperiment check(Experiment& experiment, bool trial) const override {
    return checked_agent(experiment, trial);
  }
  std::string explain_device(const Experiment& /*experiment*/) const override {
    return "device: cpu, where discrete agents compute\n";
  }
  std::string opening_lines(const Experiment& experiment) const override {
    return "world    " + environment_line(experiment.config) + "\nagent    " +
           agent_line(experiment.config) + "\n";
  }

  std::unique_ptr<RunSummary> run(Experiment& experiment, const RunOptions& how) const override {
    return std::make_unique<AgentSummary>(run_agent(experiment, how));
  }
  std::unique_ptr<RunSummary> apply(
      const std::string& result, const ApplyOptions& /*what*/, const RunOptions& /*how*/,
      const std::function<void(const Experiment&)>& /*begin*/) const override {
    throw ConfigError(result +
                      ": is the result of an agent, which acts in its environment; only "
                      "hierarchies and networks are applied to data");
  }

  std::vector<MemberScore> scores(const hdf5::File& result) const override {
    std::vector<MemberScore> found;
    add_score(found, result.open_group("agent"), "mean_return", "mean_return",
              "mean return of the agent", true, true);
    return found;
  }
  const char* why_no_judge() const override {
    return "a search is for the validation score of a readout, which an agent has not; "
           "`gaia sweep` with `seeds` compares values by the mean return";
  }
  bool has_verdict() const override { return true; }
  SeedPlan plan_seeds(const Experiment& experiment) const override {
    if (agent_controls(options).run.empty()) {
      throw ConfigError(experiment.file +
                        ": has no controls, so there is nothing to judge the agent by");
    }
    return {.readouts = {no_returns_yet(options)},
            .settings = {"output.steps=none", "output.plans=none", "checkpoint.every=0",
                         "checkpoint.minutes=0"}};
  }
  void add_seed(ReadoutOverSeeds& readout, const std::string& result) const override {
    add_returns(readout, result);
  }
  std::string report_page(const report::Result& result,
                          const std::vector<std::string>& left_out) const override {
    return report::agent_page(result, left_out);
  }
  void compare(const report::Result& result, bool /*is_found*/,
               report::ComparedRun& run) const override {
    report::compare_agent(result, run);
  }
};

}  // namespace

Kind<ExperimentKind> agent_experiment() {
  return Kind<ExperimentKind>(std::make_unique<AgentExperiment>());
}

}  // namespace gaia
