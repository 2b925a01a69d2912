// SPDX-License-Identifier: MIT
/// \file
/// Steps of gradient descent, written once for every device.
///
/// Each rule is a formula for one number: from the parameter w, its gradient g and up to two
/// numbers of memory a and b (zero before the first step) it makes the next w, a and b.
/// It tells its name, and to a visitor the keys that not every rule has.
/// `at_step(t)`, t = 1, 2, ..., returns that formula with everything that depends on t alone worked
/// out.  A backend visits the variant at the end.  Parameters and equations are PyTorch's.
#pragma once

#include <cmath>
#include <cstdint>
#include <variant>

#include "../core/host_device.h"
#include "../core/key.h"
#include "elementwise_choose.h"

namespace gaia {

/// What several rules have in common.
namespace optimiser_keys {
constexpr NumberRange kShare{0.0, 1.0, false, true};
constexpr Key kBeta1{"beta1", "share of the past in the mean of gradients"};
constexpr Key kBeta2{"beta2", "share of the past in the second mean"};
constexpr Key kEpsilon{"epsilon", "added to the root of the mean of squares"};
constexpr Key kMomentum{"momentum", "share of the last step in the next"};

template <class Visitor, class Adam>
void of_adam(Visitor& v, Adam& rule) {
  v.number(kBeta1, rule.beta1, kShare);
  v.number(kBeta2, rule.beta2, kShare);
  v.number(kEpsilon, rule.epsilon, kPositive);
}
}  // namespace optimiser_keys

/// g += weight_decay w; a = momentum a + g; w -= learning_rate a, or, by Nesterov's form,
/// learning_rate (g + momentum a).  Without momentum a is g itself.
/// Polyak (1964), USSR Comp. Math. 4, 1-17; Sutskever et al. (2013), ICML.
struct SgdRule {
  double learning_rate = 1e-3;
  double momentum = 0.0;
  double weight_decay = 0.0;
  bool nesterov = false;

  static constexpr const char* name = "sgd";
  template <class Visitor>
  void keys(Visitor& v) {
    v.number(optimiser_keys::kMomentum, momentum, optimiser_keys::kShare);
    v.flag(Key{"nesterov", "momentum in Nesterov's form"}, nesterov);
  }

  int states() const { return momentum != 0.0 ? 1 : 0; }
  SgdRule at_step(std::int64_t /*t*/) const { return *this; }

  template <class T>
  GAIA_HOST_DEVICE void operator()(T& w, T g, T& a, T& /*b*/) const {
    g += T(weight_decay) * w;
    if (momentum != 0.0) {
      a = T(momentum) * a + g;
      g = nesterov ? g + T(momentum) * a : a;
    }
    w -= T(learning_rate) * g;
  }
};

/// What Adam and AdamW do with a gradient at step t: a and b are running means of g and g^2, which
/// begin at 0 and are corrected for that.
struct AdamStep {
  double beta1;
  double beta2;
  double epsilon;
  double rate;         ///< learning_rate / (1 - beta1^t)
  double root;         ///< sqrt(1 - beta2^t)
  double keep;         ///< w <- keep w, before all else.
  double gradient_of;  ///< g <- g + gradient_of w.

  template <class T>
  GAIA_HOST_DEVICE void operator()(T& w, T g, T& a, T& b) const {
    using std::sqrt;
    g += T(gradient_of) * w;
    w *= T(keep);
    a += T(1.0 - beta1) * (g - a);
    b = T(beta2) * b + T(1.0 - beta2) * g * g;
    w -= T(rate) * a / (sqrt(b) / T(root) + T(epsilon));
  }
};

/// g += weight_decay w; a = beta1 a + (1 - beta1) g; b = beta2 b + (1 - beta2) g^2;
/// w -= learning_rate a' / (sqrt(b') + epsilon), a' = a / (1 - beta1^t), b' = b / (1 - beta2^t).
/// Kingma & Ba (2015), arXiv:1412.6980.
struct AdamRule {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;

