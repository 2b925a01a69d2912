// SPDX-License-Identifier: MIT
#include "window_scores.h"

#include "../../core/message.h"

namespace gaia {

WindowScores::WindowScores(std::int64_t every, MakeScorer make)
    : every_(every), make_(std::move(make)), scorer_(make_()) {
  for (const auto& [name, value] : scorer_->score().numbers()) ended_.scores.emplace_back(name, 0);
}

void WindowScores::add(std::int64_t step, const Scorer::Row* row) {
  if (row != nullptr) scorer_->add(*row);
  last_step_ = step;
  if (++ticks_ < every_) return;
  end_window(ended_);
  scorer_ = make_();
  ticks_ = 0;
}

void WindowScores::end_window(Table& table) const {
  table.steps.push_back(last_step_);
  const auto numbers = scorer_->score().numbers();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    table.scores[k].second.push_back(numbers[k].second);
  }
}

WindowScores::Table WindowScores::table() const {
  Table table = ended_;
  if (ticks_ > 0) end_window(table);
  return table;
}

std::vector<double> WindowScores::state() const {
  std::vector<double> state = {static_cast<double>(ticks_), static_cast<double>(last_step_),
                               static_cast<double>(ended_.steps.size())};
  state.insert(state.end(), ended_.steps.begin(), ended_.steps.end());
  for (const auto& [name, values] : ended_.scores) {
    state.insert(state.end(), values.begin(), values.end());
  }
  const std::vector<double> open = scorer_->state();
  state.insert(state.end(), open.begin(), open.end());
  return state;
}

void WindowScores::set_state(std::span<const double> state) {
  constexpr std::size_t kNumbers = 3;
  const std::size_t windows = state.size() < kNumbers ? 0 : static_cast<std::size_t>(state[2]);
  const std::size_t least = kNumbers + windows * (1 + ended_.scores.size());
  if (state.size() < least) {
    fail<ShapeError>("[WindowScores] expected a state of at least {} numbers, got {}", least,
                     state.size());
  }
  ticks_ = static_cast<std::int64_t>(state[0]);
  last_step_ = static_cast<std::int64_t>(state[1]);
  state = state.subspan(kNumbers);
  const auto take = [&] {
    const std::span<const double> part = state.first(windows);
    state = state.subspan(windows);
    return part;
  };
  const std::span<const double> steps = take();
  ended_.steps.assign(steps.begin(), steps.end());
  for (auto& [name, values] : ended_.scores) {
    const std::span<const double> numbers = take();
    values.assign(numbers.begin(), numbers.end());
  }
  scorer_ = make_();
  scorer_->set_state(state);
}

}  // namespace gaia
