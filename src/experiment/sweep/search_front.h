// SPDX-License-Identifier: MIT
/// \file
/// What a search for a front leaves beside what every search does: the objectives of every
/// candidate, which are on the front, and how much of the space of objectives it dominates.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../../io/hdf5.h"
#include "search_run.h"

namespace gaia {

/// Hypervolume of the candidates of its kind up to each candidate; NaN without a reference, and for
/// the file's own values.
std::vector<double> hypervolumes_so_far(const SearchMembers& members, const SearchSummary& summary);

/// The best candidate that was searched by one objective; of equal ones the first.
std::size_t best_by(const SearchSection& section, const SearchSummary& summary,
                    std::size_t objective);

/// Adds /search/front to the index.
void write_front(hdf5::Group& search, const hdf5::Dataset& candidate, const SearchMembers& members,
                 const SearchSummary& summary);

/// More columns of history.csv, each with a comma before it: their names, and a candidate's values.
/// `volumes` are the hypervolumes_so_far().  Empty for one objective.
std::string front_columns(const SearchSection& section);
std::string front_fields(const SearchSection& section, const SearchSummary& summary,
                         const std::vector<double>& volumes, std::size_t candidate);

/// For a person: the candidates on the front, the best by the first objective first, and its
/// hypervolume compared with that of the candidates at random.
std::string front_text(const SearchMembers& members, const SearchSummary& summary);

}  // namespace gaia
