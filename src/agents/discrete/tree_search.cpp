// SPDX-License-Identifier: MIT
#include "tree_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/message.h"
#include "joint.h"

namespace gaia::agents {
namespace {

struct JointOutcome {
  Observation observation;
  double probability = 0.0;
};

void add(ExpectedFreeEnergy& sum, double weight, const ExpectedFreeEnergy& one) {
  sum.risk += weight * one.risk;
  sum.ambiguity += weight * one.ambiguity;
  sum.pragmatic += weight * one.pragmatic;
  sum.epistemic += weight * one.epistemic;
  sum.novelty += weight * one.novelty;
}

/// Outcomes of all modalities that are possible with these beliefs, and not below the threshold,
/// with probabilities that sum to 1.  Where none is that probable, the threshold is halved.
std::vector<JointOutcome> possible_outcomes(const GenerativeModel& model, const Beliefs& beliefs,
                                            double threshold) {
  std::vector<JointOutcome> all = {{Observation(model.outcomes().size(), 0), 1.0}};
  for (const ModalityGroup& group : model.groups()) {
    const std::vector<double> q = joint_beliefs(group.factors, beliefs);
    std::vector<double> expected(static_cast<std::size_t>(group.joint_outcomes), 0.0);
    for (std::size_t s = 0; s < q.size(); ++s) {
      for (auto k = static_cast<std::size_t>(group.begin[s]);
           k < static_cast<std::size_t>(group.begin[s + 1]); ++k) {
        expected[static_cast<std::size_t>(group.outcome[k])] += q[s] * group.probability[k];
      }
    }
    std::vector<JointOutcome> longer;
    for (const JointOutcome& before : all) {
      for (std::size_t o = 0; o < expected.size(); ++o) {
        const double probability = before.probability * expected[o];
        // What is left after rounding, or after the floor of logarithms, is not possible.
        if (probability <= log_floor || probability < threshold) continue;
        JointOutcome& one = longer.emplace_back(before);
        one.probability = probability;
        std::size_t rest = o;
        for (std::size_t k = group.modalities.size(); k-- > 0;) {
          const auto m = static_cast<std::size_t>(group.modalities[k]);
          const auto outcomes = static_cast<std::size_t>(model.outcomes()[m]);
          one.observation[m] = static_cast<std::int64_t>(rest % outcomes);
          rest /= outcomes;
        }
      }
    }
    all = std::move(longer);
  }
  if (all.empty()) return possible_outcomes(model, beliefs, threshold / 2);
  double sum = 0;
  for (const JointOutcome& one : all) sum += one.probability;
  for (JointOutcome& one : all) one.probability /= sum;
  return all;
}

class Tree {
 public:
  Tree(const GenerativeModel& model, const TreeOptions& tree, const PlanningOptions& options,
       const InferenceOptions& inference, const Concentrations& concentrations)
      : model_(model),
        tree_(tree),
        options_(options),
        inference_(inference),
        gains_(concentrations, options.parameter_gain),
        actions_(all_policies(model, 1)) {}

  std::size_t actions() const { return actions_.size(); }
  std::int64_t nodes() const { return nodes_; }

  /// The plan of single actions from these beliefs on; `habits` are those of the actions, or empty.
  Plan look(const Beliefs& beliefs, std::int64_t depth, const std::vector<double>& habits) {
    Plan plan;
    std::vector<Beliefs> next;
    for (const Policy& action : actions_) {
      next.push_back(predicted(model_, beliefs, action[0]));
      ExpectedFreeEnergy terms = expected_free_energy(model_, next.back(), options_, expected_);
      terms.novelty = gains_.at(model_, beliefs, action[0], next.back());
      plan.terms.push_back(terms);
      plan.G.push_back(total(terms, options_));
      ++nodes_;
    }
    std::vector<double> weight = policy_posterior(plan.G, habits, options_.precision);
    if (depth > 1) {
      const double most = *std::ranges::max_element(weight);
      std::vector<double> kept(actions_.size(), 1.0);
      for (std::size_t k = 0; k < actions_.size(); ++k) {
        const bool is_followed = weight[k] >= std::min(tree_.action_threshold, most);
        if (is_followed) follow(plan, k, next[k], depth);
        kept[k] = is_followed ? (habits.empty() ? 1.0 : habits[k]) : 0.0;
      }
      weight = policy_posterior(plan.G, kept, options_.precision);
    }
    plan.posterior = std::move(weight);
    return plan;
  }

 private:
  /// Adds to action k what comes after its outcomes.
  void follow(Plan& plan, std::size_t k, const Beliefs& expected, std::int64_t depth) {
    for (const JointOutcome& one : possible_outcomes(model_, expected, tree_.outcome_threshold)) {
      const Beliefs beliefs = infer_states(model_, one.observation, expected, inference_).beliefs;
      const Plan later = look(beliefs, depth - 1, {});
      for (std::size_t u = 0; u < later.terms.size(); ++u) {
        add(plan.terms[k], one.probability * later.posterior[u], later.terms[u]);
      }
    }
    plan.G[k] = total(plan.terms[k], options_);
  }

  const GenerativeModel& model_;
  const TreeOptions& tree_;
  const PlanningOptions& options_;
  const InferenceOptions& inference_;
  ParameterGains gains_;
  std::vector<Policy> actions_;
  std::vector<double> expected_;  // memory of expected_free_energy()
  std::int64_t nodes_ = 0;
};

}  // namespace

void check_tree(const TreeOptions& options) {
  if (options.depth < 1) {
    fail<ArgumentError>("[agent] depth: expected 1 or more, got {}", options.depth);
  }
  for (const auto& [name, value] : {std::pair("action_threshold", options.action_threshold),
                                    std::pair("outcome_threshold", options.outcome_threshold)}) {
    if (value >= 0 && value < 1) continue;
    fail<ArgumentError>("[agent] {}: expected a number from 0 to below 1, got {}", name, value);
  }
}

Plan search_tree(const GenerativeModel& model, const Beliefs& beliefs, const TreeOptions& tree,
                 const PlanningOptions& options, const InferenceOptions& inference,
                 const Concentrations& concentrations) {
  check_tree(tree);
  if (!(options.precision >= 0 && std::isfinite(options.precision))) {
    fail<ArgumentError>("[agent] precision: expected 0 or more, got {}", options.precision);
  }
  check_beliefs(model, beliefs, "beliefs");
  Tree search(model, tree, options, inference, concentrations);
  const std::vector<double>& habits = model.tables().habits;
  if (!habits.empty() && habits.size() != search.actions()) {
    fail<ArgumentError>("[agent] habits: expected a probability for each of {} actions, got {}",
                        search.actions(), habits.size());
  }
  Plan plan = search.look(beliefs, tree.depth, habits);
  plan.nodes = search.nodes();
  return plan;
}

}  // namespace gaia::agents
