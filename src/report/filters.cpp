// SPDX-License-Identifier: MIT
#include "filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "../filters/regime_changes.h"
#include "../formulas/chi_squared.h"
#include "predictions_so_far.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kStretches = 80;
constexpr std::int64_t kFilterNumbersAtOnce = 1 << 18;
constexpr std::int64_t kMostBands = 4;
constexpr std::int64_t kMostOutliers = 4000;
constexpr double kNormal95 = 1.96;

/// Rows [first, first + count) of a dataset [ticks, ...], flat.
std::vector<double> rows_of(const Result& result, const std::string& dataset, std::int64_t first,
                            std::int64_t count, std::int64_t width) {
  std::vector<double> values(static_cast<std::size_t>(count * width));
  if (count > 0) result.read_rows(dataset, first, count, values.data());
  return values;
}

/// Numbers in a row of a dataset [ticks, ...]; 0 where it is not of `ticks` rows, or too wide.
std::int64_t width_of(const Result& result, const std::string& dataset, std::int64_t ticks) {
  const std::vector<std::int64_t> shape = result.shape(dataset);
  if (shape.empty() || shape.front() < ticks) return 0;
  std::int64_t width = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] < 1 || shape[i] > kWidestRow / width) return 0;
    width *= shape[i];
  }
  return width;
}

/// The first steps of all trials.
std::vector<double> starts_of_trials(const Result& result) {
  return result.read("data/trial_start");
}

class FilterReader {
 public:
  FilterReader(const Result& result, FilterSurvey& survey, const std::string& path)
      : result_(result), survey_(survey), path_(path), quantiles_(0.95) {}

  void read_sureness() {
    const std::int64_t observed = width_of(result_, path_ + "/innovation", survey_.ticks);
    const bool has_likelihood = width_of(result_, path_ + "/log_likelihood", survey_.ticks) == 1;
    if (observed == 0) return;
    const std::int64_t each = (survey_.ticks + kStretches - 1) / kStretches;
    const std::int64_t at_once = std::max<std::int64_t>(1, kFilterNumbersAtOnce / observed);
    for (std::int64_t first = 0; first < survey_.ticks; first += at_once) {
      const std::int64_t count = std::min(at_once, survey_.ticks - first);
      const auto nis = rows_of(result_, path_ + "/nis", first, count, 1);
      const auto steps = rows_of(result_, path_ + "/step", first, count, 1);
      const auto innovations = rows_of(result_, path_ + "/innovation", first, count, observed);
      if (has_likelihood) {
        for (const double value : rows_of(result_, path_ + "/log_likelihood", first, count, 1)) {
          survey_.log_likelihood += value;
        }
      }
      for (std::int64_t r = 0; r < count; ++r) {
        const auto row = static_cast<std::size_t>(r);
        if ((first + r) % each == 0) survey_.stretches.push_back({steps[row], steps[row], {}});
        survey_.stretches.back().last_step = steps[row];
        const auto begin = innovations.begin() + r * observed;
        const std::int64_t numbers =
            std::count_if(begin, begin + observed, [](double v) { return !std::isnan(v); });
        take(nis[row], numbers);
      }
    }
  }

  void read_bands(StepRange close_up, const std::string& mean) {
    const std::int64_t states = width_of(result_, mean, survey_.ticks);
    if (states == 0) return;
    survey_.states = states;
    const std::int64_t first = row_of_step(result_, path_ + "/step", survey_.ticks, close_up.begin);
    const std::int64_t end = row_of_step(result_, path_ + "/step", survey_.ticks, close_up.end);
    const std::int64_t count =
        std::clamp<std::int64_t>(end - first, 0, close_up.end - close_up.begin);
    if (count < 2) return;
    const auto steps = rows_of(result_, path_ + "/step", first, count, 1);
    for (std::int64_t i = 0; i < std::min(states, kMostBands); ++i) {
      StateBand band{.state = i, .channel = -1};
      read_band(first, steps, i, mean, path_ + "/covariance", band.mean, band.low, band.high);
      read_band(first, steps, i, path_ + "/smoothed", path_ + "/smoothed_covariance", band.smoothed,
                band.smoothed_low, band.smoothed_high);
      survey_.bands.push_back(std::move(band));
    }
  }

