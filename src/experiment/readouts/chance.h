// SPDX-License-Identifier: MIT
/// \file
/// How much of the difference of two scores on the same test part is chance.
///
/// The test part is cut into B stretches of equal length, blocks, and every score is also computed
/// without each of them.  With d the difference of two scores and d_b what it is without block b,
/// the jackknife over blocks (Künsch, 1989, Annals of Statistics 17, 1217-1241) says that its
/// variance is
///
///     v = (B - 1)/B · Σ_b (d_b - mean of all d_b)²,
///
/// of means over ticks that of B block means.  Within a block errors may depend on each other; so
/// a block is as long as targets overlap.  |d| is more than chance explains where it exceeds
/// t · √v, t being the .975 quantile of Student's distribution with B - 1 degrees of freedom: two
/// scores that are equally good are then told apart in one run of twenty, the one that is called
/// better being either as often.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gaia {

/// The blocks of a test part.
class ChanceBlocks {
 public:
  /// Divides `ticks` ticks; the targets of so many that follow each other overlap.
  explicit ChanceBlocks(std::int64_t ticks, std::int64_t overlap = 1);

  /// At most 20, at least 1.
  std::int64_t count() const { return count_; }
  /// Block that tick number `tick` of those that are scored belongs to.
  std::size_t of(std::int64_t tick) const {
    return static_cast<std::size_t>(std::min(tick * count_ / ticks_, count_ - 1));
  }

 private:
  std::int64_t ticks_;
  std::int64_t count_;
};

/// A number, and what it is without each block; without any it is a constant.
struct JackknifedNumber {
  double value;
  std::span<const double> without;
};

/// Whether two of them, of the same blocks or constants, differ by more than chance explains.  Of
/// fewer than two blocks nobody knows.
bool differ_beyond_chance(const JackknifedNumber& a, const JackknifedNumber& b);

}  // namespace gaia
