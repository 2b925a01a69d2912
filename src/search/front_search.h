// SPDX-License-Identifier: MIT
/// \file
/// Search for the parameters at which several objectives are small, each as far as the others let
/// it: a front, by MO-CMA-ES or at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../core/random.h"
#include "mo_cma_es.h"
#include "search.h"
#include "space.h"

namespace gaia {

struct FrontSearchOptions {
  std::int64_t objectives = 2;  ///< At least 2, all of them to be small.
  /// mo_cma_es.h in place of cma_es.h, or at random.
  SearchMethod method = SearchMethod::cma_es;
  std::int64_t evaluations = 1000;  ///< No generation begins after so many.
  /// Candidates of a generation, at least 4; 0: a tenth of the evaluations, from 4 to 50.
  std::int64_t population = 0;
  double step = 0.1;  ///< First standard deviation, as a share of each scale.
  /// Point from which the hypervolume of the front is measured; empty: it is not.  It decides
  /// which of two fronts is larger, so it has to come from the problem and not from the results.
  Objectives reference = {};
  RandomStream random = next_stream();
};

/// One candidate and what came of it.
struct FrontTrial {
  std::int64_t generation = 0;
  std::vector<double> values;  ///< Values of the parameters, in their order.
  Objectives objectives;
};

struct FrontSearchResult {
  std::vector<FrontTrial> history;
  /// Places in the history of those that no other dominates.
  std::vector<std::size_t> front;
  /// Hypervolume of the front after each generation; empty without a reference.
  std::vector<double> hypervolumes;
  std::string why_stopped;
};

/// A search by turns, as Search is.  Candidates follow from the options and from what earlier ones
/// were told; so a search that was cut goes on by being told its history again.
class FrontSearch {
 public:
  /// \throws ArgumentError for options that are out of their range.
  explicit FrontSearch(SearchSpace space, FrontSearchOptions options = {});

  const SearchSpace& space() const { return space_; }
  bool is_done() const { return !result_.why_stopped.empty(); }

  /// Values of the parameters of each candidate of this generation; the same at every call.
  std::vector<std::vector<double>> ask() const;

  /// The objectives of these candidates, in their order.  Those that are not finite are worse than
  /// any others.
  /// \throws ArgumentError unless there are as many as candidates and objectives, or where the
  /// search is done.
  void tell(const std::vector<Objectives>& objectives);

  /// Up to now.
  const FrontSearchResult& result() const { return result_; }

 private:
  std::vector<std::vector<double>> points() const;

  SearchSpace space_;
  FrontSearchOptions options_;
  std::optional<MoCmaEs> strategy_;
  std::int64_t generation_ = 0;
  FrontSearchResult result_;
};

/// Searches until it is done, a candidate at a time.
FrontSearchResult search_front(
    const std::function<Objectives(const std::vector<double>&)>& objectives,
    const SearchSpace& space, const FrontSearchOptions& options = {});

}  // namespace gaia
