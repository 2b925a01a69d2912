// SPDX-License-Identifier: MIT
#include "forecast_choice.h"

#include <algorithm>
#include <vector>

namespace gaia {
namespace {

constexpr std::int64_t kMostRows = 10000;  // rows of a part that are looked at
constexpr std::int64_t kWidest = 8;
constexpr std::int64_t kMostFeatures = 64;  // features of windows of more than one row

std::int64_t choose_channel(Series& series) {
  const std::int64_t width = series.channels();
  const double ends[] = {0.0, kLearningShare, kTrainingShare, 1.0};
  std::vector<bool> changes(static_cast<std::size_t>(width), true);
  for (int part = 0; part < 3; ++part) {
    const std::int64_t first = row_of_share(series, ends[part]);
    const std::int64_t count = std::min(row_of_share(series, ends[part + 1]) - first, kMostRows);
    std::vector<double> rows(static_cast<std::size_t>(count * width));
    series.read(first, count, rows);
    for (std::size_t c = 0; c < changes.size() && count > 0; ++c) {
      std::size_t at = c;
      while (at < rows.size() && rows[at] == rows[c]) at += changes.size();
      if (at >= rows.size()) changes[c] = false;
    }
  }
  const auto found = std::find(changes.begin(), changes.end(), true);
  return found == changes.end() ? 0 : found - changes.begin();
}

std::int64_t shortest_trial(const Series& series) {
  const std::vector<std::int64_t>& starts = series.trial_starts();
  std::int64_t shortest = series.rows() - starts.back();
  for (std::size_t i = 1; i < starts.size(); ++i) {
    shortest = std::min(shortest, starts[i] - starts[i - 1]);
  }
  return shortest;
}

}  // namespace

ForecastChoice choose_forecast(const DataSurvey& survey) {
  Series& series = *survey.series;
  const std::int64_t most = std::min(
      {kWidest, kMostFeatures / series.channels(), series.rows() / 20, shortest_trial(series) / 4});
  ForecastChoice choice{.channel = choose_channel(series)};
  while (!survey.tells_trials() && 2 * choice.window <= most) choice.window *= 2;
  return choice;
}

}  // namespace gaia
