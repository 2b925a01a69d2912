// SPDX-License-Identifier: MIT
// Readouts that tell of changes, and what they hear of others.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "../../core/text.h"
#include "../../io/checkpoint_file.h"
#include "../../learning/detection_readout.h"
#include "readout.h"

namespace gaia {
namespace {

constexpr std::size_t kMostToldChanges = 5;
constexpr std::size_t kNumbersOfMiss = 5;
constexpr std::size_t kNumbersOfChange = 4;

/// A whole number of 64 bits as two doubles.
void put_halves(std::vector<double>& to, std::int64_t number) {
  const std::int64_t high = number >> 32;
  to.push_back(static_cast<double>(high));
  to.push_back(static_cast<double>(number - (high << 32)));
}

std::int64_t from_halves(double high, double low) {
  return (static_cast<std::int64_t>(high) << 32) + static_cast<std::int64_t>(low);
}

}  // namespace

void Readout::note_target_times(const ReadoutRows& rows, const SampleReader& samples) {
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    const std::int64_t number = rows.first + row;
    if (!contains(ticks().test(), number) && !contains(ticks().validation(), number)) continue;
    const std::int64_t step = rows.steps[static_cast<std::size_t>(row)];
    const std::int64_t target = step + config_.target.horizon;
    std::int64_t time = rows.times[static_cast<std::size_t>(row)];
    if (config_.target.horizon > 0 && target < samples.trial().end()) {
      if (const auto times = samples.times(target, 1)) {
        time = std::visit([](const auto& all) { return std::bit_cast<std::int64_t>(all.front()); },
                          *times);
      }
    }
    target_times_.emplace_back(step, time);
  }
}

void Readout::note_miss(const ReadoutRows& rows, std::int64_t row,
                        std::span<const double> prediction, bool is_validation) {
  const std::int64_t step = rows.steps[static_cast<std::size_t>(row)];
  const auto found = std::find_if(target_times_.begin(), target_times_.end(),
                                  [&](const auto& one) { return one.first == step; });
  Miss miss{.step = step, .is_test = !is_validation};
  if (found != target_times_.end()) {
    miss.time = found->second;
    // They are scored in the order of their steps.
    target_times_.erase(target_times_.begin(), found + 1);
  }
  // Where the trial ends first, the target never comes.
  if (step + config_.target.horizon >= reader_.trials().at(step).end()) return;
  miss.error =
      error_of_prediction(config_.task(), prediction.first(static_cast<std::size_t>(predicted_)),
                          rows_between(rows.targets, row, row + 1, reader_.targets()));
  misses_.push_back(miss);
}

void Readout::add_watched(std::int64_t step, std::int64_t time, std::span<const double> told,
                          Added& added) {
  const std::size_t series = told.size() / 3;
  added.values.resize(3);
  added.steps.push_back(step);
  ++added_;
  if (time_kind_ != SampleReader::TimeKind::none) add_time(time, added);
  for (std::size_t part = 0; part < 3; ++part) {
    const auto numbers = told.subspan(part * series, series);
    added.values[part].insert(added.values[part].end(), numbers.begin(), numbers.end());
  }
  for (std::size_t k = 0; k < series; ++k) {
    if (told[k] == 0.0) continue;
    changes_.push_back(
        {step, static_cast<std::int64_t>(k), told[series + k], told[2 * series + k]});
  }
}

Readout::Added Readout::watch_rows(const ReadoutRows& rows) {
  Added added;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    if (!contains(ticks().test(), rows.first + row)) continue;
    const auto at = static_cast<std::size_t>(row);
    const std::vector<double> told =
        model_->predict(rows_between(rows.features, row, row + 1, features()));
    add_watched(rows.steps[at], rows.times.empty() ? 0 : rows.times[at], told, added);
  }
  return added;
}

Readout::Added Readout::watch_errors(const Readout& other) {
  Added added;
  const std::int64_t horizon = other.config().target.horizon;
  for (const Miss& miss : other.misses_) {
    const std::vector<double> told = model_->predict({&miss.error, 1});
    // Nobody knows an error before its target.  Errors of the validation part are watched too, and
    // changes there are reported; rows of the results are those of the test part.
    if (miss.is_test) {
      add_watched(miss.step + horizon, miss.time, told, added);
    } else if (told[0] != 0.0) {
      changes_.push_back({miss.step + horizon, 0, told[1], told[2]});
    }
  }
  return added;
}

std::vector<std::string> Readout::notices() const {
  if (config_.task() != ReadoutTask::change) return model_->notices();
  if (changes_.empty()) return {};
  std::string steps;
  const std::size_t told = std::min(kMostToldChanges, changes_.size());
  for (std::size_t i = 0; i < told; ++i) {
    steps += (i == 0 ? "" : ", ") + grouped(changes_[i].step);
  }
  const bool is_one = changes_.size() == 1;
  return {fmt::format("{} change{}, at step{} {}{}", grouped(std::ssize(changes_)),
                      is_one ? "" : "s", is_one ? "" : "s", steps,
                      changes_.size() > told ? ", ..." : "")};
}

void Readout::add_watched_state(const std::string& prefix, ArrayMap& arrays) const {
  std::vector<double> numbers = {static_cast<double>(heard_misses_)};
  for (const Miss& miss : misses_) {
    numbers.push_back(static_cast<double>(miss.step));
    put_halves(numbers, miss.time);
    numbers.push_back(miss.is_test ? 1.0 : 0.0);
    numbers.push_back(miss.error);
  }
  put_numbers(arrays, prefix + "misses", numbers);
  numbers.clear();
  for (const auto& [step, time] : target_times_) {
    numbers.push_back(static_cast<double>(step));
    put_halves(numbers, time);
  }
  put_numbers(arrays, prefix + "target_times", numbers);
  numbers.clear();
  for (const Change& change : changes_) {
    numbers.insert(numbers.end(),
                   {static_cast<double>(change.step), static_cast<double>(change.series),
                    change.statistic, change.estimate});
  }
  put_numbers(arrays, prefix + "changes", numbers);
}

void Readout::set_watched_state(const std::string& prefix, const ArrayMap& arrays) {
  misses_.clear();
  changes_.clear();
  const std::vector<double> misses = numbers_of(arrays, prefix + "misses");
  for (std::size_t i = 1; i + kNumbersOfMiss <= misses.size(); i += kNumbersOfMiss) {
    misses_.push_back({static_cast<std::int64_t>(misses[i]),
                       from_halves(misses[i + 1], misses[i + 2]), misses[i + 3] != 0.0,
                       misses[i + 4]});
  }
  heard_misses_ =
      misses.empty() ? 0 : std::min(misses_.size(), static_cast<std::size_t>(misses[0]));
  const std::vector<double> times = numbers_of(arrays, prefix + "target_times");
  target_times_.clear();
  for (std::size_t i = 0; i + 3 <= times.size(); i += 3) {
    target_times_.emplace_back(static_cast<std::int64_t>(times[i]),
                               from_halves(times[i + 1], times[i + 2]));
  }
  const std::vector<double> changes = numbers_of(arrays, prefix + "changes");
  for (std::size_t i = 0; i + kNumbersOfChange <= changes.size(); i += kNumbersOfChange) {
    changes_.push_back({static_cast<std::int64_t>(changes[i]),
                        static_cast<std::int64_t>(changes[i + 1]), changes[i + 2], changes[i + 3]});
  }
}

}  // namespace gaia
