// SPDX-License-Identifier: MIT
/// \file
/// Series that switch between models: a filter for each, and how probable each of them is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gaussian_filter.h"

namespace gaia {

/// How regimes follow each other.
struct RegimesOptions {
  /// Probabilities [models, models] of going over, within a step, from the model of the row to that
  /// of the column.  Rows sum to 1.
  std::vector<double> transition = {};
  /// Probabilities of the models before the first step.  None: those to which the transitions lead
  /// from equal ones, on average over the steps: the stationary distribution, or where there are
  /// several the one that is reached from there.
  std::vector<double> initial = {};
};

/// Interacting multiple models (Blom and Bar-Shalom, 1988, IEEE Trans. Autom. Control 33, 780-783).
/// With probabilities μ, means m_j and covariances P_j of the filters of the models, and
/// transitions p_ij,
///
///     predict:  c_j = Σ_i p_ij μ_i,   μ_i|j = p_ij μ_i / c_j,
///               m0_j = Σ_i μ_i|j m_i,   P0_j = Σ_i μ_i|j (P_i + (m_i - m0_j)(m_i - m0_j)ᵀ),
///               each filter predicts from m0_j, P0_j;   μ <- c
///     update:   each filter takes the row, with the likelihood L_j;   μ_j <- c_j L_j / Σ_k c_k L_k
///
/// and what is believed is the mixture: m = Σ μ_j m_j, P = Σ μ_j (P_j + (m_j - m)(m_j - m)ᵀ).
/// Where nothing is observed the probabilities move by the transitions alone.  They are kept as
/// logarithms, so that none is lost to rounding.  A tick's log likelihood is that of the mixture,
/// log Σ c_j L_j; its innovation v = Σ c_j v_j; and its NIS vᵀ S⁻¹ v with the covariance of the
/// mixture's innovation, S = Σ c_j (S_j + (v_j - v)(v_j - v)ᵀ).  Its mean is the number of observed
/// values where the models are right, as that of one filter; it is not distributed as χ², since a
/// mixture is not normal.
class RegimesFilter final : public StateFilter {
 public:
  /// Filters of as many states, observed numbers and streams each, whose noise does not adapt: that
  /// of a model whose turn it is not would adapt to what another explains.
  /// \throws ShapeError if they differ or `options` are not of as many models, ArgumentError for
  ///         less than one model, noise that adapts, and probabilities that are none or do not sum
  ///         to 1 (within 1e-9).
  RegimesFilter(std::vector<std::unique_ptr<GaussianFilter>> models, const RegimesOptions& options);

  std::string type() const override { return "regimes"; }
  std::unique_ptr<StateFilter> clone() const override;

  std::int64_t models() const { return static_cast<std::int64_t>(models_.size()); }
  std::int64_t streams() const override { return streams_; }
  std::int64_t states() const override { return states_; }
  std::int64_t observed() const override { return observed_; }
  void set_streams(std::int64_t streams) override;

  void begin() override;
  void predict() override;
  void update(std::span<const double> rows, bool adapt, FilterTick& found) override;

  std::span<const double> mean() const override { return mean_; }
  std::span<const double> covariance() const override { return covariance_; }
  std::span<const double> probabilities() const override { return probabilities_; }
  /// The filter of a model, from 0.
  const GaussianFilter& model(std::int64_t index) const;
  /// Probabilities of the models before the first step, [models].
  std::span<const double> initial() const { return initial_; }

  /// The means of the models' noise, weighted by initial().
  std::span<const double> state_noise() const override { return state_noise_; }
  std::span<const double> observation_noise() const override { return observation_noise_; }

  std::vector<double> carried() const override;
  void set_carried(std::span<const double> numbers) override;

 private:
  RegimesFilter(const RegimesFilter& other);

  /// Makes the mixture of what the models believe.
  void combine();
  /// Sets each filter to the mixture that its model may have come from; probabilities go on.
  void mix();

  std::vector<std::unique_ptr<GaussianFilter>> models_;
  std::int64_t streams_ = 1;
  std::int64_t states_ = 0;
  std::int64_t observed_ = 0;
  std::vector<double> log_transition_;
  std::vector<double> initial_;
  std::vector<double> log_probabilities_;  // [streams, models]
  std::vector<double> probabilities_;      // the same
  std::vector<double> mean_;
  std::vector<double> covariance_;
  std::vector<double> state_noise_;
  std::vector<double> observation_noise_;
};

}  // namespace gaia
