// SPDX-License-Identifier: MIT
/// \file
/// Time series that are computed: test signals, stochastic processes, chaotic systems, patterns.
///
/// Every factory makes a Series of `rows` rows whose numbers are a function of the options, the
/// seed and the index of the row alone: not of how many rows there are or how they are cut into
/// blocks.  Random numbers come from streams named "data/<kind>/<purpose>".  Time is in steps, from
/// one row to the next, where nothing else is said; `noise` is the standard deviation of Gaussian
/// noise, white in time and independent between channels, that is added to what is shown and never
/// fed back.
///
/// Processes that can only be followed step by step (ornstein_uhlenbeck, mackey_glass, lorenz,
/// narma10) start over when rows before the last ones are read again.
///
/// All throw ArgumentError "[kind] key: expected ..., got ..." for options that make no series.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../series.h"

namespace gaia {

/// Sums of sine waves:
///
///     x_c(t) = sum_k a_k sin(2 pi f_k t + phi_kc) + noise,
///
/// phi = 0 in channel 0 and uniform in [0, 2 pi) in further ones.  Channels are named 0, 1, ...
struct SinesOptions {
  std::vector<double> frequencies = {};  ///< f [K], cycles per step, 0 to 0.5 (two rows a period).
  std::vector<double> amplitudes = {};   ///< a [K]; empty: all 1.
  std::int64_t channels = 1;
  double noise = 0.0;
};
std::unique_ptr<Series> make_sines(const SinesOptions& options, std::int64_t rows,
                                   std::uint64_t seed);

/// Independent Ornstein-Uhlenbeck processes u [K], mixed into channels:
///
///     u_k(t+1) = e^(-1/tau_k) u_k(t) + sqrt(1 - e^(-2/tau_k)) xi_k(t+1),   x = M u + noise,
///
/// xi standard normal.  u_k is stationary from row 0 on, with variance 1 and autocorrelation
/// e^(-lag/tau_k).  M [channels, K] has orthonormal columns, drawn uniformly.  Channels are named
/// 0, 1, ..., latents u0, u1, ...  Uhlenbeck & Ornstein (1930), Phys. Rev. 36, 823; sampled exactly
/// as in Gillespie (1996), Phys. Rev. E 54, 2084.
struct OrnsteinUhlenbeckOptions {
  std::vector<double> tau = {};  ///< Correlation times [K], steps.
  std::int64_t channels = 1;     ///< At least K.
  double noise = 0.0;
};
std::unique_ptr<Series> make_ornstein_uhlenbeck(const OrnsteinUhlenbeckOptions& options,
                                                std::int64_t rows, std::uint64_t seed);

/// The Mackey-Glass equation with delay,
///
///     dx/dt = beta x(t - tau) / (1 + x(t - tau)^n) - gamma x,   x(t) = 1.2 for t <= 0;
///
/// row r shows x((washout + r) dt).  Chaotic with the defaults.  Only the noise depends on the
/// seed.  Integrated by the classical Runge-Kutta method of fourth order with a step that divides
/// dt, is at most 0.1 and at most tau, and divides tau too where one up to four times as fine does;
/// between steps the past is a cubic through values and slopes.  The channel is named x.
/// \throws DataError, here or when rows are read, where x has left the finite numbers.
/// Mackey & Glass (1977), Science 197, 287.
struct MackeyGlassOptions {
  double tau = 17.0;  ///< Delay, units of time.
  double beta = 0.2;
  double gamma = 0.1;
  double n = 10.0;
  double dt = 1.0;              ///< Time from one row to the next.
  std::int64_t washout = 1000;  ///< Rows dropped at the start.
  double noise = 0.0;
};
std::unique_ptr<Series> make_mackey_glass(const MackeyGlassOptions& options, std::int64_t rows,
                                          std::uint64_t seed);

/// The Lorenz system,
///
///     dx/dt = sigma (y - x),   dy/dt = x (rho - z) - y,   dz/dt = x y - beta z,
///
/// from (1, 1, 1) plus 0.1 standard normal numbers; row r shows time (washout + r) dt.  Integrated
/// by the classical Runge-Kutta method of fourth order with the coarsest step that divides dt and
/// is at most 0.002.  The channels are named x, y and z.
/// \throws DataError, here or when rows are read, where the state has left the finite numbers.
/// Lorenz (1963), J. Atmos. Sci. 20, 130.
struct LorenzOptions {
  double sigma = 10.0;
  double rho = 28.0;
  double beta = 8.0 / 3.0;
  double dt = 0.025;            ///< Time from one row to the next.
  std::int64_t washout = 1000;  ///< Rows dropped at the start.
  double noise = 0.0;
};
std::unique_ptr<Series> make_lorenz(const LorenzOptions& options, std::int64_t rows,
                                    std::uint64_t seed);

/// The tenth-order nonlinear autoregressive moving average driven by u ~ U(0, 0.5):
///
///     y(t+1) = 0.3 y(t) + 0.05 y(t) sum_{i=0..9} y(t-i) + 1.5 u(t-9) u(t) + 0.1,
///
/// with u = y = 0 before the first step; row r shows u and y of step washout + r.  The channels are
/// named u and y.  Inputs can drive y to infinity, which happens about once in 200 000 steps.  So,
/// where `bounded`, a u(t) that would make y(t+1) exceed 1.2 is drawn again from those that do not;
/// from y <= 1.2 there always is one.
/// \throws DataError, here or when rows are read, where y has left [0, 10], which it does not if
/// bounded.
/// Atiya & Parlos (2000), IEEE Trans. Neural Networks 11, 697.
struct Narma10Options {
  std::int64_t washout = 200;  ///< Rows dropped at the start.
  bool bounded = true;
};
std::unique_ptr<Series> make_narma10(const Narma10Options& options, std::int64_t rows,
                                     std::uint64_t seed);

/// Independent samples of N(0, Q diag(spectrum) Q^T), x = Q s with s_k ~ N(0, spectrum_k), Q [d, d]
/// an orthogonal matrix, drawn uniformly.  Channels are named 0, 1, ..., the latents s are named
/// component0, component1, ...
struct GaussianOptions {
  std::vector<double> spectrum = {};  ///< Eigenvalues of the covariance [d], not negative.
  bool rotate = true;                 ///< Without, Q is the identity.
};
std::unique_ptr<Series> make_gaussian(const GaussianOptions& options, std::int64_t rows,
                                      std::uint64_t seed);

/// At each step one of n patterns, independently of the steps before, pattern k with probability
/// p_k, plus noise.  Either `count` orthonormal ones, the first columns of an orthogonal matrix
/// that is drawn uniformly; or those written out in `patterns`.  Channels are named 0, 1, ...; the
/// latent "pattern" is the index of the one shown.
struct PatternsOptions {
  std::int64_t count = 0;                          ///< 0 where patterns are written out.
  std::int64_t channels = 0;                       ///< At least `count`; 0: as many as needed.
  std::vector<std::vector<double>> patterns = {};  ///< [n, channels]; empty where `count` is given.
  std::vector<double> probabilities = {};          ///< p [n], any positive scale; empty: equal.
  bool rotate = true;  ///< Without, orthonormal pattern k is a one in channel k.
  double noise = 0.0;
};
std::unique_ptr<Series> make_patterns(const PatternsOptions& options, std::int64_t rows,
                                      std::uint64_t seed);

}  // namespace gaia