  void read_regimes() {
    const std::int64_t models = width_of(result_, path_ + "/probability", survey_.ticks);
    if (models < 1) return;
    survey_.models = models;
    survey_.shares.assign(static_cast<std::size_t>(models), 0.0);
    const std::vector<double> starts = starts_of_trials(result_);
    auto start = starts.begin();
    RegimeTracker tracker(models);
    std::vector<double> steps;
    std::int64_t tick = 0;
    const std::int64_t at_once =
        std::max<std::int64_t>(kTicksOfRegime, kFilterNumbersAtOnce / models);
    std::vector<double> before;  // those of the block before, where a change may have begun
    for (std::int64_t first = 0; first < survey_.ticks; first += at_once) {
      const std::int64_t count = std::min(at_once, survey_.ticks - first);
      before = std::exchange(steps, rows_of(result_, path_ + "/step", first, count, 1));
      const auto rows = rows_of(result_, path_ + "/probability", first, count, models);
      for (std::int64_t r = 0; r < count; ++r, ++tick) {
        const double step = steps[static_cast<std::size_t>(r)];
        bool begins = false;
        for (; start != starts.end() && *start <= step; ++start) begins = true;
        if (begins) tracker.begin_trial();
        const auto row = std::span(rows).subspan(static_cast<std::size_t>(r * models),
                                                 static_cast<std::size_t>(models));
        for (std::size_t j = 0; j < row.size(); ++j) survey_.shares[j] += row[j];
        const auto change = tracker.take(row);
        if (!change) continue;
        const std::int64_t at = change->tick - first;
        const double when = at >= 0 ? steps[static_cast<std::size_t>(at)]
                                    : before[before.size() - static_cast<std::size_t>(-at)];
        survey_.changes.push_back({when, change->from, change->to});
      }
    }
    for (double& share : survey_.shares) share /= static_cast<double>(survey_.ticks);
  }

 private:
  void take(double nis, std::int64_t numbers) {
    if (numbers == 0 || !std::isfinite(nis)) return;
    const bool is_beyond = nis > quantiles_.of(numbers);
    for (Sureness* const one : {&survey_.sureness, &survey_.stretches.back().sureness}) {
      one->sum += nis;
      one->numbers += numbers;
      ++one->ticks;
      one->beyond += is_beyond ? 1 : 0;
    }
  }

  /// One state of means [ticks, states] and covariances [ticks, states, states].
  void read_band(std::int64_t first, const std::vector<double>& steps, std::int64_t state,
                 const std::string& means, const std::string& covariances, std::vector<Point>& mean,
                 std::vector<Point>& low, std::vector<Point>& high) const {
    const std::int64_t states = survey_.states;
    if (width_of(result_, means, survey_.ticks) != states) return;
    const auto count = std::ssize(steps);
    const auto m = rows_of(result_, means, first, count, states);
    const bool has_covariance = width_of(result_, covariances, survey_.ticks) == states * states;
    const auto P = has_covariance ? rows_of(result_, covariances, first, count, states * states)
                                  : std::vector<double>();
    for (std::int64_t r = 0; r < count; ++r) {
      const double step = steps[static_cast<std::size_t>(r)];
      const double at = m[static_cast<std::size_t>(r * states + state)];
      mean.push_back({step, at});
      if (!has_covariance) continue;
      const double variance =
          P[static_cast<std::size_t>(r * states * states + state * states + state)];
      const double half = kNormal95 * std::sqrt(variance);
      low.push_back({step, at - half});
      high.push_back({step, at + half});
    }
  }

  const Result& result_;
  FilterSurvey& survey_;
  std::string path_;
  TickQuantiles quantiles_;
};

/// Tells for each state that is drawn by which channel of the input it is observed, where that can
/// be seen: in a first level that reads single rows, all of them, and whose model is one of those
/// in which a block of states belongs to each input, what is observed first.
void find_channels_of_bands(const Result& result, const std::string& path, const std::string& layer,
                            FilterSurvey& survey) {
  const std::int64_t observed = width_of(result, path + "/innovation", survey.ticks);
  const std::string model = result.text(layer, "model");
  // Regimes have the keys of all of their models, one of which may be given by its matrices.
  const bool has_blocks = (model == "level" || model == "velocity" || model == "acceleration" ||
                           !result.text(layer, "model_ar").empty() ||
                           result.integer(layer, "model_seasonal").has_value()) &&
                          result.text(layer, "model_A").empty();
  const bool reads_rows = survey.level == 0 && observed > 0 &&
                          result.integer(path, "temporal_resolution") == 1 &&
                          result.integer(path, "input_size") == observed &&
                          result.integer("data", "channels") == observed;
  if (!has_blocks || !reads_rows || survey.states % observed != 0) return;
  const std::int64_t block = survey.states / observed;
  for (StateBand& band : survey.bands) {
    if (band.state % block == 0) band.channel = band.state / block;
  }
}

}  // namespace

double Sureness::mean() const {
  return numbers == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : sum / static_cast<double>(numbers);
}

double Sureness::low() const {
  const auto n = static_cast<double>(numbers);
  return numbers == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : chi_squared_quantile(0.025, n) / n;
}

double Sureness::high() const {
  const auto n = static_cast<double>(numbers);
  return numbers == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : chi_squared_quantile(0.975, n) / n;
}

