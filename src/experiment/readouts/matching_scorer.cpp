// SPDX-License-Identifier: MIT
#include "matching_scorer.h"

#include <algorithm>
#include <cmath>

#include "../../core/state_fields.h"
#include "../../learning/assignment.h"

namespace gaia {
namespace {

/// What is left of squares that cancel.
constexpr double kNothing = 1e-12;

double variation(double count, double sum, double squares) {
  const double left = squares - sum * sum / count;
  return left > kNothing * squares ? left : 0.0;
}

/// The mean over targets of |r| with the number that each is matched with.
double mean_of(const std::vector<double>& r, const std::vector<std::int64_t>& pairs,
               std::size_t features) {
  double sum = 0.0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (pairs[k] >= 0) sum += std::abs(r[k * features + static_cast<std::size_t>(pairs[k])]);
  }
  return sum / static_cast<double>(pairs.size());
}

std::vector<std::int64_t> pairs_of(std::vector<double> r, std::size_t targets,
                                   std::size_t features) {
  for (double& one : r) one = std::abs(one);
  return best_assignment(r, static_cast<std::int64_t>(targets),
                         static_cast<std::int64_t>(features));
}

}  // namespace

MatchingScorer::MatchingScorer(std::int64_t features, std::int64_t targets,
                               const ChanceBlocks& blocks)
    : features_(static_cast<std::size_t>(features)),
      targets_(static_cast<std::size_t>(targets)),
      places_(blocks),
      blocks_(static_cast<std::size_t>(blocks.count())) {}

void MatchingScorer::add(const Row& row) {
  if (count_ == 0) {
    first_.assign(row.prediction.begin(), row.prediction.end());
    first_.insert(first_.end(), row.target.begin(), row.target.end());
  }
  Sums& sums = blocks_[places_.of(count_)];
  sums.numbers.resize(width());
  double* at = sums.numbers.data();
  const auto add_all = [&](std::span<const double> values, std::size_t from) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i] - first_[from + i];
      at[i] += value;
      at[values.size() + i] += value * value;
    }
    at += 2 * values.size();
  };
  add_all(row.prediction, 0);
  add_all(row.target, features_);
  for (std::size_t k = 0; k < targets_; ++k) {
    const double target = row.target[k] - first_[features_ + k];
    for (std::size_t i = 0; i < features_; ++i) *at++ += (row.prediction[i] - first_[i]) * target;
  }
  sums.count += 1.0;
  ++count_;
}

MatchingScorer::Sums MatchingScorer::all() const {
  Sums sums{.count = 0.0, .numbers = std::vector<double>(width())};
  for (const Sums& block : blocks_) {
    sums.count += block.count;
    for (std::size_t i = 0; i < block.numbers.size(); ++i) sums.numbers[i] += block.numbers[i];
  }
  return sums;
}

double MatchingScorer::varies(const Sums& sums, std::size_t target) const {
  const double* const of = sums.numbers.data() + 2 * features_;
  return variation(sums.count, of[target], of[targets_ + target]);
}

std::vector<double> MatchingScorer::correlations(const Sums& sums) const {
  const double* const x = sums.numbers.data();
  const double* const y = x + 2 * features_;
  const double* const xy = y + 2 * targets_;
  std::vector<double> r(targets_ * features_);
  for (std::size_t k = 0; k < targets_; ++k) {
    const double of_target = varies(sums, k);
    for (std::size_t i = 0; i < features_; ++i) {
      const double of_both = of_target * variation(sums.count, x[i], x[features_ + i]);
      const double together = xy[k * features_ + i] - x[i] * y[k] / sums.count;
      if (of_both > 0.0) r[k * features_ + i] = together / std::sqrt(of_both);
    }
  }
  return r;
}

std::vector<double> MatchingScorer::without_blocks(const Sums& sums) const {
  std::vector<double> without;
  for (const Sums& block : blocks_) {
    if (block.count == 0.0 || sums.count - block.count < 2.0) continue;
    Sums rest = sums;
    rest.count -= block.count;
    for (std::size_t i = 0; i < rest.numbers.size(); ++i) rest.numbers[i] -= block.numbers[i];
    const std::vector<double> r = correlations(rest);
    without.push_back(mean_of(r, pairs_of(r, targets_, features_), features_));
  }
  return without.empty() ? std::vector{ReadoutScore::kNone} : without;
}

ReadoutScore MatchingScorer::score() const {
  ReadoutScore score{.task = ReadoutTask::matching, .tested = count_};
  const Sums sums = all();
  bool is_finite = true;
  for (const double number : sums.numbers) is_finite = is_finite && std::isfinite(number);
  double least = 1.0;
  for (std::size_t k = 0; k < targets_ && count_ > 1; ++k) least = std::min(least, varies(sums, k));
  score.undefined = why_undefined(count_ > 1 ? 1.0 : 0.0, is_finite ? 0.0 : ReadoutScore::kNone,
                                  is_finite ? least : 1.0);
  if (!score.undefined.empty()) return score;
  const std::vector<double> r = correlations(sums);
  score.pairs = pairs_of(r, targets_, features_);
  score.mean_correlation = mean_of(r, score.pairs, features_);
  score.worst_correlation = 1.0;
  for (std::size_t k = 0; k < targets_; ++k) {
    const std::int64_t pair = score.pairs[k];
    score.correlations.push_back(pair < 0 ? 0.0
                                          : r[k * features_ + static_cast<std::size_t>(pair)]);
    score.worst_correlation =
        std::min(score.worst_correlation, std::abs(score.correlations.back()));
  }
  score.without = without_blocks(sums);
  return score;
}

void MatchingScorer::fields(auto& self, auto& state) {
  state(self.count_);
  if (self.count_ == 0) return;
  state.numbers(self.first_, self.features_ + self.targets_);
  for (auto& block : self.blocks_) {
    state(block.count);
    if (block.count != 0.0) state.numbers(block.numbers, self.width());
  }
}

std::vector<double> MatchingScorer::state() const { return StateFields::of(*this); }

void MatchingScorer::set_state(std::span<const double> state) {
  StateFields::set(*this, "Scorer", state);
}

}  // namespace gaia
