// SPDX-License-Identifier: MIT
/// \file
/// A dense layer with few of its weights, which go and come while it is trained.
#pragma once

#include <cstdint>

#include "../../learning/rewiring.h"
#include "dense.h"

namespace gaia {

/// y = f(x W^T + b) as Dense, but of W "weights" [outputs, inputs] only those are there where the
/// buffer "mask" [outputs, inputs] is 1: round(density outputs inputs) of all, at least one; the
/// others are exactly 0.  W begins as Dense's of the same stream, each weight times
/// 1 / sqrt(density), as if a neuron had only the inputs that are there.
///
/// Sparse evolutionary training (Mocanu et al. 2018, Nat. Commun. 9, 2383): behind optimiser step
/// k, counted from 1, where k is a multiple of `every`, the round(share_k n) of the n weights of
/// the layer with the smallest |w| go, and as many of those that were missing come with a weight of
/// 0: random ones, or by `products` those at which the loss falls fastest, of the largest
/// |dL/dw| in step k (RigL: Evci et al. 2020, ICML).  share_k = share (1 + cos(pi k / until)) / 2
/// up to step `until`, and 0 from there on; constant where `until` is 0.  `fit` does it (class
/// Rewiring), and makes the optimiser forget what it remembers of weights that went or came.
class RewiredDense final : public Module {
 public:
  /// \throws ArgumentError for a size below 1 or an option out of its range, DTypeError unless
  ///         float32 or float64.
  RewiredDense(std::int64_t inputs, std::int64_t outputs, const RewireOptions& rewire,
               const DenseOptions& options = {});

  std::string type() const override { return "dense"; }
  Tensor forward(const Tensor& x) override;
  Tensor forward_bfloat16(const Tensor& x, DType answer) override;

  const RewireOptions& rewire() const { return rewire_; }
  const Tensor& weights() const { return weights_; }
  const Tensor& bias() const { return bias_; }  ///< Without elements if there is none.
  const Array& mask() const { return mask_; }   ///< 1 and 0, [outputs, inputs].

  /// Whether weights go and come behind optimiser step `step`, from 1.
  bool turns_over(std::int64_t step) const;
  /// Lets them.  `gradient`: of the weights in that step, whole; read by `products` alone.  Waits
  /// for the device.  Returns what did not change: 1, and 0 where a weight went or came.
  Array turn_over(std::int64_t step, const Array& gradient);

  /// Numbers of weights that are not there become 0.
  void hold(const Array& of_weights) const;
  /// Makes a mask that several processes have averaged be of 1 and 0 again.
  void round_mask() const;

 private:
  RewireOptions rewire_;
  Activation activation_;
  bool has_bias_;
  RandomStream random_;  // draws of masks
  Tensor weights_;
  Tensor bias_;
  Array mask_;
};

}  // namespace gaia
