// SPDX-License-Identifier: MIT
/// \file
/// The order in which the rows of a source are read (data.order).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../config/problems.h"
#include "experiment.h"

namespace gaia {

/// Numbers of a source that does not read at random that are held in memory to be put in order.
inline constexpr std::int64_t kMostOrdered = std::int64_t{1} << 27;

/// Rows 0 ... n - 1 in order of `by`, by the streams "data/order/..." of `seed`.  `classes` has the
/// class of each, of which runs are built.
/// - shuffle: permutation(n) of the stream "rows".
/// - runs: as long as rows are left, one of the classes that have some and are not the last, in
///   ascending order, each equally likely (where there are several, by the next integer of "runs";
///   the last comes again only where it is the only one left), and rows of it in the order of that
///   permutation, until none is left or number t of "lengths" is below 1 / runs, t being the place
///   of the row in the stream: so lengths are geometric.
/// - draw: integer k of "draw", of as many rows as the share has, k counting through all parts.
/// \throws DataKeyError for a share that has no row.
std::vector<std::int64_t> row_order(const OrderConfig& by, std::int64_t rows,
                                    std::span<const std::int64_t> classes, std::uint64_t seed);

/// Puts the rows of the series that is open in the order of data.order; the training pictures alone
/// of images that have others.
void order_rows(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
