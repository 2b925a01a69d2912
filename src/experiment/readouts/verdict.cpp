// SPDX-License-Identifier: MIT
#include "verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "../../learning/statistic_readout.h"
#include "chance.h"

namespace gaia {
namespace {

/// Two different numbers with as many digits, at least three, as distinguish them.
std::pair<std::string, std::string> distinct_texts(double a, double b) {
  std::pair<std::string, std::string> texts;
  for (int digits = 3; digits <= 17 && texts.first == texts.second; ++digits) {
    texts = {fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits)};
  }
  return texts;
}

/// Whether an error is smaller by more than a hundredth.
bool is_smaller(const Score& score, const Score& than) { return score.error < 0.99 * than.error; }

/// Text for a difference that would be one, were it not for chance.
const char* chance_text(const Score& score, const Score& other) {
  const bool is_one = is_smaller(score, other) || is_smaller(other, score);
  return is_one && !is_beyond_chance(score, other) ? ", which chance explains" : "";
}

/// Says that the score is no better than what knows nothing of the samples. Empty where it is
/// better, or where none of `others` is a chance level.
std::string no_better_than_nothing(const Score& score, const std::vector<Score>& others) {
  const std::string_view measure = score.measure;
  if (measure == "accuracy") {
    const auto majority = std::find_if(others.begin(), others.end(), [](const Score& other) {
      return other.name == kMajorityBaseline && other.is_defined();
    });
    const bool is_better = majority == others.end() ||
                           (score.value > majority->value && is_beyond_chance(score, *majority));
    if (is_better) return {};
    return fmt::format(
        "does {} than always saying the most frequent class (accuracy {:.3g} "
        "against {:.3g}{})",
        is_clearly_better(*majority, score) ? "worse" : "no better", score.value, majority->value,
        chance_text(score, *majority));
  }
  // Their rival that knows nothing would have to be run.
  if (measure == kMeanCorrelation || find_statistic(measure) != nullptr) return {};
  const bool is_auc = measure == "AUC";
  const Score nothing{.error = is_auc ? 0.5 : 1.0, .value = is_auc ? 0.5 : 0.0};
  if (score.value > nothing.value && is_beyond_chance(score, nothing)) return {};
  const bool is_worse = score.value <= nothing.value - 0.005 && is_beyond_chance(score, nothing);
  return fmt::format("does {} than {} ({} {:.3g}{})", is_worse ? "worse" : "no better",
                     is_auc ? "chance" : "the mean of its target", score.measure, score.value,
                     chance_text(score, nothing));
}

Verdict::Learning learning_of(const Score& learnt, const Score& without, bool knows_something) {
  const bool gains = is_clearly_better(learnt, without) && knows_something;
  if (gains) return Verdict::Learning::gains;
  return is_clearly_better(without, learnt) ? Verdict::Learning::loses
                                            : Verdict::Learning::does_not_pay;
}

/// What learning is worth compared with the same weights without it.
std::string learning_text(const Score& learnt, const Score& without, Verdict::Learning learning) {
  if (learning == Verdict::Learning::does_not_pay) {
    return fmt::format("learning does not pay: {} {:.3g} with it, {:.3g} with {}{}", learnt.measure,
                       learnt.value, without.value, without.name, chance_text(learnt, without));
  }
  const auto [own, other] = distinct_texts(learnt.value, without.value);
  const bool is_frozen = without.name == kFrozenWeights;
  return learning == Verdict::Learning::gains
             ? fmt::format("learning gains {:.2g} over {} ({} {} against {})",
                           std::abs(learnt.value - without.value), without.name, learnt.measure,
                           own, other)
             : fmt::format("learning loses: {}, reach {} {}, learnt {}",
                           is_frozen ? "the same weights, frozen" : without.name, learnt.measure,
                           other, own);
}

bool knows_nothing(const Score& other) {
  return other.name == kMeanBaseline || other.name == kMajorityBaseline;
}

std::string score_in_brackets(const Score& score) {
  return fmt::format("({} {:.3g})", score.measure, score.value);
}

}  // namespace

