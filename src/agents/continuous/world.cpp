// SPDX-License-Identifier: MIT
#include "world.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/finite.h"
#include "../../core/message.h"

namespace gaia::agents {
ContinuousWorld::ContinuousWorld(ContinuousDynamics dynamics, RandomStream random)
    : dynamics_(std::move(dynamics)), random_(random) {
  const std::string& name = dynamics_.name;
  require(!dynamics_.observation_names.empty() && !dynamics_.action_names.empty(),
          "[{}] expected one observation or more and one action or more, got none", name);
  const std::size_t actions = dynamics_.action_names.size();
  require(dynamics_.action_low.size() == actions && dynamics_.action_high.size() == actions,
          "[{}] bounds: expected one on each side of {} actions, got {} and {}", name, actions,
          dynamics_.action_low.size(), dynamics_.action_high.size());
  for (std::size_t a = 0; a < actions; ++a) {
    const double low = dynamics_.action_low[a], high = dynamics_.action_high[a];
    require(std::isfinite(low) && std::isfinite(high) && low < high,
            "[{}] bounds of {}: expected two finite numbers, the lower first, got {} and {}", name,
            dynamics_.action_names[a], low, high);
  }
  require(!dynamics_.start_low.empty() && dynamics_.start_low.size() == dynamics_.start_high.size(),
          "[{}] start: expected two bounds for each of one variable or more, got {} and {}", name,
          dynamics_.start_low.size(), dynamics_.start_high.size());
  for (std::size_t v = 0; v < dynamics_.start_low.size(); ++v) {
    const double low = dynamics_.start_low[v], high = dynamics_.start_high[v];
    require(std::isfinite(low) && std::isfinite(high) && low <= high,
            "[{}] start: expected two finite numbers, the lower first, got {} and {}", name, low,
            high);
  }
  require(dynamics_.max_steps >= 1, "[{}] max_steps: expected 1 or more, got {}", name,
          dynamics_.max_steps);
  require(dynamics_.change != nullptr && dynamics_.observe != nullptr,
          "[{}] expected functions `change` and `observe`, got none", name);
}

std::vector<double> ContinuousWorld::reset() {
  const std::size_t size = dynamics_.start_low.size();
  std::vector<double> variables(size);
  random_.uniforms(state_.draws, variables);
  for (std::size_t v = 0; v < size; ++v) {
    const double low = dynamics_.start_low[v], high = dynamics_.start_high[v];
    variables[v] = low + (high - low) * variables[v];
  }
  state_ = {.variables = std::move(variables), .steps = 0, .draws = state_.draws + size};
  return observe();
}

ContinuousStep ContinuousWorld::step(std::span<const double> action) {
  need_beginning("step");
  if (is_done()) {
    fail<ArgumentError>(
        "[{}] step: expected an episode that goes on, got one that is over; reset() begins another",
        dynamics_.name);
  }
  if (std::ssize(action) != action_size() || !are_finite(action)) {
    fail<ArgumentError>("[{}] step: expected {} finite numbers, got {}{}", dynamics_.name,
                        action_size(), action.size(), are_finite(action) ? "" : ", not all finite");
  }
  const ContinuousDynamics::Change change = dynamics_.change(state_.variables, action);
  ++state_.steps;
  state_.is_terminal = change.is_terminal;
  return {.observation = observe(), .reward = change.reward, .is_done = is_done()};
}

void ContinuousWorld::set_state(ContinuousWorldState state) {
  if (!state.variables.empty() && state.variables.size() != dynamics_.start_low.size()) {
    fail<ArgumentError>("[{}] set_state: expected {} variables, got {}", dynamics_.name,
                        dynamics_.start_low.size(), state.variables.size());
  }
  if (!are_finite(state.variables) || state.steps < 0) {
    fail<ArgumentError>(
        "[{}] set_state: expected finite variables and 0 steps or more, got other ones",
        dynamics_.name);
  }
  state_ = std::move(state);
}

std::vector<double> ContinuousWorld::observe() const {
  need_beginning("observe");
  return dynamics_.observe(state_.variables);
}

void ContinuousWorld::need_beginning(const char* function) const {
  if (!state_.variables.empty()) return;
  fail<ArgumentError>("[{}] {}: expected an episode that has begun, got none; call reset() first",
                      dynamics_.name, function);
}

}  // namespace gaia::agents
