// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../learning/ranking_scores.h"
#include "figure.h"
#include "predictions_so_far.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::int64_t kCurvePoints = 400;
constexpr std::int64_t kMostClassCurves = 10;
constexpr std::size_t kPanelsPerRow = 3;
constexpr std::size_t kMostCurvePanels = 9;
constexpr std::size_t kMostTimelines = 6;
constexpr std::int64_t kTimelineBins = 2000;
constexpr double kGapOfPanels = 78.0;

struct RocLine {
  std::string name;
  std::vector<Point> points;
};

/// Nothing where the curve is not defined.
std::optional<RocLine> roc_line(const std::string& name, const Labelled& pairs,
                                std::int64_t positive) {
  const auto curve = scores::roc_curve(pairs.truth, positive, pairs.values, kCurvePoints);
  if (curve.empty()) return std::nullopt;
  RocLine line;
  line.name = fmt::format("{} ({})", shortened(name, 20),
                          value_text(scores::roc_auc(pairs.truth, positive, pairs.values)));
  for (const scores::RocPoint& point : curve) {
    line.points.push_back({point.false_positives, point.true_positives});
  }
  return line;
}

std::vector<RocLine> anomaly_lines(const Result& result, const ReadoutFacts& readout,
                                   const std::vector<double>& truth) {
  std::vector<RocLine> lines;
  for (const auto& [name, dataset] :
       {std::pair("this run", "/score"), std::pair("|x - running mean|", "/baseline_score")}) {
    const std::vector<double> values = read_column(result, readout.path + dataset, 0, readout.rows);
    if (auto line = roc_line(name, labelled(truth, values), 1)) lines.push_back(*std::move(line));
  }
  return lines;
}

/// Curve of the second of two classes; of several, the curve of each against the rest.
std::vector<RocLine> class_lines(const Result& result, const ReadoutFacts& readout,
                                 const std::vector<double>& truth) {
  std::vector<RocLine> lines;
  const std::vector<std::int64_t> shape = result.shape(readout.path + "/probability");
  if (shape.size() != 2 || shape[0] < readout.rows) return lines;
  const std::int64_t first = shape[1] == 2 ? 1 : 0;
  const std::int64_t end = std::min(shape[1], first + kMostClassCurves);
  for (std::int64_t k = first; k < end; ++k) {
    const std::vector<double> values =
        read_column(result, readout.path + "/probability", 0, readout.rows, k);
    if (auto line = roc_line(readout.class_name(k), labelled(truth, values), k)) {
      lines.push_back(*std::move(line));
    }
  }
  return lines;
}

struct RocPanel {
  std::string title;
  std::vector<RocLine> lines;
};

std::string roc_drawing(const std::vector<RocPanel>& panels) {
  constexpr double side =
      (kWidth - kLeft - 10.0 - (kPanelsPerRow - 1) * kGapOfPanels) / kPanelsPerRow - 20.0;
  std::size_t most_lines = 0;
  for (const RocPanel& panel : panels) most_lines = std::max(most_lines, panel.lines.size());
  const double height = 26.0 + side + 52.0 + 18.0 * static_cast<double>(most_lines);
  const std::size_t rows = (panels.size() + kPanelsPerRow - 1) / kPanelsPerRow;
  Figure figure(kWidth, static_cast<double>(rows) * height);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double x = kLeft + static_cast<double>(i % kPanelsPerRow) * (side + kGapOfPanels + 20.0);
    const double y = 26.0 + static_cast<double>(i / kPanelsPerRow) * height;
    const Scale shares{-0.01, 1.01, false};
    Panel panel({x, y, side, side}, {shares, "false alarms, of all others", 5},
                {shares, "found, of all of the class", 5});
    panel.set_title(shortened(panels[i].title, 44));
    const Point chance[] = {{0.0, 0.0}, {1.0, 1.0}};
    panel.line(chance, "rule dashed");
    for (std::size_t k = 0; k < panels[i].lines.size(); ++k) {
      const RocLine& line = panels[i].lines[k];
      panel.line(line.points, line_class(k));
      figure.add_key(x, y + side + 56.0 + 18.0 * static_cast<double>(k), line.name, line_class(k));
    }
    figure.add(panel);
  }
  return figure.svg("shares found over shares of false alarms");
}

/// Steps that are anomalies, as stretches of rows; those too short or close to be told apart are
/// joined.
std::vector<std::pair<double, double>> stretches_of(const std::vector<double>& steps,
                                                    const std::vector<double>& truth) {
  std::vector<std::pair<double, double>> stretches;
  if (steps.empty()) return stretches;
  const double least = std::max(1.0, (steps.back() - steps.front()) / 1500.0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (truth[i] != 1.0) continue;
    if (!stretches.empty() && steps[i] - stretches.back().second <= least) {
      stretches.back().second = std::max(stretches.back().second, steps[i] + 0.5);
    } else {
      stretches.emplace_back(steps[i] - 0.5, steps[i] + std::max(0.5, least - 0.5));
    }
  }
  return stretches;
}

struct Timeline {
  std::string name;
  std::vector<Point> score;
  std::vector<std::pair<double, double>> anomalies;
};

