// SPDX-License-Identifier: MIT
#include "expected_free_energy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/message.h"
#include "joint.h"

namespace gaia::agents {
namespace {

constexpr std::int64_t kMostPolicies = std::int64_t{1} << 20;
const double kSpmConstant = std::exp(-16.0);

void add(ExpectedFreeEnergy& sum, const ExpectedFreeEnergy& one) {
  sum.risk += one.risk;
  sum.ambiguity += one.ambiguity;
  sum.pragmatic += one.pragmatic;
  sum.epistemic += one.epistemic;
  sum.novelty += one.novelty;
}

/// E[ln C], modality by modality, of all states: those that spm_constants leaves out count here.
double pragmatic_by_modality(const GenerativeModel& model, const ModalityGroup& group,
                             const Beliefs& beliefs) {
  double pragmatic = 0;
  for (const std::int64_t modality : group.modalities) {
    const auto m = static_cast<std::size_t>(modality);
    const std::vector<double> columns = joint_beliefs(model.tables().depends_on[m], beliefs);
    const std::vector<double>& a = model.tables().likelihoods[m].values;
    for (std::size_t o = 0; o < model.log_preferences()[m].size(); ++o) {
      double probability = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        probability += a[o * columns.size() + c] * columns[c];
      }
      pragmatic += probability * model.log_preferences()[m][o];
    }
  }
  return pragmatic;
}

void check(const GenerativeModel& model, const std::vector<Policy>& policies,
           const PlanningOptions& options) {
  if (!(options.precision >= 0 && std::isfinite(options.precision))) {
    fail<ArgumentError>("[agent] precision: expected 0 or more, got {}", options.precision);
  }
  if (policies.empty()) throw ArgumentError("[agent] policies: expected at least one, got none");
  for (const Policy& policy : policies) {
    if (policy.empty()) {
      throw ArgumentError("[agent] policies: expected one step or more in each, got none in one");
    }
    for (const Action& action : policy) model.check_action(action);
  }
  const std::size_t habits = model.tables().habits.size();
  if (habits != 0 && habits != policies.size()) {
    fail<ArgumentError>("[agent] habits: expected a probability for each of {} policies, got {}",
                        policies.size(), habits);
  }
}

}  // namespace

double total(const ExpectedFreeEnergy& terms, const PlanningOptions& options) {
  return -(options.use_pragmatic ? terms.pragmatic : 0.0) -
         (options.use_epistemic ? terms.epistemic : 0.0) - terms.novelty;
}

ExpectedFreeEnergy expected_free_energy(const GenerativeModel& model, const Beliefs& beliefs,
                                        const PlanningOptions& options) {
  std::vector<double> expected;
  return expected_free_energy(model, beliefs, options, expected);
}

ExpectedFreeEnergy expected_free_energy(const GenerativeModel& model, const Beliefs& beliefs,
                                        const PlanningOptions& options,
                                        std::vector<double>& expected) {
  ExpectedFreeEnergy result;
  for (const ModalityGroup& group : model.groups()) {
    const bool is_joint = group.factors.size() > 1;
    const std::vector<double> joint =
        is_joint ? joint_beliefs(group.factors, beliefs) : std::vector<double>();
    const std::vector<double>& q =
        is_joint ? joint : beliefs[static_cast<std::size_t>(group.factors.front())];
    // Q(o), outcomes of all modalities of the group together.
    expected.assign(static_cast<std::size_t>(group.joint_outcomes), 0.0);
    double ambiguity = 0, negative_entropy = 0;
    for (std::size_t s = 0; s < q.size(); ++s) {
      if (q[s] == 0 || (options.spm_constants && q[s] <= kSpmConstant)) continue;
      double sum = options.spm_constants ? 0.0 : group.negative_entropy[s];
      for (auto k = static_cast<std::size_t>(group.begin[s]);
           k < static_cast<std::size_t>(group.begin[s + 1]); ++k) {
        const double p = group.probability[k];
        expected[static_cast<std::size_t>(group.outcome[k])] += q[s] * p;
        if (options.spm_constants) sum += p * std::log(p + kSpmConstant);
      }
      negative_entropy += q[s] * sum;
      ambiguity += q[s] * group.ambiguity[s];
    }
    double risk = 0, surprise = 0, pragmatic = 0;
    for (std::size_t o = 0; o < expected.size(); ++o) {
      if (expected[o] == 0) continue;
      const double log_expected = std::log(expected[o] + (options.spm_constants ? log_floor : 0));
      risk += expected[o] * (log_expected - group.log_preference[o]);
      surprise -= expected[o] * log_expected;
      pragmatic += expected[o] * group.log_preference[o];
    }
    result.risk += risk;
    result.ambiguity += options.spm_constants ? -negative_entropy : ambiguity;
    result.epistemic += surprise + negative_entropy;
    result.pragmatic +=
        options.spm_constants ? pragmatic_by_modality(model, group, beliefs) : pragmatic;
  }
  return result;
}

