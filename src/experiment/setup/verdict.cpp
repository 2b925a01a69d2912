// SPDX-License-Identifier: MIT
#include "verdict.h"

#include <fmt/format.h>

namespace gaia {
namespace {

/// Two different numbers with as many digits, at least three, as tell them apart.
std::pair<std::string, std::string> told_apart(double a, double b) {
  std::pair<std::string, std::string> texts;
  for (int digits = 3; digits <= 17 && texts.first == texts.second; ++digits) {
    texts = {fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits)};
  }
  return texts;
}

}  // namespace

RegressionScore score_of(std::string name, double error, double variation) {
  if (!std::isfinite(error) || !(variation > 0.0)) return {.name = std::move(name)};
  return {std::move(name), std::sqrt(error / variation), 1.0 - error / variation};
}

std::string why_undefined(double targets, double error, double variation) {
  if (targets == 0.0) return "no test ticks";
  if (!(variation > 0.0)) return "the target is constant";
  return std::isfinite(error) ? "" : "its predictions are not finite";
}

std::string score_text(const RegressionScore& score) {
  if (!score.is_defined()) return "not defined";
  // Rounded first, so that there is no "-0.0000".
  const double r2 = std::round(score.r2 * 1e4) / 1e4 + 0.0;
  return fmt::format("NRMSE {:.4f}, R2 {:.4f}", score.nrmse, r2);
}

const RegressionScore* best_of(const std::vector<RegressionScore>& baselines) {
  const RegressionScore* best = nullptr;
  for (const RegressionScore& baseline : baselines) {
    if (!baseline.is_defined()) continue;
    if (best == nullptr || baseline.nrmse < best->nrmse) best = &baseline;
  }
  return best;
}

bool is_clearly_better(const RegressionScore& score, const RegressionScore& than) {
  return score.nrmse < 0.99 * than.nrmse;
}

std::string shortcoming(const RegressionScore& score,
                        const std::vector<RegressionScore>& baselines) {
  if (!score.is_defined()) return {};
  std::string text;
  const bool knows_nothing = score.r2 <= 0.0;
  if (knows_nothing) {
    text = fmt::format("does {} than the mean of its target (R2 {:.3g})",
                       score.r2 > -0.005 ? "no better" : "worse", score.r2);
  }
  const RegressionScore* const best = best_of(baselines);
  const bool is_beaten = best != nullptr && is_clearly_better(*best, score);
  // That the mean is better has been said.
  if (!is_beaten || best->name == kMeanBaseline) return text;
  const auto [own, others] = told_apart(score.r2, best->r2);
  return knows_nothing ? fmt::format("{} and is beaten by {} (R2 {})", text, best->name, others)
                       : fmt::format("is beaten by {} (R2 {} against {})", best->name, own, others);
}

std::string series_text(const char* kind, std::int64_t index, const std::string& name) {
  const std::string text = fmt::format("{} {}", kind, index);
  return name.empty() || name == std::to_string(index) ? text : fmt::format("{} ({})", text, name);
}

}  // namespace gaia
