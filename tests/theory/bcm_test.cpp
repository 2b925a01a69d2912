// SPDX-License-Identifier: MIT
/// \file
/// BCM neurons become selective: Intrator & Cooper (1992), Neural Networks 5, 3-17; Castellani,
/// Intrator, Shouval & Cooper (1999), Network 10, 111-121.
///
/// Patterns are orthonormal, in a random basis, unless said otherwise.  Initial responses are
/// positive, drawn from [0.1, 0.9); theta starts at its default of 1.
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array orthonormal_patterns(std::int64_t n) {
  return initial_weights(Init::orthogonal, n, n, DType::float64,
                         RandomStream::named(3, "patterns"));
}

/// [1, steps, n]: pattern k, a row of `patterns`, with probability p[k] at every step.
Array presentations(const Array& patterns, const std::vector<double>& p, std::int64_t steps,
                    std::uint64_t seed) {
  const std::int64_t n = patterns.shape(1);
  std::vector<double> draws(static_cast<std::size_t>(steps));
  RandomStream::named(seed, "presentations").uniforms(0, draws);
  const std::vector<double> rows = patterns.to_vector<double>();
  std::vector<double> samples;
  samples.reserve(static_cast<std::size_t>(steps * n));
  for (double draw : draws) {
    std::size_t k = 0;
    while (k + 1 < p.size() && draw >= p[k]) draw -= p[k++];
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(k) * n;
    samples.insert(samples.end(), row, row + n);
  }
  return from_values(samples, {1, steps, n});
}

/// The neuron's responses to the patterns after `steps` presentations.
std::vector<double> responses(const Array& patterns, const std::vector<double>& p, double eta,
                              std::int64_t steps, std::uint64_t seed) {
  // The weights that answer the patterns as drawn: a row of U^-1, with patterns as columns.
  const std::int64_t n = patterns.shape(0);
  const Array wanted =
      random_uniform({n}, 0.1, 0.9, DType::float64, RandomStream::named(seed, "responses"));
  Array w;
  if (n == 2) {  // patterns (1, 0) and (c, s) need not be orthogonal
    const double a = patterns.item({0, 0});
    const double b = patterns.item({0, 1});
    const double c = patterns.item({1, 0});
    const double d = patterns.item({1, 1});
    const double r = wanted.item({0});
    const double s = wanted.item({1});
    const double determinant = a * d - b * c;
    w = from_values(
        std::vector<double>{(r * d - s * b) / determinant, (s * a - r * c) / determinant}, {1, 2});
  } else {
    w = matmul(wanted, patterns).reshape({1, n});
  }
  learn({.rule = BcmRule{.learning_rate = eta, .tau = 50.0}}, w, ones({1}, DType::float64),
        presentations(patterns, p, steps, seed));
  return matmul(patterns, w[0]).to_vector<double>();
}

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// Swing of the answer to the constant input 1 over the last of 60 000 steps.
double amplitude(double eta_tau) {
  constexpr double eta = 0.01;
  const Array w = full({1, 1}, 1.2, DType::float64);
  const Array answers = learn({.rule = BcmRule{.learning_rate = eta, .tau = eta_tau / eta}}, w,
                              ones({1}, DType::float64), ones({1, 60'000, 1}, DType::float64));
  const Array tail = answers.slice(1, 50'000, {});
  return max(tail).item() - min(tail).item();
}

}  // namespace

TEST_CASE("BCM-n: a neuron comes to answer one of n patterns alone, with n") {
  const std::int64_t n = GENERATE(2, 3, 5, 10);
  const auto count = static_cast<double>(n);
  const Array patterns = orthonormal_patterns(n);
  std::vector<double> selectivity;
  std::vector<double> winner;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<double> r =
        responses(patterns, std::vector<double>(static_cast<std::size_t>(n), 1.0 / count), 0.005,
                  n == 10 ? 120'000 : 40'000, seed);
    winner.push_back(largest(r));
    selectivity.push_back(1.0 - mean_of(r) / largest(r));
  }
  CAPTURE(n, mean_of(selectivity), mean_of(winner));
  CHECK(std::abs(mean_of(selectivity) - (1.0 - 1.0 / count)) <= 0.01);
  CHECK(std::abs(mean_of(winner) / count - 1.0) <= (n == 10 ? 0.15 : 0.10));
}

TEST_CASE("BCM-45: of two patterns at 45 degrees it answers one with 2 and the other with 0") {
  const double half = std::sqrt(0.5);
  const Array patterns = array({{1, 0}, {half, half}}, DType::float64);
  std::vector<double> winner;
  std::vector<double> loser;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<double> r = responses(patterns, {0.5, 0.5}, 0.003, 60'000, seed);
    winner.push_back(largest(r));
    loser.push_back(std::min(r[0], r[1]));
  }
  CAPTURE(mean_of(winner), mean_of(loser));
  CHECK(std::abs(mean_of(winner) - 2.0) <= 0.1);
  CHECK(std::abs(mean_of(loser)) <= 0.1);
}

TEST_CASE("BCM-p: a neuron answers the pattern it prefers with 1 / p") {
  const Array patterns = orthonormal_patterns(2);
  const std::vector<double> p = {0.25, 0.75};
  std::vector<std::vector<double>> winner(2);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<double> r = responses(patterns, p, 0.003, 80'000, seed);
    winner[r[0] > r[1] ? 0 : 1].push_back(largest(r));
  }
  for (std::size_t k = 0; k < 2; ++k) {
    REQUIRE(winner[k].size() >= 5);
    CAPTURE(k, winner[k].size(), mean_of(winner[k]));
    CHECK(std::abs(mean_of(winner[k]) * p[k] - 1.0) <= 0.05);
  }
}

TEST_CASE("BCM-hopf: a threshold slower than the weights makes the answer oscillate") {
  const double eta_tau = GENERATE(0.5, 0.9, 1.1, 1.5);
  const double found = amplitude(eta_tau);
  CAPTURE(eta_tau, found);
  if (eta_tau < 1.0) {
    CHECK(found < 1e-3);
  } else {
    CHECK(found > 0.5);
  }
}
