// SPDX-License-Identifier: MIT
/// \file
/// Times of rows: that they increase, and where they have gaps.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "series.h"

namespace gaia {

/// What is done where more than 1.5 times the median step lies between two rows: the data are
/// refused, reported, or a trial ends there.
enum class GapPolicy { error, warn, split };

std::string to_string(GapPolicy policy);

/// \throws ArgumentError for an unknown name.
GapPolicy gap_policy_from_name(std::string_view name);

/// Times of the rows of each file, of one type, and where trials start, over all files: none goes
/// on from one file to the next.
struct RowTimes {
  std::vector<SideValues> files;
  std::vector<std::int64_t> trial_starts;
  std::string column;  ///< Name of the column of times.
  /// The place where a user finds a row.
  std::function<std::string(std::int64_t)> place;
  bool count = false;  ///< Whole times are numbers, no dates.
};

/// Checks that times increase within a trial, and looks for gaps.  The median is that of all steps
/// within trials.  Returns where trials start with what is split.  \throws DataError with the row
/// and both times where they do not increase, and for gaps with policy error.
std::vector<std::int64_t> check_times(const RowTimes& times, GapPolicy policy);

}  // namespace gaia
