// SPDX-License-Identifier: MIT
#include "particle_filter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "../core/message.h"
#include "../core/parallel.h"
#include "matrices.hpp"

namespace gaia {
namespace {

constexpr std::int64_t kParticlesOfTask = 128;

/// Calls work(stream, first, end) for pieces of the particles of every stream.
template <class Work>
void for_particles(std::int64_t streams, std::int64_t particles, const Work& work) {
  const std::int64_t pieces = (particles + kParticlesOfTask - 1) / kParticlesOfTask;
  parallel_for(streams * pieces, [&](std::int64_t task) {
    const std::int64_t first = task % pieces * kParticlesOfTask;
    work(task / pieces, first, std::min(first + kParticlesOfTask, particles));
  });
}

RandomStream stream_for(const char* purpose, std::uint64_t seed, std::int64_t stream) {
  return RandomStream::named(seed, message("particle_filter/{}/{}", purpose, stream));
}

/// Number `index` of a stream and those behind it, times a root of their covariance, added to x.
void add_noise(const RandomStream& random, std::int64_t index, const std::vector<double>& root,
               std::span<double> x) {
  const auto n = static_cast<Eigen::Index>(x.size());
  Eigen::VectorXd noise(n);
  random.normals(static_cast<std::uint64_t>(index * n), numbers_in(noise));
  VectorMap(x.data(), n) += ConstMatrixMap(root.data(), n, n) * noise;
}

}  // namespace

ParticleFilter::ParticleFilter(StateModel model, const ParticleOptions& options,
                               std::int64_t streams)
    : model_(std::move(model)), options_(options) {
  require(options.particles >= 1, "[particle] particles: expected 1 or more, got {}",
          options.particles);
  require(options.resample_below >= 0.0 && options.resample_below <= 1.0,
          "[particle] resample_below: expected a share of the particles from 0 to 1, got {}",
          options.resample_below);
  const std::int64_t n = states();
  const ConstMatrixMap R(model_.R().data(), observed(), observed());
  require(least_eigenvalue(R) > 1e-14 * R.cwiseAbs().maxCoeff(),
          "[particle] R: expected a covariance that can be inverted, by which particles are "
          "weighed, got a singular one; give numbers above 0");
  root_of_Q_ = numbers_of(root_of(ConstMatrixMap(model_.Q().data(), n, n)));
  root_of_P0_ = numbers_of(root_of(ConstMatrixMap(model_.P0().data(), n, n)));
  set_streams(streams);
}

std::unique_ptr<StateFilter> ParticleFilter::clone() const {
  return std::make_unique<ParticleFilter>(*this);
}

void ParticleFilter::set_streams(std::int64_t streams) {
  require(streams >= 1, "[particle] streams: expected 1 or more, got {}", streams);
  streams_ = streams;
  begin();
}

void ParticleFilter::begin() {
  const std::int64_t n = states();
  const std::int64_t count = options_.particles;
  const auto all = static_cast<std::size_t>(streams_ * count);
  ticks_ = 0;
  particles_.assign(all * static_cast<std::size_t>(n), 0.0);
  log_weights_.assign(all, -std::log(static_cast<double>(count)));
  weights_.resize(all);
  mean_.resize(static_cast<std::size_t>(streams_ * n));
  covariance_.resize(static_cast<std::size_t>(streams_ * n * n));
  for_particles(streams_, count, [&](std::int64_t stream, std::int64_t first, std::int64_t end) {
    const RandomStream random = stream_for("initial", options_.seed, stream);
    for (std::int64_t i = first; i < end; ++i) {
      double* const x = particles_.data() + (stream * count + i) * n;
      add_noise(random, all_ticks_ * count + i, root_of_P0_,
                std::span(x, static_cast<std::size_t>(n)));
    }
  });
  for (std::int64_t stream = 0; stream < streams_; ++stream) summarise(stream);
}

void ParticleFilter::predict() {
  const std::int64_t n = states();
  const std::int64_t count = options_.particles;
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    const double enough = options_.resample_below * static_cast<double>(count);
    if (effective_particles_of(stream) < enough) resample(stream);
  }
  const double t = static_cast<double>(ticks_);
  for_particles(streams_, count, [&](std::int64_t stream, std::int64_t first, std::int64_t end) {
    const RandomStream random = stream_for("noise", options_.seed, stream);
    for (std::int64_t i = first; i < end; ++i) {
      const std::span x(particles_.data() + (stream * count + i) * n, static_cast<std::size_t>(n));
      model_.step(x, t);
      add_noise(random, all_ticks_ * count + i, root_of_Q_, x);
      for (const double value : x) {
        require(std::isfinite(value),
                "[particle] expected a model whose prediction is finite for every particle, got "
                "one that is {}",
                value);
      }
    }
  });
  ++ticks_;
  ++all_ticks_;
  for (std::int64_t stream = 0; stream < streams_; ++stream) summarise(stream);
}

