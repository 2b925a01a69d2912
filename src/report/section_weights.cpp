// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../learning/rule_list.h"
#include "figure.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kGapOfWeights = 76.0;
constexpr double kPanelHeight = 150.0;
constexpr double kRowHeight = kPanelHeight + 76.0;
constexpr std::size_t kMatricesPerRow = 3;
constexpr std::size_t kMostDots = 160;
constexpr std::size_t kMostLayers = 24;
constexpr int kBins = 40;

bool any_finite(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

std::vector<Point> by_index(const std::vector<double>& values) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.push_back({static_cast<double>(i), values[i]});
  }
  return points;
}

/// Panels side by side, row after row.
class Grid {
 public:
  Box next() {
    const double width =
        (kWidth - kLeft - 10.0 - (kMatricesPerRow - 1) * kGapOfWeights) / kMatricesPerRow;
    const auto column = static_cast<double>(count_ % kMatricesPerRow);
    const auto row = static_cast<double>(count_ / kMatricesPerRow);
    ++count_;
    return {kLeft + column * (width + kGapOfWeights), 26.0 + row * kRowHeight, width, kPanelHeight};
  }
  void keep(const Panel& panel) { panels_.push_back(panel); }
  bool is_empty() const { return panels_.empty(); }

  std::string svg(const char* description) const {
    const std::size_t rows = (count_ + kMatricesPerRow - 1) / kMatricesPerRow;
    Figure figure(kWidth, static_cast<double>(rows) * kRowHeight);
    for (const Panel& panel : panels_) figure.add(panel);
    return figure.svg(description);
  }

 private:
  std::size_t count_ = 0;
  std::vector<Panel> panels_;
};

/// Values of every neuron, or of every input, at the end as dots, and before as rings or, if it was
/// one for all, a line.
void add_dots(Grid& grid, const std::string& title, const std::string& label,
              const std::vector<double>& last, const std::vector<double>& first,
              std::optional<double> first_of_all, const char* of = "neuron") {
  Range range;
  for (const double value : last) range.add(value);
  for (const double value : first) range.add(value);
  if (first_of_all) range.add(*first_of_all);
  const Scale neurons{-0.8, static_cast<double>(last.size()) - 0.2, false};
  Panel panel(grid.next(), {neurons, of, 5, true}, {range.with_zero(), label, 4});
  panel.set_title(title);
  if (first_of_all) panel.mark_y(*first_of_all, "rule dashed");
  panel.dots(by_index(first), 2.6, "hollow");
  panel.dots(by_index(last), 2.8, "c0");
  grid.keep(panel);
}

/// How many neurons, or inputs, have which value, at the end and before.
void add_histogram(Grid& grid, const std::string& title, const std::string& label,
                   const std::vector<double>& last, const std::vector<double>& first,
                   const char* of = "neurons") {
  Range range;
  for (const double value : last) range.add(value);
  for (const double value : first) range.add(value);
  const Scale scale = range.with_zero(0.02);
  const auto counted = [&](const std::vector<double>& values) {
    std::vector<double> counts(kBins, 0.0);
    for (const double value : values) {
      const double position = scale.position(value);
      if (!(position >= 0.0 && position <= 1.0)) continue;
      ++counts[static_cast<std::size_t>(std::min(kBins - 1, static_cast<int>(position * kBins)))];
    }
    return counts;
  };
  const std::vector<double> after = counted(last);
  const std::vector<double> before = counted(first);
  Range heights;
  for (const double count : after) heights.add(count);
  for (const double count : before) heights.add(count);
  Panel panel(grid.next(), {scale, label, 5}, {heights.with_zero(), of, 4, true});
  panel.set_title(title);
  const double width = (scale.high - scale.low) / kBins;
  for (const auto& [counts, look] : {std::pair(&before, "soft"), std::pair(&after, "c0")}) {
    for (int bin = 0; bin < kBins; ++bin) {
      const double count = (*counts)[static_cast<std::size_t>(bin)];
      const double left = scale.low + bin * width;
      if (count > 0.0) panel.bar({left, 0.0}, {left + width * 0.9, count}, look);
    }
  }
  grid.keep(panel);
}

