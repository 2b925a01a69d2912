// SPDX-License-Identifier: MIT
/// \file
/// Plasticity rules, as formulas.
///
/// A neuron with weights w [inputs] meets a sample x [inputs] and answers y = f(w . x).  From y and
/// one number of memory a rule makes a step, and then whoever executes it applies
///
///     w <- (1 - loss) w + gain x.
///
/// The loss is carried rather than 1 - loss because 1 - 1e-5 rounds in float32.  A rule sees x and
/// w only through y, so the same formula runs sample by sample or in chunks of samples through
/// matrix products, on any device, with equal results (docs/plasticity.md).  Rates are per tick,
/// without unit.
///
/// Rules whose neurons see each other are a second family, further down.
#pragma once

#include <optional>
#include <variant>

#include "../core/host_device.h"

namespace gaia {

/// What a rule asks for at one sample: w <- (1 - loss) w + gain x.
template <class T>
struct PlasticStep {
  T loss;
  T gain;
};

/// dw = rate y x - decay w.  Grows without bound unless decay or a normalisation holds it.
/// Hebb (1949), The Organization of Behavior.
struct HebbRule {
  double learning_rate = 0.01;
  double decay = 0.0;

  template <class T>
  GAIA_HOST_DEVICE PlasticStep<T> operator()(T y, T& /*memory*/) const {
    return {T(decay), T(learning_rate) * y};
  }
};

/// dw = rate y (x - y w) - decay w.  Tends to the first principal component of its input, |w| = 1,
/// for rate y^2 << 1.  Oja (1982), J. Math. Biol. 15, 267-273.
struct OjaRule {
  double learning_rate = 0.01;
  double decay = 0.0;

  template <class T>
  GAIA_HOST_DEVICE PlasticStep<T> operator()(T y, T& /*memory*/) const {
    const T gain = T(learning_rate) * y;
    return {T(decay) + gain * y, gain};
  }
};

/// dw = rate y (y - theta) x - decay w, then theta += (y^2 - theta) / tau: a threshold that slides
/// with the mean of y^2, so that a neuron becomes selective.
/// Bienenstock, Cooper & Munro (1982), J. Neurosci. 2, 32-48; this threshold: Intrator & Cooper
/// (1992), Neural Networks 5, 3-17.
struct BcmRule {
  double learning_rate = 0.01;
  double decay = 0.0;
  double tau = 50.0;   ///< Time constant of theta in ticks, >= 1.
  double theta = 1.0;  ///< Initial threshold.

  template <class T>
  GAIA_HOST_DEVICE PlasticStep<T> operator()(T y, T& memory) const {
    const PlasticStep<T> step{T(decay), T(learning_rate) * y * (y - memory)};
    memory += (y * y - memory) * T(1.0 / tau);
    return step;
  }
};

/// Rules of single neurons.  To add one, write it above and name it here: every executor has it.
using Rule = std::variant<HebbRule, OjaRule, BcmRule>;

/// dW = rate (y x^T - LT[y y^T] W) - decay W, with LT the lower triangle including the diagonal:
/// row i learns what rows before it leave over, and so tends to principal component i. Sanger
/// (1989), Neural Networks 2, 459-473.
struct SangerRule {
  double learning_rate = 0.01;
  double decay = 0.0;
};

/// dW = rate (y x^T - y y^T W) - decay W.  The rows tend to an orthonormal basis of the principal
/// subspace, in no particular rotation.  Oja (1989), Int. J. Neural Systems 1, 61-68.
struct OjaSubspaceRule {
  double learning_rate = 0.01;
  double decay = 0.0;
};

/// Rules that couple the neurons of a layer.
using CoupledRule = std::variant<SangerRule, OjaSubspaceRule>;

/// After the rule: what is done to the length |w| of each neuron's weights.
enum class Normalization {
  none,
  l2,        ///< w <- w / |w|; a zero row stays zero
  max_norm,  ///< w <- w min(1, bound / |w|)
};

/// Between rule and normalisation: w <- w exp(strength (target - y)), y this tick's answer, of a
/// batch the mean.  The factor has a least value, so no neuron flips or dies (docs/hierarchy.md).
struct Homeostasis {
  double target = 0.5;
  double strength = 0.1;
};

/// What happens to the weights after the rule, in this order.
struct WeightControl {
  std::optional<Homeostasis> homeostasis = std::nullopt;
  Normalization normalization = Normalization::none;
  double bound = 1.0;  ///< Of max_norm, > 0.
};

}  // namespace gaia
