// SPDX-License-Identifier: MIT
// What an agent saw, believed and planned, step by step over a stretch of the run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../core/text.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

/// Recorded steps that are shown, the last ones.
constexpr std::int64_t kShownSteps = 120;
constexpr std::int64_t kMostStates = 1024;
constexpr std::int64_t kMostPolicies = 4096;
constexpr double kStepsWidth = kWidth - kLeft - kRight - 40.0;
constexpr double kStepsLeft = kLeft + 40.0;
constexpr const char* kBelief = "belief_";

/// The rows of a group that are shown.
struct Stretch {
  std::string group;
  std::int64_t first = 0;  ///< Row.
  std::int64_t rows = 0;
  std::vector<double> steps;

  bool is_empty() const { return rows == 0; }
  /// Half a step before the first, and behind the last, where maps begin and end.
  Scale scale() const { return {-0.5, static_cast<double>(rows) - 0.5}; }
};

Stretch last_steps(const Result& result, const std::string& group) {
  Stretch stretch;
  stretch.group = group;
  const std::vector<std::int64_t> shape = result.shape(group + "/step");
  if (shape.size() != 1 || shape[0] == 0) return stretch;
  stretch.rows = std::min(kShownSteps, shape[0]);
  stretch.first = shape[0] - stretch.rows;
  stretch.steps.resize(static_cast<std::size_t>(stretch.rows));
  result.read_rows(group + "/step", stretch.first, stretch.rows, stretch.steps.data());
  return stretch;
}

/// A dataset [rows, columns] or [rows] over the stretch; no columns if there is none, or too many.
Matrix rows_of_stretch(const Result& result, const Stretch& stretch, const std::string& name,
                       std::int64_t most_columns) {
  const std::string path = stretch.group + "/" + name;
  const std::vector<std::int64_t> shape = result.shape(path);
  const bool fits = !shape.empty() && shape.size() <= 2 &&
                    shape[0] >= stretch.first + stretch.rows &&
                    (shape.size() == 1 || (shape[1] >= 1 && shape[1] <= most_columns));
  if (!fits) return {};
  Matrix matrix{stretch.rows, shape.size() == 1 ? 1 : shape[1], {}};
  matrix.values.resize(static_cast<std::size_t>(matrix.rows * matrix.columns));
  result.read_rows(path, stretch.first, stretch.rows, matrix.values.data());
  return matrix;
}

std::vector<Point> column_of(const Matrix& matrix, std::int64_t column) {
  std::vector<Point> points;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    points.push_back({static_cast<double>(row), matrix.at(row, column)});
  }
  return points;
}

Axis step_axis(const Stretch& stretch, bool labelled) {
  // Rows are counted from the first that is shown; their steps stand in place of that.
  Axis axis{.scale = stretch.scale(),
            .label = "step",
            .about = 8,
            .integers = true,
            .labelled = labelled};
  for (const double step : stretch.steps) {
    axis.names.push_back(std::to_string(static_cast<std::int64_t>(step)));
  }
  return axis;
}

/// Strokes where an episode begins.
void mark_episodes(Panel& panel, const Result& result, const Stretch& stretch) {
  const Matrix episodes = rows_of_stretch(result, stretch, "episode", 1);
  for (std::int64_t row = 1; row < episodes.rows; ++row) {
    if (episodes.at(row, 0) != episodes.at(row - 1, 0)) {
      panel.mark_x(static_cast<double>(row) - 0.5, "rule");
    }
  }
}

double height_of(std::int64_t rows) {
  return std::clamp(static_cast<double>(rows) * 16.0, 36.0, 190.0);
}

/// A heat map whose columns are steps, row 0 at the bottom.
Panel map_panel(const Result& result, const Stretch& stretch, const Matrix& map, double y,
                const std::string& title, const std::string& label,
                const std::vector<std::string>& names, const ColorScale& colors, bool labelled) {
  const double top = static_cast<double>(map.columns) - 0.5;
  Panel panel(
      {kStepsLeft, y, kStepsWidth, height_of(map.columns)}, step_axis(stretch, labelled),
      {.scale = {-0.5, top},
       .label = names.empty() ? label : "",
       .about = names.empty() ? 4 : static_cast<int>(std::min<std::int64_t>(map.columns, 12)),
       .integers = true,
       .names = names});
  panel.set_title(title);
  panel.image(image_of(map, colors, true), {-0.5, top}, {stretch.scale().high, -0.5}, true);
  mark_episodes(panel, result, stretch);
  return panel;
}

