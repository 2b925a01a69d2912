// SPDX-License-Identifier: MIT
// The series that a readout stores, and the values of a tick in each.
#include <algorithm>
#include <bit>

#include "readout.h"

namespace gaia {
namespace {

void append(std::vector<double>& to, std::span<const double> values) {
  to.insert(to.end(), values.begin(), values.end());
}

/// The most probable class; none (-1) where no class has a probability.
double class_of_largest(std::span<const double> probabilities) {
  const bool is_none = std::all_of(probabilities.begin(), probabilities.end(),
                                   [](double one) { return one == 0.0; });
  if (is_none) return -1.0;
  const auto largest = std::max_element(probabilities.begin(), probabilities.end());
  return static_cast<double>(largest - probabilities.begin());
}

}  // namespace

std::vector<ReadoutSeries> Readout::series() const {
  std::vector<ReadoutSeries> series = series_of_task();
  if (config_.seen) {
    series.push_back({"scored", "whether the tick counts for scores: 1 yes, 0 no, its row was seen",
                      hdf5::Type::int64});
  }
  return series;
}

std::vector<ReadoutSeries> Readout::series_of_task() const {
  switch (config_.task()) {
    case ReadoutTask::regression: {
      const std::int64_t width = predicted_ > 1 ? predicted_ : 0;
      std::vector<ReadoutSeries> series = {
          {"prediction", "prediction of the target", hdf5::Type::float64, width, "output"},
          {"target", "the target, horizon steps after the step", hdf5::Type::float64, width,
           "output"}};
      if (!config_.kind->fuses()) return series;
      series.push_back({"outlier", "1 where the readout was left out of the consensus, else 0",
                        hdf5::Type::int64, std::ssize(config_.fused), "readout"});
      series.push_back({"variance", "variance that the error of the prediction is expected to have",
                        hdf5::Type::float64, width, "output"});
      return series;
    }
    case ReadoutTask::classes:
      return {
          {"prediction", "the most probable class; -1: none, what answers most has no name",
           hdf5::Type::int64},
          {"target", "the class, horizon steps after the step; -1: not known", hdf5::Type::int64},
          {"probability", "probability of each class", hdf5::Type::float64, predicted_, "class"}};
    case ReadoutTask::matching:
      return {{"target", "the target, horizon steps after the step", hdf5::Type::float64,
               reader_.targets() > 1 ? reader_.targets() : 0, "output"}};
    case ReadoutTask::change: {
      const std::int64_t count = predicted_ / 3;
      const std::int64_t width = count > 1 ? count : 0;
      const char* const axis = config_.levels.empty() ? "channel" : "feature";
      return {
          {"detected", "1 where the series has changed, else 0", hdf5::Type::int64, width, axis},
          {"statistic", "how much speaks for a change", hdf5::Type::float64, width, axis},
          {"estimate", "mean of the series as it is now", hdf5::Type::float64, width, axis}};
    }
    case ReadoutTask::statistic:
      return {};
    case ReadoutTask::anomaly:
      break;
  }
  return {{"score", "how unusual the sample is, in standard deviations of the training part"},
          {"baseline_score", "|x - running mean|, scaled as in the training part"},
          {"target", "whether it is an anomaly: 0 no, 1 yes, -1 not known", hdf5::Type::int64}};
}

void Readout::add(const ReadoutRows& rows, std::int64_t row, std::span<const double> prediction,
                  Added& added) {
  added.values.resize(series().size());
  added.steps.push_back(rows.steps[static_cast<std::size_t>(row)]);
  ++added_;
  if (time_kind_ != SampleReader::TimeKind::none) {
    add_time(rows.times[static_cast<std::size_t>(row)], added);
  }
  if (config_.seen) added.values.back().push_back(is_scored(rows, row) ? 1.0 : 0.0);
  const auto target = rows_between(rows.targets, row, row + 1, reader_.targets());
  switch (config_.task()) {
    case ReadoutTask::regression:
      append(added.values[0], prediction.first(static_cast<std::size_t>(predicted_)));
      append(added.values[1], target);
      if (!config_.kind->fuses()) return;
      prediction = prediction.subspan(static_cast<std::size_t>(predicted_));
      append(added.values[2], prediction.first(config_.fused.size()));
      return append(added.values[3], prediction.subspan(config_.fused.size()));
    case ReadoutTask::classes:
      added.values[0].push_back(class_of_largest(prediction));
      append(added.values[1], target);
      return append(added.values[2], prediction);
    case ReadoutTask::matching:
      return append(added.values[0], target);
    case ReadoutTask::change:  // add_watched
    case ReadoutTask::statistic:
      return;
    case ReadoutTask::anomaly:
      added.values[0].push_back(prediction[0]);
      added.values[1].push_back(prediction[1]);
      return append(added.values[2], target);
  }
}

void Readout::add_time(std::int64_t time, Added& added) const {
  const bool are_whole = time_kind_ != SampleReader::TimeKind::numbers;
  if (!added.times)
    added.times = are_whole ? SideValues(std::vector<std::int64_t>()) : SideValues();
  if (are_whole) {
    std::get<std::vector<std::int64_t>>(*added.times).push_back(time);
  } else {
    std::get<std::vector<double>>(*added.times).push_back(std::bit_cast<double>(time));
  }
}

}  // namespace gaia
