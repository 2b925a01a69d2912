// SPDX-License-Identifier: MIT
// How an agent is saved between two steps, and goes on.
#include <cmath>
#include <string>
#include <utility>

#include "agent.h"

#include "../../core/message.h"

namespace gaia::agents {
namespace {

using Rows = std::vector<std::vector<double>>;
using IntegerRows = std::vector<std::vector<std::int64_t>>;

/// Rows one behind the other, and how long each is.
void put_rows(SavedState& saved, const std::string& name, const Rows& rows) {
  std::vector<double>& lengths = saved[name + "/lengths"];
  std::vector<double>& values = saved[name];
  for (const std::vector<double>& row : rows) {
    lengths.push_back(static_cast<double>(row.size()));
    values.insert(values.end(), row.begin(), row.end());
  }
}

Rows take_rows_of(const SavedState& saved, const std::string& name) {
  const std::vector<double>& values = saved_numbers(saved, name);
  Rows rows;
  std::size_t place = 0;
  for (const double length : saved_numbers(saved, name + "/lengths")) {
    if (!(length >= 0 && length <= static_cast<double>(values.size() - place))) {
      throw ArgumentError("[agent] restore: expected rows of '" + name +
                          "' that fit its numbers, got longer ones");
    }
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(place);
    place += static_cast<std::size_t>(length);
    rows.emplace_back(begin, values.begin() + static_cast<std::ptrdiff_t>(place));
  }
  return rows;
}

Rows as_numbers(const IntegerRows& rows) {
  Rows numbers;
  for (const auto& row : rows) numbers.emplace_back(row.begin(), row.end());
  return numbers;
}

IntegerRows as_integers(const Rows& rows) {
  constexpr double most = 1 << 30;
  IntegerRows integers;
  for (const auto& row : rows) {
    for (const double number : row) {
      if (!(std::abs(number) < most)) {  // NaN too
        fail<ArgumentError>("[agent] restore: expected outcomes and actions, got {}",
                            std::to_string(number));
      }
    }
    integers.emplace_back(row.begin(), row.end());
  }
  return integers;
}

Rows values_of(const std::vector<ProbabilityTable>& tables) {
  Rows rows;
  for (const ProbabilityTable& table : tables) rows.push_back(table.values);
  return rows;
}

/// `name` for messages.
void need_same_sizes(const Rows& now, const Rows& saved, const char* name) {
  bool is_right = now.size() == saved.size();
  for (std::size_t i = 0; is_right && i < now.size(); ++i) {
    is_right = now[i].size() == saved[i].size();
  }
  if (is_right) return;
  fail<ArgumentError>("[agent] restore: expected {} in the sizes of this agent's model, got others",
                      name);
}

void take_values(std::vector<ProbabilityTable>& tables, const Rows& rows, const char* name) {
  need_same_sizes(values_of(tables), rows, name);
  for (std::size_t i = 0; i < tables.size(); ++i) tables[i].values = rows[i];
}

std::string key_of_row(const char* name, std::size_t index) {
  return std::string(name) + "/" + std::to_string(index);
}

}  // namespace

SavedState DiscreteAgent::save() const {
  SavedState saved;
  put_rows(saved, "likelihoods", values_of(concentrations_.likelihoods));
  put_rows(saved, "transitions", values_of(concentrations_.transitions));
  put_rows(saved, "initial", concentrations_.initial);
  put_rows(saved, "observations", as_numbers(observations_));
  put_rows(saved, "actions", as_numbers(actions_));
  put_rows(saved, "prior", prior_);
  put_rows(saved, "beliefs", beliefs_);
  put_rows(saved, "led_by", as_numbers({led_by_}));
  put_rows(saved, "last_pair", last_pair_);
  put_rows(saved, "beginning", beginning_.value_or(Beliefs()));
  for (std::size_t t = 0; t < window_beliefs_.size(); ++t) {
    put_rows(saved, key_of_row("window", t), window_beliefs_[t]);
  }
  saved["numbers"] = {static_cast<double>(window_beliefs_.size()),
                      beginning_ ? 1.0 : 0.0,
                      has_left_beginning_ ? 1.0 : 0.0,
                      free_energy_,
                      static_cast<double>(iterations_),
                      static_cast<double>(draws_)};
  return saved;
}

void DiscreteAgent::restore(const SavedState& saved, Plan last_plan) {
  if (!last_plan.posterior.empty() && last_plan.posterior.size() != policies_.size()) {
    fail<ArgumentError>("[agent] restore: expected a plan of {} policies, got {}", policies_.size(),
                        last_plan.posterior.size());
  }
  DiscreteAgent restored = *this;
  restored.take_saved(saved);
  restored.plan_ = std::move(last_plan);
  *this = std::move(restored);
}

void DiscreteAgent::take_saved(const SavedState& saved) {
  const std::vector<double>& numbers = saved_numbers(saved, "numbers", 6);
  const auto take_beliefs = [&](const std::string& name) {
    Rows beliefs = take_rows_of(saved, name);
    need_same_sizes(beliefs_, beliefs, name.c_str());
    return beliefs;
  };
  beliefs_ = take_beliefs("beliefs");
  const Rows initial = take_rows_of(saved, "initial");
  need_same_sizes(concentrations_.initial, initial, "initial");
  take_values(concentrations_.likelihoods, take_rows_of(saved, "likelihoods"), "likelihoods");
  take_values(concentrations_.transitions, take_rows_of(saved, "transitions"), "transitions");
  concentrations_.initial = initial;
  set_to_means(model_, concentrations_);
  observations_ = as_integers(take_rows_of(saved, "observations"));
  actions_ = as_integers(take_rows_of(saved, "actions"));
  for (const Observation& observation : observations_) model_.check_observation(observation);
  for (const Action& action : actions_) model_.check_action(action);
  if (actions_.size() != observations_.size() && actions_.size() + 1 != observations_.size()) {
    fail<ArgumentError>(
        "[agent] restore: expected an action after each of {} observations but perhaps the last, "
        "got {}",
        observations_.size(), actions_.size());
  }
  prior_ = take_rows_of(saved, "prior");
  if (!prior_.empty()) need_same_sizes(beliefs_, prior_, "prior");  // empty before any observation
  led_by_.clear();
  for (Action& action : as_integers(take_rows_of(saved, "led_by"))) led_by_ = std::move(action);
  if (!led_by_.empty()) model_.check_action(led_by_);
  last_pair_ = take_rows_of(saved, "last_pair");
  if (!last_pair_.empty()) {
    Rows pair;
    for (const std::vector<double>& belief : beliefs_) {
      pair.emplace_back(belief.size() * belief.size());
    }
    need_same_sizes(pair, last_pair_, "last_pair");
  }
  window_beliefs_.clear();
  for (std::size_t t = 0; static_cast<double>(t) < numbers[0]; ++t) {
    window_beliefs_.push_back(take_beliefs(key_of_row("window", t)));
  }
  beginning_.reset();
  if (numbers[1] != 0) beginning_ = take_beliefs("beginning");
  has_left_beginning_ = numbers[2] != 0;
  free_energy_ = numbers[3];
  iterations_ = static_cast<std::int64_t>(numbers[4]);
  draws_ = static_cast<std::uint64_t>(numbers[5]);
}

}  // namespace gaia::agents
