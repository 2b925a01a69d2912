// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/text.h"
#include "../filters/regime_changes.h"
#include "figure.h"
#include "filters.h"
#include "markup.h"
#include "sections.h"
#include "stack.h"

namespace gaia::report {
namespace {

constexpr std::size_t kMostNamed = 20;  // changes or outliers that are written out
constexpr std::int64_t kMostModelLines = 12;

std::string step_text(const RunView& view, double step) {
  std::string text = "step " + grouped(static_cast<std::int64_t>(step));
  if (view.dates && !view.dates->empty()) {
    const auto& dates = *view.dates;
    const auto after =
        std::lower_bound(dates.begin(), dates.end(), step,
                         [](const DatedStep& one, double at) { return one.step < at; });
    if (after == dates.end()) return text;
    double seconds = after->seconds;
    if (after != dates.begin() && after->step > step) {
      const DatedStep& before = *std::prev(after);
      seconds = std::lerp(before.seconds, after->seconds,
                          (step - before.step) / (after->step - before.step));
    }
    return text + " (" + date_text(seconds, 1.0) + ")";
  }
  if (view.rate > 0.0) {
    text += fmt::format(" ({} s)", number_for_people((step + view.window - 1.0) / view.rate, 6));
  }
  return text;
}

std::string figure_id(const char* what, const FilterSurvey& filter) {
  return fmt::format("fig-{}-{}", what, filter.level);
}

/// What a level's NIS comes to, as sentences.
std::string sureness_text(const FilterSurvey& filter) {
  const Sureness& sure = filter.sureness;
  if (sure.verdict() == Sureness::Verdict::unknown) return "nothing was observed.";
  std::string text = fmt::format(
      "{}: NIS is {} for each observed number, over {} ticks, where a filter that is right has {} "
      "to {} in 95 % of runs.",
      sure.verdict_text(), number_for_people(sure.mean()), grouped(sure.ticks),
      number_for_people(sure.low()), number_for_people(sure.high()));
  if (sure.verdict() != Sureness::Verdict::right) {
    text +=
        fmt::format(" What it could not predict is {} times as large, in variance, as it expected.",
                    number_for_people(sure.mean(), 3));
  }
  text += fmt::format(
      " In {} % of the ticks NIS is beyond the 95 % quantile of its χ² (5 % are to be expected)",
      number_for_people(100.0 * static_cast<double>(sure.beyond) / static_cast<double>(sure.ticks),
                        3));
  text += fmt::format("; the log likelihood of a tick is {} on average.",
                      number_for_people(filter.log_likelihood / static_cast<double>(sure.ticks)));
  if (filter.models > 0) {
    text +=
        " NIS of a mixture has this mean, but is not distributed as χ²: take the range as a "
        "guide.";
  }
  return text;
}

const char* look_of(Sureness::Verdict verdict) {
  if (verdict == Sureness::Verdict::right) return "good";
  return verdict == Sureness::Verdict::too_sure ? "bad" : "open";
}

std::string nis_figure(const RunView& view, const FilterSurvey& filter) {
  std::vector<Point> mean;
  std::vector<Point> low;
  std::vector<Point> high;
  Range range;
  range.add(0.0);
  range.add(1.0);
  for (const SurenessOfStretch& stretch : filter.stretches) {
    const double at = (stretch.first_step + stretch.last_step) / 2.0;
    const Sureness& sure = stretch.sureness;
    mean.push_back({at, sure.mean()});
    low.push_back({at, sure.low()});
    high.push_back({at, sure.high()});
    if (sure.numbers == 0) continue;
    range.add(sure.mean());
    range.add(sure.high());
  }
  if (mean.size() < 2) return {};
  // A start that was far from sure would press all else into a line.
  std::vector<double> means;
  for (const Point& point : mean) means.push_back(point.y);
  const bool is_wide = range.high() > 20.0 * std::max(1.0, quantile(means, 0.5));
  Range positive;
  for (const auto* const line : {&mean, &low, &high}) {
    for (const Point& point : *line) positive.add(point.y);
  }
  Stack stack(view, {0, view.result.series_done()});
  Panel panel =
      stack.panel(130.0, fmt::format("level {}  ·  {}", filter.level, filter.type),
                  {is_wide ? positive.logarithmic() : range.padded(), "NIS / numbers", 4});
  panel.band(stack.in_time(low), stack.in_time(high), "c2");
  panel.mark_y(1.0, "rule dashed");
  panel.line(stack.in_time(mean), "c0");
  panel.add_legend("NIS of an observed number", "c0");
  panel.add_legend("95 % of a filter that is right", "c2");
  stack.keep(std::move(panel));
  return figure_markup(
      figure_id("nis", filter), fmt::format("How sure level {} is", filter.level),
      stack.svg("normalised innovation squared over the run, beside its range"),
      fmt::format(
          "The normalised innovation squared, divided by how many numbers were observed, "
          "as means over {} stretches of the run, and the range in which 95 % of such means "
          "lie where a filter is as sure as it should be (χ²).",
          filter.stretches.size()),
      "A line above the range: the filter is too sure, its Q or R is too small, or its model is "
      "wrong. Below: it is too timid, and its Q or R is larger than need be.");
}

void add_band(Panel& panel, const Stack& stack, const std::vector<Point>& mean,
              const std::vector<Point>& low, const std::vector<Point>& high, const char* classes) {
  if (!low.empty()) panel.band(stack.in_time(low), stack.in_time(high), classes);
  panel.line(stack.in_time(mean), classes);
}

std::string band_figure(const RunView& view, const FilterSurvey& filter) {
  if (filter.bands.empty()) return {};
  Stack stack(view, view.close_up);
  bool has_band = false;
  bool has_channel = false;
  bool is_smoothed = false;
  for (const StateBand& band : filter.bands) {
    const auto c = static_cast<std::size_t>(std::max<std::int64_t>(0, band.channel));
    const bool is_observed = band.channel >= 0 && c < view.inputs.close.size();
    Range range;
    for (const auto* const line : {&band.mean, &band.low, &band.high, &band.smoothed}) {
      for (const Point& point : *line) range.add(point.y);
    }
    if (is_observed) {
      for (const Point& point : view.inputs.close[c]) range.add(point.y);
    }
    if (range.is_empty()) continue;
    const std::string observes =
        is_observed ? fmt::format("  ·  observed by {}", shortened(view.inputs.channels[c], 24))
                    : "";
    Panel panel = stack.panel(110.0,
                              fmt::format("level {}  ·  state {} of {}{}", filter.level, band.state,
                                          filter.states, observes),
                              {range.padded(), "", 4});
    if (is_observed) {
      panel.line(stack.in_time(view.inputs.close[c]), "soft thin");
      panel.add_legend("observed", "soft");
    }
    add_band(panel, stack, band.mean, band.low, band.high, "c0");
    panel.add_legend(band.low.empty() ? "mean" : "mean ± 1.96 sd", "c0");
    if (!band.smoothed.empty()) {
      add_band(panel, stack, band.smoothed, band.smoothed_low, band.smoothed_high, "c1");
      panel.add_legend("smoothed", "c1");
    }
    has_band = has_band || !band.low.empty();
    has_channel = has_channel || is_observed;
    is_smoothed = is_smoothed || !band.smoothed.empty();
    stack.keep(std::move(panel));
  }
  if (stack.is_empty()) return {};
  std::string shows =
      fmt::format("What the filter of level {} believes of its state, tick by tick", filter.level);
  shows += has_band ? ", with the band that holds the state in 95 % of the ticks"
                    : " (`covariance: true` of the layer adds the band around it)";
  if (has_channel) shows += "; in grey what was observed, with its noise";
  if (is_smoothed) shows += "; smoothed: what all of its trial tells of each tick";
  shows += ".";
  return figure_markup(figure_id("band", filter),
                       fmt::format("What level {} believes", filter.level),
                       stack.svg("means of the state over some hundred steps"), shows,
                       "The mean should follow what is observed without its noise. The band is of "
                       "the state: most observations may lie outside of it where they are noisy.");
}

std::string changes_text(const RunView& view, const FilterSurvey& filter) {
  if (filter.changes.empty()) return "No change of the regime is named.";
  std::string text = fmt::format("{} change{} of the regime: ", grouped(std::ssize(filter.changes)),
                                 plural(std::ssize(filter.changes)));
  for (std::size_t i = 0; i < std::min(kMostNamed, filter.changes.size()); ++i) {
    const RegimeChangeAt& change = filter.changes[i];
    text += fmt::format("{}from model {} to {} at {}", i == 0 ? "" : ", ", change.from, change.to,
                        step_text(view, change.step));
  }
  if (filter.changes.size() > kMostNamed) {
    text += fmt::format(", and {} more", grouped(std::ssize(filter.changes) -
                                                 static_cast<std::int64_t>(kMostNamed)));
  }
  return text + ".";
}

std::string regimes_figure(const RunView& view, const FilterSurvey& filter) {
  if (filter.models < 1) return {};
  const std::string path = fmt::format("levels/{}", filter.level);
  Stack stack(view, {0, view.result.series_done()});
  Panel panel = stack.panel(120.0, fmt::format("level {}  ·  probability of models", filter.level),
                            {{-0.02, 1.02, false}, "probability", 4});
  for (const RegimeChangeAt& change : filter.changes) {
    panel.mark_x(stack.time(change.step), "rule dashed");
  }
  const std::int64_t drawn = std::min(filter.models, kMostModelLines);
  for (std::int64_t j = 0; j < drawn; ++j) {
    const std::string classes = line_class(static_cast<std::size_t>(j));
    panel.line(stack.in_time(curve(view.result, path + "/step", path + "/probability", j)),
               classes + " thin");
    if (drawn <= 6) panel.add_legend(fmt::format("model {}", j), classes);
  }
  stack.keep(std::move(panel));
  std::string shares;
  for (std::int64_t j = 0; j < drawn; ++j) {
    shares += fmt::format("{}model {} {} %", j == 0 ? "" : ", ", j,
                          number_for_people(100.0 * filter.shares[static_cast<std::size_t>(j)], 3));
  }
  return figure_markup(
      figure_id("regimes", filter), fmt::format("Regimes of level {}", filter.level),
      stack.svg("probabilities of models over the run, with changes of the regime"),
      fmt::format("How probable each model is, from what was observed up to each tick; lines keep "
                  "the least and the greatest value of every stretch. On average: {}. Dashed: a "
                  "change of the regime, where another model is above 1/2 and stays there for {} "
                  "ticks. {}",
                  shares, kTicksOfRegime, changes_text(view, filter)),
      "Probabilities near 0 and 1 with few changes tell regimes apart; lines that cross all the "
      "time "
      "mean that the models are too alike for the noise.");
}

std::string outliers_figure(const RunView& view, const OutlierSurvey& survey, std::size_t number) {
  std::string counts;
  for (std::size_t i = 0; i < std::min(kMostNamed, survey.of.size()); ++i) {
    counts += fmt::format(
        "{}{} {} ({} %)", i == 0 ? "" : ", ", survey.of[i], grouped(survey.counts[i]),
        number_for_people(
            100.0 * static_cast<double>(survey.counts[i]) / static_cast<double>(survey.ticks), 3));
  }
  const std::string shows = fmt::format(
      "Which of the readouts that {} fuses were left out at which step, since they did not fit the "
      "others. In {} of {} ticks any was; by readout: {}.",
      survey.readout, grouped(survey.left_out), grouped(survey.ticks), counts);
  std::string named;
  for (std::size_t i = 0; i < std::min(kMostNamed, survey.kept.size()); ++i) {
    const Outlier& one = survey.kept[i];
    named += fmt::format("{}{} at {}", i == 0 ? "First outliers: " : ", ",
                         survey.of[static_cast<std::size_t>(one.readout)],
                         step_text(view, one.first_step));
    if (one.last_step > one.first_step) named += " to " + step_text(view, one.last_step);
  }
  const auto rows = static_cast<double>(survey.of.size());
  Stack stack(view, {static_cast<std::int64_t>(survey.first_step),
                     static_cast<std::int64_t>(survey.last_step) + 1});
  const double height = std::clamp(rows * 18.0, 40.0, 190.0);
  Panel panel = stack.panel(height, "readout " + survey.readout + "  ·  left out",
                            {.scale = {-0.5, rows - 0.5},
                             .label = "",
                             .about = static_cast<int>(std::min(rows, 10.0)),
                             .integers = true,
                             .names = survey.of});
  std::vector<Point> points;
  for (const Outlier& one : survey.kept) {
    const auto row = static_cast<double>(one.readout);
    points.push_back({stack.time(one.first_step), row});
    if (one.last_step == one.first_step) continue;
    panel.bar({stack.time(one.first_step), row - 0.35}, {stack.time(one.last_step), row + 0.35},
              "c1");
  }
  panel.strokes(points, 0.7, "c1 spike thin");
  stack.keep(std::move(panel));
  return figure_markup(
      fmt::format("fig-outliers-{}", number), "Readouts that did not fit the others",
      stack.svg("steps at which readouts were left out of the consensus"),
      shows + (named.empty() ? "" : " " + named + "."),
      "A readout of a sound level is left out about once in a thousand ticks; a broad one "
      "is a level that is off for a while.");
}

}  // namespace

std::string filters_section(const RunView& view) {
  std::vector<Worth> all;
  std::string figures;
  for (std::int64_t i = 0; i < count_levels(view.result); ++i) {
    const auto filter = survey_filter(view.result, i, view.close_up);
    if (!filter || filter->ticks < 1) continue;
    all.push_back({.name = fmt::format("level {} ({})", i, filter->type),
                   .text = sureness_text(*filter),
                   .look = look_of(filter->sureness.verdict()),
                   .remark = {}});
    figures +=
        band_figure(view, *filter) + nis_figure(view, *filter) + regimes_figure(view, *filter);
  }
  std::size_t number = 0;
  for (const OutlierSurvey& survey : survey_outliers(view.result)) {
    figures += outliers_figure(view, survey, number++);
  }
  return (all.empty() ? "" : worth_list(all)) + figures;
}

}  // namespace gaia::report
