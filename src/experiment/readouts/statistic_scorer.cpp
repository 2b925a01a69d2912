// SPDX-License-Identifier: MIT
#include "statistic_scorer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../core/message.h"
#include "../../core/state_fields.h"

namespace gaia {
namespace {

/// More values than that are no classes.
constexpr double kMostPatterns = 100000.0;

std::size_t class_of(double value) {
  if (value >= 0.0 && value < kMostPatterns && value == std::floor(value)) {
    return static_cast<std::size_t>(value);
  }
  fail<DataError>(
      "selectivity is over whole numbers from 0, below {}, and a row has {}; name "
      "another latent by `over`",
      kMostPatterns, value);
}

constexpr std::size_t kNoBlock = static_cast<std::size_t>(-1);

/// What is left of squares that cancel.
constexpr double kLeftOver = 1e-12;

double mean_over(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The excess kurtosis of n numbers by the sums of their first four powers.
double excess_kurtosis(double n, double s1, double s2, double s3, double s4) {
  const double m = s1 / n;
  const double variance = s2 / n - m * m;
  if (!(variance > kLeftOver * (s2 / n))) return 0.0;
  const double fourth = s4 / n - 4.0 * m * s3 / n + 6.0 * m * m * s2 / n - 3.0 * m * m * m * m;
  return fourth / (variance * variance) - 3.0;
}

}  // namespace

StatisticScorer::StatisticScorer(const StatisticOptions& options, const ChanceBlocks& blocks)
    : options_(options), places_(blocks), blocks_(static_cast<std::size_t>(blocks.count())) {}

std::size_t StatisticScorer::moments() const {
  return options_.measured == Statistic::kurtosis     ? 4
         : options_.measured == Statistic::sparseness ? 2
                                                      : 1;
}

void StatisticScorer::widen(Sums& sums, std::size_t classes) const {
  if (sums.counts.size() >= classes) return;
  sums.counts.resize(classes);
  sums.numbers.resize(classes * moments() * first_.size());
}

void StatisticScorer::add(const Row& row) {
  if (options_.is_of_weights()) {
    told_.assign(row.prediction.begin(), row.prediction.end());
    return;
  }
  if (count_ == 0) first_.assign(row.prediction.begin(), row.prediction.end());
  Sums& sums = blocks_[places_.of(count_++)];
  const bool has_classes = options_.measured == Statistic::selectivity;
  const std::size_t of = has_classes ? class_of(row.target.front()) : 0;
  widen(sums, of + 1);
  sums.counts[of] += 1.0;
  const std::size_t neurons = first_.size();
  double* const at = sums.numbers.data() + of * moments() * neurons;
  for (std::size_t i = 0; i < neurons; ++i) {
    const double y = row.prediction[i];
    switch (options_.measured) {
      case Statistic::kurtosis: {
        // From the first on, so that a constant costs no digits.
        const double x = y - first_[i];
        at[i] += x;
        at[neurons + i] += x * x;
        at[2 * neurons + i] += x * x * x;
        at[3 * neurons + i] += x * x * x * x;
        break;
      }
      case Statistic::sparseness:
        at[i] += std::abs(y);
        at[neurons + i] += y * y;
        break;
      default:
        at[i] += y;
    }
  }
}

StatisticScorer::Sums StatisticScorer::sum_without(std::size_t block) const {
  Sums all;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (b == block) continue;
    const Sums& one = blocks_[b];
    widen(all, one.counts.size());
    for (std::size_t i = 0; i < one.counts.size(); ++i) all.counts[i] += one.counts[i];
    for (std::size_t i = 0; i < one.numbers.size(); ++i) all.numbers[i] += one.numbers[i];
  }
  return all;
}

double StatisticScorer::of_one(const Sums& sums, std::size_t neuron) const {
  const std::size_t neurons = first_.size();
  const auto moment = [&](std::size_t k) { return sums.numbers[k * neurons + neuron]; };
  const double n = sums.counts.front();
  switch (options_.measured) {
    case Statistic::kurtosis:
      return excess_kurtosis(n, moment(0), moment(1), moment(2), moment(3));
    case Statistic::sparseness: {
      if (moment(1) == 0.0) return 0.0;
      const double mean = moment(0) / n;
      return (1.0 - mean * mean / (moment(1) / n)) / (1.0 - 1.0 / n);
    }
    case Statistic::selectivity: {
      double sum = 0.0;
      double most = 0.0;
      double classes = 0.0;
      for (std::size_t c = 0; c < sums.counts.size(); ++c) {
        if (sums.counts[c] == 0.0) continue;
        const double mean = std::max(0.0, moment(c) / sums.counts[c]);
        sum += mean;
        most = std::max(most, mean);
        classes += 1.0;
      }
      return most > 0.0 ? 1.0 - sum / classes / most : 0.0;
    }
    default:
      return moment(0) / n;
  }
}

std::vector<double> StatisticScorer::of_each(const Sums& sums) const {
  std::vector<double> each(first_.size());
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = of_one(sums, i);
  return each;
}

ReadoutScore StatisticScorer::score() const {
  ReadoutScore score{.task = ReadoutTask::statistic, .tested = count_};
  score.measure = &options_.measure();
  std::vector<double> each = told_;
  if (!options_.is_of_weights()) {
    const Sums sums = sum_without(kNoBlock);
    const auto shown = std::count_if(sums.counts.begin(), sums.counts.end(),
                                     [](double count) { return count > 0.0; });
    if (count_ > 0) each = of_each(sums);
    if (options_.measured == Statistic::sparseness && count_ == 1) {
      score.undefined = "one test tick";
    } else if (options_.measured == Statistic::selectivity && shown == 1) {
      score.undefined = "all test ticks are of one class";
    }
  } else {
    score.tested = std::ssize(each);
  }
  const bool is_finite =
      std::all_of(each.begin(), each.end(), [](double one) { return std::isfinite(one); });
  if (each.empty()) score.undefined = "no test ticks";
  if (!is_finite && score.undefined.empty()) score.undefined = "what it is of is not finite";
  if (!score.undefined.empty()) return score;
  score.statistic = mean_over(each);
  for (std::size_t b = 0; b < blocks_.size() && blocks_.size() > 1; ++b) {
    if (blocks_[b].counts.empty()) continue;
    const Sums rest = sum_without(b);
    if (!rest.counts.empty()) score.without.push_back(mean_over(of_each(rest)));
  }
  if (each.size() > 1) score.of_each = std::move(each);
  return score;
}

void StatisticScorer::fields(auto& self, auto& state) {
  state(self.count_);
  state.list(self.options_.is_of_weights() ? self.told_ : self.first_);
  for (auto& block : self.blocks_) {
    state.list(block.counts);
    state.numbers(block.numbers, block.counts.size(), self.moments() * self.first_.size());
  }
}

std::vector<double> StatisticScorer::state() const { return StateFields::of(*this); }

void StatisticScorer::set_state(std::span<const double> state) {
  StateFields::set(*this, "Scorer", state);
}

}  // namespace gaia
