// SPDX-License-Identifier: MIT
/// \file
/// Predictions in a file and their targets, and scores of them for a run that has not written any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../experiment/readouts/verdict.h"
#include "../learning/readout_kind.h"
#include "result.h"

namespace gaia::report {

/// Rows of a readout beyond which they are not ranked: all of them are held at once for that.
inline constexpr std::int64_t kMostRanked = 4'000'000;

struct ScoreSoFar {
  Score score;
  std::string undefined;  ///< Why there is none; empty where there is one.
};

/// Score of the first `rows` predictions of the readout, or of the test part of a network, at
/// `path`, which have so many targets each.
ScoreSoFar score_so_far(const Result& result, const std::string& path, ReadoutTask task,
                        std::int64_t rows, std::int64_t targets);

/// How many of these predictions have a class or a label that is known.
std::int64_t count_known(const Result& result, const std::string& path, std::int64_t rows);

/// Rows [first, first + rows) of a column of a dataset [rows] or [rows, columns]; empty where it
/// has no such column, or more than kMostRanked rows are asked for.
std::vector<double> read_column(const Result& result, const std::string& dataset,
                                std::int64_t first, std::int64_t rows, std::int64_t column = 0);

/// Rows whose class or label is known (0 or more), and the numbers beside them.
struct Labelled {
  std::vector<std::int64_t> truth;
  std::vector<double> values;
};
Labelled labelled(const std::vector<double>& truth, const std::vector<double>& values);

}  // namespace gaia::report
