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

/// What a candidate is judged by.
struct SearchObjective {
  enum class Measure {
    score,    ///< A validation score of a readout.
    weights,  ///< How many weights a run ends with (counted_weights.h).
    time,     ///< Seconds of a run.  No two runs take the same.
  };
  Measure measure = Measure::score;
  std::string readout = {};  ///< Readout of a score.
  std::string score = {};    ///< "r2", "nrmse", "accuracy" ...
  bool is_minimised = false;

  /// Name by which results, files and tables call it: "digit_accuracy", "weights", "time".
  std::string name() const;
  /// "validation accuracy of readout digit", "weights", "time in s"
  std::string meaning() const;
  /// What is minimised of a value, and back.
  double signed_value(double value) const { return is_minimised ? value : -value; }
};

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
  std::int64_t population = 0;                 ///< 0: by the number of parameters.
  std::int64_t evaluations = 100;              ///< Candidates; no generation begins after so many.
  std::optional<HalvingSection> halving = {};  ///< Halving of a search at random.
  bool is_separable = false;                   ///< CMA-ES learns variances alone.
  std::int64_t seeds = 3;                      ///< Runs of each candidate.
  bool has_random_control = true;  ///< Whether as many random candidates are tried for comparison.
  /// Seeds by which nothing is chosen, with which the chosen are judged at the end; rounded up to a
  /// multiple of `seeds`.
  std::int64_t held_out_seeds = 10;
  std::string readout;  ///< Readout whose validation score is the first objective.
  std::string score;    ///< "r2", "nrmse", "accuracy" ...
  /// All of them, the first being that score; several where a front is looked for.
  std::vector<SearchObjective> objectives;
  /// Point from which the volume of a front is measured, a value for each objective in its own
  /// units; empty: none is measured.
  std::vector<double> reference;

  /// Whether a smaller value of the first objective is better.
  bool is_minimised() const { return !objectives.empty() && objectives.front().is_minimised; }
  bool has_front() const { return objectives.size() > 1; }
  /// Whether one of the objectives is measured by the clock.
  bool is_timed() const;

  /// Runs of candidates that are searched, and of those at random beside them.
  std::int64_t searched_runs() const;
  /// How many whole runs these are as long as.
  double whole_runs() const;
  SearchSpace space() const;
};

/// What is wrong is added to `problems`.
SearchSection read_search_section(const YamlNode& root, Problems& problems);

/// What `score` and `method` may be, and bounds of `seeds` and `population`.
const std::vector<std::string>& search_scores();
const std::vector<std::string>& search_methods();
/// What may be measured in place of a score, and the two goals of an objective.
const std::vector<std::string>& search_measures();
const std::vector<std::string>& search_goals();
inline constexpr std::int64_t kMostObjectives = 8;
inline constexpr std::int64_t kMostSearchSeeds = 1000;
inline constexpr std::int64_t kLeastSearchPopulation = 4;

/// JSON Schema of the section, as text.
std::string search_schema();

}  // namespace gaia
