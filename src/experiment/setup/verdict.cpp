// SPDX-License-Identifier: MIT
#include "verdict.h"

#include <fmt/format.h>

#include <string_view>

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

constexpr const char* kFrozenWeights = "frozen weights";

/// What learning is worth beside the same weights, frozen.
std::string learning_text(const Score& learnt, const Score& frozen) {
  const bool gains = is_clearly_better(learnt, frozen);
  if (!gains && !is_clearly_better(frozen, learnt)) {
    return fmt::format("learning does not pay: {} {:.3g} with it, {:.3g} with frozen weights",
                       learnt.measure, learnt.value, frozen.value);
  }
  const auto [own, other] = told_apart(learnt.value, frozen.value);
  return gains ? fmt::format("learning gains {:.2g} over frozen weights ({} {} against {})",
                             learnt.value - frozen.value, learnt.measure, own, other)
               : fmt::format("learning loses: the same weights, frozen, reach {} {}, learnt {}",
                             learnt.measure, other, own);
}

/// Of the best of the scores but the one on frozen weights.
std::string best_text(const Score& score, const Score& best) {
  if (is_clearly_better(score, best)) {
    return fmt::format("the next best is {} ({} {:.3g})", best.name, best.measure,
                       best.value);
  }
  return fmt::format("{} does about as well ({} {:.3g})", best.name, best.measure,
                     best.value);
}

}  // namespace

std::string control_title(const std::string& control) {
  return control == "frozen" ? kFrozenWeights : control;
}

Score share_score(std::string name, double share, const char* measure, std::int64_t tested) {
  const double chance = std::sqrt(share * (1.0 - share) / static_cast<double>(tested));
  return {std::move(name), 1.0 - share, share, measure, std::isfinite(chance) ? chance : 0.0};
}

Score score_of(std::string name, double error, double variation) {
  if (!std::isfinite(error) || !(variation > 0.0)) return {.name = std::move(name)};
  return {std::move(name), std::sqrt(error / variation), 1.0 - error / variation};
}

std::string why_undefined(double targets, double error, double variation) {
  if (targets == 0.0) return "no test ticks";
  if (!(variation > 0.0)) return "the target is constant";
  return std::isfinite(error) ? "" : "its predictions are not finite";
}

std::string score_text(const Score& score) {
  if (!score.is_defined()) return "not defined";
  if (score.measure != std::string_view("R2")) {
    return fmt::format("{} {:.4f}", score.measure, score.value);
  }
  // Rounded first, so that there is no "-0.0000".
  const double r2 = std::round(score.value * 1e4) / 1e4 + 0.0;
  return fmt::format("NRMSE {:.4f}, R2 {:.4f}", score.error, r2);
}

const Score* best_of(const std::vector<Score>& baselines) {
  const Score* best = nullptr;
  for (const Score& baseline : baselines) {
    if (!baseline.is_defined()) continue;
    if (best == nullptr || baseline.error < best->error) best = &baseline;
  }
  return best;
}

bool is_clearly_better(const Score& score, const Score& than) {
  // A share of few samples differs from another by chance.
  const double by_chance = std::hypot(score.chance, than.chance);
  return score.error < 0.99 * than.error && than.error - score.error > by_chance;
}

std::string shortcoming(const Score& score,
                        const std::vector<Score>& baselines) {
  if (!score.is_defined()) return {};
  std::string text;
  const bool knows_nothing = score.value <= 0.0;
  if (knows_nothing) {
    text = fmt::format("does {} than the mean of its target (R2 {:.3g})",
                       score.value > -0.005 ? "no better" : "worse", score.value);
  }
  const Score* const best = best_of(baselines);
  const bool is_beaten = best != nullptr && is_clearly_better(*best, score);
  // That the mean is better has been said.
  if (!is_beaten || best->name == kMeanBaseline) return text;
  const auto [own, others] = told_apart(score.value, best->value);
  return knows_nothing ? fmt::format("{} and is beaten by {} (R2 {})", text, best->name, others)
                       : fmt::format("is beaten by {} (R2 {} against {})", best->name, own, others);
}

Verdict verdict_of(const Score& score, const std::vector<Score>& others) {
  if (!score.is_defined()) return {};
  const Score* const best = best_of(others);
  const bool is_beaten = score.value <= 0.0 || (best != nullptr && is_clearly_better(*best, score));
  const bool is_ahead = best != nullptr && is_clearly_better(score, *best);
  Verdict verdict{is_beaten  ? Verdict::Standing::bad
                  : is_ahead ? Verdict::Standing::good
                             : Verdict::Standing::open,
                  {}};
  std::vector<Score> rest = others;
  std::string learning;
  for (const Score& other : others) {
    if (other.name == kFrozenWeights && other.is_defined()) learning = learning_text(score, other);
  }
  std::erase_if(rest, [](const Score& other) { return other.name == kFrozenWeights; });
  verdict.text = shortcoming(score, rest);
  if (learning.empty()) return verdict;
  if (!verdict.text.empty()) {
    verdict.text = learning + "; the readout " + verdict.text;
  } else {
    verdict.text = learning;
    // Of frozen weights it has been told.
    if (best->name != kFrozenWeights) verdict.text += "; " + best_text(score, *best);
  }
  return verdict;
}

std::string series_text(const char* kind, std::int64_t index, const std::string& name) {
  const std::string text = fmt::format("{} {}", kind, index);
  return name.empty() || name == std::to_string(index) ? text : fmt::format("{} ({})", text, name);
}

}  // namespace gaia