Sureness::Verdict Sureness::verdict() const {
  if (numbers == 0) return Verdict::unknown;
  if (mean() > high()) return Verdict::too_sure;
  return mean() < low() ? Verdict::too_timid : Verdict::right;
}

std::string Sureness::verdict_text() const {
  switch (verdict()) {
    case Verdict::too_sure:
      return "too sure";
    case Verdict::too_timid:
      return "too timid";
    case Verdict::right:
      return "as sure as it should be";
    case Verdict::unknown:
      break;
  }
  return "not known";
}

double TickQuantiles::of(std::int64_t numbers) {
  const auto n = static_cast<std::size_t>(numbers);
  if (known_.size() <= n) known_.resize(n + 1, 0.0);
  if (known_[n] == 0.0) known_[n] = chi_squared_quantile(probability_, static_cast<double>(n));
  return known_[n];
}

std::optional<FilterSurvey> survey_filter(const Result& result, std::int64_t index,
                                          StepRange close_up) {
  const std::string path = fmt::format("levels/{}", index);
  const std::vector<std::int64_t> shape = result.shape(path + "/nis");
  const std::vector<std::int64_t> steps = result.shape(path + "/step");
  if (shape.size() != 1 || steps.size() != 1) return std::nullopt;
  FilterSurvey survey;
  survey.level = index;
  survey.ticks =
      row_of_step(result, path + "/step", std::min(shape[0], steps[0]), result.series_done());
  // The layer is the one that has noise.
  std::string layer;
  std::vector<std::string> layers = result.groups(path + "/layers");
  for (const std::string& name : layers) {
    if (result.has(path + "/layers/" + name + "/R")) layer = path + "/layers/" + name;
  }
  survey.type = layer.empty() ? "filter" : result.text(layer, "type");
  if (survey.ticks < 1) return survey;
  FilterReader reader(result, survey, path);
  reader.read_sureness();
  const bool is_last = !layer.empty() && layer == path + "/layers/" + layers.back();
  if (result.has(path + "/mean") || is_last) {
    reader.read_bands(close_up, path + (result.has(path + "/mean") ? "/mean" : "/representation"));
    find_channels_of_bands(result, path, layer, survey);
  }
  reader.read_regimes();
  return survey;
}

std::vector<OutlierSurvey> survey_outliers(const Result& result) {
  std::vector<OutlierSurvey> all;
  for (const std::string& name : result.groups("readouts")) {
    const std::string path = "readouts/" + name;
    const std::vector<std::int64_t> shape = result.shape(path + "/outlier");
    const std::vector<std::int64_t> steps = result.shape(path + "/step");
    if (shape.size() != 2 || steps.size() != 1 || shape[1] < 1 || shape[1] > kWidestRow) continue;
    OutlierSurvey survey;
    survey.readout = name;
    survey.of = result.texts(path, "readouts");
    const std::int64_t width = shape[1];
    for (std::int64_t i = std::ssize(survey.of); i < width; ++i) {
      survey.of.push_back(fmt::format("readout {}", i));
    }
    survey.ticks =
        row_of_step(result, path + "/step", std::min(shape[0], steps[0]), result.series_done());
    if (survey.ticks < 1) continue;
    survey.counts.assign(static_cast<std::size_t>(width), 0);
    struct Last {
      std::int64_t tick = -2;  // at which the readout was left out
      std::int64_t kept = -1;  // place of its stretch
    };
    std::vector<Last> lasts(static_cast<std::size_t>(width));
    const std::int64_t at_once = std::max<std::int64_t>(1, kFilterNumbersAtOnce / width);
    for (std::int64_t first = 0; first < survey.ticks; first += at_once) {
      const std::int64_t count = std::min(at_once, survey.ticks - first);
      const auto when = rows_of(result, path + "/step", first, count, 1);
      const auto rows = rows_of(result, path + "/outlier", first, count, width);
      if (first == 0) survey.first_step = when.front();
      survey.last_step = when.back();
      for (std::int64_t r = 0; r < count; ++r) {
        bool is_any = false;
        for (std::int64_t i = 0; i < width; ++i) {
          if (rows[static_cast<std::size_t>(r * width + i)] != 1.0) continue;
          is_any = true;
          ++survey.counts[static_cast<std::size_t>(i)];
          const double step = when[static_cast<std::size_t>(r)];
          auto& last = lasts[static_cast<std::size_t>(i)];
          if (last.tick == first + r - 1 && last.kept >= 0) {
            survey.kept[static_cast<std::size_t>(last.kept)].last_step = step;
          } else {
            const bool has_room = std::ssize(survey.kept) < kMostOutliers;
            last.kept = has_room ? std::ssize(survey.kept) : -1;
            if (has_room) survey.kept.push_back({step, step, i});
          }
          last.tick = first + r;
        }
        survey.left_out += is_any ? 1 : 0;
      }
    }
    all.push_back(std::move(survey));
  }
  return all;
}

}  // namespace gaia::report
