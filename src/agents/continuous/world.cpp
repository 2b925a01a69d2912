// SPDX-License-Identifier: MIT
#include "world.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/error.h"
#include "../../core/text.h"

namespace gaia::agents {
namespace {

bool are_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

std::string message(const ContinuousDynamics& dynamics, const std::string& text) {
  return "[" + dynamics.name + "] " + text;
}

}  // namespace

ContinuousWorld::ContinuousWorld(ContinuousDynamics dynamics, RandomStream random)
    : dynamics_(std::move(dynamics)), random_(random) {
  const auto need = [&](bool is_right, const std::string& text) {
    if (!is_right) throw ArgumentError(message(dynamics_, text));
  };
  need(!dynamics_.observation_names.empty() && !dynamics_.action_names.empty(),
       "expected one observation or more and one action or more, got none");
  const std::size_t actions = dynamics_.action_names.size();
  need(dynamics_.action_low.size() == actions && dynamics_.action_high.size() == actions,
       "bounds: expected one on each side of " + std::to_string(actions) + " actions, got " +
           std::to_string(dynamics_.action_low.size()) + " and " +
           std::to_string(dynamics_.action_high.size()));
  for (std::size_t a = 0; a < actions; ++a) {
    const double low = dynamics_.action_low[a], high = dynamics_.action_high[a];
    need(std::isfinite(low) && std::isfinite(high) && low < high,
         "bounds of " + dynamics_.action_names[a] + ": expected two finite numbers, the lower " +
             "first, got " + number_text(low) + " and " + number_text(high));
  }
  need(!dynamics_.start_low.empty() && dynamics_.start_low.size() == dynamics_.start_high.size(),
       "start: expected two bounds for each of one variable or more, got " +
           std::to_string(dynamics_.start_low.size()) + " and " +
           std::to_string(dynamics_.start_high.size()));
  for (std::size_t v = 0; v < dynamics_.start_low.size(); ++v) {
    const double low = dynamics_.start_low[v], high = dynamics_.start_high[v];
    need(std::isfinite(low) && std::isfinite(high) && low <= high,
         "start: expected two finite numbers, the lower first, got " + number_text(low) + " and " +
             number_text(high));
  }
  need(dynamics_.max_steps >= 1,
       "max_steps: expected 1 or more, got " + std::to_string(dynamics_.max_steps));
  need(dynamics_.change != nullptr && dynamics_.observe != nullptr,
       "expected functions `change` and `observe`, got none");
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
    throw ArgumentError(message(dynamics_,
                                "step: expected an episode that goes on, got one that is "
                                "over; reset() begins another"));
  }
  if (std::ssize(action) != action_size() || !are_finite(action)) {
    throw ArgumentError(message(dynamics_, "step: expected " + std::to_string(action_size()) +
                                               " finite numbers, got " +
                                               std::to_string(action.size()) +
                                               (are_finite(action) ? "" : ", not all finite")));
  }
  const ContinuousDynamics::Change change = dynamics_.change(state_.variables, action);
  ++state_.steps;
  state_.is_terminal = change.is_terminal;
  return {.observation = observe(), .reward = change.reward, .is_done = is_done()};
}

void ContinuousWorld::set_state(ContinuousWorldState state) {
  if (!state.variables.empty() && state.variables.size() != dynamics_.start_low.size()) {
    throw ArgumentError(
        message(dynamics_, "set_state: expected " + std::to_string(dynamics_.start_low.size()) +
                               " variables, got " + std::to_string(state.variables.size())));
  }
  if (!are_finite(state.variables) || state.steps < 0) {
    throw ArgumentError(message(
        dynamics_, "set_state: expected finite variables and 0 steps or more, got other ones"));
  }
  state_ = std::move(state);
}

std::vector<double> ContinuousWorld::observe() const {
  need_beginning("observe");
  return dynamics_.observe(state_.variables);
}

void ContinuousWorld::need_beginning(const char* function) const {
  if (!state_.variables.empty()) return;
  throw ArgumentError(message(dynamics_, std::string(function) +
                                             ": expected an episode that has begun, got none; call "
                                             "reset() first"));
}

}  // namespace gaia::agents
