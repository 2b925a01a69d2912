// SPDX-License-Identifier: MIT
#include "plasticity_metrics.h"

#include <numeric>

#include "../core/message.h"
#include "metric_input.h"

namespace gaia::metrics {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The last scores, as many as `tail` says; of 0 a tenth.
std::span<const double> last_of(const char* function, std::span<const double> scores,
                                std::int64_t tail) {
  const auto count = static_cast<std::int64_t>(scores.size());
  require(count >= 2, "[{}] expected two scores or more, got {}", function, count);
  require(tail >= 0 && tail < count, "[{}] expected a tail of 0 to {} scores, got {}", function,
          count - 1, tail);
  if (tail == 0) tail = std::max<std::int64_t>(1, count / 10);
  return scores.last(static_cast<std::size_t>(tail));
}

/// R of tasks that are learnt one after the other.
HostMatrix scores_of_tasks(const char* function, const Array& scores) {
  HostMatrix r = matrix_of(function, "scores [tasks, tasks]", scores);
  if (r.rows != r.columns || r.rows < 2) {
    fail<ShapeError>(
        "[{}] expected scores [tasks, tasks] of two tasks or more, one row after each, got shape "
        "{}",
        function, scores.shape());
  }
  return r;
}

}  // namespace

void WeightPath::add(const Array& weights) {
  if (seen_ > 0 && !(weights.shape() == shape_)) {
    fail<ShapeError>("[WeightPath] expected weights of shape {} as before, got {}", shape_,
                     weights.shape());
  }
  if (weights.size() == 0) {
    fail<ShapeError>("[WeightPath] expected weights, got shape {}", weights.shape());
  }
  std::vector<double> now = weights.to_vector<double>();
  double path = 0.0, size = 0.0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (seen_ > 0) path += std::abs(now[i] - last_[i]);
    size += std::abs(now[i]);
  }
  path_ += path;
  sizes_ += size;
  if (seen_ == 0) {
    shape_ = weights.shape();
    first_ = now;
  }
  last_ = std::move(now);
  ++seen_;
}

PlasticityEfficiency WeightPath::result() const {
  PlasticityEfficiency result;
  if (seen_ == 0) return result;
  result.steps = seen_ - 1;
  result.path = path_;
  for (std::size_t i = 0; i < first_.size(); ++i) result.net += std::abs(last_[i] - first_[i]);
  if (!std::isfinite(path_) || !std::isfinite(sizes_)) {
    result.path = result.net = kUndefinedMetric;
    return result;
  }
  // Rounding of the sums must not make more of it than there was.
  if (path_ > 0.0) result.efficiency = std::min(1.0, result.net / path_);
  if (sizes_ > 0.0) result.turnover = path_ / (sizes_ / static_cast<double>(seen_));
  return result;
}

PlasticityEfficiency measure_plasticity_efficiency(const Array& weights,
                                                   std::span<const double> scores) {
  constexpr const char* kName = "measure_plasticity_efficiency";
  if (weights.rank() < 2 || weights.size() == 0) {
    fail<ShapeError>("[{}] expected weights [times, ...], got shape {}", kName, weights.shape());
  }
  const std::int64_t times = weights.shape(0);
  if (!scores.empty() && static_cast<std::int64_t>(scores.size()) != times) {
    fail<ShapeError>("[{}] expected a score for each of {} times, got {}", kName, times,
                     scores.size());
  }
  WeightPath path;
  for (std::int64_t t = 0; t < times; ++t) path.add(weights[t]);
  PlasticityEfficiency result = path.result();
  if (!scores.empty()) {
    const double gain = scores.back() - scores.front();
    result.gain = std::isfinite(gain) ? gain : kUndefinedMetric;
    if (result.turnover > 0.0) result.gain_per_change = result.gain / result.turnover;
  }
  return result;
}

Adaptation measure_adaptation_speed(std::span<const double> scores,
                                    const AdaptationOptions& options) {
  constexpr const char* kName = "measure_adaptation_speed";
  require(options.share > 0.0 && options.share < 1.0,
          "[{}] expected a share above 0 and below 1, got {}", kName, options.share);
  const std::span<const double> tail = last_of(kName, scores, options.tail);
  if (!all_finite(scores)) {
    return {kUndefinedMetric, kUndefinedMetric, kUndefinedMetric,
            kUndefinedMetric, kUndefinedMetric, kUndefinedMetric};
  }
  Adaptation result;
  result.first = scores.front();
  result.final = mean_of(tail);
  result.gain = result.final - result.first;
  result.steps = result.settled = kUndefinedMetric;
  if (result.gain == 0.0) return result;
  const auto progress = [&](std::size_t t) { return (scores[t] - result.first) / result.gain; };
  for (std::size_t t = 1; t < scores.size(); ++t) {
    if (!(progress(t) >= options.share)) continue;
    const double before = progress(t - 1);
    result.steps = static_cast<double>(t - 1) + (options.share - before) / (progress(t) - before);
    result.speed = 1.0 / result.steps;
    break;
  }
  std::size_t from = scores.size();
  while (from > 0 && std::abs(1.0 - progress(from - 1)) <= 1.0 - options.share) --from;
  if (from < scores.size()) result.settled = static_cast<double>(from);
  return result;
}

