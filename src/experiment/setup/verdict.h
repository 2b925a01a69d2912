// SPDX-License-Identifier: MIT
/// \file
/// What the score of a regression is worth, beside those of simple forecasts.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gaia {

/// A number that tells how good predictions are, beside an error that is small where they are good.
struct Score {
  std::string name = {};  ///< "persistence", "mean", "frozen weights", ...
  double error = std::numeric_limits<double>::quiet_NaN();  ///< NRMSE, or 1 - value; NaN: not defined.
  double value = std::numeric_limits<double>::quiet_NaN();  ///< R2, accuracy or AUC.
  const char* measure = "R2";                               ///< Which of them.
  /// By how much two errors differ by chance, one standard deviation; 0 where that is not known.
  double chance = 0.0;

  bool is_defined() const { return std::isfinite(error) && std::isfinite(value); }
};

/// The score of a share of `tested` predictions that are right.
Score share_score(std::string name, double share, const char* measure, std::int64_t tested);

/// The baseline that knows nothing but the mean of the targets that were trained on.
inline constexpr const char* kMeanBaseline = "mean";
/// What always says the class that training had most often.
inline constexpr const char* kMajorityBaseline = "the most frequent class";
/// How far a sample is from the mean of those before it.
inline constexpr const char* kRunningMeanBaseline = "|x - running mean|";

/// The score of `error`, a sum of squared errors, where `variation` is the sum of the squared
/// deviations of the same targets from their mean.
Score score_of(std::string name, double error, double variation);

/// Why there is no score over `targets` targets with these sums; empty where there is one.
std::string why_undefined(double targets, double error, double variation);

/// "NRMSE 0.8114, R2 0.3416", "accuracy 0.9215", or "not defined".
std::string score_text(const Score& score);

/// The baseline with the least error; null where none is defined.
const Score* best_of(const std::vector<Score>& baselines);

/// Whether the error is smaller by more than a hundredth, and not by chance or rounding.
bool is_clearly_better(const Score& score, const Score& than);

/// "does worse than the mean of its target (R2 -17.3) and is beaten by persistence (R2 1)"; empty
/// where the score is better than the mean and no baseline is clearly better, or where there is
/// none.
std::string shortcoming(const Score& score,
                        const std::vector<Score>& baselines);

/// What people call a control: "frozen weights" for frozen, else its name.
std::string control_title(const std::string& control);

/// What a score says of the hierarchy and of its learning.
struct Verdict {
  enum class Standing {
    good,  ///< No other score is as good.
    open,  ///< None is better, or there is nothing to compare with.
    bad,   ///< The mean or another score is better.
  };
  Standing standing = Standing::open;
  /// Of learning, if `others` have the score on frozen weights, and of the best of the others:
  /// "learning gains 0.04 over frozen weights (R2 0.36 against 0.32); the next best is persistence
  /// (R2 0.2)", "learning loses: the same weights, frozen, reach R2 0.361, learnt 0.305".
  /// Empty where the score is not defined, or there is nothing to tell.
  std::string text;
};

/// `others`: scores of baselines and of controls, these under their titles.
Verdict verdict_of(const Score& score, const std::vector<Score>& others);

/// "channel 0", or "channel 0 (temperature)" where the name says more than the index.
std::string series_text(const char* kind, std::int64_t index, const std::string& name);

}  // namespace gaia
