// SPDX-License-Identifier: MIT
/// \file
/// What is missing in the rows that a run reads, and what stands there, if anything does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../io/missing.h"

namespace gaia {

struct Experiment;

/// How much of a series has been filled, in the rows that a run reads.
struct FilledValues {
  MissingPolicy policy = MissingPolicy::error;
  std::vector<std::string> channels;  ///< Their names.
  std::vector<double> shares;         ///< Shares of filled rows among those that the run reads.
  std::vector<std::int64_t> longest;  ///< Rows of the longest gap of each channel, within a trial.
  std::vector<double> fill;           ///< What stands before the first value of a trial, if held.

  bool any() const;
  /// Whether more than a tenth of a channel is filled.
  bool is_much() const;
  /// Whether values that are read were computed from those of later rows.
  bool looks_ahead() const { return policy == MissingPolicy::interpolate && any(); }
};

FilledValues filled_values(const Experiment& experiment);

/// Tells the series of an experiment whose training part is known what stands before the first
/// value of a trial: what the run of hierarchy.from had there, or subtracted; else the mean of what
/// is present in the rows of the training part.  Without such a value it is 0, with a warning,
/// since those of later rows are not to be known.
void fill_by_training(Experiment& experiment);

/// Warns of channels of which more than a tenth is filled.
void warn_of_filled(Experiment& experiment);

/// "'flow' 12.3 % (at most 40 rows on end), 'level' ..." of the channels that have filled values,
/// the worst first; empty where none has.
std::string filled_text(const FilledValues& filled);

}  // namespace gaia
