// SPDX-License-Identifier: MIT
/// \file
/// data.faults: values of a series that are missing, stand still or are 0, as those of sensors are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia {

/// One sort of faults, which come and go.
struct FaultConfig {
  enum class Shows {
    missing,  ///< NaN, which levels that filter do without.
    last,     ///< The last value before the fault.
    zero,     ///< 0, as if it were a value.
  } shows = Shows::missing;
  double probability = 0.1;  ///< Share of the rows of a channel that are faulty.
  std::int64_t length = 1;   ///< Rows of a fault, at least.
  std::int64_t from = 0;     ///< Row before which there are none.
  std::vector<std::string> channels =
      {};  ///< Channels that have them, by name or index; empty: all.

  friend bool operator==(const FaultConfig&, const FaultConfig&) = default;
};

/// Whether values are missing that nothing stands for.
bool leaves_missing(const std::vector<FaultConfig>& faults);

}  // namespace gaia
