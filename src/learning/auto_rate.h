// SPDX-License-Identifier: MIT
/// \file
/// `learning_rate: auto`: the rate that a layer finds from what it reads, while it reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../array/array.h"

namespace gaia {

/// How an automatic rate goes on from tick to tick.
struct RateCourse {
  /// Ticks over which it falls, after which it stays; 0: no end is known, and it falls with the
  /// ticks alone.
  std::int64_t ticks = 0;
  bool falls = true;  ///< false: it is the scale alone, for a schedule to multiply.
  /// The rate from the first tick to the last, as an earlier run has found it; 0: there is none.
  double given = 0.0;
};

/// The learning rate of a layer whose rule has the limit L (stability_limit in rule_list.h), at
/// the tick n = 0, 1, 2, ... of those at which it learns:
///
///     rate(n) = min(L / (10 m(b)) / (1 + 100 b / N),  L / (4 |x(n)|^2))
///
/// m(b) is the mean of |x|^2 over the ticks up to b at which |x|^2 > 0, N is RateCourse::ticks, and
/// b the first tick of the stretch that n lies in: the last multiple of s up to n, s being the
/// largest power of 2 with 32 s <= 2 n, or 1.  Where m has nothing yet the rate is 0; the first
/// tick with |x|^2 > 0 begins a stretch too.  Where no end is known 100 / N is 1 / 300.  From tick
/// N on b = N and m(N - 1) stay: what comes later is not measured.
///
/// So the sum of the rates grows without bound where there is no end, and that of their squares
/// does not (Robbins & Monro 1951, Ann. Math. Stat. 22, 400), and no sample, of whatever length,
/// moves the weights by more than a quarter of the limit.  Of a batch, m has the mean of the
/// streams' |x|^2, and x(n) is the longest.  No number depends on how ticks come in blocks.
class AutoRate {
 public:
  /// \throws ArgumentError unless the limit is finite and above 0.
  explicit AutoRate(double limit);
  AutoRate(const AutoRate& other);
  AutoRate& operator=(const AutoRate& other);
  ~AutoRate() = default;

  /// Says how it goes on, and begins anew.  \throws ArgumentError for ticks or a rate below 0.
  void begin(const RateCourse& course);

  /// Ticks of a block that are learnt at one rate.
  struct Stretch {
    std::int64_t first = 0;  ///< Counted from the block's first.
    std::int64_t end = 0;
    double rate = 0.0;
  };
  /// Reads the next ticks, samples [streams, ticks, inputs], and gives the rates of all of them.
  /// `factor` is that of a schedule: it multiplies all but the quarter of the limit.
  std::vector<Stretch> read(const Array& samples, double factor);

  /// The rate at which a sample of usual length is learnt at the tick that comes next, without a
  /// factor: after the course the one that stays.  0 before the first input.
  double rate() const;
  /// The same of the last tick, times its factor.  0 before the first input.
  double last_rate() const;
  /// What rate() is at a tick if |x|^2 goes on as it was.
  double rate_at(std::int64_t tick) const;
  RateCourse course() const;
  std::int64_t ticks() const;     ///< How many were learnt.
  double mean_square() const;     ///< m; 0 before the first input.
  double largest_square() const;  ///< The largest |x|^2 of those that m has.

  /// What last_rate() is from a tick on.
  struct Change {
    std::int64_t tick = 0;
    double rate = 0.0;
  };
  /// Its changes since the last call.
  std::vector<Change> take_changes();

  /// All from which it goes on, float64 on the host; the array shares its elements with this.
  const Array& state() const { return numbers_; }

 private:
  double& at(int place) const;
  void measure(const std::vector<double>& squares, std::int64_t tick, std::int64_t ticks);

  double limit_;
  Array numbers_;
  std::vector<Change> changes_;
};

/// Shares of the limit: what the rate is at first, and what no single sample is above.
inline constexpr double kAutoShare = 0.1;
inline constexpr double kAutoMost = 0.25;

}  // namespace gaia
