// SPDX-License-Identifier: MIT
/// \file
/// When a series went over from one regime to another, as probabilities of models tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gaia {

/// A change of the regime: from `tick` on model `to` is in force, where `from` was.
struct RegimeChange {
  std::int64_t tick = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;

  bool operator==(const RegimeChange&) const = default;
};

/// Ticks for which a model has to stay the probable one before a change to it is named.
inline constexpr std::int64_t kTicksOfRegime = 3;

/// Follows probabilities of models tick by tick.  A model is in force from the first of `stay`
/// ticks on end at which its probability is above 1/2, until another is; so where no model has more
/// than half of the probability, the last one that had it stays in force, and what a single row
/// looks like names no change.  A change is at the first of these ticks, and is known only at the
/// last.
class RegimeTracker {
 public:
  /// \throws ArgumentError unless there is a model and `stay` is at least 1.
  explicit RegimeTracker(std::int64_t models, std::int64_t stay = kTicksOfRegime);

  /// A trial begins: which model is in force is not known.
  void begin_trial();

  /// Takes the probabilities [models] of the next tick; the change that they make known, if any.
  /// \throws ShapeError for another number of models.
  std::optional<RegimeChange> take(std::span<const double> probabilities);

  /// The model in force, -1 as long as none has been so probable for so long.
  std::int64_t regime() const { return regime_; }

 private:
  std::int64_t models_;
  std::int64_t stay_;
  std::int64_t tick_ = 0;
  std::int64_t regime_ = -1;
  std::int64_t candidate_ = -1;  // above 1/2 at the last tick
  std::int64_t since_ = 0;       // from this tick on
};

/// The changes in probabilities [ticks, models], in order; trials begin at the ticks
/// `trial_starts`, in order.  \throws ShapeError unless they are rows of `models` numbers; and as
/// RegimeTracker.
std::vector<RegimeChange> regime_changes(std::span<const double> probabilities, std::int64_t models,
                                         std::span<const std::int64_t> trial_starts = {},
                                         std::int64_t stay = kTicksOfRegime);

}  // namespace gaia
