// SPDX-License-Identifier: MIT
#include "continuous_player.h"

#include <limits>
#include <utility>

#include "../../core/error.h"
#include "../../io/checkpoint_file.h"
#include "learnt_policy.h"
#include "learnt_world_model.h"

namespace gaia {
namespace {

constexpr double kNotPlanned = std::numeric_limits<double>::quiet_NaN();

const ContinuousAgentConfig& continuous(const ExperimentConfig& config) {
  return std::get<ContinuousAgentConfig>(config.agent()->kind);
}

class ContinuousPlayer final : public AgentPlayer {
 public:
  ContinuousPlayer(const ExperimentConfig& config, const std::string& control)
      : reads_reward_(continuous(config).reads_reward),
        world_(make_continuous_world(config)),
        agent_(make_continuous_agent(config, world_, control)) {}

  void begin_episode() override {
    observation_ = world_.reset();
    reward_ = 0.0;
    policy_steps_ = 0;
  }

  AgentStep step() override {
    seen_ = seen();
    action_ = agent_.step(seen_);
    if (agent_.last_chooser() == agents::Chooser::policy) ++policy_steps_;
    const agents::ContinuousStep result = world_.step(action_);
    observation_ = result.observation;
    reward_ = result.reward;
    return {.reward = result.reward, .has_ended = result.is_done};
  }

  void end_episode() override { agent_.end_episode(seen()); }

  void add_step(AgentColumns& columns) const override {
    columns[0].insert(columns[0].end(), seen_.begin(), seen_.end());
    columns[1].insert(columns[1].end(), action_.begin(), action_.end());
    if (agent_.policy() != nullptr) {
      columns[2].push_back(static_cast<double>(agent_.last_chooser()));
    }
  }

  void add_plan(AgentColumns& columns) const override {
    const agents::ContinuousPlan& plan = agent_.last_plan();
    const bool is_planned =
        !plan.actions.empty() && agent_.last_chooser() != agents::Chooser::policy;
    const double terms[] = {
        plan.expected_free_energy, plan.risk,     plan.ambiguity, plan.cross_entropy,
        plan.information_gain,     plan.objective};
    for (std::size_t i = 0; i < std::size(terms); ++i) {
      columns[i].push_back(is_planned ? terms[i] : kNotPlanned);
    }
  }

  void add_episode(AgentColumns& columns) const override {
    const agents::TrainingReport& training = agent_.last_training();
    columns[0].insert(columns[0].end(), observation_.begin(), observation_.end());
    columns[1].push_back(world_.is_terminal() ? 1.0 : 0.0);
    columns[2].push_back(static_cast<double>(training.steps));
    columns[3].push_back(training.steps > 0 ? training.loss : kNotPlanned);
    columns[4].push_back(training.steps > 0 ? training.gradient_norm : kNotPlanned);
    if (agent_.policy() != nullptr) {
      const agents::TrainingReport& of_policy = agent_.last_policy_training();
      columns[5].push_back(static_cast<double>(policy_steps_));
      columns[6].push_back(static_cast<double>(of_policy.steps));
      columns[7].push_back(of_policy.steps > 0 ? of_policy.loss : kNotPlanned);
    }
  }

  AgentColumns learnt() const override {
    if (!agent_.options().is_learning) return {};
    AgentColumns columns = learnt_world_model(agent_);
    if (agent_.policy() != nullptr) add_columns(columns, learnt_policy(*agent_.policy()));
    return columns;
  }

  Attributes times() const override {
    return agent_.policy() == nullptr ? Attributes{} : time_attributes(all_times());
  }

  ArrayMap save() const override {
    ArrayMap saved;
    for (auto& [name, array] : agent_.state()) saved["agent/" + name] = array;
    const agents::ContinuousWorldState& state = world_.state();
    // An array has one number at least.
    std::vector<double> variables = state.variables;
    variables.push_back(0.0);
    std::vector<double> observation = observation_;
    observation.push_back(0.0);
    put_numbers(saved, "world/variables", variables);
    put_numbers(saved, "world/counts",
                {static_cast<double>(state.steps), static_cast<double>(state.draws),
                 state.is_terminal ? 1.0 : 0.0});
    put_numbers(saved, "observation", observation);
    put_numbers(saved, "reward", {reward_});
    if (agent_.policy() != nullptr) {
      put_numbers(saved, "policy_steps", {static_cast<double>(policy_steps_)});
      const agents::ChoiceTimes times = all_times();
      put_numbers(
          saved, "choice_times",
          {times.planning_seconds, times.policy_seconds, static_cast<double>(times.planned_steps),
           static_cast<double>(times.policy_steps)});
    }
    return saved;
  }

  void restore(const ArrayMap& saved) override {
    ArrayMap agent;
    for (const auto& [name, array] : saved) {
      if (name.starts_with("agent/")) agent[name.substr(6)] = array;
    }
    agent_.set_state(agent);
    std::vector<double> variables = numbers_of(saved, "world/variables");
    if (!variables.empty()) variables.pop_back();
    const std::vector<double> counts = numbers_of(saved, "world/counts", 3);
    world_.set_state({.variables = std::move(variables),
                      .steps = static_cast<std::int64_t>(counts[0]),
                      .draws = static_cast<std::uint64_t>(counts[1]),
                      .is_terminal = counts[2] != 0.0});
    observation_ = numbers_of(saved, "observation");
    if (!observation_.empty()) observation_.pop_back();
    reward_ = numbers_of(saved, "reward", 1).front();
    if (agent_.policy() != nullptr) {
      policy_steps_ = static_cast<std::int64_t>(numbers_of(saved, "policy_steps", 1).front());
      // Less what this agent has taken itself, which all_times() adds again.
      const std::vector<double> times = numbers_of(saved, "choice_times", 4);
      const agents::ChoiceTimes& own = agent_.times();
      earlier_ = {.planning_seconds = times[0] - own.planning_seconds,
                  .policy_seconds = times[1] - own.policy_seconds,
                  .planned_steps = static_cast<std::int64_t>(times[2]) - own.planned_steps,
                  .policy_steps = static_cast<std::int64_t>(times[3]) - own.policy_steps};
    }
  }

