// SPDX-License-Identifier: MIT
/// \file
/// What levels that filter know of how sure they are, as reports tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decimate.h"
#include "result.h"
#include "survey.h"

namespace gaia::report {

/// How sure a filter is, compared with how sure it should be: the normalised innovation squared, vᵀ
/// S⁻¹ v, of a filter that is right has the mean 1 for each observed number, and its sum over ticks
/// is distributed as χ² with as many degrees of freedom as numbers were observed.
struct Sureness {
  double sum = 0.0;          ///< Sum of NIS over the ticks that observed something.
  std::int64_t numbers = 0;  ///< Observed in these ticks.
  std::int64_t ticks = 0;    ///< Ticks that observed something.
  std::int64_t beyond = 0;   ///< Ticks whose NIS is beyond the 95 % quantile of its own χ².

  enum class Verdict { too_timid, right, too_sure, unknown };

  /// NIS of an observed number; NaN if none was observed.
  double mean() const;
  /// Between which the mean lies in 95 % of the runs of a filter that is right.
  double low() const;
  double high() const;
  Verdict verdict() const;
  /// "too sure", "too timid", "as sure as it should be", "not known".
  std::string verdict_text() const;
};

/// A quantile of χ², by how many numbers a tick observed; each is found once.
class TickQuantiles {
 public:
  explicit TickQuantiles(double probability) : probability_(probability) {}
  double of(std::int64_t numbers);

 private:
  double probability_;
  std::vector<double> known_;
};

/// Sureness within a stretch of ticks.
struct SurenessOfStretch {
  double first_step = 0.0;
  double last_step = 0.0;
  Sureness sureness;
};

/// One number of the state over the close-up, by step.
struct StateBand {
  std::int64_t state = 0;
  std::int64_t channel = -1;  ///< Channel of the input that observes it alone; -1: none is known.
  std::vector<Point> mean = {};
  std::vector<Point> low = {};  ///< Mean less 1.96 standard deviations; empty without covariances.
  std::vector<Point> high = {};
  std::vector<Point> smoothed = {};
  std::vector<Point> smoothed_low = {};
  std::vector<Point> smoothed_high = {};
};

struct RegimeChangeAt {
  double step = 0.0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

struct FilterSurvey {
  std::int64_t level = 0;
  std::string type;        ///< Type of the layer: "kalman", ...
  std::int64_t ticks = 0;  ///< Recorded, and safe in the file.
  Sureness sureness;
  std::vector<SurenessOfStretch> stretches;
  double log_likelihood = 0.0;  ///< Sum over the ticks.
  std::int64_t states = 0;
  std::vector<StateBand> bands;  ///< Bands of the first few states.
  std::int64_t models = 0;       ///< 0 without regimes.
  std::vector<RegimeChangeAt> changes;
  std::vector<double> shares;  ///< Mean probability of each model.
};

/// What the filter of level `index` tells of its ticks; nothing where it has none.
std::optional<FilterSurvey> survey_filter(const Result& result, std::int64_t index,
                                          StepRange close_up);

/// A readout that was left out of a consensus at a tick, or at several one after the other.
struct Outlier {
  double first_step = 0.0;
  double last_step = 0.0;
  std::int64_t readout = 0;
};

/// The outliers of a readout of kind consensus.
struct OutlierSurvey {
  std::string readout;
  std::vector<std::string> of;  ///< Names of those that it fuses.
  std::int64_t ticks = 0;
  std::vector<std::int64_t> counts;  ///< Ticks at which each was left out.
  std::int64_t left_out = 0;         ///< Ticks at which any was.
  std::vector<Outlier> kept;         ///< Some of them, all if they are few, in order.
  double first_step = 0.0;
  double last_step = 0.0;
};

std::vector<OutlierSurvey> survey_outliers(const Result& result);

}  // namespace gaia::report
