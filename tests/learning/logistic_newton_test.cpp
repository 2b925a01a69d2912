// SPDX-License-Identifier: MIT
#include "../../src/learning/logistic_newton.h"

#include <cmath>

#include "../../src/core/random.h"
#include "../support/catch.h"

using namespace gaia;

TEST_CASE("products of floats end where rounding leaves no gain") {
  // Features that are 0 in nearly all rows, the later the rarer and smaller, as the pixels at the
  // border of a picture are: what is left of the gradient lies below what floats can tell.
  constexpr std::int64_t kRows = 2000;
  constexpr std::int64_t kFeatures = 100;
  constexpr std::int64_t kClasses = 10;
  std::vector<double> chances(static_cast<std::size_t>(kRows * kFeatures));
  std::vector<double> sizes(chances.size());
  const RandomStream random{.seed = 1, .stream = 1};
  random.uniforms(0, chances);
  random.normals(1u << 20, sizes);
  std::vector<double> rows(chances.size());
  std::vector<std::int64_t> places(static_cast<std::size_t>(kRows));
  std::vector<double> mean(static_cast<std::size_t>(kFeatures));
  std::vector<double> square(mean.size());
  for (std::int64_t i = 0; i < kRows; ++i) {
    places[static_cast<std::size_t>(i)] = i % kClasses;
    for (std::int64_t j = 0; j < kFeatures; ++j) {
      const auto at = static_cast<std::size_t>(i * kFeatures + j);
      const auto column = static_cast<std::size_t>(j);
      const double rarity = static_cast<double>(j) / static_cast<double>(kFeatures);
      const double chance = std::pow(10.0, -2.5 * rarity) * (j % kClasses == i % kClasses ? 1 : .5);
      if (chances[at] < chance || i == j)
        rows[at] = std::abs(sizes[at]) * std::pow(10.0, -2.0 * rarity);
      mean[column] += rows[at] / kRows;
      square[column] += rows[at] * rows[at] / kRows;
    }
  }
  std::vector<double> scale(mean.size());
  std::vector<double> penalty(mean.size());
  double mean_variance = 0.0;
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const double variance = square[j] - mean[j] * mean[j];
    scale[j] = 1.0 / std::sqrt(variance);
    penalty[j] = 1.0 / variance;
    mean_variance += variance / kFeatures;
  }
  for (double& one : penalty) one *= 1e-4 * mean_variance;
  const LogisticMinimum minimum = minimise({.rows = rows,
                                            .places = places,
                                            .classes = kClasses,
                                            .mean = mean,
                                            .scale = scale,
                                            .penalty = penalty});
  CHECK(minimum.converged);
  CHECK(minimum.products < 200);
}