/// What some neurons have, a line for each, at `at` of all `steps`.
void add_history(Grid& grid, const std::string& title, const std::string& quantity,
                 const std::vector<double>& at, const Matrix& values, double steps) {
  Range range;
  for (const double value : values.values) range.add(value);
  const bool grows = range.low() > 0.0 && range.high() > 100.0 * range.low();
  Panel panel(grid.next(), {{0.0, steps}, "step", 4},
              {grows ? range.logarithmic() : range.with_zero(), quantity, 4});
  panel.set_title(title + ", by step");
  for (std::int64_t neuron = 0; neuron < values.columns; ++neuron) {
    std::vector<Point> line;
    for (std::int64_t row = 0; row < values.rows; ++row) {
      line.push_back({at[static_cast<std::size_t>(row)], values.at(row, neuron)});
    }
    panel.line(line, fmt::format("thin faded c{}", neuron % kLineColors));
  }
  grid.keep(panel);
}

}  // namespace

std::string weights_section(const Result& result, const std::vector<LayerSurvey>& layers) {
  Grid grid;
  std::vector<std::string> told;      // sentences about memories
  std::vector<std::string> look_for;  // under the rules that are there
  const auto add_once = [](std::vector<std::string>& sentences, const std::string& sentence) {
    if (sentence.empty()) return;
    if (std::find(sentences.begin(), sentences.end(), sentence) != sentences.end()) return;
    sentences.push_back(sentence);
  };
  const std::vector<std::string> known = rule_names();
  bool has_history = false;
  std::size_t shown = 0;
  for (const LayerSurvey& layer : layers) {
    if (!any_finite(layer.norms) && !any_finite(layer.norms_initial)) continue;
    if (++shown > kMostLayers) break;
    if (layer.norms.size() <= kMostDots) {
      add_dots(grid, layer.name, "|w|", layer.norms, layer.norms_initial, {});
    } else {
      add_histogram(grid, layer.name, "|w|", layer.norms, layer.norms_initial);
    }
    if (std::find(known.begin(), known.end(), layer.rule) != known.end()) {
      add_once(look_for, gaia::look_for(rule_from_name(layer.rule)));
    }
    for (const MemorySurvey& memory : layer.memories) {
      if (!any_finite(memory.values)) continue;
      add_once(told, fmt::format(" {} is {} of rule {} at the end; the dashed line is where it "
                                 "started.",
                                 memory.symbol,
                                 memory.meaning.empty() ? "a memory" : "the " + memory.meaning,
                                 layer.rule));
      const std::string title = layer.name + ", " + memory.symbol;
      if (memory.values.size() <= kMostDots) {
        add_dots(grid, title, memory.symbol, memory.values, {}, memory.initial);
      } else {
        add_histogram(grid, title, memory.symbol, memory.values, {});
      }
    }
    for (const MemorySurvey& trace : layer.traces) {
      if (!any_finite(trace.values)) continue;
      add_once(told, " Traces of the inputs are those at the end; they began with 0.");
      const std::string title = layer.name + ", trace " + trace.symbol;
      if (trace.values.size() <= kMostDots) {
        add_dots(grid, title, trace.symbol, trace.values, {}, {}, "input");
      } else {
        add_histogram(grid, title, trace.symbol, trace.values, {}, "inputs");
      }
    }
    if (layer.history_norms.rows > 1) {
      has_history = true;
      const auto steps = static_cast<double>(std::max<std::int64_t>(1, result.done()));
      add_history(grid, layer.name, "|w|", layer.history_steps, layer.history_norms, steps);
      for (const MemorySurvey& memory : layer.memories) {
        if (!any_finite(memory.history.values)) continue;
        add_history(grid, layer.name + ", " + memory.symbol, memory.symbol, layer.history_steps,
                    memory.history, steps);
      }
    }
  }
  if (grid.is_empty()) return {};
  std::string shows = "Length |w| of every neuron's weights at the end, in blue";
  const bool has_starts = result.has_group("", "levels");
  shows +=
      has_starts ? "; grey rings, or grey bars where there are many neurons, are the start." : ".";
  for (const std::string& sentence : told) shows += sentence;
  if (has_history) shows += " The lines follow up to 32 neurons over the run.";
  if (!has_starts) {
    look_for = {
        "Neurons whose weights are much shorter than those of their neighbours hardly take "
        "part."};
  } else {
    look_for.emplace_back("Neurons that stayed where they began have learnt nothing.");
  }
  return figure_markup("fig-norms", "Lengths of the weights",
                       grid.svg("lengths of the weights of every neuron"), shows,
                       fmt::format("{}", fmt::join(look_for, " ")));
}

}  // namespace gaia::report
