// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "../experiment/readouts/verdict.h"
#include "figure.h"
#include "judged.h"
#include "markup.h"

namespace gaia::report {
namespace {

// In units of 3/4 point: 336 are the 252 points of a column.
constexpr double kColumnWidth = 336.0;
constexpr double kLabelWidth = 136.0;
constexpr double kLine = 13.0;         // between lines of a label
constexpr double kLabelledRow = 32.0;  // height of a row with a label of its own
constexpr double kKeyedRow = 16.0;     // height of one that is known by its colour
constexpr std::size_t kLabelLetters = 19;
constexpr std::size_t kMostLabelLines = 2;

/// The run, or one thing that it is compared with.
struct Strip {
  std::string title;
  const std::vector<double>* scores;
  Spread spread;
  std::string look;
};

std::vector<Strip> strips_of(const ReadoutOverSeeds& readout) {
  constexpr std::array looks = {"c0", "c1", "c2", "c3", "c4", "c5", "ink", "soft"};
  std::vector<Strip> strips = {{"this run", &readout.scores, readout.spread, looks[0]}};
  for (const ComparedScores& other : readout.others) {
    if (other.spread.count == 0) continue;
    strips.push_back(
        {other.title, &other.scores, other.spread, looks[strips.size() % looks.size()]});
  }
  return strips;
}

/// A label in lines that fit beside the panel.
std::vector<std::string> lines_of(const std::string& label) {
  std::vector<std::string> lines = {""};
  for (std::size_t begin = 0; begin < label.size();) {
    const std::size_t end = std::min(label.find(' ', begin), label.size());
    const std::string word = label.substr(begin, end - begin);
    const bool fits = lines.back().size() + word.size() + 1 <= kLabelLetters;
    if (lines.back().empty()) {
      lines.back() = word;
    } else if (fits || lines.size() == kMostLabelLines) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
    begin = end + 1;
  }
  for (std::string& line : lines) line = shortened(line, kLabelLetters + 2);
  return lines;
}

/// "accuracy (share)", "return (nat)"
std::string axis_label(const ReadoutOverSeeds& readout) {
  const std::string unit = readout.measure == "R2"               ? "1: exact, 0: the mean"
                           : readout.measure == "accuracy"       ? "share told right"
                           : readout.measure == "AUC"            ? "0.5: chance"
                           : readout.measure == kMeanCorrelation ? "1: one to one"
                           : readout.units == "1"                ? ""
                                                                 : readout.units;
  return measure_of(readout) + (unit.empty() ? "" : " (" + unit + ")");
}

/// Points of the seeds, a bar of one standard deviation on each side of the mean, and the mean.
void draw_strip(Panel& panel, const Strip& strip, double y, double half) {
  std::vector<Point> dots;
  std::size_t k = 0;
  for (const double score : *strip.scores) {
    // They lie beside each other in turn, so that equal ones are told apart.
    const double aside = half * (0.35 + 0.3 * static_cast<double>(k++ % 3));
    if (std::isfinite(score)) dots.push_back({score, y - aside});
  }
  if (strip.scores->size() > 1) panel.dots(dots, 1.7, strip.look);
  const double mean = strip.spread.mean;
  if (std::isfinite(strip.spread.deviation)) {
    const Point ends[] = {{mean - strip.spread.deviation, y}, {mean + strip.spread.deviation, y}};
    panel.line(ends, strip.look);
  }
  const Point at[] = {{mean, y}};
  panel.dots(at, 3.2, strip.look);
}

/// What is drawn for one readout of all runs.
struct FigureRows {
  std::vector<std::pair<std::string, std::vector<Strip>>> blocks;  // settings, strips
  Scale scale;
  std::string label;
  std::string title;
  std::optional<double> published = {};
  bool is_keyed = false;  ///< Several runs: what is compared is told by colour.

