// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kGapOfLearning = 60.0;

struct Measure {
  const char* dataset;
  const char* title;
  bool logarithmic;
};

/// Blocks that something cut short, which say less of how far weights move.
void leave_out_short_blocks(const Result& result, std::vector<Point>& points) {
  const std::vector<double> ends = result.read("metrics/step");
  std::map<double, double> lengths;  // by the step at which a block ends
  double longest = 0.0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const double length = i == 0 ? ends[0] : ends[i] - ends[i - 1];
    lengths[ends[i]] = length;
    longest = std::max(longest, length);
  }
  std::erase_if(points, [&](const Point& point) { return lengths[point.x] < 0.5 * longest; });
}

/// Nothing where there is nothing to draw, as of the changes of weights that never moved.
std::optional<Panel> panel_of(const RunView& view, const Measure& measure, const Box& box,
                              std::int64_t levels) {
  std::vector<std::vector<Point>> lines;
  Range range;
  for (std::int64_t level = 0; level < levels; ++level) {
    lines.push_back(curve(view.result, "metrics/step", measure.dataset, level));
    if (measure.logarithmic) {
      leave_out_short_blocks(view.result, lines.back());
      std::erase_if(lines.back(), [](const Point& point) { return !(point.y > 0.0); });
    }
    for (const Point& point : lines.back()) range.add(point.y);
  }
  if (range.is_empty()) return std::nullopt;
  const double steps = static_cast<double>(std::max<std::int64_t>(1, view.result.done()));
  Panel panel(box, {{0.0, steps}, "step", 4},
              {measure.logarithmic ? range.logarithmic() : range.with_zero(), "", 5});
  panel.set_title(measure.title);
  for (std::size_t level = 0; level < lines.size(); ++level) {
    panel.line(lines[level], line_class(level));
  }
  return panel;
}

}  // namespace

std::string learning_section(const RunView& view) {
  const std::vector<std::int64_t> shape = view.result.shape("metrics/weight_norm");
  if (shape.size() != 2 || shape[0] < 1) return {};
  const std::int64_t levels = std::min<std::int64_t>(shape[1], 12);
  constexpr Measure measures[] = {
      {"metrics/mean_activity", "mean activity, |y|", false},
      {"metrics/weight_norm", "length of a neuron's weights, |w|", false},
      {"metrics/weight_change", "change of the weights per block", true}};
  const double width = (kWidth - kLeft - 10.0 - 2.0 * kGapOfLearning) / 3.0;
  Figure figure(kWidth, 290.0);
  double x = kLeft;
  for (const Measure& measure : measures) {
    const auto panel = panel_of(view, measure, {x, 46.0, width, 196.0}, levels);
    if (!panel) continue;
    figure.add(*panel);
    x += width + kGapOfLearning;
  }
  if (x == kLeft) return {};
  for (std::int64_t level = 0; level < levels && levels > 1; ++level) {
    figure.add_key(kLeft + 86.0 * static_cast<double>(level), 16.0, fmt::format("level {}", level),
                   line_class(static_cast<std::size_t>(level)));
  }
  return figure_markup(
      "fig-learning", "Learning curves",
      figure.svg("activity and weights of every level over the run"),
      "Means over blocks of the run, one line for each level: how strongly its neurons answer, how "
      "long their weights are, and how far the weights moved within a block, relative to their "
      "size (blocks that something cut short are left out there).",
      "Weights have settled where the third line has fallen and stays low; a length that keeps "
      "growing, or an activity that falls to 0, says that a rule needs something to hold it.");
}

std::string speed_section(const RunView& view) {
  const std::vector<Point> speed = curve(view.result, "metrics/step", "metrics/steps_per_second");
  const Result& result = view.result;
  const std::string machine = fmt::format(
      "{} thread{} on {}, device {}, {} ({} precision).", result.integer("", "threads").value_or(1),
      plural(result.integer("", "threads").value_or(1)), result.text("", "hostname"),
      result.text("", "device"), result.text("", "dtype"), result.text("", "precision"));
  if (speed.empty()) return paragraph(machine);
  Range range;
  for (const Point& point : speed) range.add(point.y);
  Figure figure(kWidth, 190.0);
  const double steps = static_cast<double>(std::max<std::int64_t>(1, result.done()));
  Panel panel({kLeft, 12.0, kWidth - kLeft - 10.0, 130.0}, {{0.0, steps}, "step", 8},
              {range.with_zero(), "steps per second", 4});
  panel.line(speed, "c0");
  figure.add(panel);
  return figure_markup("fig-speed", "Steps per second",
                       figure.svg("steps per second of every block"),
                       "Steps per second within every block of the run, on " + machine,
                       "Dips are pauses of the machine; other programs on it slow all of it.");
}

}  // namespace gaia::report
