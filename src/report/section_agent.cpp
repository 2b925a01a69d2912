// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/text.h"
#include "figure.h"
#include "markup.h"
#include "sections.h"

namespace gaia::report {
namespace {

constexpr double kNoReturn = std::numeric_limits<double>::quiet_NaN();
/// Episodes of which all are read, and points of a curve of their returns.
constexpr std::int64_t kMostEpisodes = std::int64_t{1} << 20;
constexpr std::int64_t kMostPoints = 200;
constexpr double kPlotWidth = kWidth - kLeft - kRight;

/// The returns of the agent, or of a control.
struct Returns {
  std::string group;  ///< "agent/controls/random"
  std::string title;
  std::vector<double> values;
};

std::vector<Returns> read_returns(const Result& result) {
  std::vector<Returns> all = {
      {"agent", "agent", result.read("agent/episodes/return", kMostEpisodes)}};
  for (const std::string& name : result.groups("agent/controls")) {
    const std::string group = "agent/controls/" + name;
    const std::string title = result.text(group, "title");
    all.push_back(
        {group, title.empty() ? name : title, result.read(group + "/return", kMostEpisodes)});
  }
  return all;
}

/// Means over so many episodes each, at their middle.
std::vector<Point> means_over(const std::vector<double>& values, std::int64_t each) {
  std::vector<Point> points;
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t first = 0; first < count; first += each) {
    const std::int64_t end = std::min(count, first + each);
    double sum = 0.0;
    for (std::int64_t i = first; i < end; ++i) sum += values[static_cast<std::size_t>(i)];
    points.push_back(
        {0.5 * static_cast<double>(first + end - 1), sum / static_cast<double>(end - first)});
  }
  return points;
}

std::string units_of_return(const Result& result) {
  const std::string units = result.text("agent/episodes/return", "units");
  return units == "1" ? "" : units;
}

/// "mean return, nat"
std::string with_units(const std::string& what, const std::string& units) {
  return units.empty() ? what : what + ", " + units;
}

}  // namespace

std::string agent_lead(const Result& result) {
  const std::string learns = result.text("agent", "learns") == "true" ? " that learns" : "";
  return fmt::format("A {} agent{} in {}: {} episodes of {} steps at most. Seed {}, {} on {}.",
                     result.text("agent", "type"), learns, result.text("agent", "environment"),
                     grouped(result.integer("agent", "episodes").value_or(0)),
                     grouped(result.integer("agent", "steps").value_or(0)),
                     result.integer("", "seed").value_or(0), result.text("", "dtype"),
                     result.text("", "device"));
}

std::vector<Tile> agent_tiles(const Result& result, const std::vector<Finding>& findings) {
  std::vector<Tile> tiles;
  const std::string units = units_of_return(result);
  const double mean = result.number("agent", "mean_return").value_or(kNoReturn);
  const std::int64_t judged = result.integer("agent", "judged_episodes").value_or(0);
  const std::string first = result.text("agent", "learns") == "true" ? "last " : "";
  const bool is_bettered = result.text("agent", "is_bettered") == "true";
  Tile score{
      std::isfinite(mean) ? number_for_people(mean, 4) : "–",
      with_units(fmt::format("mean return of the {}{} episodes", first, grouped(judged)), units),
      is_bettered ? "warn" : ""};
  for (const std::string& name : result.groups("agent/controls")) {
    const std::string group = "agent/controls/" + name;
    const std::string title = result.text(group, "title");
    const double other = result.number(group, "mean_return").value_or(kNoReturn);
    if (!std::isfinite(other)) continue;
    score.beside.emplace_back(title.empty() ? name : title, number_for_people(other, 4));
  }
  tiles.push_back(std::move(score));
  const std::vector<std::int64_t> played = result.shape("agent/episodes/return");
  const std::int64_t episodes = played.empty() ? 0 : played.front();
  const std::int64_t asked = result.integer("agent", "episodes").value_or(0);
  tiles.push_back(
      {grouped(episodes), episodes == asked ? "episodes" : "episodes of " + grouped(asked)});
  const double seconds = result.number("", "wall_seconds").value_or(0.0);
  if (seconds > 0.0) tiles.push_back({duration_text(seconds), "from start to end"});
  tiles.push_back(findings_tile(findings));
  return tiles;
}

