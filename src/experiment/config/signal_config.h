// SPDX-License-Identifier: MIT
/// \file
/// data.filter and data.resample: which frequencies of a series are read, and how often.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../../formulas/butterworth.h"

namespace gaia {

/// data.filter: Butterworth's, causal.
struct SignalFilterConfig {
  bool is_on = false;
  PassBand pass = PassBand::low;
  double edge = 1.0;               ///< Hz, of low and high.
  std::vector<double> edges = {};  ///< Hz, of band and stop.
  std::int64_t order = 4;

  /// One or two, Hz.
  std::vector<double> all_edges() const {
    return pass == PassBand::low || pass == PassBand::high ? std::vector<double>{edge} : edges;
  }

  friend bool operator==(const SignalFilterConfig&, const SignalFilterConfig&) = default;
};

/// data.resample: fewer rows.
struct ResampleConfig {
  enum class By { none, every, to } by = By::none;
  std::int64_t every = 1;  ///< Rows of the source for each.
  double to = 1.0;         ///< Hz.

  friend bool operator==(const ResampleConfig&, const ResampleConfig&) = default;
};

}  // namespace gaia