Forgetting measure_forgetting(const Array& scores, std::span<const double> untrained,
                              std::span<const double> alone) {
  constexpr const char* kName = "measure_forgetting";
  const HostMatrix r = scores_of_tasks(kName, scores);
  const std::int64_t tasks = r.rows;
  for (const auto& [name, numbers] : {std::pair{"untrained", untrained}, {"alone", alone}}) {
    if (!numbers.empty() && static_cast<std::int64_t>(numbers.size()) != tasks) {
      fail<ShapeError>("[measure_forgetting] expected {} to have {} scores, one a task, got {}",
                       name, tasks, numbers.size());
    }
  }
  const std::int64_t last = tasks - 1;
  const auto n = static_cast<double>(tasks);
  Forgetting result;
  result.average = result.forgetting = result.backward_transfer = 0.0;
  for (std::int64_t j = 0; j < tasks; ++j) result.average += r(last, j) / n;
  for (std::int64_t j = 0; j < last; ++j) {
    double best = r(j, j);
    for (std::int64_t i = 0; i < last; ++i) {
      // Above the diagonal it need not have been measured, below it has to.
      if (r(i, j) > best || (i > j && std::isnan(r(i, j)))) best = r(i, j);
    }
    result.of_task.push_back(best - r(last, j));
    result.forgetting += result.of_task.back() / (n - 1.0);
    result.backward_transfer += (r(last, j) - r(j, j)) / (n - 1.0);
  }
  if (!untrained.empty()) {
    result.forward_transfer = 0.0;
    for (std::int64_t j = 1; j < tasks; ++j) {
      result.forward_transfer += (r(j - 1, j) - untrained[static_cast<std::size_t>(j)]) / (n - 1.0);
    }
  }
  if (!alone.empty()) {
    result.intransigence = 0.0;
    for (std::int64_t j = 0; j < tasks; ++j) {
      result.intransigence += (alone[static_cast<std::size_t>(j)] - r(j, j)) / n;
    }
  }
  return result;
}

StabilityPlasticity measure_stability_plasticity_tradeoff(const Array& scores, double ideal) {
  constexpr const char* kName = "measure_stability_plasticity_tradeoff";
  require(ideal > 0.0 && std::isfinite(ideal), "[{}] expected an ideal score above 0, got {}",
          kName, ideal);
  const HostMatrix r = scores_of_tasks(kName, scores);
  const auto after_first = static_cast<double>(r.rows - 1);
  StabilityPlasticity result;
  result.stability = result.plasticity = result.overall = 0.0;
  for (std::int64_t i = 1; i < r.rows; ++i) {
    result.stability += r(i, 0) / ideal / after_first;
    result.plasticity += r(i, i) / after_first;
    double so_far = 0.0;
    for (std::int64_t j = 0; j <= i; ++j) so_far += r(i, j);
    result.overall += so_far / static_cast<double>(i + 1) / ideal / after_first;
  }
  const double stability = result.stability, plasticity = result.plasticity;
  if (stability >= 0.0 && plasticity >= 0.0 && stability + plasticity > 0.0) {
    result.tradeoff = 2.0 * stability * plasticity / (stability + plasticity);
  }
  return result;
}

