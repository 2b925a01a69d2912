// SPDX-License-Identifier: MIT
/// \file
/// Which member is best, and how much of that is the seed's doing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "member_table.h"

namespace gaia {
namespace {

std::string label_of(const MemberTable& table, std::size_t member, bool with_seed) {
  std::string text;
  for (const SettingColumn& column : table.settings) {
    if (!with_seed && column.key == "seed") continue;
    text += (text.empty() ? "" : ", ") + column.name + " " + setting_text(column.values[member]);
  }
  return text.empty() ? "all" : text;
}

std::string spread_text(const MemberTable& table, const ScoreColumn& score) {
  constexpr std::size_t most = 5;
  const std::vector<SeedGroup> groups = seed_groups(table, score);
  std::string text = "         mean      sd        min       max       seeds\n";
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    const SeedGroup& group = groups[i];
    const auto [least, greatest] = std::minmax_element(group.scores.begin(), group.scores.end());
    const std::string deviation =
        group.deviation() ? fmt::format("{:.2g}", *group.deviation()) : "-";
    text += fmt::format("         {:<8.4g}  {:<8}  {:<8.4g}  {:<8.4g}  {:<5}  {}\n", group.mean(),
                        deviation, *least, *greatest, group.scores.size(), group.label);
  }
  if (groups.size() > most) text += fmt::format("         ... and {} more\n", groups.size() - most);
  return text;
}

/// Why members failed, for the first few.
std::string failures_text(const MemberTable& table) {
  constexpr std::int64_t most = 3;
  const std::int64_t count = std::count(table.status.begin(), table.status.end(), "failed");
  std::string text;
  std::int64_t told = 0;
  for (std::size_t i = 0; i < table.status.size() && told < most; ++i) {
    if (table.status[i] != "failed") continue;
    ++told;
    text +=
        fmt::format("failed   member {} ({}): {}\n", i, label_of(table, i, true), table.reasons[i]);
  }
  if (count > told) {
    text += fmt::format("         and {} more; members.csv has all reasons\n", count - told);
  }
  return text;
}

}  // namespace

double SeedGroup::mean() const {
  double sum = 0.0;
  for (const double score : scores) sum += score;
  return sum / static_cast<double>(scores.size());
}

std::optional<double> SeedGroup::deviation() const {
  if (scores.size() < 2) return std::nullopt;
  double sum = 0.0;
  for (const double score : scores) sum += (score - mean()) * (score - mean());
  return std::sqrt(sum / static_cast<double>(scores.size() - 1));
}

bool varies_seeds(const MemberTable& table) {
  return std::any_of(table.settings.begin(), table.settings.end(),
                     [](const SettingColumn& column) { return column.key == "seed"; });
}

std::vector<SeedGroup> seed_groups(const MemberTable& table, const ScoreColumn& score) {
  std::vector<SeedGroup> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < score.values.size(); ++i) {
    if (std::isnan(score.values[i])) continue;
    const std::string label = label_of(table, i, false);
    const auto [at, is_new] = known.emplace(label, groups.size());
    if (is_new) groups.push_back({label, {}, {}});
    groups[at->second].members.push_back(i);
    groups[at->second].scores.push_back(score.values[i]);
  }
  std::ranges::stable_sort(groups, [&](const SeedGroup& a, const SeedGroup& b) {
    return score.higher_is_better ? a.mean() > b.mean() : a.mean() < b.mean();
  });
  return groups;
}

std::optional<std::size_t> best_member(const ScoreColumn& score) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < score.values.size(); ++i) {
    const double value = score.values[i];
    if (std::isnan(value)) continue;
    const bool better = !best || (score.higher_is_better ? value > score.values[*best]
                                                         : value < score.values[*best]);
    if (better) best = i;
  }
  return best;
}

std::string best_text(const MemberTable& table, const Members& members) {
  std::string text = fmt::format("members  {} of {} complete", table.complete(), table.size());
  const auto changed = std::count(table.status.begin(), table.status.end(), "changed");
  if (changed > 0) text += fmt::format("; the data of {} have changed since", changed);
  text += "\n" + failures_text(table);
  bool any = false;
  for (const ScoreColumn& score : table.scores) {
    if (!score.is_main) continue;
    const std::optional<std::size_t> best = best_member(score);
    if (!best) continue;
    any = true;
    const std::string path = members.result_path(static_cast<std::int64_t>(*best));
    text += fmt::format("best     {} {:.4f}{}: member {} ({})\n         {}\n", score.name,
                        score.values[*best], test_text(path, score.name), *best,
                        label_of(table, *best, true), path);
    if (varies_seeds(table)) text += spread_text(table, score);
  }
  if (!any && table.complete() > 0) {
    const bool has_scores = std::any_of(table.scores.begin(), table.scores.end(),
                                        [](const ScoreColumn& score) { return score.is_main; });
    text += has_scores ? "best     not told: no score of a complete member is defined\n"
                       : "best     not told: these runs have no readouts, so no scores\n";
  }
  return text;
}

}  // namespace gaia
