// SPDX-License-Identifier: MIT
/// \file
/// MO-CMA-ES: looks for the front of several objectives, all of them to be small, by as many
/// strategies as the front shall have candidates, each with a step and a covariance of its own.
///
/// Igel, Hansen & Roth 2007, "Covariance matrix adaptation for multi-objective optimization",
/// Evol. Comput. 15, 1: the elitist mu x (1 + 1) strategy, s-MO-CMA-ES.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../core/random.h"
#include "front.h"

namespace gaia {

struct MoCmaEsOptions {
  /// Number of objectives, at least 2.
  std::int64_t objectives = 2;
  /// Bounds of the parameters; empty: there are none.  A candidate outside is evaluated at the
  /// nearest point inside, and `penalty` times its squared distance is added to every value.
  std::vector<double> low = {};
  std::vector<double> high = {};
  double penalty = 1e-6;
  /// Ends where the steps of all strategies are less than this share of the first.
  double step_tolerance = 1e-12;
  /// Stream of the candidates: they follow from it, the generation and their place alone.
  RandomStream random = next_stream();
};

/// What one strategy carries from generation to generation.
struct MoCmaEsParent {
  std::vector<double> point;  ///< [n]; it may lie outside the bounds.
  Objectives values;          ///< With the penalty.
  double step = 0.0;
  double success = 0.0;            ///< Smoothed share of children that came before their parents.
  std::vector<double> path;        ///< [n]
  std::vector<double> covariance;  ///< [n, n]
};

/// Looks for a front by turns: ask() for candidates, tell() their values.  The first candidates are
/// those it begins with; from then on each strategy has one child a generation.
///
///     MoCmaEs strategy(first, 0.3);
///     for (int generation = 0; generation < 100; ++generation) {
///       std::vector<Objectives> values;
///       for (const auto& x : strategy.ask()) values.push_back({size(x), error(x)});
///       strategy.tell(values);
///     }
class MoCmaEs {
 public:
  /// Begins at the points `first`, [population] of [n], with standard deviation `step` in every
  /// direction.  Parameters should be scaled such that one step suits all.
  /// \throws ArgumentError without points or parameters, for points that are not finite or of
  /// different lengths, a step or a penalty out of range, fewer than 2 objectives, or bounds that
  /// are not in their order or not as many as parameters.
  MoCmaEs(std::vector<std::vector<double>> first, double step, const MoCmaEsOptions& options = {});

  std::int64_t parameters() const { return static_cast<std::int64_t>(first_.front().size()); }
  std::int64_t population() const { return static_cast<std::int64_t>(first_.size()); }
  /// Number of generations that have been reported.
  std::int64_t generation() const { return generation_; }

  /// The candidates of this generation, [population] of [n], inside the bounds; the same at every
  /// call.
  std::vector<std::vector<double>> ask() const;

  /// The values of these candidates, in their order, [population] of [objectives].  Those that are
  /// not finite are worse than any others.
  /// \throws ArgumentError unless there are as many as candidates and objectives.
  void tell(const std::vector<Objectives>& values);

  /// The strategies as they are, the best first; none before the first values are reported.
  const std::vector<MoCmaEsParent>& parents() const { return parents_; }

  /// "", or why going on has no use.
  std::string why_stopped() const;

 private:
  /// A draw from N(0, C) of the parent in this place.
  std::vector<double> step_of(std::size_t parent) const;
  std::vector<double> inside(std::span<const double> point) const;
  Objectives penalised(const Objectives& values, std::span<const double> point) const;
  void adapt_step(MoCmaEsParent& one, bool is_success) const;
  void adapt_covariance(MoCmaEsParent& one, std::span<const double> step) const;

  MoCmaEsOptions options_;
  std::vector<std::vector<double>> first_;
  double first_step_ = 0.0;
  std::int64_t generation_ = 0;
  std::vector<MoCmaEsParent> parents_;
};

}  // namespace gaia