std::optional<Timeline> timeline_of(const Result& result, const ReadoutFacts& readout,
                                    const std::vector<double>& truth) {
  const std::vector<double> steps = read_column(result, readout.path + "/step", 0, readout.rows);
  const std::vector<double> scores = read_column(result, readout.path + "/score", 0, readout.rows);
  if (steps.size() < 2 || scores.size() != steps.size() || truth.size() != steps.size()) {
    return std::nullopt;
  }
  Timeline made{readout.name, {}, stretches_of(steps, truth)};
  Envelope envelope(std::ssize(scores), kTimelineBins);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    envelope.add(static_cast<std::int64_t>(i), scores[i]);
  }
  for (const Point& point : envelope.points()) {
    const double row = std::clamp(point.x, 0.0, static_cast<double>(steps.size() - 1));
    made.score.push_back({steps[static_cast<std::size_t>(row)], point.y});
  }
  return made;
}

std::string timelines_figure(const RunView& view, const std::vector<Timeline>& timelines) {
  Range steps;
  for (const Timeline& one : timelines) {
    for (const Point& point : one.score) steps.add(point.x);
  }
  if (steps.is_empty() || steps.low() == steps.high()) return {};
  const TimeBase time = view.time_of(steps.high() - steps.low());
  const Scale x{time(steps.low()), time(steps.high()), false};
  constexpr double height = 110.0;
  Figure figure(kWidth, 30.0 + static_cast<double>(timelines.size()) * (height + 30.0) + 20.0);
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const Timeline& one = timelines[i];
    Range range;
    std::vector<double> values;
    for (const Point& point : one.score) {
      range.add(point.y);
      values.push_back(point.y);
    }
    // A few ticks far beyond the others would press all else into a line.
    const double usual = quantile(values, 0.5);
    const bool is_wide = range.low() > 0.0 && range.high() > 20.0 * usual;
    const bool is_last = i + 1 == timelines.size();
    Panel panel(
        {kLeft, 26.0 + static_cast<double>(i) * (height + 30.0), kWidth - kLeft - 10.0, height},
        {x, time.label, 8, false, is_last, view.dates},
        {is_wide ? range.logarithmic() : range.padded(), "score", 4});
    panel.set_title("readout " + one.name);
    const Scale y = is_wide ? range.logarithmic() : range.padded();
    for (const auto& [begin, end] : one.anomalies) {
      panel.bar({std::max(x.low, time(begin)), y.low}, {std::min(x.high, time(end)), y.high},
                "anomaly");
    }
    std::vector<Point> line;
    for (const Point& point : one.score) line.push_back({time(point.x), point.y});
    panel.line(line, "c0 thin");
    panel.add_legend("score", "c0");
    if (!one.anomalies.empty()) panel.add_legend("true anomalies", "anomaly");
    figure.add(panel);
    figure.make_zoomable(panel);
  }
  return figure_markup(
      "fig-anomalies", "Scores of anomalies over time",
      figure.svg("scores of anomalies over time, with true anomalies"),
      "How unusual each sample was found, in standard deviations of the training part; lines keep "
      "the least and the greatest score of every stretch. Shaded: what the labels call an "
      "anomaly.",
      "A score that is of use rises where it is shaded and stays low elsewhere.");
}

}  // namespace

std::string ranking_section(const RunView& view) {
  std::vector<RocPanel> panels;
  std::vector<Timeline> timelines;
  for (const ReadoutFacts& readout : view.readouts) {
    const bool ranks = readout.task == ReadoutTask::classes || readout.task == ReadoutTask::anomaly;
    if (!ranks || readout.rows < 2) continue;
    const std::vector<double> truth =
        read_column(view.result, readout.path + "/target", 0, readout.rows);
    if (truth.empty()) continue;  // more than can be ranked
    const bool is_anomaly = readout.task == ReadoutTask::anomaly;
    std::vector<RocLine> lines = is_anomaly ? anomaly_lines(view.result, readout, truth)
                                            : class_lines(view.result, readout, truth);
    if (!lines.empty() && panels.size() < kMostCurvePanels) {
      panels.push_back(
          {readout.name + "  ·  " + (is_anomaly ? "anomalies" : "classes"), std::move(lines)});
    }
    if (!is_anomaly || timelines.size() == kMostTimelines) continue;
    if (auto timeline = timeline_of(view.result, readout, truth)) {
      timelines.push_back(*std::move(timeline));
    }
  }
  std::string out = timelines.empty() ? "" : timelines_figure(view, timelines);
  if (panels.empty()) return out;
  return out +
         figure_markup(
             "fig-roc", "What is found, for how many false alarms", roc_drawing(panels),
             fmt::format(
                 "Receiver operating characteristics over the test ticks, with the area under each "
                 "in brackets: 1 ranks every tick of a class before all others, 0.5 (dashed) is "
                 "chance. Of two classes the second is looked for, of several each against the "
                 "rest, "
                 "at most {}.",
                 kMostClassCurves),
             "A line that rises steeply at the left finds much without false alarms; one below the "
             "dashed line ranks the wrong way round.");
}

}  // namespace gaia::report
