// SPDX-License-Identifier: MIT
/// \file
/// The filter that follows many samples of the state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../core/random.h"
#include "state_filter.h"
#include "state_model.h"

namespace gaia {

struct ParticleOptions {
  std::int64_t particles = 1000;  ///< N, for each stream.
  /// Share of the particles, from 0 to 1: below so many effective ones they are drawn anew.
  double resample_below = 0.5;
  std::uint64_t seed = 0;
};

/// The bootstrap filter (Gordon, Salmond and Smith 1993, IEE Proc. F 140, 107-113).  For each
/// stream N particles are drawn from N(0, P0) at first, with weights w_i = 1 / N:
///
///     predict:  if 1 / Σ w_i² < N * resample_below, drawn anew: for k = 0 .. N - 1 the first
///               particle whose w_1 + .. + w_i is above (k + u) / N, u uniform in [0, 1)
///               (systematic, Kitagawa 1996); w_i <- 1 / N;
///               x_i <- f(x_i, t) + N(0, Q)
///     update:   w_i <- w_i p_i / Σ w_k p_k,  p_i the density of y under N(h(x_i, t), R);
///               log likelihood = log Σ w_i p_i, with the weights before
///
/// Weights are kept as logarithms, so that none is lost to rounding.  Where y has missing values
/// they are left out of p_i; where all are missing nothing happens.  m and P are those of the
/// weighted particles; the innovation is v = y - Σ w_i h(x_i, t) with the weights before, and NIS
/// is vᵀ S⁻¹ v with S the covariance of the h(x_i, t) plus R.
///
/// Random numbers are a function of seed, stream, tick and particle alone: the same for any number
/// of threads, and on resume.  Ticks are counted over all trials, so that each trial has its own.
class ParticleFilter final : public StateFilter {
 public:
  /// \throws ArgumentError unless there are 1 particle and 1 stream or more, resample_below lies in
  ///         [0, 1] and R is positive definite (a bootstrap filter needs noise to weigh by).
  ParticleFilter(StateModel model, const ParticleOptions& options, std::int64_t streams = 1);

  std::string type() const override { return "particle"; }
  std::unique_ptr<StateFilter> clone() const override;

  std::int64_t streams() const override { return streams_; }
  std::int64_t states() const override { return model_.states(); }
  std::int64_t observed() const override { return model_.observed(); }
  std::int64_t points() const override { return options_.particles; }
  void set_streams(std::int64_t streams) override;

  void begin() override;
  void predict() override;
  /// \throws as StateFilter says; ArgumentError where no particle can have made a row.
  void update(std::span<const double> rows, bool adapt, FilterTick& found) override;

  std::span<const double> mean() const override { return mean_; }
  std::span<const double> covariance() const override { return covariance_; }
  std::span<const double> state_noise() const override { return model_.Q(); }
  std::span<const double> observation_noise() const override { return model_.R(); }

  std::span<const double> particles() const { return particles_; }  ///< [streams, N, states]
  std::span<const double> weights() const { return weights_; }      ///< [streams, N]; sum to 1.
  /// 1 / Σ w_i² of each stream.
  std::vector<double> effective_particles() const;
  /// Quantile of each state: the smallest particle up to which the weights sum to `probability` or
  /// more, [streams, states].  \throws ArgumentError unless 0 <= probability <= 1.
  std::vector<double> quantile(double probability) const;

  /// Particles of each stream, the logarithms of their weights, and how many ticks its trial
  /// and all trials had.
  std::vector<double> carried() const override;
  void set_carried(std::span<const double> numbers) override;

  const StateModel& model() const { return model_; }

 private:
  double effective_particles_of(std::int64_t stream) const;
  void resample(std::int64_t stream);
  void weigh(std::int64_t stream, std::span<const double> row, FilterTick& found);
  /// Weights, mean and covariance of what the stream's particles and logarithms are.
  void summarise(std::int64_t stream);

  StateModel model_;
  ParticleOptions options_;
  std::vector<double> root_of_Q_;
  std::vector<double> root_of_P0_;
  std::int64_t streams_ = 1;
  std::int64_t ticks_ = 0;      // ticks of the trial, with the one that was predicted last
  std::int64_t all_ticks_ = 0;  // ticks of all trials
  std::vector<double> particles_;
  std::vector<double> log_weights_;
  std::vector<double> weights_;
  std::vector<double> mean_;        // [streams, states]
  std::vector<double> covariance_;  // [streams, states, states]
};

}  // namespace gaia