std::string shown_text(const Stretch& stretch) {
  return fmt::format("The last {} recorded steps; strokes stand where an episode begins.",
                     grouped(stretch.rows));
}

/// Lines of several datasets, or of the columns of one, in a panel.
struct StepLine {
  std::string name;
  std::vector<Point> points;
};
Panel lines_panel(const Result& result, const Stretch& stretch, const std::vector<StepLine>& lines,
                  double y, double height, const std::string& title, const std::string& label,
                  bool labelled) {
  Range range;
  for (const StepLine& line : lines) {
    for (const Point& point : line.points) {
      if (std::isfinite(point.y)) range.add(point.y);
    }
  }
  Panel panel({kStepsLeft, y, kStepsWidth, height}, step_axis(stretch, labelled),
              {range.padded(), label, 4});
  panel.set_title(title);
  mark_episodes(panel, result, stretch);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    panel.line(lines[i].points, line_class(i));
    if (lines.size() > 1) panel.add_legend(lines[i].name, line_class(i));
  }
  return panel;
}

std::vector<std::string> names_or_numbers(std::vector<std::string> names, std::int64_t count,
                                          const std::string& what) {
  for (std::int64_t i = std::ssize(names); i < count; ++i) {
    names.push_back(fmt::format("{} {}", what, i));
  }
  return names;
}

/// Mean over policies, by their posterior, of a part of their expected free energy.
std::vector<Point> mean_of_plans(const Matrix& posterior, const Matrix& term) {
  std::vector<Point> points;
  for (std::int64_t row = 0; row < term.rows; ++row) {
    double sum = 0.0;
    for (std::int64_t p = 0; p < term.columns; ++p) {
      if (posterior.at(row, p) > 0.0) sum += posterior.at(row, p) * term.at(row, p);
    }
    points.push_back({static_cast<double>(row), sum});
  }
  return points;
}

}  // namespace

std::string agent_beliefs_section(const Result& result) {
  const Stretch stretch = last_steps(result, "agent");
  if (stretch.is_empty()) return {};
  std::vector<std::string> factors;
  for (const std::string& name : result.datasets("agent")) {
    if (name.starts_with(kBelief)) factors.push_back(name.substr(std::string(kBelief).size()));
  }
  std::vector<Matrix> maps;
  double height = 40.0;
  std::erase_if(factors, [&](const std::string& factor) {
    Matrix map = rows_of_stretch(result, stretch, kBelief + factor, kMostStates);
    if (map.values.empty()) return true;
    height += height_of(map.columns) + 34.0;
    maps.push_back(std::move(map));
    return false;
  });
  if (maps.empty()) return {};
  Figure figure(kWidth, height);
  const ColorScale colors{.scale = {0.0, 1.0}, .diverging = false};
  double y = 26.0;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    const std::string coordinate = "agent/" + factors[f] + "_state";
    Panel panel = map_panel(result, stretch, maps[f], y, factors[f], "state",
                            result.texts(coordinate, "labels"), colors, f + 1 == factors.size());
    const Matrix truth = rows_of_stretch(result, stretch, "state_" + factors[f], 1);
    if (!truth.values.empty()) panel.dots(column_of(truth, 0), 2.6, "c1");
    figure.add(panel);
    figure.add_color_bar(panel, colors);
    y += height_of(maps[f].columns) + 34.0;
  }
  return figure_markup("fig-beliefs", "What it believed, and what was true",
                       figure.svg("beliefs about the states of every factor, step by step"),
                       shown_text(stretch) +
                           " Colours are the probabilities that the agent gives "
                           "to each state, dots the true states.",
                       "Dots on dark cells are beliefs that were wrong; a column without a bright "
                       "cell is a step at which the agent did not know.");
}

