// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "figure.h"
#include "judged.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

/// Below it no R² is reported: a window in which the target hardly varies has any.
constexpr double kLeastR2 = -1.0;
constexpr double kMainHeight = 240.0;
constexpr double kOtherHeight = 130.0;

/// What is drawn of one score: the run first.
struct ScoreLine {
  std::string title;
  std::string look;
  std::vector<Point> mean = {};
  std::vector<Point> low =
      {};  ///< Mean less one standard deviation, and above it; of several seeds.
  std::vector<Point> high = {};
};

struct ScoreLines {
  std::string score;
  std::vector<ScoreLine> lines;
  std::int64_t seeds = 0;
  bool is_cut = false;  ///< At kLeastR2.
};

std::string name_of_score(const std::string& attribute) {
  constexpr std::array<std::pair<const char*, const char*>, 6> names = {{{"r2", "R²"},
                                                                         {"nrmse", "NRMSE"},
                                                                         {"auc", "AUC"},
                                                                         {"auc_roc", "AUC"},
                                                                         {"auc_pr", "AUC-PR"},
                                                                         {"macro_f1", "macro F1"}}};
  for (const auto& [key, name] : names) {
    if (attribute == key) return name;
  }
  std::string text = attribute;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void add_line_of_windows(ScoreLines& all, const WindowsOverSeeds& windows, const std::string& title,
                         std::size_t place) {
  for (const WindowsOverSeeds::Curve& curve : windows.curves) {
    if (curve.score != all.score) continue;
    ScoreLine line{.title = title, .look = line_class(place)};
    const double least = curve.score == "r2" ? kLeastR2 : -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < windows.steps.size(); ++i) {
      const Spread spread = WindowsOverSeeds::spread_at(curve, i);
      const auto x = static_cast<double>(windows.steps[i]);
      const auto point = [&](double y) {
        all.is_cut = all.is_cut || y < least;
        return Point{x, std::isfinite(y) ? std::fmax(y, least) : y};
      };
      const double deviation = std::isfinite(spread.deviation) ? spread.deviation : 0.0;
      line.mean.push_back(point(spread.mean));
      line.low.push_back(point(spread.mean - deviation));
      line.high.push_back(point(spread.mean + deviation));
    }
    all.seeds = std::max(all.seeds, std::ssize(curve.seeds));
    const bool any = std::any_of(line.mean.begin(), line.mean.end(),
                                 [](const Point& at) { return std::isfinite(at.y); });
    if (any) all.lines.push_back(std::move(line));
  }
}

/// Every score along the stream, that by which the readout is judged first.
std::vector<ScoreLines> score_lines(const ReadoutOverSeeds& readout) {
  std::vector<ScoreLines> all;
  for (const WindowsOverSeeds::Curve& curve : readout.windows.curves) {
    ScoreLines lines{.score = curve.score, .lines = {}};
    add_line_of_windows(lines, readout.windows, "this run", 0);
    for (std::size_t i = 0; i < readout.others.size(); ++i) {
      add_line_of_windows(lines, readout.others[i].windows, readout.others[i].title, i + 1);
    }
    if (!lines.lines.empty()) all.push_back(std::move(lines));
  }
  const std::string main = attribute_of_measure(readout.measure);
  std::stable_partition(all.begin(), all.end(),
                        [&](const ScoreLines& one) { return one.score == main; });
  return all;
}

Panel panel_of(const ScoreLines& score, const Box& box, bool has_title) {
  Range across;
  Range up;
  for (const ScoreLine& line : score.lines) {
    for (const auto* points : {&line.mean, &line.low, &line.high}) {
      for (const Point& point : *points) {
        across.add(point.x);
        up.add(point.y);
      }
    }
  }
  const std::string name = name_of_score(score.score);
  Panel panel(box, {across.padded(0.01), "step", has_title ? 4 : 8},
              {up.padded(), has_title ? "" : name, 5});
  if (has_title) panel.set_title(name);
  // The run is drawn last, above what stands beside it.
  for (std::size_t i = score.lines.size(); i-- > 0;) {
    const ScoreLine& line = score.lines[i];
    if (score.seeds > 1) panel.band(line.low, line.high, line.look);
    panel.line(line.mean, line.look + (i == 0 ? " bold" : ""));
  }
  return panel;
}

std::string windows_drawing(const std::vector<ScoreLines>& scores) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const ScoreLine& line : scores.front().lines) keys.emplace_back(line.title, line.look);
  keys.front().second += " bold";
  const double top = Figure(kWidth, 0.0).add_keys(kLeft, 16.0, keys, false) + 14.0;
  constexpr double gap = 62.0;
  const double half = (kWidth - kLeft - 10.0 - gap) / 2.0;
  const double below = top + kMainHeight + 44.0;
  const auto rows = static_cast<double>(scores.size() / 2);  // rows of two figures each
  Figure figure(kWidth, below + rows * (kOtherHeight + 66.0));
  figure.add_keys(kLeft, 16.0, keys);
  figure.add(panel_of(scores.front(), {kLeft, top, kWidth - kLeft - 10.0, kMainHeight}, false));
  for (std::size_t i = 1; i < scores.size(); ++i) {
    const Box box{kLeft + static_cast<double>((i - 1) % 2) * (half + gap),
                  below + 22.0 + static_cast<double>((i - 1) / 2) * (kOtherHeight + 66.0), half,
                  kOtherHeight};
    figure.add(panel_of(scores[i], box, true));
  }
  return figure.svg("scores along the stream, of the run and of its controls");
}

}  // namespace

std::string windows_section(const std::vector<ReadoutOverSeeds>& readouts,
                            const std::string& settings, std::size_t number) {
  std::string out;
  for (const ReadoutOverSeeds& readout : readouts) {
    std::vector<ScoreLines> scores = score_lines(readout);
    if (scores.empty()) continue;
    // The score that counts is enough beside other settings.
    if (!settings.empty()) scores.resize(1);
    std::string shows =
        scores.front().seeds > 1
            ? fmt::format(
                  "Means over {} seeds of the score of each window of the test part; the "
                  "bands reach one standard deviation to both sides.",
                  scores.front().seeds)
            : "The score of each window of the test part.";
    const bool is_cut =
        std::any_of(scores.begin(), scores.end(), [](const ScoreLines& one) { return one.is_cut; });
    if (is_cut) shows += " An R² below −1 is drawn at −1.";
    const std::string title = fmt::format("Readout {} along the stream{}", readout.name,
                                          settings.empty() ? "" : ", " + settings);
    std::string id = "fig-windows-" + readout.name;
    for (char& c : id) {
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
    }
    out += figure_markup(settings.empty() ? id : fmt::format("{}-{}", id, number), title,
                         windows_drawing(scores), shows,
                         "Where the data move, what has stopped learning falls, and what goes on "
                         "learning comes back "
                         "up.");
  }
  return out;
}

}  // namespace gaia::report
