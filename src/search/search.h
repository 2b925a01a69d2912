// SPDX-License-Identifier: MIT
/// \file
/// Search for the parameters at which an objective is least, by CMA-ES or at random.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../core/random.h"
#include "cma_es.h"
#include "space.h"

namespace gaia {

enum class SearchMethod {
  cma_es,  ///< cma_es.h; begun again with twice the population where it gets no further.
  random,  ///< Points of equal probability on the parameters' scales.
};

struct SearchOptions {
  SearchMethod method = SearchMethod::cma_es;
  std::int64_t evaluations = 1000;  ///< No generation begins after so many.
  std::int64_t population = 0;      ///< Candidates of a generation; 0: by the number of parameters.
  /// Ends with the generation that reaches it.
  double target = -std::numeric_limits<double>::infinity();
  std::vector<double> start = {};  ///< Values to begin at; empty: the middle of the space.
  double step = 0.3;  ///< First standard deviation, as a share of each scale; 1/3 at most counts.
  bool separable = false;  ///< CMA-ES learns variances alone, for many parameters.
  double mean_rate = 1.0;  ///< Rate of CMA-ES, above 0 up to 1: CmaEsOptions::mean_rate.
  RandomStream random = next_stream();
};

/// One candidate and what came of it.
struct SearchTrial {
  std::int64_t generation = 0;
  std::vector<double> values;  ///< Values of the parameters, in their order.
  double objective = 0.0;
};

struct SearchResult {
  std::vector<double> best;  ///< Values of the parameters.
  double objective = 0.0;    ///< There.
  std::vector<SearchTrial> history;
  std::int64_t restarts = 0;
  std::string why_stopped;
};

/// A search by turns, for those that evaluate a generation at once or elsewhere.  Candidates follow
/// from the options and from what earlier ones were told; so a search that was cut goes on by being
/// told its history again.
class Search {
 public:
  /// \throws ArgumentError for options that are out of their range, and a start outside the space.
  explicit Search(SearchSpace space, SearchOptions options = {});

  const SearchSpace& space() const { return space_; }
  bool is_done() const { return !result_.why_stopped.empty(); }

  /// Values of the parameters of each candidate of this generation; the same at every call.
  std::vector<std::vector<double>> ask() const;

  /// What the objective is for them, in their order.  NaN is worse than any number.
  /// \throws ArgumentError unless there are as many as candidates, or where the search is done.
  void tell(std::span<const double> objectives);

  /// Up to now.
  const SearchResult& result() const { return result_; }

 private:
  void begin_strategy(std::int64_t population);
  std::vector<std::vector<double>> points() const;

  SearchSpace space_;
  SearchOptions options_;
  std::optional<CmaEs> strategy_;  ///< State of CMA-ES.
  std::int64_t generation_ = 0;
  SearchResult result_;
};

/// Searches until it is done, a candidate at a time.
///
///     const SearchResult found = search(
///         [&](const std::vector<double>& v) { return error_of(v[0], v[1]); },
///         SearchSpace({SearchParameter::log("rate", 1e-5, 1), SearchParameter::real("tau", 1,
///         100)}));
SearchResult search(const std::function<double(const std::vector<double>&)>& objective,
                    const SearchSpace& space, const SearchOptions& options = {});

}  // namespace gaia
