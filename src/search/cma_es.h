// SPDX-License-Identifier: MIT
/// \file
/// CMA-ES: minimises a function of which only values are known, by samples of a normal distribution
/// whose mean, step and covariance follow the better ones.
///
/// Hansen 2016, "The CMA evolution strategy: a tutorial", arXiv:1604.00772, with negative weights
/// (active update); `separable` after Ros & Hansen 2008, PPSN X, 296.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "../core/random.h"

namespace gaia {

struct CmaEsOptions {
  /// Candidates of a generation, at least 4; 0: 4 + 3 ln n, rounded down.
  std::int64_t population = 0;
  /// Variances alone, no covariances: for many parameters, O(n) a candidate.
  bool separable = false;
  /// How far the mean goes towards the better candidates, above 0 up to 1: c_m of the tutorial.
  /// Below 1 it goes on under noise where the whole way would jump about.
  double mean_rate = 1.0;
  /// Largest standard deviation of a parameter; above it the steps in its direction are cut.  A
  /// bounded space that is mirrored at its ends looks alike from everywhere to longer ones.
  double largest_step = std::numeric_limits<double>::infinity();
  /// Ends where the values of a generation, and the best of the last ones, differ by less.
  double value_tolerance = 1e-12;
  /// Ends where the steps of all parameters are less than this share of the first.
  double step_tolerance = 1e-12;
  /// Stream of the candidates: they follow from it, the generation and their place alone.
  RandomStream random = next_stream();
};

/// All that a strategy carries from one generation to the next.  Of a separable one, `covariance`
/// and `scales` have n numbers and there are no `axes`.
struct CmaEsState {
  std::int64_t generation = 0;
  std::int64_t decomposed_at = 0;  ///< The generation whose covariance `axes` and `scales` are of.
  double step = 0.0;
  std::vector<double> mean, step_path, path;
  std::vector<double> covariance;    ///< [n, n]
  std::vector<double> axes;          ///< [n, n]: its eigenvectors, one a column
  std::vector<double> scales;        ///< [n]: the roots of its eigenvalues
  std::vector<double> best;          ///< The best candidate so far; empty at first.
  double best_value = 0.0;           ///< Its value.
  std::vector<double> best_of_last;  ///< The best values of the last generations.
  double worst_of_generation = 0.0;  ///< The worst value of the last one.
};

/// Minimises by turns: ask() for candidates, tell() their values.
///
///     CmaEs strategy({3.0, -2.0}, 1.0);
///     while (strategy.why_stopped().empty()) {
///       std::vector<double> values;
///       for (const auto& x : strategy.ask()) values.push_back(f(x));
///       strategy.tell(values);
///     }
class CmaEs {
 public:
  /// Begins at `mean` with standard deviation `step` in every direction.  Parameters should be
  /// scaled such that one step suits all.
  /// \throws ArgumentError without parameters, for a mean that is not finite, a step or a largest
  /// step that is not above 0, a mean rate outside of its range, or a population of 1 to 3.
  CmaEs(std::vector<double> mean, double step, const CmaEsOptions& options = {});

  std::int64_t parameters() const { return static_cast<std::int64_t>(state_.mean.size()); }
  std::int64_t population() const { return population_; }

  /// The candidates of this generation, [population] of [n]; the same at every call.
  std::vector<std::vector<double>> ask() const;

  /// The values of these candidates, in their order; NaN is worse than any number.
  /// \throws ArgumentError unless there are as many as candidates.
  void tell(std::span<const double> values);

  /// "", or why going on has no use: the values or the steps no longer differ.
  std::string why_stopped() const;

  const CmaEsState& state() const { return state_; }

 private:
  struct Rates {
    double mean_mass = 0, step_path = 0, damping = 0, path = 0, rank_one = 0, rank_mu = 0;
  };
  void set_rates();
  std::vector<double> steps_of(std::int64_t candidate) const;
  void decompose();
  void cut_steps();

  CmaEsOptions options_;
  std::int64_t population_ = 0;
  std::vector<double> weights_;  ///< Weights of the candidates from the best to the worst.
  Rates rates_;
  double first_step_ = 0.0;
  CmaEsState state_;
};

}  // namespace gaia
