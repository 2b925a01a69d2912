// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "../core/text.h"
#include "changes.h"
#include "figure.h"
#include "markup.h"
#include "predictions_so_far.h"
#include "sections.h"
#include "stack.h"

namespace gaia::report {
namespace {

constexpr double kMapQuantile = 0.96;
constexpr std::size_t kMostPredictions = 4;  // panels

double map_height(std::int64_t rows) {
  return std::clamp(static_cast<double>(rows) * 6.0, 56.0, 150.0);
}

/// A heat map of [time, neurons] whose rows are `per_row` steps wide, from a step on.
void add_map(Stack& stack, const std::string& title, const Matrix& map, double first_step,
             double per_row, std::int64_t neurons, std::int64_t neurons_per_row, const char* label,
             const std::vector<std::string>& names = {}) {
  if (map.values.empty()) return;
  const ColorScale colors = ColorScale::of(map.values, kMapQuantile);
  const double top = static_cast<double>(map.columns * neurons_per_row) - 0.5;
  Panel panel = stack.panel(map_height(map.columns), title,
                            {.scale = {-0.5, static_cast<double>(neurons) - 0.5},
                             .label = names.empty() ? label : "",
                             .about = 3,
                             .integers = true,
                             .names = names});
  panel.image(image_of(map, colors, true), {stack.time(first_step), top},
              {stack.time(first_step + per_row * static_cast<double>(map.rows)), -0.5}, false);
  stack.keep(std::move(panel), &colors);
}

void add_lines(Stack& stack, const std::string& title, const std::vector<std::vector<Point>>& lines,
               const std::vector<std::string>& names, double per_row, const std::string& label,
               double height, const char* look) {
  Range range;
  for (const auto& line : lines) {
    for (const Point& point : line) range.add(point.y);
  }
  Panel panel = stack.panel(height, title, {range.padded(), label, 4});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string color = lines.size() == 1 ? "ink" : line_class(i);
    panel.line(stack.in_time(lines[i], per_row), color + " " + look);
    if (lines.size() > 1) panel.add_legend(names[i], color);
  }
  stack.keep(std::move(panel));
}

/// A stroke for every spike, a row for every neuron.
void add_raster(Stack& stack, const std::string& title, const LevelSurvey& level,
                const Raster& raster) {
  const auto neurons = static_cast<double>(level.neurons);
  const double height = std::clamp(neurons * 8.0, 30.0, 190.0);
  Panel panel = stack.panel(height, title,
                            {.scale = {-0.5, neurons - 0.5},
                             .label = "neuron",
                             .about = level.neurons < 3 ? 1 : 3,
                             .integers = true});
  std::vector<Point> points;
  for (const Spike& spike : raster.spikes) {
    points.push_back({stack.time(static_cast<double>(level.step_of(spike.tick))),
                      static_cast<double>(spike.neuron)});
  }
  // At least about a pixel and a half, however many neurons there are.
  const double stroke = std::max(0.8, 1.6 * neurons / height);
  panel.strokes(points, std::min(stroke, neurons),
                "ink spike " + std::string(points.size() > 2000 ? "fine" : "thin"));
  stack.keep(std::move(panel));
}

/// What rasters show, to follow what the figure shows; empty where no level has one.
std::string rasters_text(const RunView& view, Raster LevelSurvey::*raster) {
  std::string text;
  for (const LevelSurvey& level : view.levels) {
    if (!level.is_binary) continue;
    if (text.empty()) {
      text =
          " Levels that answer 0 or 1 alone are rasters: a row for each neuron, a stroke where "
          "it answers 1, as a spike or a choice.";
    }
    text += fmt::format(" Level {}: a neuron answers 1 in {} % of its ticks on average",
                        level.index, number_for_people(100.0 * level.mean_rate, 3));
    if (view.rate > 0.0) {
      text += fmt::format(
          " ({} Hz)",
          number_for_people(level.mean_rate * view.rate / static_cast<double>(level.spacing), 3));
    }
    const Raster& drawn = level.*raster;
    if (std::ssize(drawn.spikes) < drawn.count) {
      text += fmt::format("; of {} strokes {}, chosen at random, are drawn", grouped(drawn.count),
                          grouped(std::ssize(drawn.spikes)));
    }
    text += ".";
  }
  return text;
}

std::string level_title(const RunView& view, const LevelSurvey& level) {
  std::string text = fmt::format("level {}  ·  a tick every ", level.index);
  text +=
      level.temporal_resolution == 1 ? "step" : fmt::format("{} steps", level.temporal_resolution);
  if (view.rate > 0.0) {
    const double seconds = static_cast<double>(level.temporal_resolution) / view.rate;
    text += seconds < 1.0 ? fmt::format(" ({} ms)", number_for_people(seconds * 1e3, 3))
                          : fmt::format(" ({} s)", number_for_people(seconds, 3));
  }
  if (level.temporal_resolution > 1) text += ", " + level.pooling;
  text += fmt::format("  ·  {} neuron{}", grouped(level.neurons), plural(level.neurons));
  if (level.spacing != level.temporal_resolution) {
    text += fmt::format("  ·  recorded every {} steps", grouped(level.spacing));
  }
  if (!level.missing.empty()) text += ": " + level.missing;
  return text;
}

std::vector<std::string> neuron_names(const LevelSurvey& level) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < level.neurons; ++i) names.push_back("neuron " + std::to_string(i));
  return names;
}

