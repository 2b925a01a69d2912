// SPDX-License-Identifier: MIT
/// \file
/// RESULT.stream.h5: all that a stream carries from one row to the next.
#pragma once

#include <cstdint>
#include <string>

#include "../../array/array_map.h"

namespace gaia {

struct StreamState {
  std::string run;           ///< run_id of the result.
  std::string options;       ///< "learn: true, ...": what the stream was told.
  std::int64_t row = 0;      ///< Number of the row that comes next.
  std::int64_t in_trial = 0;  ///< Rows of its trial that have come.
  std::int64_t step = 0;     ///< Step at which the hierarchy stands.
  std::string trial;         ///< Name of its trial, if there is one.
  ArrayMap arrays;           ///< On the CPU, under names such as "hierarchy/levels/0/...".
};

/// Rows that a stream counts at most: float64 holds their numbers.
constexpr std::int64_t kMostRows = std::int64_t{1} << 53;

/// A count that stands among the numbers of a state.  \throws ArgumentError for what is no whole
/// number from `least` to kMostRows.
std::int64_t count_in_state(double number, std::int64_t least = 0);

/// RESULT.stream.h5 of RESULT.h5.
std::string default_stream_state(const std::string& result);

/// Writes it beside `path`, brings it to the disk and renames it.  \throws OutputError.
void write_stream_state(const std::string& path, const StreamState& state);

/// \throws DataError "path: ..." for a file that cannot be read, is none of these, is of a later
///         format or is damaged.
StreamState read_stream_state(const std::string& path);

}  // namespace gaia
