// SPDX-License-Identifier: MIT
#include "discrete_player.h"

#include "../../agents/discrete/impossible.h"
#include "bandit_player.h"
#include "surroundings.h"

namespace gaia {
namespace {

using agents::SavedState;

class DiscretePlayer final : public AgentPlayer {
 public:
  DiscretePlayer(const ExperimentConfig& config, const std::string& control)
      : around_(config), agent_(make_discrete_agent(config, control)) {}

  void begin_episode() override { around_.begin(); }

  AgentStep step() override {
    observed_ = around_.observation();
    state_ = around_.world().state();
    action_ = agent_.step(observed_);
    return {.reward = around_.step(action_)};
  }

  void end_episode() override {
    const agents::Concentrations& learnt = agent_.concentrations();
    const bool learns =
        !learnt.likelihoods.empty() || !learnt.transitions.empty() || !learnt.initial.empty();
    if (learns) {  // from what the last action has led to, too
      agent_.infer(around_.observation());
      agent_.learn();
    }
    agent_.reset();
  }

  void add_step(AgentColumns& columns) const override {
    std::size_t at = 0;
    const auto put = [&](double value) { columns[at++].push_back(value); };
    for (const std::int64_t outcome : observed_) put(static_cast<double>(outcome));
    for (std::size_t f = 0; f < state_.size(); ++f) {
      put(static_cast<double>(state_[f]));
      const std::vector<double>& belief = agent_.beliefs()[f];
      columns[at].insert(columns[at].end(), belief.begin(), belief.end());
      ++at;
      if (agent_.model().actions()[f] > 1) put(static_cast<double>(action_[f]));
    }
    put(agent_.free_energy());
  }

  void add_plan(AgentColumns& columns) const override {
    const agents::Plan& plan = agent_.last_plan();
    const auto put = [&](std::size_t at, const std::vector<double>& values) {
      columns[at].insert(columns[at].end(), values.begin(), values.end());
    };
    put(0, plan.posterior);
    put(1, plan.G);
    for (const agents::ExpectedFreeEnergy& terms : plan.terms) {
      columns[2].push_back(terms.risk);
      columns[3].push_back(terms.ambiguity);
      columns[4].push_back(terms.pragmatic);
      columns[5].push_back(terms.epistemic);
      columns[6].push_back(terms.novelty);
    }
  }

  void add_episode(AgentColumns& columns) const override {
    std::size_t at = 0;
    for (const std::int64_t outcome : around_.observation()) {
      columns[at++].push_back(static_cast<double>(outcome));
    }
    for (const std::int64_t state : around_.world().state()) {
      columns[at++].push_back(static_cast<double>(state));
    }
  }

  AgentColumns learnt() const override {
    const agents::Concentrations& learnt = agent_.concentrations();
    AgentColumns columns;
    for (const auto& table : learnt.likelihoods) columns.push_back(table.values);
    for (const auto& table : learnt.transitions) columns.push_back(table.values);
    for (const auto& values : learnt.initial) columns.push_back(values);
    return columns;
  }

  std::string impossible() const override {
    const std::string& why = agent_.impossible();
    return why.empty() ? why : why + "; " + agents::kImpossibleWayOut;
  }

  ArrayMap save() const override {
    SavedState saved;
    around_.save(saved);
    put_below(saved, "agent/", agent_.save());
    return as_arrays(saved);
  }

  void restore(const ArrayMap& arrays) override {
    const SavedState saved = from_arrays(arrays);
    around_.restore(saved);
    agent_.restore(taken_from_below(saved, "agent/"));
  }

 private:
  Surroundings around_;
  agents::DiscreteAgent agent_;
  // Values of the last step:
  agents::Observation observed_;
  std::vector<std::int64_t> state_;
  agents::Action action_;
};

/// Actions at random, each equally likely.
class RandomDiscretePlayer final : public AgentPlayer {
 public:
  explicit RandomDiscretePlayer(const ExperimentConfig& config)
      : around_(config),
        random_(RandomStream::named(static_cast<std::uint64_t>(config.seed), "controls/random")) {}

  void begin_episode() override { around_.begin(); }
  AgentStep step() override {
    agents::Action action;
    for (const std::int64_t count : around_.world().model().actions()) {
      action.push_back(random_.integer(draws_++, count));
    }
    return {.reward = around_.step(action)};
  }
  void end_episode() override {}

  // It has nothing that is recorded but its returns.
  void add_step(AgentColumns&) const override {}
  void add_plan(AgentColumns&) const override {}
  void add_episode(AgentColumns&) const override {}
  AgentColumns learnt() const override { return {}; }

  ArrayMap save() const override {
    SavedState saved;
    around_.save(saved);
    saved["draws"] = {static_cast<double>(draws_)};
    return as_arrays(saved);
  }
  void restore(const ArrayMap& arrays) override {
    const SavedState saved = from_arrays(arrays);
    around_.restore(saved);
    draws_ = static_cast<std::uint64_t>(agents::saved_numbers(saved, "draws", 1).front());
  }

 private:
  Surroundings around_;
  RandomStream random_;
  std::uint64_t draws_ = 0;
};

}  // namespace

std::unique_ptr<AgentPlayer> make_discrete_player(const ExperimentConfig& config,
                                                  const std::string& control) {
  if (is_bandit_control(control)) return make_bandit_player(config, control);
  if (control == "random") return std::make_unique<RandomDiscretePlayer>(config);
  return std::make_unique<DiscretePlayer>(config, control);
}

}  // namespace gaia
