// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "../core/error.h"
#include "../core/text.h"
#include "../io/foreign_hdf5/hdf5_reader.h"
#include "comparison.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::size_t kMostCandidates = 100000;

/// The candidates of one kind, in the order in which they were tried.
struct Tried {
  std::vector<double> means;
  std::vector<double> deviations;
  std::vector<double> best_so_far;

  bool is_empty() const { return means.empty(); }
  /// The place of the best; nothing where all diverged.
  std::optional<std::size_t> best(bool is_minimised) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (std::isnan(means[i])) continue;
      if (!found || (is_minimised ? means[i] < means[*found] : means[i] > means[*found])) found = i;
    }
    return found;
  }
};

/// A candidate at a rung of halving.
struct AtRung {
  std::int64_t rung = 0;
  std::int64_t begun_as = 0;
  std::int64_t steps = 0;  ///< Steps of all its runs there.
  double mean = 0.0;
};

struct SearchHistory {
  std::string score;
  std::string readout;
  std::int64_t seeds = 1;
  bool is_minimised = false;
  Tried own;
  Tried searched;
  Tried at_random;
  std::vector<AtRung> halved;  ///< Without halving empty; `searched` then is the last rung.
  std::int64_t steps_without_halving = 0;
  std::vector<std::string> conclusions;
};

/// Nothing for the index of a sweep.  \throws DataError for one that cannot be read.
std::optional<SearchHistory> read_history(const std::string& path) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  const hdf5::Contents& contents = reader->contents();
  const hdf5::Description* group = contents.group("/search");
  if (group == nullptr) return std::nullopt;
  const auto dataset = [&](const char* name) -> const hdf5::DatasetDescription& {
    const hdf5::DatasetDescription* found = contents.dataset(std::string("/search/") + name);
    if (found == nullptr || found->shape.size() != 1 ||
        static_cast<std::size_t>(found->shape[0]) > kMostCandidates) {
      throw DataError(
          fmt::format("{}: expected a list /search/{} of at most {}", path, name, kMostCandidates));
    }
    return *found;
  };
  SearchHistory history;
  history.score = group->text("score").value_or("score");
  history.readout = group->text("readout").value_or("");
  history.seeds = group->integer("seeds").value_or(1);
  history.is_minimised = group->integer("is_minimised").value_or(0) != 0;
  history.conclusions = group->texts("conclusions").value_or(std::vector<std::string>());
  if (const auto one = group->text("conclusions")) history.conclusions.push_back(*one);
  const std::vector<std::string> kinds = reader->read_texts(dataset("kind"));
  const std::vector<double> means = reader->read<double>(dataset("mean"));
  const std::vector<double> deviations = reader->read<double>(dataset("deviation"));
  const std::vector<double> best = reader->read<double>(dataset("best_so_far"));
  if (means.size() != kinds.size() || deviations.size() != kinds.size() ||
      best.size() != kinds.size()) {
    throw DataError(path + ": the lists of /search are not of one length");
  }
  const bool halves = group->integer("halving_factor").has_value();
  history.steps_without_halving = group->integer("steps_without_halving").value_or(0);
  std::int64_t last_rung = 0;
  if (halves) {
    const auto rungs = reader->read<std::int64_t>(dataset("generation"));
    const auto begun_as = reader->read<std::int64_t>(dataset("begun_as"));
    const auto steps = reader->read<std::int64_t>(dataset("steps"));
    if (rungs.size() != kinds.size() || begun_as.size() != kinds.size() ||
        steps.size() != kinds.size()) {
      throw DataError(path + ": the lists of /search are not of one length");
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != "searched") continue;
      history.halved.push_back({rungs[i], begun_as[i], steps[i], means[i]});
      last_rung = std::max(last_rung, rungs[i]);
    }
  }
  std::size_t halved = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    // Short runs are shown in the figure of the rungs alone.
    if (halves && kinds[i] == "searched" && history.halved[halved++].rung < last_rung) continue;
    Tried& tried = kinds[i] == "own"        ? history.own
                   : kinds[i] == "searched" ? history.searched
                                            : history.at_random;
    tried.means.push_back(means[i]);
    tried.deviations.push_back(deviations[i]);
    tried.best_so_far.push_back(best[i]);
  }
  return history;
}

/// Values over the numbers of their candidates, from 1 on, without those outside of the scale and
/// those that diverged.
std::vector<Point> points_of(const std::vector<double>& values, const Scale& scale) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < scale.low || values[i] > scale.high || !std::isfinite(values[i])) continue;
    points.push_back({static_cast<double>(i + 1), values[i]});
  }
  return points;
}

std::string conclusions_text(const SearchHistory& history) {
  std::string out;
  for (const std::string& one : history.conclusions) out += paragraph(one, "verdict");
  return out;
}

std::string table_of(const SearchHistory& history) {
  std::string out = fmt::format(
      "<table>\n<thead><tr><th></th><th class=\"n\">candidates</th>"
      "<th class=\"n\">validation {}</th></tr></thead>\n<tbody>\n",
      escape(history.score));
  const auto add = [&](const char* name, const Tried& tried) {
    if (tried.is_empty()) return;
    const auto best = tried.best(history.is_minimised);
    std::string value = best ? number_for_people(tried.means[*best]) : "diverged";
    if (best && std::isfinite(tried.deviations[*best])) {
      value += " ± " + number_for_people(tried.deviations[*best], 2);
    }
    out += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n", name,
                       tried.means.size(), escape(value));
  };
  add("the file's own values", history.own);
  add("the best at random", history.at_random);
  add(history.halved.empty() ? "the best that was searched" : "the best of the last rung",
      history.searched);
  return out + "</tbody></table>\n" +
         paragraph(fmt::format("Mean ± standard deviation over {} seed{}. The best of many tries "
                               "looks better here than it is.",
                               history.seeds, plural(history.seeds))) +
         conclusions_text(history);
}

