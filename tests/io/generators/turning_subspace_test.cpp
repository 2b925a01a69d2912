// SPDX-License-Identifier: MIT
#include "../../../src/io/generators/turning_subspace.h"

#include <cmath>

#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../read_series.h"

namespace gaia {
namespace {

using namespace test;

constexpr std::size_t kDimensions = 3;
constexpr std::size_t kOfSubspace = 8;

const TurningSubspaceOptions kTurns{.spectrum = {2.0, 1.5, 1.0},
                                    .channels = 8,
                                    .angle = 60.0,
                                    .from = 1000,
                                    .to = 3000,
                                    .noise = 0.0};

/// The vectors that x is built from where the angle is 0, from latents and channels of rows before
/// `from`: three rows without noise give it.
std::vector<double> first_basis(const std::vector<double>& x, const std::vector<double>& s) {
  const auto at = [&](std::size_t row, std::size_t k) { return s[row * kDimensions + k]; };
  const auto determinant = [](const double(&m)[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  };
  std::vector<double> basis(kDimensions * kOfSubspace);
  double whole[3][3];
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t k = 0; k < 3; ++k) whole[r][k] = at(r, k);
  }
  for (std::size_t c = 0; c < kOfSubspace; ++c) {
    for (std::size_t k = 0; k < 3; ++k) {
      double replaced[3][3];
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t j = 0; j < 3; ++j) {
          replaced[r][j] = j == k ? x[r * kOfSubspace + c] : whole[r][j];
        }
      }
      basis[k * kOfSubspace + c] = determinant(replaced) / determinant(whole);
    }
  }
  return basis;
}

TEST_CASE("turning_subspace turns by its angle between its rows") {
  const auto series = make_turning_subspace(kTurns, 4000, 3);
  const std::vector<double> x = read_all(*series);
  const std::vector<double> s = read_all_latents(*series);
  const std::vector<double> basis = first_basis(x, s);
  for (std::size_t row = 0; row < 4000; row += 37) {
    const double share = std::clamp((static_cast<double>(row) - 1000.0) / 2000.0, 0.0, 1.0);
    const double angle = 60.0 * share * 3.14159265358979323846 / 180.0;
    double length = 0.0;
    double latent_length = 0.0;
    for (std::size_t c = 0; c < kOfSubspace; ++c) {
      length += x[row * kOfSubspace + c] * x[row * kOfSubspace + c];
    }
    for (std::size_t k = 0; k < kDimensions; ++k) {
      const double latent = s[row * kDimensions + k];
      double along = 0.0;
      for (std::size_t c = 0; c < kOfSubspace; ++c) {
        along += basis[k * kOfSubspace + c] * x[row * kOfSubspace + c];
      }
      CHECK(std::abs(along - std::cos(angle) * latent) < 1e-9);
      latent_length += latent * latent;
    }
    CHECK(std::abs(length - latent_length) < 1e-9);
  }
}

TEST_CASE("turning_subspace has the variances that are asked for, and noise") {
  TurningSubspaceOptions options = kTurns;
  const auto series = make_turning_subspace(options, 40000, 5);
  const std::vector<double> s = read_all_latents(*series);
  for (std::size_t k = 0; k < kDimensions; ++k) {
    double square = 0.0;
    for (std::size_t i = k; i < s.size(); i += kDimensions) square += s[i] * s[i] / 40000.0;
    CHECK(square == Approx(options.spectrum[k]).epsilon(0.05));
  }
  options.noise = 0.3;
  const std::vector<double> plain = read_all(*series);
  const std::vector<double> noisy = read_all(*make_turning_subspace(options, 40000, 5));
  double square = 0.0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    square += (noisy[i] - plain[i]) * (noisy[i] - plain[i]) / static_cast<double>(plain.size());
  }
  CHECK(square == Approx(0.09).epsilon(0.02));
}

TEST_CASE("turning_subspace refuses what it cannot make") {
  TurningSubspaceOptions few = kTurns;
  few.channels = 5;
  CHECK_THROWS_WITH_TEXT(make_turning_subspace(few, 10, 1), ArgumentError,
                         "channels: expected at least 6");
  TurningSubspaceOptions back = kTurns;
  back.to = 10;
  CHECK_THROWS_WITH_TEXT(make_turning_subspace(back, 10, 1), ArgumentError,
                         "to: expected a row that is not before from, 1000");
}

}  // namespace
}  // namespace gaia
