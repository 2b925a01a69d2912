// SPDX-License-Identifier: MIT
/// \file
/// What a search is worth, by runs that have chosen nothing: the best of many candidates looks
/// better in the runs that chose it than it is.
#pragma once

#include <string>
#include <vector>

#include "search_run.h"

namespace gaia {

/// The runs that have judged a candidate; null where none have.
const JudgedCandidate* judgement_of(const SearchSummary& summary, std::size_t candidate);

/// A sentence for the file's own values and one for the best at random, as far as there are such:
/// whether what was found is better on the test part with seeds by which nothing was chosen.  Ties
/// apart, a two-sided paired sign test at the level of 0.05 decides.
std::vector<std::string> conclusions_of(const SearchSection& section, const SearchSummary& summary);

}  // namespace gaia