std::vector<std::string> channel_names(const InputSurvey& inputs) {
  std::vector<std::string> names;
  for (const std::string& name : inputs.channels) {
    names.push_back(name.find_first_not_of("0123456789") == std::string::npos ? "channel " + name
                                                                              : name);
  }
  return names;
}

/// Names that say more than numbers do; else none.
std::vector<std::string> told_names(const InputSurvey& inputs) {
  for (const std::string& name : inputs.channels) {
    if (name.find_first_not_of("0123456789") != std::string::npos) return inputs.channels;
  }
  return {};
}

std::string input_title(const InputSurvey& inputs) {
  const std::vector<std::string> names = channel_names(inputs);
  return names.size() == 1 ? "input  ·  " + names.front()
                           : fmt::format("input  ·  {} channels", names.size());
}

/// "3 changes, at steps 640, 1,200 and 1,500"; of many the first.
std::string counted_changes(const ChangeFacts& changes) {
  constexpr std::size_t most = 8;
  std::string steps;
  const std::size_t told = std::min(most, changes.steps.size());
  for (std::size_t i = 0; i < told; ++i) {
    steps += (i == 0 ? "" : ", ") + grouped(static_cast<std::int64_t>(changes.steps[i]));
  }
  const bool has_more = static_cast<std::int64_t>(told) < changes.count;
  return fmt::format("{} change{}, at step{} {}{}", grouped(changes.count), plural(changes.count),
                     plural(changes.count), steps, has_more ? " and later" : "");
}

/// Strokes where readouts have reported changes, in at most kMostPredictions panels.
void add_changes(Stack& stack, const std::vector<ChangeFacts>& changes) {
  for (std::size_t i = 0; i < std::min(kMostPredictions, changes.size()); ++i) {
    std::vector<Point> points;
    for (const double step : changes[i].steps) points.push_back({stack.time(step), 0.0});
    Panel panel = stack.panel(
        28.0, fmt::format("changes  ·  {}, {}", changes[i].name, changes[i].watched),
        {.scale = {-0.5, 0.5}, .label = "", .about = 1, .integers = true, .names = {"told"}});
    panel.strokes(points, 1.0, "ink spike thin");
    stack.keep(std::move(panel));
  }
}

std::string changes_text(const std::vector<ChangeFacts>& changes) {
  std::string text;
  for (const ChangeFacts& one : changes) {
    text += fmt::format(" Readout {} ({} over {}) tells of {}", one.name, one.method, one.watched,
                        one.count == 0 ? "no change" : counted_changes(one));
    text += ".";
  }
  return text;
}

std::string overview(const RunView& view) {
  Stack stack(view, {0, view.result.series_done()});
  const InputSurvey& inputs = view.inputs;
  if (!inputs.traces.empty()) {
    add_lines(stack, input_title(inputs), inputs.traces, channel_names(inputs), 1.0, inputs.unit,
              104.0, "fine");
  } else {
    add_map(stack, input_title(inputs), inputs.map, 0.0,
            static_cast<double>(inputs.steps_per_column), std::ssize(inputs.channels),
            inputs.channels_per_row, "channel", told_names(inputs));
  }
  for (const LevelSurvey& level : view.levels) {
    const auto spacing = static_cast<double>(level.spacing);
    if (level.is_binary) {
      add_raster(stack, level_title(view, level), level, level.raster);
    } else if (!level.traces.empty()) {
      add_lines(stack, level_title(view, level), level.traces, neuron_names(level), spacing,
                "answer", 84.0, "thin");
    } else {
      add_map(stack, level_title(view, level), level.map, 0.0,
              spacing * static_cast<double>(level.ticks_per_column), level.neurons,
              level.neurons_per_row, "neuron");
    }
  }
  const std::vector<ChangeFacts> changes = read_changes(view.result);
  add_changes(stack, changes);
  if (stack.is_empty()) return {};
  std::string shows =
      "The input and what each level made of it, on one axis of time. Lines keep the least and the "
      "greatest value of every stretch; a column of a map is the mean over a stretch of ticks "
      "(";
  for (const LevelSurvey& level : view.levels) {
    shows += fmt::format("{}{}", level.index == 0 ? "" : ", ", grouped(level.ticks_per_column));
  }
  shows +=
      " per column), and its colours end where 96 % of the numbers do: blue is below 0, orange "
      "above. ";
  shows += inputs.missing.empty() ? "The input was " + inputs.origin + "."
                                  : "The input is not shown: " + inputs.missing + ".";
  shows += rasters_text(view, &LevelSurvey::raster);
  shows += changes_text(changes);
  return figure_markup(
      "fig-series", "The whole run", stack.svg("input and representations over the whole run"),
      shows,
      "Slower levels should change more slowly; stripes that fade in show neurons that learn, rows "
      "without colour neurons that say nothing. Drag across a stretch to enlarge it, with Shift to "
      "move along; a double click shows all again.");
}

