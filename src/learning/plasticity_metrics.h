// SPDX-License-Identifier: MIT
/// \file
/// How learning goes: what of the change of weights stays, how soon a score is reached, what is
/// forgotten when something else is learnt, and what a switch of tasks costs.
///
/// Scores are those of any measure, on data that were not learnt from.  Unless said otherwise the
/// larger is the better; of an error give its negative.  What the numbers do not define is NaN, and
/// so is what is computed from a number that is not finite.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "../array/array.h"

namespace gaia::metrics {

inline constexpr double kUndefinedMetric = std::numeric_limits<double>::quiet_NaN();

struct PlasticityEfficiency {
  std::int64_t steps = 0;                     ///< Between the weights that were seen.
  double path = 0.0;                          ///< sum_t sum_i |w_i(t) - w_i(t-1)|.
  double net = 0.0;                           ///< sum_i |w_i(end) - w_i(0)|.
  double efficiency = kUndefinedMetric;       ///< net / path, from 0 to 1.
  double turnover = kUndefinedMetric;         ///< path / mean over t of sum_i |w_i(t)|.
  double gain = kUndefinedMetric;             ///< score(end) - score(0), where there are scores.
  double gain_per_change = kUndefinedMetric;  ///< gain / turnover.
};

/// Follows weights while they learn, and holds two copies of them.
///
///     WeightPath path;
///     path.add(layer.weights());
///     for (...) { layer.process(block, true); path.add(layer.weights()); }
///     path.result().efficiency
///
/// efficiency is the share of all change that is still there in the end: 1 where every weight goes
/// straight to where it ends, 0 where nothing comes of it, 1/sqrt(n) on average of n random steps,
/// NaN where no weight changed.  It is the inverse of the inefficiency of Li & van Rossum (2020),
/// eLife 9, e50804, the energy of plasticity over the least that leads to the same weights.
/// turnover says how many times the weights were changed as a whole.  What happens between two
/// calls of add is not seen, so of rare ones the path is a lower bound, and efficiencies compare
/// only where the weights were seen equally often.
class WeightPath {
 public:
  /// Takes the weights, of any shape, the same in every call.  \throws ShapeError.
  void add(const Array& weights);
  PlasticityEfficiency result() const;

