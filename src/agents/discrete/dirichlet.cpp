// SPDX-License-Identifier: MIT
#include "dirichlet.h"

#include <cmath>
#include <utility>

#include "joint.h"

namespace gaia::agents {
namespace {

using List = std::vector<double>;

/// c <- c0 + (1 - w) (c - c0), and x more where the concentration is above 0.
class Counter {
 public:
  Counter(List& counts, const List& prior, double forgetting) : counts_(counts) {
    if (forgetting == 0) return;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      counts[k] = prior[k] + (1 - forgetting) * (counts[k] - prior[k]);
    }
  }
  void add(std::size_t place, double x) {
    if (counts_[place] > 0) counts_[place] += x;
  }

 private:
  List& counts_;
};

/// Beliefs about the columns of a modality's table.
List column_beliefs(const GenerativeModel& model, std::size_t modality, const Beliefs& beliefs) {
  return joint_beliefs(model.tables().depends_on[modality], beliefs);
}

std::vector<List> gains(const std::vector<ProbabilityTable>& tables, ParameterGain kind) {
  std::vector<List> all;
  for (const ProbabilityTable& table : tables) {
    const auto rows = static_cast<std::size_t>(table.shape[0]);
    const std::size_t columns = table.values.size() / rows;
    const bool is_exact = kind == ParameterGain::exact;
    List& gain = all.emplace_back(is_exact ? columns : table.values.size(), 0.0);
    for (std::size_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (std::size_t o = 0; o < rows; ++o) sum += table.values[o * columns + c];
      for (std::size_t o = 0; o < rows; ++o) {
        const double a = table.values[o * columns + c];
        if (!(a > 0)) continue;
        if (is_exact) {
          gain[c] += a / sum * (digamma(a + 1) - digamma(sum + 1) - std::log(a / sum));
        } else {
          gain[o * columns + c] = 1 / a - 1 / sum;
        }
      }
    }
  }
  return all;
}

}  // namespace

double digamma(double x) {
  // Upwards by psi(x) = psi(x + 1) - 1 / x to where the asymptotic series is good.
  double below = 0;
  for (; x < 10; ++x) below += 1 / x;
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 - r * (1.0 / 120 -
                           r * (1.0 / 252 -
                                r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12))))));
  return std::log(x) - 0.5 / x - series - below;
}

void set_to_means(GenerativeModel& model, const Concentrations& concentrations) {
  const auto means = [](const std::vector<ProbabilityTable>& counts) {
    std::vector<ProbabilityTable> tables;
    for (const ProbabilityTable& table : counts) tables.push_back(normalised(table));
    return tables;
  };
  if (!concentrations.likelihoods.empty()) model.set_likelihoods(means(concentrations.likelihoods));
  if (!concentrations.transitions.empty()) model.set_transitions(means(concentrations.transitions));
  if (!concentrations.initial.empty()) {
    std::vector<List> initial;
    for (const List& one : concentrations.initial) {
      initial.push_back(normalised({{static_cast<std::int64_t>(one.size())}, one}).values);
    }
    model.set_initial(std::move(initial));
  }
}

void count_outcomes(std::vector<ProbabilityTable>& counts,
                    const std::vector<ProbabilityTable>& prior, const GenerativeModel& model,
                    const Observation& observation, const Beliefs& beliefs,
                    const DirichletOptions& options) {
  for (std::size_t m = 0; m < counts.size(); ++m) {
    Counter counter(counts[m].values, prior[m].values, options.forgetting);
    if (observation[m] == unobserved) continue;
    const List q = column_beliefs(model, m, beliefs);
    const std::size_t row = static_cast<std::size_t>(observation[m]) * q.size();
    for (std::size_t c = 0; c < q.size(); ++c) counter.add(row + c, options.likelihood_rate * q[c]);
  }
}

void count_transitions(std::vector<ProbabilityTable>& counts,
                       const std::vector<ProbabilityTable>& prior, const Action& action,
                       const std::vector<List>& pairs, const DirichletOptions& options) {
  for (std::size_t f = 0; f < counts.size(); ++f) {
    Counter counter(counts[f].values, prior[f].values, options.forgetting);
    const auto actions = static_cast<std::size_t>(counts[f].shape[2]);
    for (std::size_t k = 0; k < pairs[f].size(); ++k) {
      counter.add(k * actions + static_cast<std::size_t>(action[f]),
                  options.transition_rate * pairs[f][k]);
    }
  }
}

void count_initial(std::vector<List>& counts, const std::vector<List>& prior,
                   const Beliefs& beliefs, const DirichletOptions& options) {
  for (std::size_t f = 0; f < counts.size(); ++f) {
    Counter counter(counts[f], prior[f], options.forgetting);
    for (std::size_t s = 0; s < counts[f].size(); ++s) {
      counter.add(s, options.initial_rate * beliefs[f][s]);
    }
  }
}

ParameterGains::ParameterGains(const Concentrations& concentrations, ParameterGain kind)
    : kind_(kind) {
  if (kind == ParameterGain::none) return;
  likelihoods_ = gains(concentrations.likelihoods, kind);
  transitions_ = gains(concentrations.transitions, kind);
}

double ParameterGains::at(const GenerativeModel& model, const Beliefs& before, const Action& action,
                          const Beliefs& beliefs) const {
  if (kind_ == ParameterGain::none) return 0;
  double gain = 0;
  for (std::size_t m = 0; m < likelihoods_.size(); ++m) {
    const List q = column_beliefs(model, m, beliefs);
    if (kind_ == ParameterGain::exact) {
      for (std::size_t c = 0; c < q.size(); ++c) gain += q[c] * likelihoods_[m][c];
      continue;
    }
    const List& a = model.tables().likelihoods[m].values;
    for (std::size_t row = 0; row < a.size(); row += q.size()) {
      double probability = 0, weight = 0;
      for (std::size_t c = 0; c < q.size(); ++c) {
        probability += a[row + c] * q[c];
        weight += likelihoods_[m][row + c] * q[c];
      }
      gain += probability * weight;
    }
  }
  for (std::size_t f = 0; f < transitions_.size(); ++f) {
    const auto actions = static_cast<std::size_t>(model.actions()[f]);
    const auto u = static_cast<std::size_t>(action[f]);
    const std::size_t states = before[f].size();
    for (std::size_t s = 0; s < states; ++s) {
      if (kind_ == ParameterGain::exact) {
        gain += before[f][s] * transitions_[f][s * actions + u];
        continue;
      }
      for (std::size_t next = 0; next < states; ++next) {
        gain +=
            beliefs[f][next] * before[f][s] * transitions_[f][(next * states + s) * actions + u];
      }
    }
  }
  return gain;
}

}  // namespace gaia::agents