 private:
  std::vector<double> seen() const {
    std::vector<double> all = observation_;
    if (reads_reward_) all.push_back(reward_);
    return all;
  }

  /// What choosing took, before the run was resumed, too.
  agents::ChoiceTimes all_times() const {
    agents::ChoiceTimes times = agent_.times();
    times.planning_seconds += earlier_.planning_seconds;
    times.policy_seconds += earlier_.policy_seconds;
    times.planned_steps += earlier_.planned_steps;
    times.policy_steps += earlier_.policy_steps;
    return times;
  }

  bool reads_reward_;
  agents::ContinuousWorld world_;
  agents::ContinuousAgent agent_;
  std::vector<double> observation_;   // observation of the world, now
  double reward_ = 0.0;               // reward of the last action
  std::int64_t policy_steps_ = 0;     // steps of the episode which the policy chose
  agents::ChoiceTimes earlier_ = {};  // until the run was resumed
  // Values of the last step:
  std::vector<double> seen_, action_;
};

}  // namespace

agents::ContinuousWorld make_continuous_world(const ExperimentConfig& config) {
  const EnvironmentConfig& environment = config.agent()->environment;
  return environment.kind->make_continuous(
      RandomStream::named(static_cast<std::uint64_t>(config.seed), "environment"),
      environment.steps);
}

agents::ContinuousAgent make_continuous_agent(const ExperimentConfig& config,
                                              const agents::ContinuousWorld& world,
                                              const std::string& control) {
  const ContinuousAgentConfig& agent = continuous(config);
  agents::ContinuousAgentOptions options = agent.options;
  options.random = RandomStream::named(static_cast<std::uint64_t>(config.seed), "agent");
  options.model.dtype = config.dtype;
  const std::int64_t size = world.observation_size() + (agent.reads_reward ? 1 : 0);
  if (agent.reads_reward) options.model.unread = {size - 1};
  if (agent.has_policy && control != "planning" && control != "random") {
    options.policy = agent.policy;
  }
  if (control == "no_epistemic") options.use_information_gain = false;
  if (control == "frozen" || control == "random") options.is_learning = false;
  if (control == "random") options.random_steps = std::numeric_limits<std::int64_t>::max();
  return agents::ContinuousAgent(size, world.action_low(), world.action_high(), std::move(options));
}

AgentLayout continuous_layout(const ExperimentConfig& config) {
  const agents::ContinuousWorld world = make_continuous_world(config);
  std::vector<std::string> seen = world.observation_names();
  if (continuous(config).reads_reward) seen.emplace_back("reward");
  AgentLayout layout;
  layout.axes = {{"observed", std::ssize(seen), "what is observed", seen},
                 {"acted", world.action_size(), "what is acted on", world.action_names()},
                 {"world_observed", world.observation_size(), "what the world shows",
                  world.observation_names()}};
  layout.steps = {
      {.name = "observation", .long_name = "what the agent observed", .axes = {"observed"}},
      {.name = "action", .long_name = "what the agent did", .axes = {"acted"}}};
  const bool has_policy = continuous(config).has_policy;
  if (has_policy) {
    layout.steps.push_back({.name = "chosen_by",
                            .long_name = "who chose it: 0 chance, 1 planning, 2 the policy",
                            .is_integer = true});
  }
  const auto plan = [&](const char* name, const char* long_name) {
    layout.plans.push_back({.name = name, .long_name = long_name, .units = "nat"});
  };
  plan("G", "expected free energy of the plan, summed over its steps");
  plan("risk", "how far the observations expected are from those preferred");
  plan("ambiguity", "noise that the members of the model expect");
  plan("cross_entropy", "how little the observations expected are preferred");
  plan("information_gain", "what observations are expected to tell about the model");
  plan("objective", "what was made as small as possible");
  layout.episodes = {
      {.name = "last_observation",
       .long_name = "what the world shows after the last action",
       .axes = {"world_observed"}},
      {.name = "reached",
       .long_name =
           "1 where the episode was over by what happened, such as that a goal was reached",
       .is_integer = true},
      {.name = "training_steps",
       .long_name = "steps of gradient descent behind the episode",
       .is_integer = true},
      {.name = "loss", .long_name = "mean loss of the last tenth of them", .units = "nat"},
      {.name = "gradient_norm", .long_name = "the largest norm of a gradient before it is cut"}};
  if (has_policy) add_policy_episodes(layout);
  const agents::ContinuousAgent agent = make_continuous_agent(config, world, "");
  if (agent.options().is_learning) {
    add_learnt_world_model(layout, agent, seen, world.action_names());
    if (has_policy) add_learnt_policy(layout, *agent.policy(), seen, world.action_names());
  }
  layout.reward = "the reward of the environment for the action";
  layout.reward_units = "1";
  layout.about = {{"observations", std::ssize(seen)}, {"actions", world.action_size()}};
  return layout;
}

std::unique_ptr<AgentPlayer> make_continuous_player(const ExperimentConfig& config,
                                                    const std::string& control) {
  return std::make_unique<ContinuousPlayer>(config, control);
}

}  // namespace gaia
