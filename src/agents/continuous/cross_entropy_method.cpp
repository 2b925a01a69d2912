// SPDX-License-Identifier: MIT
#include "cross_entropy_method.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../../array/random_arrays.h"
#include "../../core/message.h"

namespace gaia::agents {
namespace {}  // namespace

void check(const CrossEntropyOptions& options) {
  require(options.population >= 2, "[cross_entropy] population: expected 2 or more, got {}",
          static_cast<double>(options.population));
  require(options.elites >= 1 && options.elites <= options.population,
          "[cross_entropy] elites: expected from 1 up to the population, got {}",
          static_cast<double>(options.elites));
  require(options.iterations >= 1, "[cross_entropy] iterations: expected 1 or more, got {}",
          static_cast<double>(options.iterations));
  require(options.first_deviation > 0 && std::isfinite(options.first_deviation),
          "[cross_entropy] first_deviation: expected a finite number above 0, got {}",
          options.first_deviation);
  require(options.least_deviation >= 0 && std::isfinite(options.least_deviation),
          "[cross_entropy] least_deviation: expected 0 or more, got {}", options.least_deviation);
  require(options.smoothing >= 0 && options.smoothing < 1,
          "[cross_entropy] smoothing: expected a share from 0 to below 1, got {}",
          options.smoothing);
}

std::uint64_t cross_entropy_draws(const CrossEntropyOptions& options, std::int64_t coordinates) {
  return static_cast<std::uint64_t>(options.population * options.iterations * coordinates);
}

CrossEntropyResult least_by_cross_entropy(const CandidateValues& values,
                                          std::span<const double> first_mean,
                                          std::span<const double> low, std::span<const double> high,
                                          const CrossEntropyOptions& options, RandomStream random,
                                          std::uint64_t first_draw) {
  check(options);
  const std::size_t size = first_mean.size();
  if (size == 0 || low.size() != size || high.size() != size) {
    fail<ArgumentError>(
        "[cross_entropy] expected a mean and two bounds for each coordinate, got {}, {} and {}",
        size, low.size(), high.size());
  }
  const auto population = static_cast<std::size_t>(options.population);
  const auto elites = static_cast<std::size_t>(options.elites);

  CrossEntropyResult result;
  result.value = std::numeric_limits<double>::infinity();
  result.mean.assign(first_mean.begin(), first_mean.end());
  result.deviation.resize(size);
  for (std::size_t k = 0; k < size; ++k) {
    result.mean[k] = std::clamp(result.mean[k], low[k], high[k]);
    result.deviation[k] = options.first_deviation * (high[k] - low[k]) / 2;
  }
  std::vector<double> candidates(population * size);
  std::vector<std::size_t> order(population);
  for (std::int64_t iteration = 0; iteration < options.iterations; ++iteration) {
    fill_normals(random, first_draw, candidates);
    first_draw += candidates.size();
    for (std::size_t n = 0; n < population; ++n) {
      for (std::size_t k = 0; k < size; ++k) {
        double& x = candidates[n * size + k];
        x = std::clamp(result.mean[k] + result.deviation[k] * x, low[k], high[k]);
      }
    }
    std::copy(result.mean.begin(), result.mean.end(), candidates.begin());
    if (iteration > 0) {
      std::copy(result.best.begin(), result.best.end(),
                candidates.begin() + static_cast<std::ptrdiff_t>(size));
    }
    std::vector<double> found = values(candidates, options.population);
    for (double& value : found) {
      if (!std::isfinite(value)) value = std::numeric_limits<double>::infinity();
    }
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return found[a] < found[b]; });
    if (iteration == 0 || found[order[0]] < result.value) {
      const auto from = candidates.begin() + static_cast<std::ptrdiff_t>(order[0] * size);
      result.best.assign(from, from + static_cast<std::ptrdiff_t>(size));
      result.value = found[order[0]];
    }
    result.best_values.push_back(result.value);
    const double old = options.smoothing, share = (1 - old) / static_cast<double>(elites);
    for (std::size_t k = 0; k < size; ++k) {
      double sum = 0.0, squares = 0.0;
      for (std::size_t e = 0; e < elites; ++e) sum += candidates[order[e] * size + k];
      const double mean = sum / static_cast<double>(elites);
      for (std::size_t e = 0; e < elites; ++e) {
        const double apart = candidates[order[e] * size + k] - mean;
        squares += apart * apart;
      }
      const double deviation = std::sqrt(squares / static_cast<double>(elites));
      result.mean[k] = old * result.mean[k] + share * sum;
      result.deviation[k] = std::max(old * result.deviation[k] + (1 - old) * deviation,
                                     options.least_deviation * (high[k] - low[k]) / 2);
    }
  }
  return result;
}

}  // namespace gaia::agents