double ParticleFilter::effective_particles_of(std::int64_t stream) const {
  return 1.0 / ConstVectorMap(weights_.data() + stream * options_.particles, options_.particles)
                   .squaredNorm();
}

std::vector<double> ParticleFilter::effective_particles() const {
  std::vector<double> numbers;
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    numbers.push_back(effective_particles_of(stream));
  }
  return numbers;
}

void ParticleFilter::resample(std::int64_t stream) {
  const std::int64_t n = states();
  const std::int64_t count = options_.particles;
  double start = 0.0;
  stream_for("resampling", options_.seed, stream)
      .uniforms(static_cast<std::uint64_t>(all_ticks_), std::span(&start, 1));
  double* const particles = particles_.data() + stream * count * n;
  const double* const weights = weights_.data() + stream * count;
  const std::vector<double> before(particles, particles + count * n);
  std::int64_t from = 0;
  double sum = weights[0];
  for (std::int64_t k = 0; k < count; ++k) {
    const double place = (static_cast<double>(k) + start) / static_cast<double>(count);
    // Rounding may leave the sum of all weights below the last place.
    while (sum <= place && from + 1 < count) sum += weights[++from];
    std::copy_n(before.data() + from * n, n, particles + k * n);
  }
  std::fill_n(log_weights_.data() + stream * count, count, -std::log(static_cast<double>(count)));
}

void ParticleFilter::update(std::span<const double> rows, bool /*adapt*/, FilterTick& found) {
  const std::int64_t m = observed();
  require<ShapeError>(std::ssize(rows) == streams_ * m,
                      "[particle] expected {} rows of {} numbers, got {} numbers", streams_, m,
                      rows.size());
  for (const double value : rows) {
    require(!std::isinf(value),
            "[particle] expected finite numbers, or NaN for missing ones, got {}", value);
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  found.log_likelihood.assign(static_cast<std::size_t>(streams_), 0.0);
  found.nis.assign(static_cast<std::size_t>(streams_), nan);
  found.innovation.assign(rows.size(), nan);
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    weigh(stream, rows.subspan(static_cast<std::size_t>(stream * m), static_cast<std::size_t>(m)),
          found);
  }
}

void ParticleFilter::weigh(std::int64_t stream, std::span<const double> row, FilterTick& found) {
  const std::int64_t n = states();
  const std::int64_t m = observed();
  const std::int64_t count = options_.particles;
  std::vector<Eigen::Index> present;
  for (Eigen::Index i = 0; i < m; ++i) {
    if (!std::isnan(row[static_cast<std::size_t>(i)])) present.push_back(i);
  }
  if (present.empty()) return;
  const Eigen::VectorXd y = ConstVectorMap(row.data(), m)(present);
  const RowMatrix R = ConstMatrixMap(model_.R().data(), m, m)(present, present);
  const Eigen::LLT<Eigen::MatrixXd> root_of_R{Eigen::MatrixXd(R)};
  const double log_of_normal =
      -Eigen::ArrayXd(root_of_R.matrixLLT().diagonal().array()).log().sum() -
      0.5 * static_cast<double>(present.size()) * std::log(2.0 * std::numbers::pi);

  RowMatrix seen(count, std::ssize(present));
  Eigen::VectorXd logs(count);
  const double t = static_cast<double>(std::max<std::int64_t>(ticks_ - 1, 0));
  for_particles(1, count, [&](std::int64_t, std::int64_t first, std::int64_t end) {
    Eigen::VectorXd expected(m);
    for (std::int64_t i = first; i < end; ++i) {
      const double* const x = particles_.data() + (stream * count + i) * n;
      model_.observe(std::span(x, static_cast<std::size_t>(n)), t, numbers_in(expected));
      seen.row(i) = expected(present);
      require(seen.row(i).allFinite(),
              "[particle] expected an observation that is finite for every particle, got one that "
              "is not");
      logs[i] = log_weights_[static_cast<std::size_t>(stream * count + i)] + log_of_normal -
                0.5 * root_of_R.matrixL().solve(y - seen.row(i).transpose()).squaredNorm();
    }
  });
  const double largest = logs.maxCoeff();
  require(std::isfinite(largest),
          "[particle] expected a row that some particle can have made, got one that none can; take "
          "more particles or a larger R");
  const double log_likelihood = largest + std::log((logs.array() - largest).exp().sum());

  const ConstVectorMap weights(weights_.data() + stream * count, count);
  const Eigen::VectorXd mean = seen.transpose() * weights;
  seen.rowwise() -= mean.transpose();
  const Eigen::VectorXd v = y - mean;
  const Eigen::LLT<Eigen::MatrixXd> factor{
      Eigen::MatrixXd(weighted_products(seen, weights, seen) + R)};
  const auto index = static_cast<std::size_t>(stream);
  found.nis[index] = factor.matrixL().solve(v).squaredNorm();
  found.log_likelihood[index] = log_likelihood;
  VectorMap(found.innovation.data() + stream * m, m)(present) = v;

  VectorMap(log_weights_.data() + stream * count, count) = (logs.array() - log_likelihood).matrix();
  summarise(stream);
}

