// SPDX-License-Identifier: MIT
#include "comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "../core/text.h"
#include "figure.h"
#include "judged.h"
#include "markup.h"
#include "page.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr std::size_t kMostAxes = 9;
constexpr std::size_t kMostScores = 3;  // in the drawing of all
constexpr std::size_t kMostPanels = 6;
constexpr std::size_t kMostRuns = 60;
constexpr std::size_t kMostWindowedSettings =
    6;  // settings whose scores along the stream are drawn

/// Index of the best run; runs.size() if none has the score.
std::size_t best_of(const Dimension& score) {
  std::size_t best = score.numbers.size();
  for (std::size_t i = 0; i < score.numbers.size(); ++i) {
    if (!std::isfinite(score.numbers[i])) continue;
    const bool is_better = best == score.numbers.size() ||
                           (score.higher_is_better ? score.numbers[i] > score.numbers[best]
                                                   : score.numbers[i] < score.numbers[best]);
    if (is_better) best = i;
  }
  return best;
}

/// Whether the score says which run is better, rather than only how it is.
bool is_verdict(const Dimension& score) { return score.name.front() != '|'; }

std::string cell(const Dimension& dimension, std::size_t run, bool is_best) {
  const bool is_number = dimension.words.empty();
  std::string value;
  if (is_number && std::isfinite(dimension.numbers[run])) {
    value = fmt::format(" data-value=\"{}\"", dimension.numbers[run]);
  }
  return fmt::format("<td class=\"{}{}\"{}>{}</td>", is_number ? "n" : "", is_best ? " best" : "",
                     value, escape(dimension.texts[run]));
}

/// The heading of a column: the key, under what comes before it.
std::string key_head(const Dimension& key) {
  const auto [before, name] = split_key(key.name);
  return fmt::format("<th class=\"{}\">{}{}</th>", key.words.empty() ? "n" : "",
                     before.empty() ? "" : "<small>" + escape(before) + "</small>", escape(name));
}

std::string run_table(const std::vector<ComparedRun>& runs, const std::vector<Dimension>& keys,
                      const std::vector<Dimension>& scores) {
  std::string out =
      "<div class=\"scroll\"><table id=\"run-table\" class=\"sortable\">\n<thead><tr><th>run</th>";
  for (const Dimension& key : keys) {
    out += key_head(key);
  }
  std::vector<std::size_t> best;
  for (const Dimension& score : scores) {
    out += "<th class=\"n\">" + escape(score.name) + "</th>";
    best.push_back(is_verdict(score) ? best_of(score) : runs.size());
  }
  out += "<th class=\"n\">took</th><th>status</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    out += fmt::format("<tr data-run=\"{}\"><td>{}</td>", i, escape(runs[i].label));
    for (const Dimension& key : keys) out += cell(key, i, false);
    for (std::size_t k = 0; k < scores.size(); ++k) out += cell(scores[k], i, best[k] == i);
    const bool is_known = std::isfinite(runs[i].seconds) && runs[i].seconds > 0.0;
    out += fmt::format("<td class=\"n\" data-value=\"{}\">{}</td><td>{}</td></tr>\n",
                       is_known ? runs[i].seconds : 0.0,
                       is_known ? escape(duration_text(runs[i].seconds)) : "–",
                       escape(runs[i].status));
  }
  return out + "</tbody></table></div>\n";
}

std::string spread_cell(const Dimension& score, const std::vector<std::size_t>& group) {
  double count = 0.0;
  double mean = 0.0;
  double squares = 0.0;
  for (const std::size_t run : group) {
    const double value = score.numbers[run];
    if (!std::isfinite(value)) continue;
    count += 1.0;
    const double before = value - mean;
    mean += before / count;
    squares += before * (value - mean);
  }
  if (count < 1.0) return "<td class=\"n\">–</td>";
  std::string text = number_for_people(mean);
  if (count > 1.0) text += " ± " + number_for_people(std::sqrt(squares / (count - 1.0)), 2);
  return fmt::format("<td class=\"n\" data-value=\"{}\">{}</td>", mean, escape(text));
}

std::string seed_table(const std::vector<ComparedRun>& runs, const std::vector<Dimension>& keys,
                       const std::vector<Dimension>& scores) {
  const bool has_seeds = std::any_of(keys.begin(), keys.end(),
                                     [](const Dimension& key) { return key.name == "seed"; });
  const auto groups = groups_by_settings(runs, keys);
  const bool any =
      std::any_of(groups.begin(), groups.end(), [](const auto& group) { return group.size() > 1; });
  if (!has_seeds || !any) return {};
  std::string out =
      "<div class=\"scroll\"><table id=\"seed-table\" class=\"sortable\">\n<thead><tr>";
  for (const Dimension& key : keys) {
    if (key.name != "seed") out += key_head(key);
  }
  out += "<th class=\"n\">seeds</th>";
  for (const Dimension& score : scores) out += "<th class=\"n\">" + escape(score.name) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::size_t>& group : groups) {
    out += "<tr>";
    for (const Dimension& key : keys) {
      if (key.name != "seed") out += cell(key, group.front(), false);
    }
    out += fmt::format("<td class=\"n\">{}</td>", group.size());
    for (const Dimension& score : scores) out += spread_cell(score, group);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n" +
         paragraph("Mean ± standard deviation over the seeds of a configuration.");
}

