// SPDX-License-Identifier: MIT
/// \file
/// Linear models of a hidden state that is observed with noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia {

/// Rows of a matrix as they are written in an experiment.
using MatrixRows = std::vector<std::vector<double>>;

/// x <- A x + N(0, Q), y = H x + N(0, R); all matrices lie row by row.
struct LinearModel {
  std::int64_t states = 0;
  std::int64_t observed = 0;
  std::vector<double> A = {};   ///< [states, states]
  std::vector<double> H = {};   ///< [observed, states]
  std::vector<double> Q = {};   ///< [states, states]
  std::vector<double> R = {};   ///< [observed, observed]
  std::vector<double> P0 = {};  ///< [states, states], covariance before the first prediction.
};

/// A model by its name or its matrices.
///
/// Those with names have a block of states for each input, in the order of the inputs, of which the
/// first state is what is observed:
///
///     level          [x]             x <- x
///     velocity       [x, dx]         x <- x + dx,           dx <- dx
///     acceleration   [x, dx, ddx]    x <- x + dx + ddx / 2, dx <- dx + ddx, ddx <- ddx
///     ar             [x, the p - 1 values before it]   x <- sum of coefficient i times value i
///     seasonal       [x, the p - 2 values before it]   x <- - (x + the values before it), so that
///                                                      p values in a row sum to 0
///
/// (Harvey 1989, Forecasting, Structural Time Series Models and the Kalman Filter, chapter 2.)
struct LinearModelOptions {
  enum class Kind : std::uint8_t { level, velocity, acceleration, ar, seasonal, matrices };
  Kind kind = Kind::level;
  std::vector<double> ar = {};  ///< Coefficients of the last value, the one before it, and so on.
  std::int64_t period = 0;      ///< Steps of a season, at least 2.
  MatrixRows A = {};            ///< [states, states], of `matrices`.
  MatrixRows H = {};            ///< [observed, states], of `matrices`.

  // Covariances: one number for all of the diagonal, a row for the diagonal, or all rows.
  MatrixRows Q = {{0.01}};
  MatrixRows R = {{1.0}};
  MatrixRows P0 = {{1.0}};
};

/// States that a model has for so many observed inputs.  \throws as make_linear_model.
std::int64_t states_of(const LinearModelOptions& options, std::int64_t observed);

/// The model's matrices.  \throws ArgumentError naming the key where they do not fit each other or
/// `observed`, are not finite, or are no covariances: symmetric and positive semidefinite; for
/// fewer than 1 or more than 64 states.
LinearModel make_linear_model(const LinearModelOptions& options, std::int64_t observed);

/// A covariance [size, size] as `rows` say it, named `key` where it is refused; `function` is who
/// complains.  \throws ArgumentError unless it is symmetric (to 1e-12 of its largest number) and
/// positive semidefinite, and of that size.
std::vector<double> covariance_of(const std::string& function, const std::string& key,
                                  const MatrixRows& rows, std::int64_t size);

}  // namespace gaia
