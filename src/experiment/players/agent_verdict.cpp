// SPDX-License-Identifier: MIT
#include "agent_verdict.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "agent_player.h"

namespace gaia {
namespace {

/// Differences of means within so many standard errors may be chance.
constexpr double kErrorsOfChance = 2.0;

std::string amount_text(double amount, const std::string& units) {
  return fmt::format("{:.4g}", amount) + (units == "1" ? "" : " " + units);
}

/// "learning off (-3.2 nat)"
std::string beside_text(const ControlReturns& control, const std::string& units) {
  return fmt::format("{} ({})", agent_control_title(control.name),
                     amount_text(control.score.mean, units));
}

}  // namespace

double ReturnScore::standard_error() const {
  return episodes > 0 ? deviation / std::sqrt(static_cast<double>(episodes)) : 0.0;
}

ReturnScore return_score(const std::vector<double>& returns, std::int64_t first) {
  ReturnScore score;
  double sum = 0.0;
  for (std::size_t i = static_cast<std::size_t>(first); i < returns.size(); ++i) {
    sum += returns[i];
    ++score.episodes;
  }
  if (score.episodes == 0) return score;
  score.mean = sum / static_cast<double>(score.episodes);
  if (score.episodes < 2) return score;
  double squares = 0.0;
  for (std::size_t i = static_cast<std::size_t>(first); i < returns.size(); ++i) {
    squares += (returns[i] - score.mean) * (returns[i] - score.mean);
  }
  score.deviation = std::sqrt(squares / static_cast<double>(score.episodes - 1));
  return score;
}

AgentVerdict agent_verdict(bool learns, std::int64_t episodes, const std::vector<double>& returns,
                           const std::vector<std::pair<std::string, std::vector<double>>>& controls,
                           const std::string& units) {
  AgentVerdict verdict;
  verdict.learns = learns;
  verdict.first_episode = learns ? episodes / 2 : 0;
  verdict.agent = return_score(returns, verdict.first_episode);
  for (const auto& [name, own] : controls) {
    if (own.size() != returns.size()) continue;
    verdict.controls.push_back({name, return_score(own, verdict.first_episode)});
  }
  if (verdict.agent.episodes == 0 || verdict.controls.empty()) return verdict;
  if (verdict.agent.episodes < 2) {
    verdict.text = "whether the agent is better than its controls cannot be told from one episode";
    return verdict;
  }
  std::vector<std::string> above, alike, below;
  const char* beside_planning = "";
  std::string planning;
  for (const ControlReturns& control : verdict.controls) {
    const double difference = verdict.agent.mean - control.score.mean;
    const double error = std::hypot(verdict.agent.standard_error(), control.score.standard_error());
    const bool is_told = std::abs(difference) > kErrorsOfChance * error &&
                         std::abs(difference) > 1e-9 * std::abs(verdict.agent.mean);
    // What a policy has learnt from is its measure and no control that it has to surpass.
    if (control.name == "planning") {
      beside_planning = !is_told         ? "no different from"
                        : difference > 0 ? "better than"
                                         : "worse than";
      planning = amount_text(control.score.mean, units);
      continue;
    }
    (!is_told ? alike : difference > 0 ? above : below).push_back(beside_text(control, units));
  }
  const auto joined = [](const std::vector<std::string>& all) {
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
      text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
    }
    return text;
  };
  verdict.is_bad = !alike.empty() || !below.empty();
  std::string text = "the mean return of " + amount_text(verdict.agent.mean, units);
  if (learns) {
    text += fmt::format(" over the last {} episodes", verdict.agent.episodes);
  } else {
    text += fmt::format(" over {} episodes", verdict.agent.episodes);
  }
  std::string told;
  const auto add = [&](const char* what, const std::vector<std::string>& all) {
    if (!all.empty()) told += (told.empty() ? " " : ", and ") + std::string(what) + joined(all);
  };
  add("is better than that of ", above);
  add("is no better than that of ", alike);
  add("is worse than that of ", below);
  if (!planning.empty()) {
    told += fmt::format("{}is {} that of planning throughout ({}), which the policy learns from",
                        told.empty() ? " " : ", and ", beside_planning, planning);
  }
  verdict.text = text + told;
  return verdict;
}

Attributes score_attributes(const ReturnScore& score) {
  return {{"judged_episodes", score.episodes},
          {"mean_return", score.mean},
          {"standard_deviation", score.deviation}};
}

}  // namespace gaia
