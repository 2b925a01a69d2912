// SPDX-License-Identifier: MIT
/// \file
/// What a score is worth, compared with those of simple forecasts and of controls.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gaia {

/// A number that tells how good predictions are, and an error that is small where they are good.
struct Score {
  std::string name = {};  ///< "persistence", "mean", "frozen weights", ...
  /// NRMSE, or 1 - value, or error_of() of a statistic; NaN: not defined.
  double error = std::numeric_limits<double>::quiet_NaN();
  /// R2, accuracy, AUC, mean |r| or a statistic.
  double value = std::numeric_limits<double>::quiet_NaN();
  const char* measure = "R2";  ///< Which of them.
  /// By how much two errors differ by chance, one standard deviation; 0 where that is not known.
  double chance = 0.0;
  /// The value without each block of the test part (chance.h), which tells more; empty where they
  /// are not known.
  std::vector<double> without = {};

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

/// How targets and the numbers that they are matched with agree.
inline constexpr const char* kMeanCorrelation = "mean |r|";

/// The same hierarchy with the weights that the run began with.
inline constexpr const char* kFrozenWeights = "frozen weights";
inline constexpr const char* kStoppedWeights = "the same weights, stopped";
/// The same hierarchy, in which no level hears one above, and one that hears by random maps.
inline constexpr const char* kSilentLevels = "the same levels, silent";
inline constexpr const char* kRandomMap = "the same levels with a random map between them";
/// Whether a score under this name is that of the same hierarchy without learning, without learning
/// on, or without the maps from above that it has learnt.
bool is_without_learning(const std::string& name);

/// The score of `error`, a sum of squared errors, where `variation` is the sum of the squared
/// deviations of the same targets from their mean.
Score score_of(std::string name, double error, double variation);

/// Why there is no score over `targets` targets with these sums; empty where there is one.
std::string why_undefined(double targets, double error, double variation);

/// "NRMSE 0.8114, R2 0.3416", "accuracy 0.9215", or "not defined".
std::string score_text(const Score& score);

/// The baseline with the least error; null where none is defined.
const Score* best_of(const std::vector<Score>& baselines);

/// Whether two scores of one test part differ by more than chance explains.
bool is_beyond_chance(const Score& score, const Score& other);

/// Whether the error is smaller by more than a hundredth, and by more than chance explains.
bool is_clearly_better(const Score& score, const Score& than);

/// "does worse than the mean of its target (R2 -17.3) and is beaten by persistence (R2 1)", "does
/// no better than chance (AUC 0.49)"; empty where the score is better than what knows nothing (the
/// mean, the most frequent class, chance) by more than chance explains, and no baseline is clearly
/// better, or where there is none.
std::string shortcoming(const Score& score, const std::vector<Score>& baselines);

/// What people call a control where nothing is known of the data: "frozen weights", "the same
/// past"; a name that is none stays.
std::string control_title(const std::string& control);
/// Whether that title says how the control is read, too; of others the readout is named beside it.
bool title_stands_alone(const std::string& control);

/// What a score says of the hierarchy and of its learning.
struct Verdict {
  enum class Standing {
    good,  ///< No other score is as good.
    open,  ///< None is better, or there is nothing to compare with.
    bad,   ///< What knows nothing or another score is better, or the score is not to be trusted.
  };
  /// What learning is worth compared with the same hierarchy without it: frozen, stopped at the end
  /// of the training part, or without the maps that levels above talk by, whichever is best of
  /// those that `others` have the score on.  It gains where the score is clearly better than theirs
  /// and than what knows nothing.
  enum class Learning { unknown, gains, does_not_pay, loses };
  Standing standing = Standing::open;
  Learning learning = Learning::unknown;
  /// Sentence on learning, on the best of the others, and on what makes the score doubtful:
  /// "learning gains 0.04 over frozen weights (R2 0.36 against 0.32), but is no better than ridge
  /// on the same past (R2 0.36)", "learning loses: the same weights, frozen, reach R2 0.361, learnt
  /// 0.305; the readout is beaten by persistence (R2 0.305 against 0.4)". Empty where the score is
  /// not defined, or there is nothing to report.
  std::string text;
  /// What else has to be known to read the score, as `text` ends with it.
  std::vector<std::string> remarks = {};
};

/// `others`: scores of baselines and of controls, these under their titles.  `doubts`: why the
/// score says less than it seems to, each the rest of a sentence: "the score is in sample: ...".
/// `remarks` are such too, and do not change what it is worth: what has read rows that are scored.
Verdict verdict_of(const Score& score, const std::vector<Score>& others,
                   const std::vector<std::string>& doubts = {},
                   const std::vector<std::string>& remarks = {});

/// Doubts that readouts can have.
inline constexpr const char* kInSample =
    "the score is in sample, on data that the weights were trained on";
inline constexpr const char* kTargetIsInput =
    "the target is among the inputs, at horizon 0: the readout has only to copy it";
inline constexpr const char* kLooksAhead =
    "the inputs look ahead, since missing values are interpolated (data.missing)";

/// "purge: 20 ticks within 10 steps of what is scored are left out"; of folds that many at most.
/// Empty where none is.
std::string purge_text(std::int64_t ticks, std::int64_t steps, bool has_folds);

/// One sentence of all readouts of a run: that of the only one, or "of 3 readouts learning gains in
/// 1, does not pay in 1 and loses in 1; 2 are beaten by something simpler", with the remarks of
/// all. Empty without verdicts.
std::string verdict_of_run(const std::vector<Verdict>& verdicts);

/// "channel 0", or "channel 0 (temperature)" where the name says more than the index.
std::string series_text(const char* kind, std::int64_t index, const std::string& name);

}  // namespace gaia