  static constexpr const char* name = "adam";
  template <class Visitor>
  void keys(Visitor& v) {
    optimiser_keys::of_adam(v, *this);
  }

  int states() const { return 2; }
  AdamStep at_step(std::int64_t t) const {
    const auto steps = static_cast<double>(t);
    return {beta1,
            beta2,
            epsilon,
            learning_rate / (1.0 - std::pow(beta1, steps)),
            std::sqrt(1.0 - std::pow(beta2, steps)),
            1.0,
            weight_decay};
  }
};

/// Adam whose decay does not pass through the gradient: w -= learning_rate weight_decay w first.
/// Loshchilov & Hutter (2019), arXiv:1711.05101.
struct AdamWRule {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;

  static constexpr const char* name = "adamw";
  template <class Visitor>
  void keys(Visitor& v) {
    optimiser_keys::of_adam(v, *this);
  }

  int states() const { return 2; }
  AdamStep at_step(std::int64_t t) const {
    AdamStep step = AdamRule{learning_rate, beta1, beta2, epsilon, 0.0}.at_step(t);
    step.keep = 1.0 - learning_rate * weight_decay;
    return step;
  }
};

/// g += weight_decay w; a = alpha a + (1 - alpha) g^2; u = g / (sqrt(a) + epsilon); with momentum
/// b = momentum b + u and u = b; w -= learning_rate u.
/// Tieleman & Hinton (2012), Coursera lecture 6.5.
struct RmsPropRule {
  double learning_rate = 1e-2;
  double alpha = 0.99;
  double epsilon = 1e-8;
  double weight_decay = 0.0;
  double momentum = 0.0;

  static constexpr const char* name = "rmsprop";
  template <class Visitor>
  void keys(Visitor& v) {
    v.number(Key{"alpha", "share of the past in the mean of squared gradients"}, alpha,
             optimiser_keys::kShare);
    v.number(optimiser_keys::kEpsilon, epsilon, kPositive);
    v.number(optimiser_keys::kMomentum, momentum, optimiser_keys::kShare);
  }

  int states() const { return momentum != 0.0 ? 2 : 1; }
  RmsPropRule at_step(std::int64_t /*t*/) const { return *this; }

  template <class T>
  GAIA_HOST_DEVICE void operator()(T& w, T g, T& a, T& b) const {
    using std::sqrt;
    g += T(weight_decay) * w;
    a = T(alpha) * a + T(1.0 - alpha) * g * g;
    T update = g / (sqrt(a) + T(epsilon));
    if (momentum != 0.0) {
      b = T(momentum) * b + update;
      update = b;
    }
    w -= T(learning_rate) * update;
  }
};

/// u = sign(beta1 a + (1 - beta1) g); w -= learning_rate (u + weight_decay w);
/// a = beta2 a + (1 - beta2) g.  Chen et al. (2023), arXiv:2302.06675.
struct LionRule {
  double learning_rate = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0.0;

  static constexpr const char* name = "lion";
  template <class Visitor>
  void keys(Visitor& v) {
    v.number(optimiser_keys::kBeta1, beta1, optimiser_keys::kShare);
    v.number(optimiser_keys::kBeta2, beta2, optimiser_keys::kShare);
  }

  int states() const { return 1; }
  LionRule at_step(std::int64_t /*t*/) const { return *this; }

  template <class T>
  GAIA_HOST_DEVICE void operator()(T& w, T g, T& a, T& /*b*/) const {
    const T blend = T(beta1) * a + T(1.0 - beta1) * g;
    const T sign = choose(blend > T(0), T(1), choose(blend < T(0), T(-1), blend));
    w *= T(1.0 - learning_rate * weight_decay);
    w -= T(learning_rate) * sign;
    a = T(beta2) * a + T(1.0 - beta2) * g;
  }
};

/// To add a rule, write it above and name it here: every device has it.
using OptimiserRule = std::variant<SgdRule, AdamRule, AdamWRule, RmsPropRule, LionRule>;

}  // namespace gaia
