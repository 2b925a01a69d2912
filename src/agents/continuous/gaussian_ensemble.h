// SPDX-License-Identifier: MIT
/// \file
/// Several networks side by side, each of which predicts a normal distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/random.h"
#include "../../layers/network/module.h"

namespace gaia::agents {

struct GaussianEnsembleOptions {
  std::int64_t members = 5;
  std::vector<std::int64_t> hidden = {64, 64};  ///< Units of each hidden layer.
  /// Values at which the bounds of the log variance begin.
  double least_log_variance = -10.0, most_log_variance = 0.5;
  DType dtype = DType::float32;
  RandomStream random = next_stream();
};

/// E networks with hidden layers of silu, which share nothing and are computed together.  From x
/// each gives a mean m and a raw log variance r, which is bounded softly on both sides,
///
///     s = b - softplus(b - r), then ln variance = a + softplus(s - a)
///
/// with bounds a and b for each member and dimension that are learnt too.
/// Parameters: "weights.i" [E, out, in], "bias.i" [E, 1, out] of layer i, "least", "most" [E, 1,
/// D].
///
/// Chua et al. 2018, "Deep reinforcement learning in a handful of trials using probabilistic
/// dynamics models", NeurIPS; Lakshminarayanan et al. 2017, "Simple and scalable
/// predictive uncertainty estimation using deep ensembles", NeurIPS.
class GaussianEnsemble final : public Module {
 public:
  /// \throws ArgumentError for sizes below 1 and bounds that are not in order, DTypeError.
  GaussianEnsemble(std::int64_t inputs, std::int64_t outputs,
                   const GaussianEnsembleOptions& options = {});

  std::string type() const override { return "gaussian_ensemble"; }

  struct Prediction {
    Tensor mean;          ///< [E, N, D]
    Tensor log_variance;  ///< [E, N, D]
  };
  /// x: [N, inputs], which all members read, or [E, N, inputs].
  Prediction predict(const Tensor& x);
  /// Means and log variances before they are bounded, beside each other: [E, N, 2 D].
  Tensor raw(const Tensor& x);
  /// The softly bounded log variance of a raw one [E, ..., D], or, with `dimensions_first`, of
  /// [D, E, ...], which is the faster way where the other axes are long.
  Tensor bounded(const Tensor& raw_log_variance, bool dimensions_first = false) const;

  /// Mean and log variance beside each other: [E, N, 2 D].
  Tensor forward(const Tensor& x) override;

  /// What training makes small, a number:
  ///
  ///     mean over members of [sum_n w_n 1/2 sum_d ((y - m)^2 / variance + ln variance) / sum_n
  ///     w_n]
  ///         + 0.01 mean over members of sum_d (b - a)
  ///
  /// The first part is the negative log-likelihood of y in nats without D/2 ln 2 pi; the second
  /// keeps the bounds close to what data need.  A member without weight has no likelihood.
  /// x [E, N, inputs], y [E, N, D], w [E, N].
  Tensor loss(const Array& x, const Array& y, const Array& weights);

  std::int64_t members() const { return members_; }
  std::int64_t inputs() const { return inputs_; }
  std::int64_t outputs() const { return outputs_; }
  DType dtype() const { return dtype_; }

 private:
  std::int64_t members_, inputs_, outputs_;
  DType dtype_;
  std::vector<Tensor> weights_, biases_;
  Tensor least_, most_;
};

}  // namespace gaia::agents
