// SPDX-License-Identifier: MIT
#include "anomaly_readout.h"

#include <cmath>

#include "../core/message.h"
#include "../core/names.h"
#include "../core/state_fields.h"

namespace gaia {
namespace {

constexpr NameTable<AnomalyMeasure, 3> kMeasures = {
    {{"reconstruction", AnomalyMeasure::reconstruction},
     {"forecast", AnomalyMeasure::forecast},
     {"mahalanobis", AnomalyMeasure::mahalanobis}}};

}  // namespace

std::string to_string(AnomalyMeasure measure) { return name_of(kMeasures, measure); }

AnomalyMeasure anomaly_measure_from_name(std::string_view name) {
  return from_name(kMeasures, name, "score");
}

std::unique_ptr<ReadoutModel> AnomalyOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<AnomalyReadout>(sizes, *this);
}

AnomalyReadout::AnomalyReadout(const ReadoutSizes& sizes, const AnomalyOptions& options)
    : measure_(options.measure),
      width_(sizes.features),
      channels_(sizes.targets),
      // What is not used is kept small.
      forecast_(measure_ == AnomalyMeasure::forecast ? read() : 1, {}, channels_),
      distance_(measure_ == AnomalyMeasure::mahalanobis ? read() : 1),
      running_(channels_),
      scales_(measure_ == AnomalyMeasure::reconstruction ? static_cast<std::size_t>(read()) : 1) {}

std::vector<double> AnomalyReadout::columns(std::span<const double> rows, std::int64_t begin,
                                            std::int64_t end) const {
  std::vector<double> chosen;
  for (std::int64_t from = 0; from < std::ssize(rows); from += width_) {
    chosen.insert(chosen.end(), rows.begin() + from + begin, rows.begin() + from + end);
  }
  return chosen;
}

void AnomalyReadout::add(std::span<const double> features, std::span<const double> /*targets*/) {
  if (std::ssize(features) % width_ != 0) {
    fail<ShapeError>("[AnomalyReadout] expected rows of {} numbers, got {}", width_,
                     features.size());
  }
  rows_.insert(rows_.end(), features.begin(), features.end());
  running_.add(columns(features, read(), width_));
}

void AnomalyReadout::begin_trial() {
  previous_.clear();
  running_.restart();
  if (!is_solved_) begins_.push_back(std::ssize(rows_) / width_);
}

std::vector<double> AnomalyReadout::errors(std::span<const double> rows,
                                           std::vector<double>& previous) {
  const std::vector<double> numbers = columns(rows, 0, read());
  if (measure_ == AnomalyMeasure::reconstruction) return numbers;
  if (measure_ == AnomalyMeasure::mahalanobis) return distance_.scores(numbers);
  const std::int64_t count = std::ssize(rows) / width_;
  std::vector<double> errors(static_cast<std::size_t>(count), std::nan(""));
  for (std::int64_t row = 0; row < count; ++row) {
    if (!previous.empty()) {
      const std::vector<double> expected = forecast_.predict(previous);
      double square = 0.0;
      for (std::int64_t c = 0; c < channels_; ++c) {
        const double miss = rows[static_cast<std::size_t>(row * width_ + read() + c)] -
                            expected[static_cast<std::size_t>(c)];
        square += miss * miss;
      }
      errors[static_cast<std::size_t>(row)] = square / static_cast<double>(channels_);
    }
    const auto from = numbers.begin() + row * read();
    previous.assign(from, from + read());
  }
  return errors;
}

void AnomalyReadout::solve() {
  if (rows_.empty()) throw DataError("its training part has no ticks");
  const std::int64_t count = std::ssize(rows_) / width_;
  std::vector<std::int64_t> begins = {0};
  for (const std::int64_t begin : begins_) {
    if (begin > begins.back() && begin < count) begins.push_back(begin);
  }
  begins.push_back(count);
  const auto trial = [&](std::size_t k) {
    return std::span<const double>(rows_).subspan(
        static_cast<std::size_t>(begins[k] * width_),
        static_cast<std::size_t>((begins[k + 1] - begins[k]) * width_));
  };
  if (measure_ == AnomalyMeasure::mahalanobis) {
    distance_.add(columns(rows_, 0, read()));
    distance_.solve();
  } else if (measure_ == AnomalyMeasure::forecast) {
    for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
      const std::span<const double> rows = trial(k);
      if (std::ssize(rows) < 2 * width_) continue;
      const auto width = static_cast<std::size_t>(width_);
      forecast_.add(columns(rows.first(rows.size() - width), 0, read()),
                    columns(rows.subspan(width), read(), width_));
    }
    forecast_.solve();
  }
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    std::vector<double> previous;
    const std::vector<double> found = errors(trial(k), previous);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!std::isnan(found[i])) scales_[i % scales_.size()].add({&found[i], 1});
    }
  }
  // What was kept of the training part is over, but for the tick that the next may follow on.
  if (!begins_.empty() && begins_.back() == count) {
    previous_.clear();
  } else {
    const auto last = rows_.end() - width_;
    previous_.assign(last, last + read());
  }
  rows_ = {};
  begins_ = {};
  is_solved_ = true;
}

std::vector<double> AnomalyReadout::predict(std::span<const double> features) {
  const std::vector<double> found = errors(features, previous_);
  const std::vector<double> beside = running_.scores(columns(features, read(), width_));
  std::vector<double> scores;
  const std::size_t scales = scales_.size();
  for (std::size_t row = 0; row < beside.size(); ++row) {
    double score = 0.0;
    for (std::size_t k = 0; k < scales; ++k) {
      const double error = found[row * scales + k];
      // Nothing is known of what cannot be forecast: it is as unusual as the mean.
      if (std::isnan(error)) continue;
      score += scales_[k].scores({&error, 1}).front() / static_cast<double>(scales);
    }
    scores.push_back(score);
    scores.push_back(beside[row]);
  }
  return scores;
}

void AnomalyReadout::set_solution(const ReadoutSolution& /*solution*/) {
  throw ArgumentError("[AnomalyReadout] there are no weights to take over");
}

void AnomalyReadout::fields(auto& self, auto& state) {
  state(self.is_solved_);
  state.list(self.rows_);
  state.list(self.begins_);
  state.list(self.previous_);
  state.part(self.forecast_);
  state.part(self.distance_);
  state.part(self.running_);
  for (auto& scale : self.scales_) state.part(scale);
}

std::vector<double> AnomalyReadout::state() const { return StateFields::of(*this); }

void AnomalyReadout::set_state(std::span<const double> state) {
  StateFields::set(*this, "AnomalyReadout", state);
  if (const std::size_t rows = rows_.size(); std::ssize(rows_) % width_ != 0) {
    rows_ = {};
    fail<ShapeError>("[AnomalyReadout] expected a state with rows of {} numbers, got {} numbers",
                     width_, rows);
  }
}

}  // namespace gaia