bool is_without_learning(const std::string& name) {
  return name == kFrozenWeights || name == kStoppedWeights || name == kSilentLevels ||
         name == kRandomMap;
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

bool is_beyond_chance(const Score& score, const Score& other) {
  if (!score.without.empty() || !other.without.empty()) {
    return differ_beyond_chance({score.value, score.without}, {other.value, other.without});
  }
  // A share of few samples differs from another by chance.
  return std::abs(other.error - score.error) > std::hypot(score.chance, other.chance);
}

bool is_clearly_better(const Score& score, const Score& than) {
  return is_smaller(score, than) && is_beyond_chance(score, than);
}

std::string shortcoming(const Score& score, const std::vector<Score>& baselines) {
  if (!score.is_defined()) return {};
  const std::string text = no_better_than_nothing(score, baselines);
  const Score* const best = best_of(baselines);
  const bool is_beaten = best != nullptr && is_clearly_better(*best, score);
  // The text has already said that what knows nothing is better.
  if (!is_beaten || (!text.empty() && knows_nothing(*best))) return text;
  const auto [own, others] = distinct_texts(score.value, best->value);
  return text.empty() ? fmt::format("is beaten by {} ({} {} against {})", best->name, score.measure,
                                    own, others)
                      : fmt::format("{} and is beaten by {} ({} {})", text, best->name,
                                    score.measure, others);
}

Verdict verdict_of(const Score& score, const std::vector<Score>& others,
                   const std::vector<std::string>& doubts,
                   const std::vector<std::string>& remarks) {
  if (!score.is_defined()) return {};
  const Score* const best = best_of(others);
  const bool is_bad = !doubts.empty() || !shortcoming(score, others).empty();
  const bool is_ahead = best != nullptr && is_clearly_better(score, *best);
  Verdict verdict{.standing = is_bad     ? Verdict::Standing::bad
                              : is_ahead ? Verdict::Standing::good
                                         : Verdict::Standing::open,
                  .text = {},
                  .remarks = remarks};
  std::vector<Score> rest;
  std::vector<Score> without_learning;
  for (const Score& other : others) {
    (is_without_learning(other.name) ? without_learning : rest).push_back(other);
  }
  std::string learning;
  if (const Score* const without = best_of(without_learning)) {
    verdict.learning = learning_of(score, *without, no_better_than_nothing(score, others).empty());
    learning = learning_text(score, *without, verdict.learning);
  }
  const Score* const next = best_of(rest);
  const std::string lack = shortcoming(score, rest);
  const bool gains = verdict.learning == Verdict::Learning::gains;
  if (!lack.empty()) {
    verdict.text = learning.empty() ? lack : learning + "; the readout " + lack;
  } else if (next == nullptr) {
    verdict.text = learning;
  } else if (is_clearly_better(score, *next)) {
    verdict.text = learning.empty() ? "is better than all that it is compared with" : learning;
    verdict.text += fmt::format("; the next best is {} {}", next->name, score_in_brackets(*next));
  } else {
    verdict.text = learning.empty() ? "is" : learning + (gains ? ", but is" : "; it is");
    verdict.text += fmt::format(" no better than {} {}", next->name, score_in_brackets(*next));
  }
  for (const std::vector<std::string>* const more : {&doubts, &remarks}) {
    for (const std::string& one : *more) verdict.text += (verdict.text.empty() ? "" : "; ") + one;
  }
  return verdict;
}

std::string purge_text(std::int64_t ticks, std::int64_t steps, bool has_folds) {
  if (ticks == 0) return {};
  return fmt::format("purge: {}{} tick{} within {} step{} of {} {} left out",
                     has_folds ? "up to " : "", ticks, ticks == 1 ? "" : "s", steps,
                     steps == 1 ? "" : "s", has_folds ? "each fold" : "what is scored",
                     ticks == 1 ? "is" : "are");
}

std::string verdict_of_run(const std::vector<Verdict>& verdicts) {
  if (verdicts.size() == 1) return verdicts.front().text;
  const auto count = [&](const auto& is_one) {
    return std::count_if(verdicts.begin(), verdicts.end(), is_one);
  };
  std::vector<std::string> parts;
  const auto add = [&](Verdict::Learning learning, const char* words) {
    const auto number = count([&](const Verdict& one) { return one.learning == learning; });
    if (number > 0) parts.push_back(fmt::format("{} in {}", words, number));
  };
  add(Verdict::Learning::gains, "gains");
  add(Verdict::Learning::does_not_pay, "does not pay");
  add(Verdict::Learning::loses, "loses");
  const auto told = count([](const Verdict& one) { return !one.text.empty(); });
  if (told == 0) return {};
  std::string text = fmt::format("of {} readouts ", verdicts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "learning " : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  const auto bad = count([](const Verdict& one) { return one.standing == Verdict::Standing::bad; });
  const auto good =
      count([](const Verdict& one) { return one.standing == Verdict::Standing::good; });
  const auto are = [](std::int64_t number) {
    return number == 0 ? "none is" : number == 1 ? "1 is" : fmt::format("{} are", number);
  };
  text +=
      fmt::format("{}{} better than all that {} compared with, {} beaten or not to be trusted",
                  parts.empty() ? "" : "; ", are(good), good > 1 ? "they are" : "it is", are(bad));
  std::vector<std::string> remarks;
  for (const Verdict& one : verdicts) {
    for (const std::string& remark : one.remarks) {
      if (std::find(remarks.begin(), remarks.end(), remark) != remarks.end()) continue;
      remarks.push_back(remark);
      text += "; " + remark;
    }
  }
  return text;
}

std::string series_text(const char* kind, std::int64_t index, const std::string& name) {
  const std::string text = fmt::format("{} {}", kind, index);
  return name.empty() || name == std::to_string(index) ? text : fmt::format("{} ({})", text, name);
}

}  // namespace gaia