std::string all_runs_figure(const std::vector<ComparedRun>& runs,
                            const std::vector<Dimension>& keys,
                            const std::vector<Dimension>& scores) {
  std::vector<Dimension> axes;
  const std::size_t shown_scores = std::min(scores.size(), kMostScores);
  for (const Dimension& key : keys) {
    if (axes.size() + shown_scores < kMostAxes) axes.push_back(key);
  }
  // The first score comes last: colours go with it.
  for (std::size_t i = shown_scores; i > 0; --i) axes.push_back(scores[i - 1]);
  if (axes.size() < 2) return {};
  std::string shows =
      "A line for each run, through its settings and what came of them; colours go with " +
      axes.back().name + ", from violet (low) to green (high).";
  if (axes.size() < keys.size() + scores.size()) {
    shows += " Only the first of the settings and scores are drawn; the table has all.";
  }
  return figure_markup(
      "fig-parallel", "All runs", parallel_coordinates(runs, axes), shows,
      "Lines of one colour that run together show the settings that matter; where "
      "colours are mixed, a setting hardly does. Point at a line or a row of the table to "
      "find it in the other.");
}

/// Mean score of the runs of every value that several runs share.
std::vector<Point> means_by_value(const Dimension& key, const Dimension& score) {
  std::map<double, std::pair<double, double>> sums;  // sum and count
  for (std::size_t run = 0; run < key.numbers.size(); ++run) {
    if (!std::isfinite(score.numbers[run])) continue;
    auto& [sum, count] = sums[key.numbers[run]];
    sum += score.numbers[run];
    count += 1.0;
  }
  std::vector<Point> means;
  for (const auto& [value, pair] : sums) means.push_back({value, pair.first / pair.second});
  const bool is_shared = 2 * means.size() <= key.numbers.size();
  return is_shared && key.words.empty() ? means : std::vector<Point>();
}

std::string effects_figure(const std::vector<Dimension>& keys, const Dimension& score) {
  const std::size_t shown = std::min(keys.size(), kMostPanels);
  if (shown == 0) return {};
  constexpr double gap = 62.0;
  const std::size_t columns = 3;
  const double width = (kWidth - kLeft - 10.0 - 2.0 * gap) / 3.0;
  Figure figure(kWidth, static_cast<double>((shown + columns - 1) / columns) * 246.0);
  Range heights;
  for (const double value : score.numbers) heights.add(value);
  for (std::size_t i = 0; i < shown; ++i) {
    const Dimension& key = keys[i];
    const std::vector<Tick> ticks = ticks_of_values(key);
    Axis x{scale_of(key), "", 5};
    x.labelled = ticks.empty() && key.words.empty();
    const Box box{kLeft + static_cast<double>(i % columns) * (width + gap),
                  26.0 + static_cast<double>(i / columns) * 246.0, width, 160.0};
    Panel panel(box, x, {heights.padded(0.08), i % columns == 0 ? score.name : "", 5});
    panel.set_title(split_key(key.name).second);
    std::vector<Point> points;
    for (std::size_t run = 0; run < key.numbers.size(); ++run) {
      points.push_back({key.numbers[run], score.numbers[run]});
    }
    panel.line(means_by_value(key, score), "soft");
    panel.dots(points, 3.6, "c0");
    figure.add(panel);
    for (const Tick& tick : ticks) {
      figure.text(box.x + x.scale.position(tick.value) * width, box.y + box.height + 15.0,
                  tick.label, "tick", "middle");
    }
  }
  return figure_markup(
      "fig-effects", score.name + " over each setting",
      figure.svg("score of every run over each of its settings"),
      "A dot for each run; the line goes through the means. Where several settings differ at once, "
      "the dots of one setting are spread by the others.",
      "A slope or a hump is an effect; a cloud is none, or one that depends on the "
      "rest.");
}

