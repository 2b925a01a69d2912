// SPDX-License-Identifier: MIT
/// \file
/// The cross-entropy method: the least value of a function in a box, without gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../../core/random.h"

namespace gaia::agents {

struct CrossEntropyOptions {
  std::int64_t population = 150;  ///< Candidates of an iteration, 2 or more.
  std::int64_t elites = 15;       ///< The best of them, from which the next ones are drawn.
  std::int64_t iterations = 4;
  /// Standard deviation of the first candidates, relative to half the width of the bounds.
  double first_deviation = 1.0;
  double least_deviation = 0.05;  ///< Later ones are not below this, relative to the same.
  double smoothing = 0.1;         ///< Share of the last mean and deviation in the next, below 1.
};

/// Values of `count` candidates, which stand one after the other.
using CandidateValues =
    std::function<std::vector<double>(std::span<const double> candidates, std::int64_t count)>;

struct CrossEntropyResult {
  std::vector<double> best;             ///< The candidate of the least value of all iterations.
  double value = 0.0;                   ///< Value of `best`.
  std::vector<double> mean, deviation;  ///< Mean and deviation of the last elites.
  std::vector<double> best_values;      ///< The least value up to the end of each iteration.
};

/// Candidates are normal around a mean and cut to the bounds; the mean and deviation of each
/// coordinate become those of the best.  In each iteration the mean is one of the candidates, and
/// so is the best of all before.  Candidates whose value is not finite are never among the best
/// unless all are.  Draws are numbers `first_draw` to `first_draw + cross_entropy_draws` of the
/// stream.
/// \throws ArgumentError for options out of their range and vectors of different sizes.
///
/// Rubinstein 1999, "The cross-entropy method for combinatorial and continuous optimization",
/// Methodology and Computing in Applied Probability 1; de Boer et al. 2005, "A tutorial on the
/// cross-entropy method", Annals of Operations Research 134.
CrossEntropyResult least_by_cross_entropy(const CandidateValues& values,
                                          std::span<const double> first_mean,
                                          std::span<const double> low, std::span<const double> high,
                                          const CrossEntropyOptions& options, RandomStream random,
                                          std::uint64_t first_draw = 0);

/// How many numbers a search over this many coordinates draws.
std::uint64_t cross_entropy_draws(const CrossEntropyOptions& options, std::int64_t coordinates);

/// \throws ArgumentError for options out of their range.
void check(const CrossEntropyOptions& options);

}  // namespace gaia::agents