std::vector<Policy> all_policies(const GenerativeModel& model, std::int64_t horizon) {
  if (horizon < 1) fail<ArgumentError>("[agent] horizon: expected 1 or more, got {}", horizon);
  std::int64_t count = 1;
  for (std::int64_t t = 0; t < horizon; ++t) {
    for (const std::int64_t actions : model.actions()) {
      count *= actions;
      if (count > kMostPolicies) {
        fail<ArgumentError>(
            "[agent] horizon: expected at most 2^20 policies, got more with {} steps; give the "
            "policies that are to be judged, or search in a tree",
            horizon);
      }
      if (actions == 1) continue;
    }
    if (count == 1) break;  // nothing is controlled
  }
  const std::size_t factors = model.actions().size();
  Policy policy(static_cast<std::size_t>(horizon), Action(factors, 0));
  std::vector<Policy> policies;
  for (std::int64_t k = 0; k < count; ++k) {
    policies.push_back(policy);
    for (std::size_t place = policy.size() * factors; place-- > 0;) {
      std::int64_t& action = policy[place / factors][place % factors];
      if (++action < model.actions()[place % factors]) break;
      action = 0;
    }
  }
  return policies;
}

Plan evaluate_policies(const GenerativeModel& model, const Beliefs& beliefs,
                       const std::vector<Policy>& policies, const PlanningOptions& options,
                       const Concentrations& concentrations) {
  check(model, policies, options);
  check_beliefs(model, beliefs, "beliefs");
  const ParameterGains gains(concentrations, options.parameter_gain);
  Plan plan;
  std::size_t longest = 0;
  for (const Policy& policy : policies) longest = std::max(longest, policy.size());
  // After each step of the policy at hand, and the sums up to there.
  std::vector<Beliefs> states(longest + 1);
  std::vector<ExpectedFreeEnergy> sums(longest + 1);
  std::vector<double> expected;
  states[0] = beliefs;
  const Policy* before = nullptr;
  for (const Policy& policy : policies) {
    std::size_t known = 0;
    while (before && known < std::min(policy.size(), before->size()) &&
           policy[known] == (*before)[known]) {
      ++known;
    }
    for (std::size_t t = known; t < policy.size(); ++t) {
      predict(model, states[t], policy[t], states[t + 1]);
      ExpectedFreeEnergy terms = expected_free_energy(model, states[t + 1], options, expected);
      terms.novelty = gains.at(model, states[t], policy[t], states[t + 1]);
      sums[t + 1] = sums[t];
      add(sums[t + 1], terms);
      ++plan.nodes;
    }
    plan.terms.push_back(sums[policy.size()]);
    plan.G.push_back(total(plan.terms.back(), options));
    before = &policy;
  }
  plan.posterior = policy_posterior(plan.G, model.tables().habits, options.precision);
  return plan;
}

std::vector<double> policy_posterior(const std::vector<double>& G,
                                     const std::vector<double>& habits, double precision) {
  std::vector<double> logits;
  for (std::size_t k = 0; k < G.size(); ++k) {
    logits.push_back((habits.empty() ? 0.0 : std::log(habits[k])) - precision * G[k]);
  }
  return softmax(std::move(logits));
}

}  // namespace gaia::agents
