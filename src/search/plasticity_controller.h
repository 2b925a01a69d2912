// SPDX-License-Identifier: MIT
/// \file
/// PlasticityController: tunes the parameters of plasticity by what runs with them are worth.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "../core/random.h"
#include "search.h"
#include "space.h"

namespace gaia {

/// What a run of its own with these parameters and this seed is worth, the larger the better, on
/// data that it did not learn from.  A function of its arguments alone: it makes what it runs anew,
/// so that no candidate learns from where another has left off.
using PlasticityObjective =
    std::function<double(std::span<const double> parameters, std::uint64_t seed)>;

/// Fields have the names of the guide's.
struct PlasticityControllerOptions {
  /// Parameters to begin with, such as the rule's defaults; empty: the middle of the space.
  std::vector<double> start = {};
  /// Seeds of the runs of every candidate, whose mean is its score.
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  /// Seeds held out: if there are any, parameters must be better with these too to be taken on.
  std::vector<std::uint64_t> held_out_seeds = {};
  /// How far a generation moves the mean, above 0 up to 1 (SearchOptions::mean_rate).
  double adaptation_rate = 1.0;
  /// The first standard deviation, as a share of each parameter's scale (SearchOptions::step).
  double exploration_noise = 0.3;
  std::int64_t population_size =
      0;  ///< Candidates of a generation; 0: by the number of parameters.
  SearchMethod method = SearchMethod::cma_es;
  RandomStream random = next_stream();
};

/// Search by generations that keeps the best parameters so far.
///
///     PlasticityController controller(
///         SearchSpace({SearchParameter::log("rate", 1e-4, 1)}),
///         [](std::span<const double> p, std::uint64_t seed) { return score_of(p[0], seed); },
///         {.start = {0.01}});
///     for (int generation = 0; generation < 10; ++generation) controller.adapt_plasticity();
///     controller.current_params();
///
/// Each candidate is run with every seed, and its score is the mean; one whose score is not finite
/// is worse than all.  The parameters change only where the best of a generation has a score above
/// theirs, on the held-out seeds too where there are some: if nothing is better, or all is alike,
/// they stay what they were at the start.  Of many candidates the best is so partly by luck, also
/// among those that were held out; tell what comes of it on seeds that it has never seen.
/// The same options and scores give the same candidates.
class PlasticityController {
 public:
  /// \throws ArgumentError without an objective or seeds, for seeds that are held out and are not,
  /// and as Search for the other options.
  PlasticityController(SearchSpace space, PlasticityObjective objective,
                       PlasticityControllerOptions options = {});

  /// Runs a generation, before the first of them the start, and returns performance().
  double adapt_plasticity();

  /// The parameters that are kept, in the order of the space.
  const std::vector<double>& current_params() const { return params_; }
  /// Their mean score over the held-out seeds, without these over the seeds; NaN before the first
  /// generation.
  double performance() const { return performance_; }

  /// Both after every generation; entry 0 is the start's.
  const std::vector<std::vector<double>>& param_history() const { return param_history_; }
  const std::vector<double>& performance_history() const { return performance_history_; }

  /// Runs of the objective so far.
  std::int64_t runs() const { return runs_; }
  /// All candidates so far, the objective being minus their score.
  const SearchResult& search_result() const { return search_->result(); }

  /// Forgets all: the next generation is the first again, with the same candidates.
  void reset_state();

 private:
  double score(const std::vector<double>& params, std::span<const std::uint64_t> seeds);

  SearchSpace space_;
  PlasticityObjective objective_;
  PlasticityControllerOptions options_;
  std::optional<Search> search_;
  std::vector<double> params_;
  double fitness_ = 0.0;      ///< Mean score of params_ over the seeds.
  double performance_ = 0.0;  ///< Mean score of params_ over the seeds held out.
  std::int64_t runs_ = 0;
  std::vector<std::vector<double>> param_history_;
  std::vector<double> performance_history_;
};

}  // namespace gaia
