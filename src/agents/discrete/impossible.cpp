// SPDX-License-Identifier: MIT
#include "impossible.h"

#include <algorithm>
#include <vector>

#include "../../core/message.h"
#include "joint.h"

namespace gaia::agents {
namespace {

/// P(outcome | column) of every column of a modality's table.
const double* row_of(const ProbabilityTable& table, std::int64_t outcome) {
  const std::size_t columns = table.values.size() / static_cast<std::size_t>(table.shape[0]);
  return table.values.data() + static_cast<std::size_t>(outcome) * columns;
}

std::string outcome_text(const Observation& observation, std::size_t modality) {
  return message("outcome {} of modality {}", observation[modality], modality);
}

/// "outcome 1 of modality 0 and outcome 2 of modality 1 together"
std::string outcomes_text(const Observation& observation, const std::vector<std::size_t>& seen) {
  std::string text;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    text += (i == 0                 ? ""
             : i + 1 == seen.size() ? " and "
                                    : ", ") +
            outcome_text(observation, seen[i]);
  }
  return text + (seen.size() > 1 ? " together have" : " has");
}

}  // namespace

std::string why_impossible(const GenerativeModel& model, const Observation& observation,
                           const Beliefs& expected) {
  for (const ModalityGroup& group : model.groups()) {
    std::vector<double> likelihood(static_cast<std::size_t>(group.joint_states), 1.0);
    std::vector<std::size_t> seen;
    for (std::size_t k = 0; k < group.modalities.size(); ++k) {
      const auto m = static_cast<std::size_t>(group.modalities[k]);
      if (observation[m] == unobserved) continue;
      seen.push_back(m);
      const double* const row = row_of(model.tables().likelihoods[m], observation[m]);
      bool is_possible = false;
      for (std::size_t s = 0; s < likelihood.size(); ++s) {
        const double p = row[group.columns[k][s]];
        is_possible = is_possible || p > 0;
        likelihood[s] *= p;
      }
      if (!is_possible) {
        return message("{} has probability 0 under every state (likelihoods[{}])",
                       outcome_text(observation, m), m);
      }
    }
    if (seen.empty()) continue;
    if (std::ranges::none_of(likelihood, [](double p) { return p > 0; })) {
      return outcomes_text(observation, seen) + " probability 0 under every state";
    }
    if (expected.empty()) continue;
    const std::vector<double> prior = joint_beliefs(group.factors, expected);
    double probability = 0;
    for (std::size_t s = 0; s < prior.size(); ++s) probability += prior[s] * likelihood[s];
    if (probability < kImpossible) {
      return outcomes_text(observation, seen) +
             " probability 0 in every state that was expected "
             "of this step (initial, transitions)";
    }
  }
  return {};
}

}  // namespace gaia::agents
