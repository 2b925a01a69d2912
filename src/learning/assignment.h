// SPDX-License-Identifier: MIT
/// \file
/// Who is matched with whom, one to one, so that the sum of what the pairs are worth is largest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

/// For each row of values [rows, columns] the column that it is matched with, no column twice, such
/// that the sum of values over all pairs is the largest that there is; -1 for rows that are left
/// over where there are fewer columns.  Found exactly, in rows² · columns steps, by shortest
/// augmenting paths (Kuhn, 1955, Naval Research Logistics Quarterly 2, 83-97; Jonker & Volgenant,
/// 1987, Computing 38, 325-340).
/// \throws ShapeError unless there are that many values, ArgumentError unless they are finite.
std::vector<std::int64_t> best_assignment(std::span<const double> values, std::int64_t rows,
                                          std::int64_t columns);

}  // namespace gaia
