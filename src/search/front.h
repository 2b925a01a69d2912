// SPDX-License-Identifier: MIT
/// \file
/// Several objectives, all of them to be small: which vectors of values dominate which, and how
/// much of the space of values a set of them dominates.
///
/// A vector dominates another if it is nowhere larger and somewhere smaller.  Vectors that have a
/// value that is not finite are dominated by all others, and dominate none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// Values of all objectives of one candidate.
using Objectives = std::vector<double>;

/// Whether `a` is in no objective worse than `b` and better in one.
/// \throws ArgumentError unless they have as many objectives.
bool dominates(std::span<const double> a, std::span<const double> b);

/// For each vector in how many steps it is reached: 0 where none dominates it, 1 where none does
/// once those of rank 0 are taken away, and so on (Goldberg 1989; Deb et al. 2002).
/// \throws ArgumentError unless all have as many objectives.
std::vector<std::int64_t> non_dominated_ranks(const std::vector<Objectives>& values);

/// The places of those that none dominates, in their order; of equal ones all.  Those that are not
/// finite are never among them.  \throws ArgumentError as non_dominated_ranks.
std::vector<std::size_t> non_dominated(const std::vector<Objectives>& values);

/// Sum over the objectives of the distance between the two neighbours of a vector, as a share of
/// the range; infinite at both ends of an objective (Deb, Pratap, Agarwal & Meyarivan 2002, IEEE
/// Trans. Evol. Comput. 6, 182).  Of equal values the first comes first.
/// \throws ArgumentError as non_dominated_ranks, and for values that are not finite.
std::vector<double> crowding_distances(const std::vector<Objectives>& values);

/// Volume of all that is dominated by one of `values` and dominates `reference` (Zitzler & Thiele
/// 1998), exactly: of two objectives by a sweep, of more by slices along the last one, in
/// O(n^(m-1) log n) for n vectors of m.  Vectors that are not below the reference everywhere add
/// nothing.
/// \throws ArgumentError for another number of objectives, or a reference that is not finite.
double hypervolume(const std::vector<Objectives>& values, std::span<const double> reference);

/// What each of `values` adds: the hypervolume less that without it.  Of equal ones each adds 0.
/// \throws ArgumentError as hypervolume.
std::vector<double> hypervolume_contributions(const std::vector<Objectives>& values,
                                              std::span<const double> reference);

/// All places, the best first: by rank, and within a rank by contribution, where that of least
/// contribution to the hypervolume of its rank is the last and is taken away before the next is
/// looked for.  The first that is least in an objective of its rank is never taken before the
/// others.  Ties are decided for the earlier place.
///
/// The reference lies beyond the worst values of the rank by their ranges; of two objectives it
/// decides nothing.  Igel, Hansen & Roth 2007, Evol. Comput. 15, 1 (the order of MO-CMA-ES).
/// \throws ArgumentError as non_dominated_ranks.
std::vector<std::size_t> order_by_dominance(const std::vector<Objectives>& values);

}  // namespace gaia