/// Each candidate as a line through the rungs that it came to.
std::string rungs_figure(const SearchHistory& history) {
  Range heights;
  for (const AtRung& one : history.halved) {
    if (std::isfinite(one.mean)) heights.add(one.mean);
  }
  if (!history.own.is_empty() && std::isfinite(history.own.means.front())) {
    heights.add(history.own.means.front());
  }
  if (heights.is_empty()) return {};
  std::map<std::int64_t, std::vector<Point>> lines;  // by the number of the candidate
  std::vector<std::int64_t> counts, steps;
  for (const AtRung& one : history.halved) {
    lines[one.begun_as].push_back({static_cast<double>(one.rung), one.mean});
    const auto rung = static_cast<std::size_t>(one.rung);
    if (counts.size() <= rung) counts.resize(rung + 1), steps.resize(rung + 1);
    ++counts[rung];
    steps[rung] += one.steps;
  }
  Figure figure(kWidth, 340.0);
  Panel panel({kLeft, 26.0, kWidth - kLeft - 10.0, 260.0},
              {Scale{-0.2, static_cast<double>(counts.size()) - 0.8, false}, "rung", 8, true},
              {heights.padded(0.08), "validation " + history.score, 5});
  for (const auto& [number, line] : lines) {
    const bool is_last = line.size() == counts.size();
    panel.line(line, is_last ? "c0 bold" : "c1");
    panel.dots(line, 2.6, is_last ? "c0" : "c1");
  }
  panel.add_legend("came to the last rung", "c0 bold");
  panel.add_legend("did not", "c1");
  if (!history.own.is_empty() && std::isfinite(history.own.means.front())) {
    panel.mark_y(history.own.means.front(), "rule dashed");
    panel.add_legend("the file's own values, by whole runs", "rule dashed");
  }
  figure.add(panel);
  std::string told;
  std::int64_t all = 0;
  for (std::size_t rung = 0; rung < counts.size(); ++rung) {
    told += fmt::format("{}{} candidate{} with {} steps", rung == 0 ? "" : ", ", counts[rung],
                        plural(counts[rung]), grouped(steps[rung]));
    all += steps[rung];
  }
  told = fmt::format("Rungs: {}; {} steps in all.", told, grouped(all));
  if (history.steps_without_halving > 0) {
    told += fmt::format(" All of them to the end would have been {}.",
                        grouped(history.steps_without_halving));
  }
  return figure_markup(
             "fig-rungs", "Rungs", figure.svg("scores of the candidates at each rung"),
             "A line for each candidate through the rungs that it came to, the mean over its "
             "seeds.",
             "Lines that cross much between the last rungs say that short runs tell little of long "
             "ones: begin with longer ones, by fewer rungs.") +
         paragraph(told);
}

}  // namespace

SearchPart convergence_section(const std::string& index) {
  const std::optional<SearchHistory> history = read_history(index);
  if (!history) return {};
  if (!history->halved.empty()) {
    const std::string rungs = rungs_figure(*history);
    return {rungs.empty() ? rungs : rungs + table_of(*history), true};
  }
  Range heights;
  for (const Tried* tried : {&history->own, &history->searched, &history->at_random}) {
    // The scale leaves out the worst where they lie far away, so that the rest can be told apart.
    std::vector<double> finite;
    std::copy_if(tried->means.begin(), tried->means.end(), std::back_inserter(finite),
                 [](double mean) { return std::isfinite(mean); });
    if (finite.empty()) continue;
    const double worst = quantile(finite, history->is_minimised ? 0.9 : 0.1);
    for (const double value : finite) {
      if (history->is_minimised ? value <= worst : value >= worst) heights.add(value);
    }
  }
  if (heights.is_empty()) return {};
  const std::size_t count =
      std::max(history->searched.means.size(), history->at_random.means.size());
  Figure figure(kWidth, 340.0);
  const Scale scale = heights.padded(0.08);
  Panel panel({kLeft, 26.0, kWidth - kLeft - 10.0, 260.0},
              {Scale{0.0, static_cast<double>(count) + 1.0, false}, "candidates tried", 8, true},
              {scale, "validation " + history->score, 5});
  panel.dots(points_of(history->at_random.means, scale), 2.6, "c1");
  panel.dots(points_of(history->searched.means, scale), 2.6, "c0");
  panel.line(points_of(history->at_random.best_so_far, scale), "c1");
  panel.line(points_of(history->searched.best_so_far, scale), "c0 bold");
  panel.add_legend("searched", "c0 bold");
  if (!history->at_random.is_empty()) panel.add_legend("at random", "c1");
  if (!history->own.is_empty() && std::isfinite(history->own.means.front())) {
    panel.mark_y(history->own.means.front(), "rule dashed");
    panel.add_legend("the file's own values", "rule dashed");
  }
  figure.add(panel);
  return {figure_markup(
              "fig-convergence", "Convergence", figure.svg("scores of the candidates as they came"),
              "A dot for each candidate, the mean over its seeds; the lines are the best so far. "
              "The worst tenth may lie outside.",
              "A line that still moves at the right end wants more candidates. A search that "
              "stays beside the line of random candidates has found nothing that luck would not.") +
          table_of(*history)};
}

}  // namespace gaia::report