void ParticleFilter::summarise(std::int64_t stream) {
  const std::int64_t n = states();
  const std::int64_t count = options_.particles;
  VectorMap weights(weights_.data() + stream * count, count);
  weights = ConstVectorMap(log_weights_.data() + stream * count, count).array().exp();
  weights /= weights.sum();
  const ConstMatrixMap particles(particles_.data() + stream * count * n, count, n);
  VectorMap mean(mean_.data() + stream * n, n);
  mean = particles.transpose() * weights;
  const RowMatrix away = particles.rowwise() - mean.transpose();
  MatrixMap(covariance_.data() + stream * n * n, n, n) =
      symmetric(weighted_products(away, weights, away));
}

std::vector<double> ParticleFilter::quantile(double probability) const {
  require(probability >= 0.0 && probability <= 1.0,
          "[particle] quantile: expected a probability from 0 to 1, got {}", probability);
  const std::int64_t n = states();
  const std::int64_t count = options_.particles;
  std::vector<double> found;
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    const double* const weights = weights_.data() + stream * count;
    for (std::int64_t state = 0; state < n; ++state) {
      const auto value = [&](std::int64_t i) {
        return particles_[static_cast<std::size_t>((stream * count + i) * n + state)];
      };
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return value(a) != value(b) ? value(a) < value(b) : a < b;
      });
      std::int64_t last = order.front();
      double sum = 0.0;
      for (const std::int64_t i : order) {
        if (weights[i] == 0.0) continue;
        last = i;
        sum += weights[i];
        if (sum >= probability) break;
      }
      found.push_back(value(last));
    }
  }
  return found;
}

std::vector<double> ParticleFilter::carried() const {
  const auto count = static_cast<std::size_t>(options_.particles);
  const std::size_t width = count * static_cast<std::size_t>(states());
  std::vector<double> numbers;
  for (std::size_t s = 0; s < static_cast<std::size_t>(streams_); ++s) {
    const auto particles = std::span(particles_).subspan(s * width, width);
    const auto logs = std::span(log_weights_).subspan(s * count, count);
    numbers.insert(numbers.end(), particles.begin(), particles.end());
    numbers.insert(numbers.end(), logs.begin(), logs.end());
    numbers.push_back(static_cast<double>(ticks_));
    numbers.push_back(static_cast<double>(all_ticks_));
  }
  return numbers;
}

void ParticleFilter::set_carried(std::span<const double> numbers) {
  const std::int64_t count = options_.particles;
  const std::int64_t width = count * states();
  const std::int64_t each = width + count + 2;
  require<ShapeError>(std::ssize(numbers) == streams_ * each,
                      "[particle] expected {} numbers for each of {} streams, got {} in all", each,
                      streams_, numbers.size());
  for (std::int64_t stream = 0; stream < streams_; ++stream) {
    const double* const from = numbers.data() + stream * each;
    std::copy_n(from, width, particles_.data() + stream * width);
    std::copy_n(from + width, count, log_weights_.data() + stream * count);
    summarise(stream);
  }
  ticks_ = static_cast<std::int64_t>(numbers[static_cast<std::size_t>(each - 2)]);
  all_ticks_ = static_cast<std::int64_t>(numbers[static_cast<std::size_t>(each - 1)]);
}

}  // namespace gaia
