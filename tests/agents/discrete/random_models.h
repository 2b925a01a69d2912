// SPDX-License-Identifier: MIT
/// \file
/// Models of every size for tests of agents, and loops over their joint states.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../../../src/agents/discrete/generative_model.h"
#include "../../../src/core/random.h"

namespace gaia::test {

using namespace agents;

/// Positive random numbers in a shape.
inline ProbabilityTable random_table(std::vector<std::int64_t> shape, RandomStream random) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  ProbabilityTable table{std::move(shape), std::vector<double>(static_cast<std::size_t>(size))};
  random.uniforms(0, table.values);
  for (double& value : table.values) value = 0.02 + value * value;
  return normalised(table);
}

/// Tables with these numbers of states and actions of each factor and outcomes of each modality.
inline ModelTables random_tables(const std::vector<std::int64_t>& states,
                                 const std::vector<std::int64_t>& actions,
                                 const std::vector<std::int64_t>& outcomes, std::uint64_t seed) {
  ModelTables tables;
  std::uint64_t stream = 1;
  for (const std::int64_t count : outcomes) {
    std::vector<std::int64_t> shape = {count};
    shape.insert(shape.end(), states.begin(), states.end());
    tables.likelihoods.push_back(random_table(shape, {seed, stream++}));
    std::vector<double> c(static_cast<std::size_t>(count));
    RandomStream{seed, stream++}.normals(0, c);
    tables.preferences.push_back(c);
  }
  for (std::size_t f = 0; f < states.size(); ++f) {
    tables.transitions.push_back(
        random_table({states[f], states[f], actions[f]}, {seed, stream++}));
    tables.initial.push_back(random_table({states[f]}, {seed, stream++}).values);
  }
  return tables;
}

/// Calls `visit` with every combination of numbers below `counts`, the last running fastest.
inline void for_each_joint(const std::vector<std::int64_t>& counts,
                           const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  std::vector<std::int64_t> digits(counts.size(), 0);
  for (;;) {
    visit(digits);
    std::size_t k = counts.size();
    while (k > 0 && ++digits[k - 1] == counts[k - 1]) digits[--k] = 0;
    if (k == 0) return;
  }
}

/// Entry of a table whose first place is `row` and whose others are the states of some factors.
inline double entry(const ProbabilityTable& table, std::int64_t row,
                    const std::vector<std::int64_t>& state,
                    const std::vector<std::int64_t>& factors) {
  std::int64_t place = row;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    place = place * table.shape[k + 1] + state[static_cast<std::size_t>(factors[k])];
  }
  return table.values[static_cast<std::size_t>(place)];
}

/// P(observation | joint state).
inline double likelihood(const GenerativeModel& model, const Observation& observation,
                         const std::vector<std::int64_t>& state) {
  double p = 1;
  for (std::size_t m = 0; m < observation.size(); ++m) {
    if (observation[m] == unobserved) continue;
    p *= entry(model.tables().likelihoods[m], observation[m], state, model.tables().depends_on[m]);
  }
  return p;
}

/// P(next | state, action) of a factor.
inline double transition(const GenerativeModel& model, std::size_t factor, std::int64_t next,
                         std::int64_t state, std::int64_t action) {
  const ProbabilityTable& b = model.tables().transitions[factor];
  return b.values[static_cast<std::size_t>((next * b.shape[1] + state) * b.shape[2] + action)];
}

}  // namespace gaia::test
