// SPDX-License-Identifier: MIT
/// \file
/// readouts: free_run, a readout that reads what it has said itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gaia {

struct FreeRunConfig {
  bool is_there = false;
  std::int64_t from = 1;   ///< First step whose row is what the readout has said.
  std::int64_t steps = 1;  ///< Steps that are read so.
  bool repeats = false;
  std::int64_t every = 1;  ///< Steps from one start to the next.
  std::int64_t count = 1;  ///< Starts.
  /// Step, from 1, that nrmse_at is of; if absent the last.
  std::optional<std::int64_t> at = {};
  /// Length of an error, in deviations of the series, with which a forecast is no longer valid.
  double threshold = 0.4;

  /// Steps from which it goes on by itself, in order, once data are open.
  std::vector<std::int64_t> starts = {};

  std::int64_t scored_at() const { return at.value_or(steps); }
  std::vector<std::int64_t> asked_starts() const {
    std::vector<std::int64_t> asked;
    for (std::int64_t k = 0; k < (repeats ? count : 1); ++k) asked.push_back(from + k * every);
    return asked;
  }
};

}  // namespace gaia