AdaptationRobustness evaluate_adaptation_robustness(std::span<const double> scores,
                                                    std::span<const std::int64_t> switches,
                                                    const RobustnessOptions& options) {
  constexpr const char* kName = "evaluate_adaptation_robustness";
  require(options.window >= 1, "[{}] expected a window of 1 or more scores, got {}", kName,
          options.window);
  require(options.share > 0.0 && options.share <= 1.0,
          "[{}] expected a share above 0 and up to 1, got {}", kName, options.share);
  const auto count = static_cast<std::int64_t>(scores.size());
  std::int64_t begun = 0;
  for (const std::int64_t at : switches) {
    require(
        at > begun && at < count,
        "[{}] expected switches that rise, between 1 and the last of {} scores, got {} after {}",
        kName, count, at, begun);
    begun = at;
  }
  AdaptationRobustness result;
  double drops = 0.0, recoveries = 0.0;
  for (std::size_t k = 0; k < switches.size(); ++k) {
    const std::int64_t from = k > 0 ? switches[k - 1] : 0;
    const std::int64_t to = k + 1 < switches.size() ? switches[k + 1] : count;
    TaskSwitch one{.at = switches[k]};
    const std::int64_t window = std::min(options.window, one.at - from);
    one.before = mean_of(scores.subspan(static_cast<std::size_t>(one.at - window),
                                        static_cast<std::size_t>(window)));
    one.drop = one.before - scores[static_cast<std::size_t>(one.at)];
    one.recovery = kUndefinedMetric;
    const double wanted = one.before - (1.0 - options.share) * std::max(0.0, one.drop);
    for (std::int64_t t = one.at; t < to; ++t) {
      if (!(scores[static_cast<std::size_t>(t)] >= wanted)) continue;
      one.recovery = static_cast<double>(t - one.at);
      recoveries += one.recovery;
      ++result.recovered;
      break;
    }
    drops += one.drop;
    result.switches.push_back(one);
  }
  if (!switches.empty()) result.mean_drop = drops / static_cast<double>(switches.size());
  if (result.recovered > 0) {
    result.mean_recovery = recoveries / static_cast<double>(result.recovered);
  }
  return result;
}

LearningCurve evaluate_meta_learning_curve(std::span<const double> scores, std::int64_t tail) {
  const std::span<const double> last = last_of("evaluate_meta_learning_curve", scores, tail);
  if (!all_finite(scores)) {
    return {kUndefinedMetric, kUndefinedMetric, kUndefinedMetric, kUndefinedMetric,
            kUndefinedMetric, kUndefinedMetric, kUndefinedMetric, kUndefinedMetric};
  }
  LearningCurve curve;
  const auto n = static_cast<double>(scores.size());
  curve.first = scores.front();
  curve.final = mean_of(last);
  curve.best = *std::max_element(scores.begin(), scores.end());
  curve.mean = mean_of(scores);
  curve.gain = curve.final - curve.first;
  double along = 0.0, squares = 0.0;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const double time = static_cast<double>(t) - (n - 1.0) / 2.0;
    along += time * (scores[t] - curve.mean);
    squares += time * time;
    if (t > 0 && scores[t] > scores[t - 1]) curve.rising += 1.0 / (n - 1.0);
  }
  curve.slope = along / squares;
  for (const double score : last) {
    curve.spread += (score - curve.final) * (score - curve.final);
  }
  curve.spread = std::sqrt(curve.spread / static_cast<double>(last.size()));
  return curve;
}

std::vector<ParameterConvergence> evaluate_parameter_convergence(const Array& history) {
  constexpr const char* kName = "evaluate_parameter_convergence";
  const HostMatrix values = matrix_of(kName, "a history [steps, parameters]", history);
  require(values.rows >= 2, "[{}] expected two steps or more, got {}", kName, values.rows);
  std::vector<ParameterConvergence> of_parameters;
  for (std::int64_t p = 0; p < values.columns; ++p) {
    ParameterConvergence one;
    one.first = one.low = one.high = values(0, p);
    one.final = values(values.rows - 1, p);
    std::int64_t moves = 0, turns = 0;
    double before = 0.0;
    bool finite = true;
    for (std::int64_t t = 0; t < values.rows; ++t) {
      finite = finite && std::isfinite(values(t, p));
      one.low = std::min(one.low, values(t, p));
      one.high = std::max(one.high, values(t, p));
      const double move = t > 0 ? values(t, p) - values(t - 1, p) : 0.0;
      if (move == 0.0) continue;
      if (before != 0.0) {
        ++moves;
        turns += (move > 0.0) != (before > 0.0) ? 1 : 0;
      }
      before = move;
    }
    if (!finite) {
      one.low = one.high = one.reversals = kUndefinedMetric;
      one.settled = values.rows;
      of_parameters.push_back(one);
      continue;
    }
    if (moves > 0) one.reversals = static_cast<double>(turns) / static_cast<double>(moves);
    const double near = 0.1 * (one.high - one.low);
    one.settled = values.rows;
    while (one.settled > 0 && std::abs(values(one.settled - 1, p) - one.final) <= near) {
      --one.settled;
    }
    of_parameters.push_back(one);
  }
  return of_parameters;
}

}  // namespace gaia::metrics