std::string curves_figure(const std::vector<ComparedRun>& runs, const Dimension* score) {
  Range across;
  Range up;
  std::set<std::string> names;
  for (const ComparedRun& run : runs) {
    if (run.curve.empty()) continue;
    names.insert(run.curve_name);
    for (const Point& point : run.curve) {
      across.add(point.x);
      if (point.y > 0.0) up.add(point.y);
    }
  }
  const bool is_short = std::all_of(runs.begin(), runs.end(),
                                    [](const ComparedRun& run) { return run.curve.size() < 4; });
  if (names.size() != 1 || up.is_empty() || is_short) return {};
  Range colors;
  if (score != nullptr) {
    for (const double value : score->numbers) colors.add(value);
  }
  const Scale shades = colors.padded(0.0);
  Figure figure(kWidth, 300.0);
  const bool is_epoch = names.begin()->ends_with(" loss");
  Panel panel({kLeft, 12.0, kWidth - kLeft - 10.0, 240.0},
              {across.padded(0.01), is_epoch ? "epoch" : "step", 8},
              {up.logarithmic(), is_epoch ? *names.begin() : "change", 5});
  for (std::size_t i = 0; i < std::min(runs.size(), kMostRuns); ++i) {
    std::vector<Point> line = runs[i].curve;
    std::erase_if(line, [](const Point& point) { return !(point.y > 0.0); });
    const double position = score == nullptr ? 0.5 : shades.position(score->numbers[i]);
    panel.run_line(line, i, std::isfinite(position) ? line_color(position) : "#888888",
                   runs[i].label);
  }
  figure.add(panel);
  std::string shows = "The " + *names.begin() + ", one line for each run";
  if (score != nullptr) shows += ", coloured by " + score->name;
  return figure_markup("fig-curves", "Learning curves", figure.svg("learning curves of all runs"),
                       shows + ".",
                       "Lines that are still falling at the right end want more time.");
}

}  // namespace

std::string comparison_page(const std::vector<ComparedRun>& runs,
                            const std::vector<std::string>& left_out, const SearchPart& search) {
  const std::vector<Dimension> keys = differing_keys(runs);
  const std::vector<Dimension> scores = all_scores(runs);
  const Dimension* const main_score = scores.empty() ? nullptr : &scores.front();
  std::set<std::string> experiments;
  for (const ComparedRun& run : runs) {
    const auto found = run.config.values.find("experiment");
    experiments.insert(found == run.config.values.end() ? run.label : found->second);
  }
  const std::string title = experiments.size() == 1
                                ? *experiments.begin()
                                : fmt::format("{} experiments", experiments.size());
  std::string lead = fmt::format("{} runs that differ in {} setting{}", runs.size(), keys.size(),
                                 plural(std::ssize(keys)));
  for (std::size_t i = 0; i < keys.size() && i < 6; ++i) {
    lead += (i == 0 ? ": " : ", ") + split_key(keys[i].name).second;
  }
  lead += keys.size() > 6 ? ", …" : ".";
  std::string heading =
      fmt::format("<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<div class=\"tiles\">\n",
                  escape(title), escape(lead));
  const auto tile = [&](const std::string& value, const std::string& meaning) {
    heading += fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escape(value),
                           escape(meaning));
  };
  tile(std::to_string(runs.size()), "runs");
  // A short run may look better than the best whole one.
  if (!search.has_short_runs && main_score != nullptr && is_verdict(*main_score) &&
      best_of(*main_score) < runs.size()) {
    const std::size_t best = best_of(*main_score);
    tile(number_for_people(main_score->numbers[best], 3),
         "best " + main_score->name + ", of " + runs[best].label);
    tile(number_for_people(quantile(main_score->numbers, 0.5), 3), "median " + main_score->name);
  }
  const auto incomplete = std::count_if(
      runs.begin(), runs.end(), [](const ComparedRun& run) { return run.status != "complete"; });
  if (incomplete > 0) tile(std::to_string(incomplete), "not complete");
  heading += "</div>\n</header>\n";

  const std::vector<Judged> judged = judged_by_settings(runs);
  std::string windows;
  for (std::size_t i = 0; i < std::min(judged.size(), kMostWindowedSettings); ++i) {
    const std::string settings = judged[i].settings_text();
    windows += windows_section(judged[i].readouts, settings, i);
  }
  if (judged.size() > kMostWindowedSettings && !windows.empty()) {
    windows += paragraph(fmt::format("The first {} of {} settings are drawn.",
                                     kMostWindowedSettings, judged.size()));
  }

  std::vector<Section> sections;
  const auto add = [&](const char* id, const char* name, std::string content) {
    if (!content.empty()) sections.push_back({id, name, std::move(content)});
  };
  add("left-out", "Left out", left_out_section(left_out));
  add("search", "Search", search.content);
  add("runs", "Runs",
      all_runs_figure(runs, keys, scores) + run_table(runs, keys, scores) +
          paragraph("A click on a heading sorts by that column."));
  add("controls", "Controls and baselines", settings_table(judged));
  add("windows", "Along the stream", windows);
  add("seeds", "Spread over seeds", seed_table(runs, keys, scores));
  add("effects", "Settings",
      main_score == nullptr ? std::string() : effects_figure(keys, *main_score));
  add("curves", "Learning", curves_figure(runs, main_score));
  return page_markup(title + " – comparison – gaia", heading, sections);
}

}  // namespace gaia::report
