// SPDX-License-Identifier: MIT
/// \file
/// A key of the configuration, and the range of its number.
#pragma once

#include <cstdint>

namespace gaia {

/// A key and what it means, in one sentence without a full stop.
struct Key {
  const char* name;
  const char* meaning;
  bool required = false;
};

struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t most = std::int64_t{1} << 53;
};

struct NumberRange {
  double least;
  double most;
  bool above_least = false;  ///< `least` itself is excluded.
  bool below_most = false;   ///< `most` itself is excluded.
};

constexpr double kLargest = 1e300;
constexpr NumberRange kAnyNumber{-kLargest, kLargest};
constexpr NumberRange kNotNegative{0.0, kLargest};
constexpr NumberRange kPositive{0.0, kLargest, true};

}  // namespace gaia