std::string agent_verdict_section(const Result& result) {
  const std::string units = units_of_return(result);
  const bool is_bettered = result.text("agent", "is_bettered") == "true";
  const std::string verdict = result.text("agent", "verdict");
  std::string out = worth_list({{"agent", verdict, is_bettered ? "bad" : "good"}});
  out += fmt::format(
      "<div class=\"scroll\"><table id=\"verdict-table\">\n<thead><tr><th></th><th class=\"n\">"
      "{}</th><th class=\"n\">sd over episodes</th><th class=\"n\">episodes</th></tr></thead>\n"
      "<tbody>\n",
      escape(with_units("mean return", units)));
  const std::vector<Returns> all = read_returns(result);
  double best = -std::numeric_limits<double>::infinity();
  for (const Returns& one : all) {
    best = std::fmax(best, result.number(one.group, "mean_return").value_or(kNoReturn));
  }
  bool any = false;
  for (const Returns& one : all) {
    const double mean = result.number(one.group, "mean_return").value_or(kNoReturn);
    if (!std::isfinite(mean)) continue;
    any = true;
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n{}\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "</tr>\n",
        escape(one.title), mean >= best ? " best" : "", number_for_people(mean, 4),
        number_for_people(result.number(one.group, "standard_deviation").value_or(kNoReturn), 3),
        grouped(result.integer(one.group, "judged_episodes").value_or(0)));
  }
  out += "</tbody></table></div>\n";
  if (!any) return paragraph("Mean returns are told when the run ends.");
  if (!verdict.empty()) out += paragraph(one_seed_sentence(result));
  const std::int64_t first = result.integer("agent", "first_judged_episode").value_or(0);
  if (first > 0) {
    out +=
        paragraph(fmt::format("Of an agent that learns the second half counts, from episode {} "
                              "on, and of its controls the same.",
                              grouped(first)));
  }
  const double policy = result.number("agent", "seconds_per_policy_step").value_or(kNoReturn);
  const double planning = result.number("agent", "seconds_per_planned_step").value_or(kNoReturn);
  if (std::isfinite(policy) && std::isfinite(planning)) {
    out += paragraph(fmt::format(
        "The learnt policy chose {} steps and planning {}; a step takes the policy {:.3g} µs and "
        "planning {:.3g} µs, which is {:.3g} times as long.",
        grouped(result.integer("agent", "policy_steps").value_or(0)),
        grouped(result.integer("agent", "planned_steps").value_or(0)), 1e6 * policy, 1e6 * planning,
        planning / policy));
  }
  return out + paragraph("A return is the sum of the rewards of an episode; a reward is " +
                         result.text("agent", "reward") + ".");
}

std::string agent_returns_section(const Result& result) {
  std::vector<Returns> all = read_returns(result);
  std::erase_if(all, [](const Returns& one) { return one.values.empty(); });
  if (all.empty() || all.front().group != "agent") return {};
  const auto episodes = static_cast<std::int64_t>(all.front().values.size());
  const std::int64_t each = (episodes + kMostPoints - 1) / kMostPoints;
  Range range;
  std::vector<std::vector<Point>> lines;
  for (const Returns& one : all) {
    lines.push_back(means_over(one.values, each));
    for (const Point& point : lines.back()) range.add(point.y);
  }
  const double last = static_cast<double>(std::max<std::int64_t>(1, episodes - 1));
  Figure figure(kWidth, 282.0);
  Panel panel({kLeft, 26.0, kPlotWidth, 210.0}, {{0.0, last}, "episode", 8, true},
              {range.padded(), with_units("return", units_of_return(result)), 5});
  // The agent is drawn last, above what stands beside it.
  for (std::size_t i = all.size(); i-- > 0;) {
    panel.line(lines[i], line_class(i) + (i == 0 ? " bold" : " thin"));
  }
  for (std::size_t i = 0; i < all.size(); ++i) panel.add_legend(all[i].title, line_class(i));
  figure.add(panel);
  return figure_markup(
      "fig-returns", "Returns, episode by episode", figure.svg("returns of every episode"),
      each == 1 ? "The sum of the rewards of each episode, of the agent and of its controls, whose "
                  "environments have the same random numbers."
                : fmt::format("Means over {} episodes each of the sum of rewards, of the agent and "
                              "of its controls, whose environments have the same random numbers.",
                              grouped(each)),
      "An agent that learns should rise above the same agent with learning off; where the lines "
      "lie on each other, what the control lacks is worth nothing here.");
}

}  // namespace gaia::report
