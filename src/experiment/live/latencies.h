// SPDX-License-Identifier: MIT
/// \file
/// How long many things took, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gaia {

/// Counts times in classes that are 1/32 of their power of two wide: a quantile is right within
/// 1.6 %, whatever the number of times, from 1 ns on.
class Latencies {
 public:
  Latencies();

  void add(std::int64_t nanoseconds, std::int64_t count = 1);
  std::int64_t count() const { return count_; }
  /// The time in seconds that a share `q` of all times does not exceed (the middle of its class);
  /// NaN where there are none.
  double quantile(double q) const;

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
};

}  // namespace gaia
