// SPDX-License-Identifier: MIT
/// \file
/// A hierarchy finds slow causes that no single step shows.
#include <Eigen/Dense>

#include "../../src/hierarchy/manager.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kChannels = 16;
constexpr std::int64_t kLatents = 3;
constexpr double kTau[] = {4, 40, 400};
constexpr std::int64_t kResolution[] = {1, 8, 64};
constexpr double kNoise = 1.5;

/// Three Ornstein-Uhlenbeck latents of unit variance, mixed by orthonormal columns into 16 channels
/// with white noise.
struct Series {
  std::vector<double> latents;  ///< [steps, latents]
  Array channels;               ///< [steps, channels]

  Series(std::int64_t steps, std::uint64_t seed) {
    std::vector<double> normal(static_cast<std::size_t>(steps * kLatents));
    RandomStream::named(seed, "latents").normals(0, normal);
    latents.resize(normal.size());
    for (std::size_t k = 0; k < kLatents; ++k) {
      const double keep = std::exp(-1.0 / kTau[k]);
      double x = normal[k];
      for (std::size_t i = k; i < normal.size(); i += kLatents) {
        if (i > k) x = keep * x + std::sqrt(1.0 - keep * keep) * normal[i];
        latents[i] = x;
      }
    }
    const Array mixing = initial_weights(Init::orthogonal, kChannels, kLatents, DType::float64,
                                         RandomStream::named(seed, "mixing"));
    const Array noise = random_normal({steps, kChannels}, 0.0, kNoise, DType::float64,
                                      RandomStream::named(seed, "noise"));
    channels = add(matmul(from_values(latents, {steps, kLatents}), mixing.transpose()), noise);
  }

  /// Latent k as the level of its own scale could know it: its mean over (t - r, t].
  double pooled_latent(std::size_t k, std::int64_t t) const {
    double total = 0.0;
    std::int64_t count = 0;
    for (std::int64_t s = std::max<std::int64_t>(0, t - kResolution[k] + 1); s <= t; ++s, ++count) {
      total += latents[static_cast<std::size_t>(s * kLatents) + k];
    }
    return total / static_cast<double>(count);
  }
};

/// R^2 on the second half of the rows of a linear readout fitted on the first.
double decoded(const Array& representation, const std::vector<double>& target) {
  const std::vector<double> rows = representation.to_vector<double>();
  const std::int64_t n = representation.shape(1);
  const std::int64_t half = representation.shape(0) / 2;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::MatrixXd x(2 * half, n + 1);
  x.leftCols(n) = Eigen::Map<const Matrix>(rows.data(), 2 * half, n);
  x.col(n).setOnes();
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(target.data(), 2 * half);
  const Eigen::VectorXd readout = x.topRows(half).householderQr().solve(y.head(half));
  const Eigen::VectorXd missed = y.tail(half) - x.bottomRows(half) * readout;
  const double mean = y.tail(half).mean();
  return 1.0 - missed.squaredNorm() / (y.tail(half).array() - mean).matrix().squaredNorm();
}

/// A level of its own scale under Sanger's rule.
///
/// Sizes: each level keeps at least the three latents; a few components more cost nothing and
/// forgive a level below that has not settled.  Rates: at level 0 the latents have variance 3.25
/// in 2.25 of noise, and a rate eta leaves eta 3.25 2.25 / 2 of misalignment per noise direction,
/// of which there are 13: 1 % at 2e-4, which settles in 1 / eta = 5000 steps.  Each level above has
/// an eighth of the ticks, and a better ratio of signal to noise, hence faster rates.
HierarchicalLevel level_of(int id, std::int64_t inputs, std::int64_t outputs, double rate,
                           std::uint64_t seed) {
  HierarchicalLevel level(id, inputs, outputs, kResolution[id], {.pooling = Pooling::mean});
  level.add_layer(
      HebbianLayer(inputs, outputs,
                   {.rule = SangerRule{.learning_rate = rate},
                    .dtype = DType::float64,
                    .random = RandomStream::named(seed, "weights " + std::to_string(id))}));
  return level;
}

/// R^2 of the best decoder of latent k from a mean over r steps: v / (v + noise / r), v being the
/// variance of the latent's own mean.
double oracle(std::size_t k) {
  const auto r = static_cast<double>(kResolution[k]);
  double v = 1.0 / r;
  for (std::int64_t lag = 1; lag < kResolution[k]; ++lag) {
    const auto apart = static_cast<double>(lag);
    v += 2.0 * (r - apart) / (r * r) * std::exp(-apart / kTau[k]);
  }
  return v / (v + kNoise * kNoise / r);
}

/// R^2 of every level for the latent of its own scale, after learning.
std::vector<double> decoded_latents(std::uint64_t seed) {
  constexpr std::int64_t learning = 128'000;
  const Series series(2 * learning, seed);
  HierarchyManager hierarchy;
  hierarchy.add_level(level_of(0, kChannels, 6, 2e-4, seed));
  hierarchy.add_level(level_of(1, 6, 4, 1e-3, seed));
  hierarchy.add_level(level_of(2, 4, 3, 4e-3, seed));
  hierarchy.process_hierarchy(series.channels, learning, {.learn = true});
  const auto found =
      hierarchy.process_hierarchy(series.channels.slice(0, learning, {}), {.learn = false});
  std::vector<double> r2;
  for (std::size_t k = 0; k < kLatents; ++k) {
    const LevelRepresentation& level = found.at(static_cast<int>(k));
    std::vector<double> target;
    for (const std::int64_t t : level.tick_steps().to_vector<std::int64_t>()) {
      target.push_back(series.pooled_latent(k, t));
    }
    r2.push_back(decoded(level.ticks, target));
  }
  return r2;
}

}  // namespace

TEST_CASE("MTS: each level decodes the latent of its own time scale") {
  // Every run comes to within .03 of what is possible, and their mean to the table's values: one
  // run has some 150 independent samples of the slowest latent to be judged by.
  constexpr double expected[] = {.30, .77, .94};
  std::vector<std::vector<double>> r2(kLatents);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<double> run = decoded_latents(seed);
    for (std::size_t k = 0; k < kLatents; ++k) {
      CAPTURE(seed, k, oracle(k), run[k]);
      CHECK(run[k] >= oracle(k) - 0.03);
      r2[k].push_back(run[k]);
    }
  }
  for (std::size_t k = 0; k < kLatents; ++k) {
    CAPTURE(k, mean_of(r2[k]));
    CHECK(std::abs(mean_of(r2[k]) - expected[k]) <= 0.03);
  }
}
