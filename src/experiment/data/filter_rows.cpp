// SPDX-License-Identifier: MIT
#include "filter_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "filtered_series.h"

namespace gaia {
namespace {

constexpr std::int64_t kStepsOfRate = 1000;
constexpr double kSameRate = 0.01;  // share of it by which two rates may differ

/// Steps of times are rounded, rates of instruments are round.
double round_rate(double rate) {
  const double whole = std::round(rate);
  return std::abs(rate - whole) <= 1e-9 * rate ? whole : rate;
}

/// Rows of the first trial that has more than one, the first so many.
RowRange rows_of_steps(const Series& series) {
  const std::vector<std::int64_t>& starts = series.trial_starts();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::int64_t end = k + 1 < starts.size() ? starts[k + 1] : series.rows();
    if (end - starts[k] > 1) return {starts[k], std::min(end, starts[k] + kStepsOfRate + 1)};
  }
  return {};
}

std::optional<double> rate_of_times(Series& series, std::size_t column) {
  const RowRange rows = rows_of_steps(series);
  if (rows.end == rows.begin) return {};
  std::vector<double> block(static_cast<std::size_t>((rows.end - rows.begin) * series.channels()));
  SideValues times;
  series.read_with_side(rows.begin, rows.end - rows.begin, block, {&column, 1}, {&times, 1});
  std::vector<double> steps;
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 1; i < values.size(); ++i) {
          steps.push_back(static_cast<double>(values[i] - values[i - 1]));
        }
      },
      times);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const bool are_dates = std::holds_alternative<std::vector<std::int64_t>>(times) &&
                         !series.side_columns()[column].counts;
  const double seconds = are_dates ? *middle * 1e-9 : *middle;
  if (!(seconds > 0.0) || !std::isfinite(seconds)) return {};
  return round_rate(1.0 / seconds);
}

std::optional<std::size_t> column_of_times(const Series& series) {
  const std::vector<SideColumn> side = series.side_columns();
  const auto found = std::find_if(side.begin(), side.end(), [](const SideColumn& one) {
    return one.role == SideColumn::Role::time;
  });
  if (found == side.end()) return {};
  return static_cast<std::size_t>(found - side.begin());
}

bool needs_rate(const DataConfig& data) {
  return data.filter.is_on || data.resample.by == ResampleConfig::By::to;
}

/// Settles data.sample_rate; false, with a problem, where nobody tells it.
bool settle_rate(Experiment& experiment, const AddProblem& add) {
  DataConfig& data = experiment.config.data;
  const std::optional<double> told = rate_told(*experiment.series, data);
  const char* const key = data.filter.is_on ? "data.filter" : "data.resample.to";
  if (!data.sample_rate) {
    data.sample_rate = told;
    if (!told) {
      add(key,
          "frequencies are in Hz, and how many rows a second has is not known; write "
          "data.sample_rate (1: frequencies are in cycles per row), or name the column of times in "
          "data.time");
    }
  } else if (told && std::abs(*told - *data.sample_rate) > kSameRate * *data.sample_rate) {
    experiment.warnings.push_back(
        fmt::format("{}: its frequencies are those of {} rows a second (data.sample_rate), and the "
                    "rows say that there are {}",
                    key, *data.sample_rate, *told));
  }
  return data.sample_rate.has_value();
}

}  // namespace

std::optional<double> rate_told(Series& series, const DataConfig& data) {
  if (const auto rate = series.sample_rate()) return rate;
  if (const auto* const events = std::get_if<EventsConfig>(&data.source)) {
    return round_rate(1.0 / events->options.dt);
  }
  const std::optional<std::size_t> times = column_of_times(series);
  return times ? rate_of_times(series, *times) : std::nullopt;
}

void filter_rows(Experiment& experiment, const AddProblem& add) {
  const DataConfig& data = experiment.config.data;
  if (!RowFilter::is_needed(data)) return;
  if (data.order.by != OrderConfig::By::none) {
    return add(data.filter.is_on ? "data.filter" : "data.resample",
               "goes over rows one after the other in time, and data.order has them in another; "
               "leave one of the two out");
  }
  if (needs_rate(data) && !settle_rate(experiment, add)) return;
  experiment.series = std::make_unique<FilteredSeries>(std::move(experiment.series), data);
}

}  // namespace gaia
