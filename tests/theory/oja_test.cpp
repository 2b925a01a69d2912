// SPDX-License-Identifier: MIT
/// \file
/// Oja's rule against its theory: Oja (1982), J. Math. Biol. 15, 267-273; Oja & Karhunen (1985),
/// J. Math. Anal. Appl. 106, 69-84.
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// 0.05 along every eigenvector: a random draw might start almost orthogonal to the first.
Array even_start() { return multiply(sum(spectrum().directions, {0}), 0.05).expand_dims(0); }

/// |w - w_closed| after `steps` expected updates at rate eta.
double distance_to_closed_form(double eta, std::int64_t steps, Executor executor) {
  const Array w = even_start();
  learn_from(OjaRule{.learning_rate = eta}, w, spectrum().covariance_ticks(steps), executor);
  const std::vector<double> found = coordinates(spectrum(), w[0]);
  // w(t) = exp(C t) w0 / sqrt(1 - |w0|^2 + |exp(C t) w0|^2), in eigen-coordinates.
  const double t = eta * static_cast<double>(steps);
  std::vector<double> grown;
  double square = 0.0;
  for (const double lambda : spectrum().lambda) {
    grown.push_back(0.05 * std::exp(lambda * t));
    square += grown.back() * grown.back();
  }
  const double length = std::sqrt(1.0 - 10 * 0.05 * 0.05 + square);
  double distance = 0.0;
  for (std::size_t i = 0; i < grown.size(); ++i) {
    distance += std::pow(found[i] - grown[i] / length, 2);
  }
  return std::sqrt(distance);
}

}  // namespace

TEST_CASE("OJA-closed: expected updates follow the closed form of the mean equation") {
  const Executor executor = GENERATE(Executor::stepwise, Executor::chunkwise);
  const double coarse = distance_to_closed_form(1e-3, 4000, executor);
  const double fine = distance_to_closed_form(1e-4, 40000, executor);
  CAPTURE(coarse, fine, coarse / fine);
  CHECK(coarse <= 1e-5);
  CHECK(std::abs(coarse / fine - 10.0) <= 1.0);
}

TEST_CASE("OJA-rate: the angle to the first eigenvector closes at the eigenvalues' difference") {
  const Array w = even_start();
  const auto learn_on = [&](std::int64_t steps) {
    learn_from(OjaRule{.learning_rate = 1e-3}, w, spectrum().covariance_ticks(steps));
  };
  learn_on(4000);
  // Least squares through ln tan every 100 steps.
  double mean_time = 0.0;
  double mean_log = 0.0;
  std::vector<double> times;
  std::vector<double> logs;
  for (int k = 0; k <= 20; ++k) {
    if (k > 0) learn_on(100);
    times.push_back(0.1 * k);
    logs.push_back(std::log(std::tan(angle(spectrum(), w[0], 0) * std::numbers::pi / 180.0)));
    mean_time += times.back() / 21.0;
    mean_log += logs.back() / 21.0;
  }
  double above = 0.0;
  double below = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    above += (times[k] - mean_time) * (logs[k] - mean_log);
    below += std::pow(times[k] - mean_time, 2);
  }
  const double slope = above / below;
  CAPTURE(slope);
  CHECK(std::abs(slope + 1.5) <= 0.005 * 1.5);
}

TEST_CASE("OJA-sgd: from samples, at a falling rate, it finds the first eigenvector") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Array w = random_start(1, 10, seed);
    learn_with_falling_rate(OjaRule{}, 0.01, 2000.0, w,
                            spectrum().samples(1, 20'000, RandomStream::named(seed, "samples")));
    const double degrees = angle(spectrum(), w[0], 0);
    const double length_error = std::abs(norm(w).item() - 1.0);
    CAPTURE(seed, degrees, length_error);
    CHECK(degrees <= 8.0);
    CHECK(length_error <= 0.005);
  }
}

TEST_CASE("OJA-noise: at a constant rate it wanders about the first eigenvector as predicted") {
  constexpr double eta = 0.01;
  const std::vector<double>& lambda = spectrum().lambda;
  double variance = 0.0;
  for (std::size_t i = 1; i < lambda.size(); ++i) {
    variance += eta * lambda[0] * lambda[i] / (2.0 * (lambda[0] - lambda[i]));
  }
  const double predicted = std::sqrt(variance) * 180.0 / std::numbers::pi;
  // rms over ten runs and the second half of each.
  std::vector<double> angles;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Array w = random_start(1, 10, seed);
    const Array samples = spectrum().samples(1, 20'000, RandomStream::named(seed, "samples"));
    learn_from(OjaRule{.learning_rate = eta}, w, samples.slice(1, 0, 10'000));
    for (std::int64_t t = 10'000; t < 20'000; t += 100) {
      learn_from(OjaRule{.learning_rate = eta}, w, samples.slice(1, t, t + 100));
      angles.push_back(angle(spectrum(), w[0], 0));
    }
  }
  const double found = root_mean_square(angles);
  CAPTURE(predicted, found);
  CHECK(predicted == Approx(11.5).epsilon(0.01));
  CHECK(std::abs(found - predicted) <= 0.4 * predicted);
}
