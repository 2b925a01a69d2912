// SPDX-License-Identifier: MIT
/// \file
/// The section `search:` of an experiment: which keys are searched, on which scales, and what makes
/// a candidate good.  docs/search.md explains its keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../search/search.h"
#include "../../search/successive_halving.h"
#include "sweep_values.h"
#include "yaml.h"

namespace gaia {

/// Candidates at random that are judged by short runs first (successive_halving.h).
struct HalvingSection {
  HalvingOptions options;
  /// Dotted keys that make a run shorter, whole numbers: at a rung each has its part of its value.
  std::vector<std::string> shortens = {"data.steps"};
  Origin origin = {};
};

struct SearchSection {
  std::vector<SearchScale> parameters;
  SearchMethod method = SearchMethod::cma_es;
  std::int64_t population = 0;     ///< 0: by the number of parameters.
  std::int64_t evaluations = 100;  ///< Candidates; no generation begins after so many.
  std::optional<HalvingSection> halving = {};  ///< Of a search at random.
  bool is_separable = false;       ///< CMA-ES learns variances alone.
  std::int64_t seeds = 3;          ///< Runs of each candidate.
  bool has_random_control = true;  ///< As many candidates are tried at random, for comparison.
  /// Seeds by which nothing is chosen, with which the chosen are judged at the end; rounded up to a
  /// multiple of `seeds`.
  std::int64_t held_out_seeds = 10;
  std::string readout;             ///< Whose validation score is the objective.
  std::string score;               ///< "r2", "nrmse", "accuracy" ...

  /// Runs of candidates that are searched, and of those at random beside them.
  std::int64_t searched_runs() const;
  /// How many whole runs these are as long as.
  double whole_runs() const;
  /// Whether a smaller score is better.
  bool is_minimised() const { return score == "nrmse" || score == "log_loss"; }
  SearchSpace space() const;
};

/// What is wrong is added to `problems`.
SearchSection read_search_section(const YamlNode& root, Problems& problems);

/// What `score` and `method` may be, and bounds of `seeds` and `population`.
const std::vector<std::string>& search_scores();
const std::vector<std::string>& search_methods();
inline constexpr std::int64_t kMostSearchSeeds = 1000;
inline constexpr std::int64_t kLeastSearchPopulation = 4;

/// JSON Schema of the section, as text.
std::string search_schema();

}  // namespace gaia
