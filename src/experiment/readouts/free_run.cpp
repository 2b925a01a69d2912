// SPDX-License-Identifier: MIT
#include "free_run.h"

#include <algorithm>
#include <cmath>

#include "../../core/state_fields.h"

namespace gaia {
namespace {

constexpr double kNotSaid = std::numeric_limits<double>::quiet_NaN();

}  // namespace

FreeRun::FreeRun(const FreeRunConfig& config, std::int64_t outputs)
    : config_(config), sums_(static_cast<std::size_t>(outputs)) {
  prediction_.assign(place(config_.starts.size(), 0), kNotSaid);
  target_ = prediction_;
}

bool FreeRun::starts_at(std::int64_t step) const {
  return std::binary_search(config_.starts.begin(), config_.starts.end(), step);
}

void FreeRun::see(std::int64_t first, std::span<const double> came) {
  const std::size_t outputs = sums_.size();
  const auto steps = static_cast<std::int64_t>(came.size() / outputs);
  for (std::int64_t i = 0; i < steps; ++i) {
    for (std::size_t k = 0; k < outputs; ++k) {
      const double value = came[static_cast<std::size_t>(i) * outputs + k];
      if (std::isnan(value)) continue;
      Sums& sums = sums_[k];
      if (sums.count == 0.0) sums.first = value;
      sums.count += 1.0;
      sums.sum += value - sums.first;
      sums.square += (value - sums.first) * (value - sums.first);
    }
  }
  for (std::size_t s = 0; s < config_.starts.size(); ++s) {
    const std::int64_t start = config_.starts[s];
    const std::int64_t begin = std::max(first, start);
    const std::int64_t end = std::min(first + steps, start + config_.steps);
    if (begin >= end) continue;
    const auto rows = static_cast<std::size_t>(end - begin) * outputs;
    std::copy_n(came.begin() + (begin - first) * static_cast<std::int64_t>(outputs), rows,
                target_.begin() + static_cast<std::ptrdiff_t>(place(s, begin - start)));
  }
  seen_ = first + steps;
}

void FreeRun::go_on(std::int64_t start, double largest, const Say& say) {
  const auto found = std::lower_bound(config_.starts.begin(), config_.starts.end(), start);
  if (found == config_.starts.end() || *found != start) return;
  const auto s = static_cast<std::size_t>(found - config_.starts.begin());
  std::vector<double> said;
  for (std::int64_t step = 0; step < config_.steps; ++step) {
    said = say(said);
    const bool can_go_on = std::all_of(said.begin(), said.end(),
                                       [&](double value) { return std::abs(value) <= largest; });
    if (!can_go_on) return;
    std::copy(said.begin(), said.end(),
              prediction_.begin() + static_cast<std::ptrdiff_t>(place(s, step)));
  }
}

std::size_t FreeRun::ended() const {
  const auto end =
      std::upper_bound(config_.starts.begin(), config_.starts.end(), seen_ - config_.steps);
  return static_cast<std::size_t>(end - config_.starts.begin());
}

double FreeRun::variance() const {
  double variance = 0.0;
  for (const Sums& sums : sums_) {
    const double mean = sums.sum / sums.count;
    variance += std::max(0.0, sums.square / sums.count - mean * mean);
  }
  return variance;
}

double FreeRun::square_error(std::size_t start, std::int64_t step) const {
  const std::size_t at = place(start, step);
  double sum = 0.0;
  bool is_said = true;
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    if (std::isnan(target_[at + k])) return kNotSaid;
    is_said = is_said && !std::isnan(prediction_[at + k]);
    const double error = prediction_[at + k] - target_[at + k];
    sum += error * error;
  }
  return is_said ? sum : std::numeric_limits<double>::infinity();
}

std::int64_t FreeRun::valid_steps(std::size_t start, double variance) const {
  const double most = config_.threshold * config_.threshold * variance;
  std::int64_t step = 0;
  while (step < config_.steps && !(square_error(start, step) > most)) ++step;
  return step;
}

double FreeRun::error(std::int64_t step, double variance) const {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t s = 0; s < ended(); ++s) {
    const double square = square_error(s, step);
    if (std::isnan(square)) continue;
    sum += square;
    count += 1.0;
  }
  return std::sqrt(sum / count / variance);
}

FreeRunScore FreeRun::score() const {
  FreeRunScore score;
  const std::size_t starts = ended();
  const double variance = this->variance();
  if (starts == 0 || !(variance > 0.0)) return score;
  score.nrmse_at = error(config_.scored_at() - 1, variance);
  score.valid_steps = 0.0;
  for (std::size_t s = 0; s < starts; ++s) {
    score.valid_steps += static_cast<double>(valid_steps(s, variance));
  }
  score.valid_steps /= static_cast<double>(starts);
  return score;
}

FreeRun::Table FreeRun::table() const {
  Table table{.steps = config_.steps, .outputs = std::ssize(sums_)};
  const std::size_t starts = ended();
  const auto numbers = static_cast<std::ptrdiff_t>(place(starts, 0));
  table.starts.assign(config_.starts.begin(),
                      config_.starts.begin() + static_cast<std::ptrdiff_t>(starts));
  table.prediction.assign(prediction_.begin(), prediction_.begin() + numbers);
  table.target.assign(target_.begin(), target_.begin() + numbers);
  const double variance = this->variance();
  for (std::size_t s = 0; s < starts; ++s) table.valid_steps.push_back(valid_steps(s, variance));
  for (std::int64_t step = 0; step < config_.steps; ++step) {
    table.error.push_back(error(step, variance));
  }
  return table;
}

void FreeRun::fields(auto& self, auto& state) {
  state(self.seen_);
  for (auto& sums : self.sums_) state(sums.count, sums.first, sums.sum, sums.square);
  state(self.prediction_, self.target_);
}

std::vector<double> FreeRun::state() const { return StateFields::of(*this); }

void FreeRun::set_state(std::span<const double> state) {
  StateFields::set(*this, "FreeRun", state);
}

}  // namespace gaia
