// SPDX-License-Identifier: MIT
#include "bandit_player.h"

#include <algorithm>

#include "../../agents/bandits/thompson_sampling.h"
#include "../../agents/bandits/ucb1.h"
#include "surroundings.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostArms = 1 << 20;

/// How many combinations of actions there are, or more than kMostArms.
std::int64_t arms_of(const agents::GenerativeModel& model) {
  std::int64_t arms = 1;
  for (const std::int64_t actions : model.actions()) {
    arms *= actions;
    if (arms > kMostArms) break;
  }
  return arms;
}

agents::Action action_of(std::int64_t arm, const agents::GenerativeModel& model) {
  agents::Action action(model.actions().size());
  for (std::size_t f = action.size(); f-- > 0;) {
    action[f] = arm % model.actions()[f];
    arm /= model.actions()[f];
  }
  return action;
}

std::unique_ptr<agents::Bandit> bandit_of(const std::string& control, std::int64_t arms,
                                          const ExperimentConfig& config) {
  if (control == "ucb1") return std::make_unique<agents::UCB1>(arms);
  const agents::ThompsonOptions options{
      .random = RandomStream::named(static_cast<std::uint64_t>(config.seed), "controls/thompson")};
  return std::make_unique<agents::ThompsonSampling>(arms, options);
}

class BanditPlayer final : public AgentPlayer {
 public:
  BanditPlayer(const ExperimentConfig& config, const std::string& control)
      : around_(config), bandit_(bandit_of(control, arms_of(around_.world().model()), config)) {
    for (const std::vector<double>& preferences : around_.world().model().tables().preferences) {
      const auto [least, most] = std::ranges::minmax(preferences);
      least_ += least;
      most_ += most;
    }
  }

  void begin_episode() override { around_.begin(); }
  AgentStep step() override {
    const std::int64_t arm = bandit_->choose();
    const double reward = around_.step(action_of(arm, around_.world().model()));
    const double share = most_ > least_ ? (reward - least_) / (most_ - least_) : 0.5;
    bandit_->learn(arm, std::clamp(share, 0.0, 1.0));  // rounding may lead beyond
    return {.reward = reward};
  }
  void end_episode() override {}

  // It has nothing that is recorded but its returns.
  void add_step(AgentColumns&) const override {}
  void add_plan(AgentColumns&) const override {}
  void add_episode(AgentColumns&) const override {}
  AgentColumns learnt() const override { return {}; }

  ArrayMap save() const override {
    agents::SavedState saved;
    around_.save(saved);
    put_below(saved, "bandit/", bandit_->save());
    return as_arrays(saved);
  }
  void restore(const ArrayMap& arrays) override {
    const agents::SavedState saved = from_arrays(arrays);
    around_.restore(saved);
    bandit_->restore(taken_from_below(saved, "bandit/"));
  }

 private:
  Surroundings around_;
  std::unique_ptr<agents::Bandit> bandit_;
  double least_ = 0.0, most_ = 0.0;  // rewards that there can be
};

}  // namespace

bool is_bandit_control(const std::string& control) {
  return control == "ucb1" || control == "thompson";
}

std::string why_no_bandit(const AgentConfig& agent) {
  if (!agent.is_discrete()) return "actions are real numbers, of which none comes twice";
  const agents::DiscreteWorld world = agent.environment.kind->make_discrete(RandomStream{});
  return arms_of(world.model()) <= kMostArms ? "" : "there are too many combinations of actions";
}

std::unique_ptr<AgentPlayer> make_bandit_player(const ExperimentConfig& config,
                                                const std::string& control) {
  return std::make_unique<BanditPlayer>(config, control);
}

}  // namespace gaia
