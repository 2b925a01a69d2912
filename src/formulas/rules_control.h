// SPDX-License-Identifier: MIT
/// \file
/// What happens to a neuron's weights after the rule, homeostasis and normalisation: the factors
/// that they put on them, as formulas.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "../core/host_device.h"
#include "elementwise_choose.h"

namespace gaia {

/// After the rule: what is done to the length |w| of each neuron's weights.
enum class Normalization {
  none,
  l2,        ///< w <- w / |w|; a zero row stays zero
  max_norm,  ///< w <- w min(1, bound / |w|)
};

/// Between rule and normalisation: w <- w exp(strength (target - y)), y this tick's output, of a
/// batch the mean.  The factor has a least value, so no neuron flips or dies (docs/hierarchy.md).
struct Homeostasis {
  double target = 0.5;
  double strength = 0.1;
};

/// What happens to the weights after the rule, in this order.
struct WeightControl {
  std::optional<Homeostasis> homeostasis = std::nullopt;
  Normalization normalization = Normalization::none;
  double bound = 1.0;  ///< Bound of max_norm, > 0.
};

/// 1 / sqrt(x); vectors have an overload of their own.
template <class T>
GAIA_HOST_DEVICE T inverse_sqrt(T x) {
  using std::sqrt;
  return T(1) / sqrt(x);
}

/// A WeightControl in numbers of type T, or in vectors T of numbers of type Scalar.
template <class T, class Scalar = T>
struct ControlFactors {
  bool homeostatic = false;  ///< Whether homeostasis changes anything.
  T strength{};
  T target{};
  T least_exponent{};  ///< Least exponent of homeostasis.
  Normalization normalization = Normalization::none;
  T bound{};
  T bound_square{};

  ControlFactors() = default;
  explicit ControlFactors(const WeightControl& control)
      // Under l2 the factor of homeostasis, which is positive, cancels.  It is left out there,
      // since it may underflow where the normalised weights do not.
      : homeostatic(control.homeostasis && control.normalization != Normalization::l2),
        normalization(control.normalization),
        bound(T(control.bound)),
        bound_square(T(control.bound * control.bound)) {
    if (!homeostatic) return;
    strength = T(control.homeostasis->strength);
    target = T(control.homeostasis->target);
    least_exponent = T(normalizes() ? kLeastExponent / 2 : kLeastExponent);
  }

  GAIA_HOST_DEVICE bool normalizes() const { return normalization != Normalization::none; }

  /// The factor of homeostasis, exp(strength (target - y)).
  GAIA_HOST_DEVICE T homeostatic_factor(T mean_answer) const {
    using std::exp;
    return exp(exponent(mean_answer));
  }

  /// The homeostatic factor minus one, exact where the factor is near one.  Where the factor is
  /// small its digits are lost here: one plus this is not the factor.
  GAIA_HOST_DEVICE T homeostatic_excess(T mean_answer) const {
    using std::expm1;
    return expm1(exponent(mean_answer));
  }

  /// The factor that normalisation puts on weights whose squared norm is `square`.  A norm that has
  /// overflowed gives NaN, so that the run is seen to diverge rather than to go on with zeros.
  GAIA_HOST_DEVICE T normalizing(T square) const {
    return normalizes() ? normalizing(square, inverse_sqrt(square)) : T(1);
  }
  /// The same of a control that normalises, given 1 / sqrt(square).
  GAIA_HOST_DEVICE T normalizing(T square, T inverse) const {
    const bool unit = normalization == Normalization::l2;
    const T factor =
        choose(square > (unit ? T(0) : bound_square), unit ? inverse : bound * inverse, T(1));
    return choose(square <= T(std::numeric_limits<Scalar>::max()), factor,
                  T(std::numeric_limits<Scalar>::quiet_NaN()));
  }

 private:
  /// log(min / epsilon): what is multiplied by its exponential stays a normal number from epsilon
  /// on.  With a normalisation half of it, so that squares do too.
  static constexpr double kLeastExponent =
      (std::numeric_limits<Scalar>::min_exponent + std::numeric_limits<Scalar>::digits - 2) *
      0.69314718055994531;

  GAIA_HOST_DEVICE T exponent(T mean_answer) const {
    const T exact = strength * (target - mean_answer);
    return choose(exact < least_exponent, least_exponent, exact);  // NaN stays NaN
  }
};

}  // namespace gaia
