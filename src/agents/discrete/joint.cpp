// SPDX-License-Identifier: MIT
#include "joint.h"

#include <algorithm>
#include <cmath>

#include "../../core/message.h"
#include "../../core/text.h"

namespace gaia::agents {

std::vector<double> joint_beliefs(const std::vector<std::int64_t>& factors,
                                  const Beliefs& beliefs) {
  std::vector<double> joint = {1.0}, longer;
  for (const std::int64_t f : factors) {
    longer.clear();
    for (const double before : joint) {
      for (const double q : beliefs[static_cast<std::size_t>(f)]) longer.push_back(before * q);
    }
    std::swap(joint, longer);
  }
  return joint;
}

std::vector<double> log_likelihood(const GenerativeModel& model, const ModalityGroup& group,
                                   const Observation& observation) {
  std::vector<double> likelihood(static_cast<std::size_t>(group.joint_states), 1.0);
  for (std::size_t k = 0; k < group.modalities.size(); ++k) {
    const auto m = static_cast<std::size_t>(group.modalities[k]);
    if (observation[m] == unobserved) continue;
    const ProbabilityTable& table = model.tables().likelihoods[m];
    const std::size_t columns = table.values.size() / static_cast<std::size_t>(table.shape[0]);
    const double* row = table.values.data() + static_cast<std::size_t>(observation[m]) * columns;
    for (std::size_t s = 0; s < likelihood.size(); ++s) likelihood[s] *= row[group.columns[k][s]];
  }
  for (double& value : likelihood) value = std::log(value + log_floor);
  return likelihood;
}

std::vector<double> mean_over_others(const ModalityGroup& group, const std::vector<double>& values,
                                     const Beliefs& beliefs, std::size_t kept) {
  // One axis after the other is summed over, the last first; the kept one ends up alone.
  std::vector<double> result = values;
  std::size_t after = 1;
  for (std::size_t k = group.factors.size(); k-- > 0;) {
    const auto states = static_cast<std::size_t>(group.states[k]);
    if (k == kept) {
      after = states;
      continue;
    }
    const std::vector<double>& q = beliefs[static_cast<std::size_t>(group.factors[k])];
    const std::size_t before = result.size() / (states * after);
    std::vector<double> shorter(before * after, 0.0);
    for (std::size_t i = 0; i < before; ++i) {
      for (std::size_t s = 0; s < states; ++s) {
        const double* from = result.data() + (i * states + s) * after;
        for (std::size_t j = 0; j < after; ++j) shorter[i * after + j] += q[s] * from[j];
      }
    }
    result = std::move(shorter);
  }
  return result;
}

std::vector<double> softmax(std::vector<double> values) {
  const double most = *std::ranges::max_element(values);
  double sum = 0;
  for (double& value : values) {
    value = std::exp(value - most);
    sum += value;
  }
  for (double& value : values) value /= sum;
  return values;
}

void check_beliefs(const GenerativeModel& model, const Beliefs& beliefs, const std::string& what) {
  const auto refuse = [&](const std::string& expected, const std::string& got) {
    fail<ArgumentError>("[agent] {}: expected {}, got {}", what, expected, got);
  };
  if (beliefs.size() != model.states().size()) {
    refuse(message("probabilities for each of {} factors", model.factors()),
           message("{} lists", beliefs.size()));
  }
  for (std::size_t f = 0; f < beliefs.size(); ++f) {
    const std::string factor = message("for factor {}", f);
    if (static_cast<std::int64_t>(beliefs[f].size()) != model.states()[f]) {
      refuse(message("{} probabilities {}", model.states()[f], factor),
             std::to_string(beliefs[f].size()));
    }
    double sum = 0;
    for (const double q : beliefs[f]) {
      if (!(q >= 0)) refuse("probabilities from 0 on " + factor, number_text(q));
      sum += q;
    }
    if (!(std::abs(sum - 1) <= 1e-6)) {
      refuse("probabilities that sum to 1 " + factor, message("a sum of {}", sum));
    }
  }
}

}  // namespace gaia::agents