std::string agent_plans_section(const Result& result) {
  const Stretch stretch = last_steps(result, "agent/plans");
  if (stretch.is_empty()) return {};
  std::string out;
  const Matrix posterior = rows_of_stretch(result, stretch, "posterior", kMostPolicies);
  if (!posterior.values.empty()) {
    const ColorScale colors{.scale = {0.0, 1.0}, .diverging = false};
    Figure figure(kWidth, height_of(posterior.columns) + 74.0);
    const Panel panel = map_panel(result, stretch, posterior, 26.0, "posterior of policies",
                                  "policy", {}, colors, true);
    figure.add(panel);
    figure.add_color_bar(panel, colors);
    out += figure_markup(
        "fig-policies", "Which policies it held to be best",
        figure.svg("posterior probabilities of policies, step by step"),
        shown_text(stretch) + " Policies are numbered as in /agent/plans/policy_action.",
        "One bright cell in a column is a clear decision; many alike are "
        "policies that are worth the same.");
  }
  std::vector<StepLine> lines;
  const bool is_discrete = !posterior.values.empty();
  const std::vector<std::string> terms =
      is_discrete
          ? std::vector<std::string>{"risk", "ambiguity", "pragmatic", "epistemic", "novelty"}
          : std::vector<std::string>{"risk", "ambiguity", "information_gain"};
  for (const std::string& term : terms) {
    const Matrix values = rows_of_stretch(result, stretch, term, kMostPolicies);
    if (values.values.empty()) continue;
    if (is_discrete && values.columns != posterior.columns) continue;
    std::vector<Point> points =
        is_discrete ? mean_of_plans(posterior, values) : column_of(values, 0);
    const bool is_there = std::any_of(points.begin(), points.end(), [](const Point& point) {
      return std::isfinite(point.y) && point.y != 0.0;
    });
    if (is_there) lines.push_back({term == "information_gain" ? "information gain" : term, points});
  }
  if (lines.empty()) return out;
  Figure figure(kWidth, 250.0);
  figure.add(lines_panel(result, stretch, lines, 26.0, 180.0, "", "nat", true));
  return out +
         figure_markup(
             "fig-free-energy", "What it expected of its plans",
             figure.svg("parts of the expected free energy, step by step"),
             shown_text(stretch) +
                 (is_discrete ? " Parts of the expected free energy, means over policies by "
                                "their posterior."
                              : " Parts of the expected free energy of the plan that was "
                                "followed; none where actions were drawn."),
             is_discrete
                 ? "Epistemic value that falls to 0 within an episode has been earned: the "
                   "agent knows what it wanted to know."
                 : "Information gain that falls over episodes says that the model is learnt.");
}

std::string agent_signals_section(const Result& result) {
  const Stretch stretch = last_steps(result, "agent");
  if (stretch.is_empty()) return {};
  double y = 26.0;
  std::vector<Panel> panels;
  for (const auto& [name, axis] :
       {std::pair("observation", "observed"), std::pair("action", "acted")}) {
    constexpr std::int64_t most = 64;
    const Matrix values = rows_of_stretch(result, stretch, name, most);
    if (values.values.empty()) continue;
    const std::vector<std::string> names = names_or_numbers(
        result.texts(fmt::format("agent/{}", axis), "labels"), values.columns, name);
    std::vector<StepLine> lines;
    for (std::int64_t c = 0; c < std::min<std::int64_t>(values.columns, kLineColors); ++c) {
      lines.push_back({names[static_cast<std::size_t>(c)], column_of(values, c)});
    }
    panels.push_back(lines_panel(result, stretch, lines, y, 120.0, name, "", false));
    y += 160.0;
  }
  if (panels.empty()) return {};
  panels.back().show_x_labels();
  Figure figure(kWidth, y + 10.0);
  for (const Panel& panel : panels) figure.add(panel);
  return figure_markup("fig-signals", "What it observed and did",
                       figure.svg("observations and actions, step by step"), shown_text(stretch));
}

}  // namespace gaia::report
