// SPDX-License-Identifier: MIT
#include "window_scores.h"

#include "../../core/state_fields.h"

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

void WindowScores::fields(auto& self, auto& state) {
  auto windows = self.ended_.steps.size();
  state(self.ticks_, self.last_step_, windows);
  state.numbers(self.ended_.steps, windows);
  for (auto& [name, values] : self.ended_.scores) state.numbers(values, windows);
  state.rest(*self.scorer_);
}

std::vector<double> WindowScores::state() const { return StateFields::of(*this); }

void WindowScores::set_state(std::span<const double> state) {
  scorer_ = make_();
  StateFields::set(*this, "WindowScores", state);
}

}  // namespace gaia
