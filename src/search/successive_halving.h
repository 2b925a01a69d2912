// SPDX-License-Identifier: MIT
/// \file
/// Successive halving: many candidates get little, the better ones more, the best all.
///
/// Karnin, Koren & Somekh 2013, "Almost optimal exploration in multi-armed bandits", ICML; Jamieson
/// & Talwalkar 2016, AISTATS, for parameters of learning.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gaia {

struct HalvingOptions {
  std::int64_t factor = 3;  ///< At each rung one in so many stays, and gets as many times as much.
  std::int64_t rungs = 3;   ///< How often candidates are judged, the last time with all there is.
};

/// Which candidates, by their numbers from 0, are judged at each rung, and with how much.  A rung
/// ends when all of its candidates have been judged, so those that stay follow from the objectives
/// alone.
///
///     SuccessiveHalving halving(36);
///     while (!halving.is_done()) {
///       std::vector<double> objectives;
///       for (const auto k : halving.candidates()) objectives.push_back(f(k,
///       halving.part_of(steps))); halving.tell(objectives);
///     }
class SuccessiveHalving {
 public:
  /// \throws ArgumentError for no candidate, a factor below 2, or no rung.
  explicit SuccessiveHalving(std::int64_t candidates, const HalvingOptions& options = {});

  /// Those to be judged at this rung, ascending; none when it is done.
  const std::vector<std::int64_t>& candidates() const { return candidates_; }
  std::int64_t rung() const { return rung_; }  ///< From 0.
  bool is_done() const { return candidates_.empty(); }

  /// What a budget of `all` at the last rung is at this one: all / factor^(rungs that follow),
  /// rounded, and 1 at least.
  std::int64_t part_of(std::int64_t all) const { return part_of(all, rung_); }
  std::int64_t part_of(std::int64_t all, std::int64_t rung) const;

  /// What the objective is for them, in their order, the less the better.  Of n the n/factor best
  /// stay, rounded down, and one at least; of equal ones those before.  One whose objective is NaN
  /// never stays, nor one that is infinite.
  /// \throws ArgumentError unless there is one for each.
  void tell(std::span<const double> objectives);

  const HalvingOptions& options() const { return options_; }

 private:
  HalvingOptions options_;
  std::vector<std::int64_t> candidates_;
  std::int64_t rung_ = 0;
};

}  // namespace gaia
