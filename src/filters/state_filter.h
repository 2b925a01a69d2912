// SPDX-License-Identifier: MIT
/// \file
/// What every filter of a hidden state is: it predicts, then takes one observed row, and knows how
/// sure it is.  All of it is float64.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gaia {

/// What one update of a filter found, for each of its streams.
struct FilterTick {
  std::vector<double> log_likelihood;  ///< [streams], with log 2 pi; 0 where nothing was observed.
  std::vector<double> innovation;      ///< [streams, observed], NaN where a value was missing.
  std::vector<double>
      nis;  ///< [streams], vᵀ S⁻¹ v of the innovation v; NaN where nothing was observed.
};

/// A filter over `streams` series that share its model and its noise, each with a state of its own.
class StateFilter {
 public:
  virtual ~StateFilter() = default;

  /// "kalman", "extended_kalman", "unscented_kalman", "particle", "regimes".
  virtual std::string type() const = 0;
  virtual std::unique_ptr<StateFilter> clone() const = 0;

  virtual std::int64_t streams() const = 0;
  virtual std::int64_t states() const = 0;
  virtual std::int64_t observed() const = 0;
  /// States of a stream that go through the model at each step beside a matrix: points, particles.
  virtual std::int64_t points() const { return 0; }
  /// Makes room for `streams` streams, each of which begins anew; adapted noise stays.
  virtual void set_streams(std::int64_t streams) = 0;

  /// A trial begins: the state is what it was before the first prediction, adapted noise stays.
  virtual void begin() = 0;
  /// Goes on by one step.  \throws ArgumentError if the state is not finite afterwards.
  virtual void predict() = 0;
  /// Takes rows [streams, observed], of which NaN is missing.  Noise that adapts does so where
  /// `adapt` is set, by the mean over the streams.
  /// \throws ShapeError if the rows do not fit, ArgumentError for infinite ones and where the
  ///         covariance of the innovation is singular.
  virtual void update(std::span<const double> rows, bool adapt, FilterTick& found) = 0;

  virtual std::span<const double> mean() const = 0;        ///< [streams, states]
  virtual std::span<const double> covariance() const = 0;  ///< [streams, states, states]
  /// Probabilities [streams, models] of filters that switch between models; empty of others.
  virtual std::span<const double> probabilities() const { return {}; }
  /// The noise as it is now: that of the state [states, states] and that of the observations
  /// [observed, observed].
  virtual std::span<const double> state_noise() const = 0;
  virtual std::span<const double> observation_noise() const = 0;

  /// Everything that is carried from step to step for each stream, without the noise, as
  /// [streams, numbers]: another of the same options goes on from it bit for bit.
  virtual std::vector<double> carried() const = 0;
  /// \throws ShapeError for a list of another length.
  virtual void set_carried(std::span<const double> numbers) = 0;
  /// What adapted: noise and the number of observed ticks so far, in one list of fixed length;
  /// empty of a filter that adapts nothing.
  virtual std::vector<double> adapted() const { return {}; }
  virtual void set_adapted(std::span<const double> /*numbers*/) {}
};

}  // namespace gaia
