// SPDX-License-Identifier: MIT
/// \file
/// What a search leaves in its folder beside its members: history.csv and the group /search of
/// index.h5 with every candidate, and best.yaml, an experiment that runs.  docs/search.md
/// describes them.
#pragma once

#include <string>
#include <vector>

#include "member_index.h"
#include "search_run.h"

namespace gaia {

struct CollectedSearch {
  CollectedMembers members;
  std::string history;  ///< Path of history.csv.
  std::string best;     ///< Path of best.yaml; empty where no candidate has a score.
  /// Paths of best-NAME.yaml, the best by each further objective.
  std::vector<std::string> best_by;
};

/// Writes all of them anew, the same bytes for the same search.
/// \throws as collect_members(), and OutputError where history.csv or best.yaml is a file of
///         somebody else.
CollectedSearch collect_search(const SearchMembers& members, const SearchSummary& summary);

/// A line for each candidate after one with the names of the columns (RFC 4180).
std::string history_csv(const SearchMembers& members, const SearchSummary& summary);

/// For a person: the best found compared with the file's own values and the best at random, by the
/// validation part they were chosen by and by the test part; and whether the search has paid.
std::string search_text(const SearchMembers& members, const SearchSummary& summary);

}  // namespace gaia
