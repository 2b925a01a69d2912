// SPDX-License-Identifier: MIT
#include "../../core/message.h"
#include "describe.h"

namespace gaia {
namespace {

/// none | {prior: ..., count: ..., rate: ...}
void describe_concentrations(ConfigVisitor& v, const Key& key, ConcentrationConfig& table,
                             const char* rate) {
  v.word_or_map(key,
                {{"none"},
                 [&table] { return table.is_learnt ? "map" : "none"; },
                 [&table](const std::string& word) { table.is_learnt = word == "map"; }},
                "map", [&] {
                  v.choice({"prior",
                            "what the table begins as: that of the agent's model, or all entries "
                            "alike"},
                           choice_of({"uniform", "model"}, table.prior, prior_from_name));
                  v.number({"count",
                            "uniform: concentration of each entry; model: what its probabilities "
                            "are multiplied by"},
                           table.count, kPositive);
                  v.number({"rate", rate}, table.rate, kNotNegative);
                });
}

void describe_learning(ConfigVisitor& v, DiscreteAgentConfig& agent) {
  v.map({"learn", "which tables are learnt, as counts"}, [&] {
    describe_concentrations(v, {"likelihoods", "A"}, agent.likelihoods,
                            "how many counts an observation is worth");
    describe_concentrations(v, {"transitions", "B"}, agent.transitions,
                            "how many counts a transition is worth");
    describe_concentrations(v, {"initial", "D"}, agent.initial,
                            "how many counts the beginning of an episode is worth");
    v.number({"forgetting", "share of what was counted that is forgotten at every step"},
             agent.forgetting, {0.0, 1.0});
  });
}

void describe_planning(ConfigVisitor& v, agents::PlanningOptions& planning) {
  v.map({"planning", "how policies are judged"}, [&] {
    v.number({"precision", "gamma: how sharply better policies are preferred"}, planning.precision,
             kNotNegative);
    v.flag({"use_pragmatic", "count how much outcomes are preferred"}, planning.use_pragmatic);
    v.flag({"use_epistemic", "count what outcomes tell of states"}, planning.use_epistemic);
    v.choice({"parameter_gain", "count what is told of learnt tables"},
             {{"none", "exact", "inverse_counts"},
              [&planning] { return to_string(planning.parameter_gain); },
              [&planning](const std::string& name) {
                planning.parameter_gain = parameter_gain_from_name(name);
              }});
    v.flag({"spm_constants", "with the constants of SPM and pymdp, to compare with them"},
           planning.spm_constants);
  });
}

void describe(ConfigVisitor& v, DiscreteAgentConfig& agent) {
  v.word_or_map(
      {"model", "what it holds its world to be: the world's own tables, or those of another"},
      {{"world"},
       [&agent] { return agent.has_own_model ? "map" : "world"; },
       [&agent](const std::string& word) { agent.has_own_model = word == "map"; }},
      "map", [&] {
        v.variant({"type", "the world whose tables they are", true}, choice_of(agent.model),
                  [&] { agent.model->keys(v); });
      });
  v.integer({"horizon", "steps of each policy, where policies are not given"}, agent.horizon,
            {1, 64});
  v.nested({"policies",
            "the policies that are judged, [policy][step] or [policy][step][factor]; default all "
            "combinations of actions"},
           agent.policies, {0.0, 1e6}, 2, 3);
  v.word_or_map({"tree", "looks ahead in a tree in the place of judging policies"},
                {{"none"},
                 [&agent] { return agent.has_tree ? "map" : "none"; },
                 [&agent](const std::string& word) { agent.has_tree = word == "map"; }},
                "map", [&] {
                  v.integer({"depth", "steps that are looked ahead"}, agent.tree.depth, {1, 64});
                  v.number({"action_threshold", "actions less probable are not followed"},
                           agent.tree.action_threshold, {0.0, 1.0, false, true});
                  v.number({"outcome_threshold", "outcomes less probable are not followed"},
                           agent.tree.outcome_threshold, {0.0, 1.0, false, true});
                });
  describe_planning(v, agent.planning);
  v.map({"inference", "how states are inferred"}, [&] {
    v.integer({"iterations", "rounds over all factors, at most"}, agent.inference.iterations,
              {1, 1000000});
    v.number({"tolerance", "ends when the free energy changes by less, in nats"},
             agent.inference.tolerance, kNotNegative);
    v.flag({"parallel", "all factors of a round from the beliefs of the round before"},
           agent.inference.parallel);
  });
  v.integer({"window", "steps whose states are inferred together"}, agent.window, {1, 1000000});
  describe_learning(v, agent);
  v.flag({"by_whole_policy", "an action is chosen by whole policies, not factor by factor"},
         agent.by_whole_policy);
  v.flag({"is_sampled", "actions are drawn; else the most probable is taken"}, agent.is_sampled);
  v.where(agent.is_sampled, "is_sampled: true", [&] {
    v.number({"action_precision", "alpha: to which power the posterior is drawn from"},
             agent.action_precision, kNotNegative);
  });
}

void describe(ConfigVisitor& v, agents::WorldModelOptions& model) {
  v.map({"model", "the ensemble that learns the world"}, [&] {
    v.integer({"members", "how many networks predict it"}, model.members, {1, 1000});
    v.integers({"hidden", "units of each hidden layer"}, model.hidden, {1, 100000});
    v.number({"mask_probability", "that a member learns from a transition"}, model.mask_probability,
             {0.0, 1.0, true});
    v.integer({"batch", "transitions of a step of training"}, model.batch, {1, 1000000});
    v.map({"optimizer", "AdamW, by which the ensemble is trained"},
          [&] { model.optimiser.keys(v); });
    v.number(
        {"noise", "of observations, beside what members expect, relative to that of their changes"},
        model.noise, kNotNegative);
    v.number({"max_gradient_norm", "longer gradients are cut to this"}, model.max_gradient_norm,
             kPositive);
  });
}

void describe(ConfigVisitor& v, agents::CrossEntropyOptions& search) {
  v.map({"search", "how plans are searched, by the cross-entropy method"}, [&] {
    v.integer({"population", "candidates of an iteration"}, search.population, {2, 1000000});
    v.integer({"elites", "the best of them, from which the next are drawn"}, search.elites,
              {1, 1000000});
    v.integer({"iterations", "how often candidates are drawn"}, search.iterations, {1, 10000});
    v.number({"first_deviation", "of the first candidates, in half widths of the bounds"},
             search.first_deviation, kPositive);
    v.number({"least_deviation", "of later ones, in the same"}, search.least_deviation,
             kNotNegative);
    v.number({"smoothing", "share of the last mean and deviation in the next"}, search.smoothing,
             {0.0, 1.0, false, true});
  });
}

void describe_policy(ConfigVisitor& v, ContinuousAgentConfig& agent) {
  using Act = agents::LearntPolicyOptions::Act;
  agents::LearntPolicyOptions& policy = agent.policy;
  v.word_or_map(
      {"policy", "a network that learns which actions planning chooses"},
      {{"none"},
       [&agent] { return agent.has_policy ? "map" : "none"; },
       [&agent](const std::string& word) { agent.has_policy = word == "map"; }},
      "map", [&] {
        v.choice({"act",
                  "who acts once the policy was taught: planning, the policy, or "
                  "both by turns"},
                 {{"planning", "policy", "mixed"},
                  [&policy] { return to_string(policy.act); },
                  [&policy](const std::string& name) { policy.act = act_from_name(name); }});
        v.where(policy.act != Act::planning, "act: policy or mixed", [&] {
          v.integer({"teaching_episodes", "episodes in which the policy does not act"},
                    policy.teaching_episodes, {0, std::int64_t{1} << 32});
          v.flag({"is_sampled", "its actions are drawn; else the middle is taken"},
                 policy.is_sampled);
        });
        v.where(policy.act == Act::mixed, "act: mixed", [&] {
          v.integer({"plan_every", "planning chooses each such action"}, policy.plan_every,
                    {2, 1000000});
        });
        v.flag({"starts_search", "a search begins with what the policy would do"},
               policy.starts_search);
        v.integers({"hidden", "units of each hidden layer"}, policy.model.hidden, {1, 100000});
        v.number({"learning_rate", "of AdamW, by which the policy is trained"},
                 policy.model.optimiser.learning_rate, kPositive);
        v.integer({"batch", "choices of a step of training"}, policy.model.batch, {1, 1000000});
        v.number({"training_ratio", "steps of training for each choice of planning"},
                 policy.training_ratio, kNotNegative);
        v.integer({"replay_capacity", "choices that are kept to learn from"}, policy.model.capacity,
                  {1, 100000000});
      });
}

void describe(ConfigVisitor& v, ContinuousAgentConfig& agent) {
  agents::ContinuousAgentOptions& options = agent.options;
  v.map({"preference", "which observations are preferred, as a normal distribution", true}, [&] {
    v.numbers({"target", "its mean, for each observation", true}, options.preference.target,
              kAnyNumber);
    v.numbers({"precision", "one over its variance; 0: the observation does not matter", true},
              options.preference.precision, kNotNegative);
  });
  v.flag({"reads_reward", "the reward of the last step is one more observation, the last"},
         agent.reads_reward);
  describe(v, options.model);
  v.integer({"horizon", "actions of a plan"}, options.horizon, {1, 10000});
  v.integer({"hold", "steps for which each action of a plan is held"}, options.hold, {1, 10000});
  describe(v, options.search);
  v.integer({"actions_per_plan", "how many actions of a plan are done before there is another"},
            options.actions_per_plan, {1, 10000});
  v.flag({"use_preference", "count how far observations are from those preferred"},
         options.use_preference);
  v.flag({"use_information_gain", "count what observations tell about the model"},
         options.use_information_gain);
  v.flag({"is_learning", "whether the model learns"}, options.is_learning);
  v.integer({"random_steps", "steps at the beginning whose actions are drawn"},
            options.random_steps, {0});
  v.integer({"training_interval", "trains every so many steps too; 0: where an episode ends"},
            options.training_interval, {0});
  v.number({"training_ratio", "steps of training for each step since the last training"},
           options.training_ratio, kNotNegative);
  v.integer({"replay_capacity", "steps that it keeps to learn from"}, options.replay_capacity,
            {1, 100000000});
  describe_policy(v, agent);
}

}  // namespace

void describe(ConfigVisitor& v, EnvironmentConfig& environment) {
  v.variant({"type", "what the environment is", true}, choice_of(environment.kind),
            [&] { environment.kind->keys(v); });
  v.integer({"episodes", "how often it begins anew", true}, environment.episodes,
            {1, std::int64_t{1} << 32});
  v.integer({"steps", "actions in an episode, at most", true}, environment.steps,
            {1, std::int64_t{1} << 32});
}

void describe(ConfigVisitor& v, AgentConfig& agent) {
  v.variant({"type", "what the agent is", true}, choice_of(agent.kind),
            [&] { std::visit([&](auto& kind) { describe(v, kind); }, agent.kind); });
}

std::string to_string(ConcentrationConfig::Prior prior) {
  return prior == ConcentrationConfig::Prior::model ? "model" : "uniform";
}

ConcentrationConfig::Prior prior_from_name(std::string_view name) {
  if (name == "model") return ConcentrationConfig::Prior::model;
  if (name == "uniform") return ConcentrationConfig::Prior::uniform;
  fail<ArgumentError>("expected a prior, model or uniform, got '{}'", name);
}

std::string to_string(agents::LearntPolicyOptions::Act act) {
  using Act = agents::LearntPolicyOptions::Act;
  return act == Act::policy ? "policy" : act == Act::mixed ? "mixed" : "planning";
}

agents::LearntPolicyOptions::Act act_from_name(std::string_view name) {
  using Act = agents::LearntPolicyOptions::Act;
  for (const Act act : {Act::planning, Act::policy, Act::mixed}) {
    if (name == to_string(act)) return act;
  }
  fail<ArgumentError>("expected who acts, planning, policy or mixed, got '{}'", name);
}

std::string to_string(agents::ParameterGain gain) {
  switch (gain) {
    case agents::ParameterGain::exact:
      return "exact";
    case agents::ParameterGain::inverse_counts:
      return "inverse_counts";
    case agents::ParameterGain::none:
      break;
  }
  return "none";
}

agents::ParameterGain parameter_gain_from_name(std::string_view name) {
  for (const auto gain : {agents::ParameterGain::none, agents::ParameterGain::exact,
                          agents::ParameterGain::inverse_counts}) {
    if (name == to_string(gain)) return gain;
  }
  fail<ArgumentError>("expected a parameter gain, none, exact or inverse_counts, got '{}'", name);
}

std::vector<std::string> known_agent_controls() {
  return {"random", "no_epistemic", "frozen", "ucb1", "thompson", "planning"};
}

std::string AgentConfig::type() const {
  return std::visit([]<class T>(const T&) { return std::string(T::name); }, kind);
}

bool AgentConfig::learns() const {
  return std::visit([](const auto& one) { return one.learns(); }, kind);
}

}  // namespace gaia