 private:
  Shape shape_;
  std::vector<double> first_, last_;
  std::int64_t seen_ = 0;
  double path_ = 0.0;
  double sizes_ = 0.0;  ///< sum over t of sum_i |w_i(t)|
};

/// The same of weights [times, ...] in order, as results have them at history/weights; with scores
/// [times] also of what the change was good for.
/// \throws ShapeError without two axes or times, or for as many scores as there are not times.
PlasticityEfficiency measure_plasticity_efficiency(const Array& weights,
                                                   std::span<const double> scores = {});

struct AdaptationOptions {
  /// Share of the way from the first score to the final one; above 0, below 1.
  double share = 0.9;
  std::int64_t tail = 0;  ///< Scores at the end whose mean is the final one; 0: a tenth of them.
};

struct Adaptation {
  double first = 0.0;    ///< The first score, before anything was learnt.
  double final = 0.0;    ///< The mean of the last ones.
  double gain = 0.0;     ///< final - first.
  double steps = 0.0;    ///< Until the share is first reached, between two steps by a line.
  double settled = 0.0;  ///< The first step from which the rest of the way stays within 1 - share.
  double speed = 0.0;    ///< 1 / steps; 0 where nothing is gained.
};

/// How soon a curve of scores, one a step, comes to a share of what it ends with: with p_t = (s_t -
/// first) / (final - first) the least t with p_t >= share, and the first t from which |1 - p| <= 1
/// - share.  Of s_t = 1 - exp(-t / tau) these are tau ln(1 / (1 - share)), 2.3 tau for nine tenths.
/// Larger need not be better: of an error that falls, gain is below 0 and the rest the same.  Noise
/// makes `steps` too small and `settled` too large.  steps and settled are NaN where first and
/// final are equal, settled also where the last score is outside.
/// Rise and settling time are those of control engineering (Ogata 1970, Modern Control Eng.).
///
/// \throws ArgumentError for fewer than two scores or an option out of its range.
Adaptation measure_adaptation_speed(std::span<const double> scores,
                                    const AdaptationOptions& options = {});

struct Forgetting {
  std::vector<double> of_task;                  ///< [tasks - 1]: all but the last, in order.
  double forgetting = kUndefinedMetric;         ///< Their mean.
  double average = kUndefinedMetric;            ///< mean_j R(T-1, j).
  double backward_transfer = kUndefinedMetric;  ///< mean over j < T-1 of R(T-1, j) - R(j, j).
  double forward_transfer = kUndefinedMetric;   ///< mean over j > 0 of R(j-1, j) - untrained_j.
  double intransigence = kUndefinedMetric;      ///< mean_j of alone_j - R(j, j).
};

/// What is left of T tasks that are learnt one after the other, from scores R [T, T]: R(i, j) is
/// the score on task j after task i was learnt.  Of a task j before the last,
///     forgetting_j = max over i < T-1 of R(i, j) - R(T-1, j),
/// which is below 0 where later tasks helped it.  `untrained` [T] are the scores before anything
/// was learnt, `alone` [T] those of the same learner on each task alone; what needs them is NaN
/// without.  Above the diagonal NaN stands for what was not measured; without R(j-1, j) there is no
/// forward transfer.
/// forgetting, intransigence: Chaudhry, Dokania, Ajanthan & Torr (2018), ECCV, 532-547, the latter
/// over all tasks.  The transfers and average: Lopez-Paz & Ranzato (2017), NeurIPS 30.
/// \throws ShapeError unless R is square with two tasks or more and the others have one number
/// each.
Forgetting measure_forgetting(const Array& scores, std::span<const double> untrained = {},
                              std::span<const double> alone = {});

struct StabilityPlasticity {
  double stability = kUndefinedMetric;   ///< mean over i > 0 of R(i, 0) / ideal.
  double plasticity = kUndefinedMetric;  ///< mean over i > 0 of R(i, i).
  double overall = kUndefinedMetric;   ///< mean over i > 0 of mean over j <= i of R(i, j) / ideal.
  double tradeoff = kUndefinedMetric;  ///< 2 stability plasticity / (stability + plasticity).
};

/// Whether a learner keeps what it knows (stability) and takes up what is new (plasticity), from
/// scores R [T, T] as above: two numbers, since either alone is had for nothing, by weights that
/// never change or that change at once.  `ideal` is the score of the same learner on the first task
/// alone, above 0.  tradeoff is their harmonic mean, which is near the smaller: 0 where one is 0,
/// NaN where one is below 0 or both are 0.  Scores should be between 0 and 1.
/// Omega_base, Omega_new and Omega_all of Kemker, McClure, Abitino, Hayes & Kanan (2018), AAAI 32.
/// \throws ShapeError as measure_forgetting, ArgumentError unless ideal is above 0.
StabilityPlasticity measure_stability_plasticity_tradeoff(const Array& scores, double ideal = 1.0);

struct TaskSwitch {
  std::int64_t at = 0;    ///< The first score of the new task.
  double before = 0.0;    ///< The mean of the last ones of the old task.
  double drop = 0.0;      ///< before - scores[at].
  double recovery = 0.0;  ///< Steps until the share of the drop is made up; NaN where it is not.
};

struct AdaptationRobustness {
  std::vector<TaskSwitch> switches;
  double mean_drop = kUndefinedMetric;
  std::int64_t recovered = 0;               ///< Switches from which the curve recovered.
  double mean_recovery = kUndefinedMetric;  ///< In steps, of those that recovered.
};

struct RobustnessOptions {
  std::int64_t window = 10;  ///< Scores before a switch whose mean is the level there, at most.
  double share = 0.9;        ///< Share of the drop, above 0 up to 1.
};

/// What switches of tasks cost a curve of scores, one a step: how far it falls, and after how many
/// steps it is at before - (1 - share) drop again, as long as the new task lasts.  0 steps where it
/// does not fall.  `switches` are the places of the first scores of new tasks, rising.
/// \throws ArgumentError for a place that is not between 1 and the last score, places that do not
/// rise, or an option out of its range.
AdaptationRobustness evaluate_adaptation_robustness(std::span<const double> scores,
                                                    std::span<const std::int64_t> switches,
                                                    const RobustnessOptions& options = {});

struct LearningCurve {
  double first = 0.0;   ///< The first score.
  double final = 0.0;   ///< The mean of the last ones, as many as `tail` says.
  double best = 0.0;    ///< The largest.
  double mean = 0.0;    ///< Mean of all scores.
  double gain = 0.0;    ///< final - first.
  double slope = 0.0;   ///< A step, of the line of least squares through all scores.
  double spread = 0.0;  ///< The standard deviation (over n) of the last scores about their mean.
  double rising = 0.0;  ///< The share of steps at which the score grew; of noise alone a half.
};

/// A curve of scores, one an episode.  `tail` is how many at the end count as the last ones; 0: a
/// tenth of them.  \throws ArgumentError for fewer than two scores, or a tail out of its range.
LearningCurve evaluate_meta_learning_curve(std::span<const double> scores, std::int64_t tail = 0);

struct ParameterConvergence {
  double first = 0.0;
  double final = 0.0;
  double low = 0.0, high = 0.0;  ///< The range it moved in.
  std::int64_t settled = 0;      ///< The first step from which it stays within range / 10 of final.
  double reversals = 0.0;        ///< The share of moves that turn the direction of the move before.
};

/// Whether parameters [steps, parameters] come to rest, each for itself.  Give the logarithms of
/// those that are searched on a logarithmic scale.  Of one that never moved settled and reversals
/// are 0; a random walk reverses at half of its moves, a descent at none.
/// \throws ShapeError without two axes, ArgumentError for fewer than two steps.
std::vector<ParameterConvergence> evaluate_parameter_convergence(const Array& history);

}  // namespace gaia::metrics