/// Rows of a readout whose step lies in a range: first and count.
std::pair<std::int64_t, std::int64_t> rows_in(const Result& result, const ReadoutFacts& readout,
                                              StepRange range) {
  const std::int64_t first = row_of_step(result, readout.path + "/step", readout.rows, range.begin);
  const std::int64_t end = row_of_step(result, readout.path + "/step", readout.rows, range.end);
  const std::int64_t most = range.end - range.begin;  // whatever the file says of its steps
  return {first, std::clamp<std::int64_t>(end - first, 0, most)};
}

/// One target of a regression with its prediction.
void add_prediction(Stack& stack, const RunView& view, const ReadoutFacts& readout,
                    std::int64_t output, bool are_several) {
  const auto [first, count] =
      rows_in(view.result, readout,
              {view.close_up.begin - readout.horizon, view.close_up.end - readout.horizon});
  if (count < 2) return;
  // Named here: clang 14 captures no structured bindings.
  const auto read = [&, from = first, rows = count](const char* name, std::int64_t column) {
    return read_column(view.result, readout.path + "/" + name, from, rows, column);
  };
  const std::vector<double> steps = read("step", 0);
  const std::vector<double> targets = read("target", output);
  const std::vector<double> predictions = read("prediction", output);
  if (targets.size() != steps.size() || predictions.size() != steps.size()) return;
  std::vector<Point> target;
  std::vector<Point> prediction;
  Range range;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double at = stack.time(steps[i] + static_cast<double>(readout.horizon));
    target.push_back({at, targets[i]});
    prediction.push_back({at, predictions[i]});
    range.add(targets[i]);
    range.add(predictions[i]);
  }
  const bool are_classes = readout.task == ReadoutTask::classes;
  Axis y{range.padded(), "target", 4};
  if (are_classes) {
    y = {.scale = range.padded(0.1),
         .label = "",
         .about = 6,
         .integers = true,
         .names = readout.classes};
  } else if (are_several) {
    y.label = shortened(readout.output_name(output), 16);
  }
  Panel panel =
      stack.panel(104.0, "readout " + readout.name + "  ·  " + readout.target, std::move(y));
  panel.line(target, "soft bold faded");
  panel.line(prediction, are_classes ? "c0 thin" : "c0");
  panel.add_legend(are_classes ? "true class" : "target", "soft bold");
  panel.add_legend("prediction", "c0");
  stack.keep(std::move(panel));
}

/// What readouts predicted in the stretch, in at most kMostPredictions panels.
void add_predictions(Stack& stack, const RunView& view) {
  std::size_t drawn = 0;
  for (const ReadoutFacts& readout : view.readouts) {
    if (readout.task != ReadoutTask::classes && readout.task != ReadoutTask::regression) continue;
    const std::int64_t targets =
        readout.task == ReadoutTask::classes ? 1 : count_targets(view.result, readout);
    for (std::int64_t output = 0; output < targets && drawn < kMostPredictions; ++output) {
      add_prediction(stack, view, readout, output, targets > 1);
      ++drawn;
    }
  }
}

std::string close_up(const RunView& view) {
  Stack stack(view, view.close_up);
  const InputSurvey& inputs = view.inputs;
  if (!inputs.close.empty()) {
    add_lines(stack, input_title(inputs), inputs.close, channel_names(inputs), 1.0, inputs.unit,
              104.0, "thin");
  }
  add_map(stack, input_title(inputs), inputs.close_map, static_cast<double>(view.close_up.begin),
          1.0, std::ssize(inputs.channels), inputs.channels_per_row, "channel", told_names(inputs));
  add_predictions(stack, view);
  for (const LevelSurvey& level : view.levels) {
    if (level.is_binary) {
      add_raster(stack, level_title(view, level), level, level.close_raster);
      continue;
    }
    add_map(stack, level_title(view, level), level.close,
            static_cast<double>(level.step_of(level.close_first)),
            static_cast<double>(level.spacing), level.neurons, level.neurons_per_row, "neuron");
  }
  if (stack.is_empty()) return {};
  const bool has_readouts = !view.readouts.empty();
  return figure_markup(
      "fig-close-up", "A closer look", stack.svg("a few hundred steps in full"),
      fmt::format(
          "{} steps from step {} on, with every tick as it was: each level holds its answer "
          "until its next tick.{}",
          grouped(view.close_up.end - view.close_up.begin), grouped(view.close_up.begin),
          has_readouts ? " In this stretch of the test part the target changes as much as is "
                         "usual. Predictions stand at the time that they are about."
                       : "") +
          rasters_text(view, &LevelSurvey::close_raster),
      has_readouts
          ? "Does the prediction turn before the target does, or does it only follow? Which "
            "neurons answer to which part of the signal?"
          : "Which neurons answer to which part of the signal, and do they answer alike?");
}

}  // namespace

std::string series_section(const RunView& view) { return overview(view) + close_up(view); }

}  // namespace gaia::report