  double height() const {
    double sum = 0.0;
    for (const auto& [name, strips] : blocks) sum += block_height(strips);
    return sum;
  }
  double block_height(const std::vector<Strip>& strips) const {
    const auto count = static_cast<double>(strips.size());
    return is_keyed ? std::max(count * kKeyedRow + 8.0, kLabelledRow) : count * kLabelledRow;
  }
};

std::vector<std::string> names_of_readouts(const JudgedRuns& runs) {
  std::vector<std::string> names;
  for (const Judged& one : runs.all) {
    for (const ReadoutOverSeeds& readout : one.readouts) {
      const bool is_known = std::find(names.begin(), names.end(), readout.name) != names.end();
      if (!is_known && readout.spread.count > 0) names.push_back(readout.name);
    }
  }
  return names;
}

FigureRows figure_rows_of(const JudgedRuns& runs, const std::string& name) {
  FigureRows rows;
  Range range;
  for (const Judged& one : runs.all) {
    for (const ReadoutOverSeeds& readout : one.readouts) {
      if (readout.name != name) continue;
      rows.label = axis_label(readout);
      if (readout.published && readout.published->score.empty()) {
        rows.published = readout.published->value;
      }
      rows.title = readout.measure == "return" ? "agent" : "readout " + readout.name;
      const auto& [settings, strips] =
          rows.blocks.emplace_back(one.settings_text(), strips_of(readout));
      for (const Strip& strip : strips) {
        for (const double score : *strip.scores) range.add(score);
        range.add(strip.spread.mean - strip.spread.deviation);
        range.add(strip.spread.mean + strip.spread.deviation);
        range.add(strip.spread.mean);
      }
    }
  }
  range.add(rows.published.value_or(kNoScore));
  rows.is_keyed = rows.blocks.size() > 1;
  rows.scale = range.padded(0.05);
  return rows;
}

std::vector<std::pair<std::string, std::string>> keys_of(const FigureRows& rows) {
  std::vector<std::pair<std::string, std::string>> keys;
  if (!rows.is_keyed) return keys;
  for (const auto& [settings, strips] : rows.blocks) {
    for (const Strip& strip : strips) {
      const std::pair<std::string, std::string> key = {strip.title, "bold " + strip.look};
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

/// Draws the panel of one readout with its top at `top`.
void draw_rows(Figure& figure, const FigureRows& rows, double top) {
  const double height = rows.height();
  const Box box{kLabelWidth, top, kColumnWidth - kLabelWidth - 8.0, height};
  Panel panel(box, {rows.scale, rows.label, 4},
              {{0.0, height}, "", 1, false, false, {}, {}, false});
  panel.set_title(rows.title);
  const auto label = [&](const std::string& text, double middle) {
    const std::vector<std::string> lines = lines_of(text);
    double y = top + middle + 4.0 - 0.5 * kLine * static_cast<double>(lines.size() - 1);
    for (const std::string& line : lines) {
      figure.text(kLabelWidth - 8.0, y, line, "cell", "end");
      y += kLine;
    }
  };
  if (rows.published) panel.mark_x(*rows.published, "ink dashed");
  double at = 0.0;
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const auto& [settings, strips] = rows.blocks[b];
    const double whole = rows.block_height(strips);
    const double each = whole / static_cast<double>(strips.size());
    if (b > 0) panel.mark_y(height - at, "soft thin");
    for (std::size_t i = 0; i < strips.size(); ++i) {
      const double middle = at + (static_cast<double>(i) + 0.5) * each;
      draw_strip(panel, strips[i], height - middle + 0.2 * each, 0.6 * each);
      if (!rows.is_keyed) label(strips[i].title, middle);
    }
    if (rows.is_keyed) label(settings, at + 0.5 * whole);
    at += whole;
  }
  figure.add(panel);
}

/// With what is published of other numbers than those by which readouts are judged, as readouts of
/// their own.
JudgedRuns with_published(JudgedRuns runs) {
  for (Judged& one : runs.all) {
    for (std::size_t i = 0; i < one.readouts.size(); ++i) {
      const auto published = one.readouts[i].published;
      if (!published || published->score.empty()) continue;
      ReadoutOverSeeds own{.name = one.readouts[i].name + ", " + published->score,
                           .target = one.readouts[i].target,
                           .measure = published->score,
                           .scores = published->scores,
                           .spread = published->reached,
                           .published = PublishedScores{.value = published->value}};
      one.readouts.insert(one.readouts.begin() + static_cast<std::ptrdiff_t>(i++), std::move(own));
    }
  }
  return runs;
}

}  // namespace

std::string judged_figure(const JudgedRuns& judged) {
  const JudgedRuns runs = with_published(judged);
  constexpr double above = 22.0;  // the title of a panel
  constexpr double below = 42.0;  // its axis
  std::vector<FigureRows> panels;
  double height = 4.0;
  for (const std::string& name : names_of_readouts(runs)) {
    panels.push_back(figure_rows_of(runs, name));
    const auto keys = keys_of(panels.back());
    if (!keys.empty()) height = Figure(kColumnWidth, 0.0).add_keys(4.0, height + 12.0, keys, false);
    height += above + panels.back().height() + below;
  }
  if (panels.empty()) return {};
  Figure figure(kColumnWidth, height);
  double top = 4.0;
  for (const FigureRows& rows : panels) {
    const auto keys = keys_of(rows);
    if (!keys.empty()) top = figure.add_keys(4.0, top + 12.0, keys);
    draw_rows(figure, rows, top + above);
    top += above + rows.height() + below;
  }
  const bool has_published = std::any_of(panels.begin(), panels.end(), [](const FigureRows& rows) {
    return rows.published.has_value();
  });
  return figure.svg(
      fmt::format("{}: scores of the seeds (points), their mean (large point) and "
                  "standard deviation (line), of the run and of what it is compared "
                  "with{}",
                  runs.experiment, has_published ? "; dashed: the published figure" : ""));
}

}  // namespace gaia::report
