// SPDX-License-Identifier: MIT
#include "stability.h"

#include <type_traits>

namespace gaia {
namespace {

/// Calls f with the rule inside both variants.
template <class F>
auto visit_rule(const PlasticityRule& rule, const F& f) {
  return std::visit([&](const auto& family) { return std::visit(f, family); }, rule);
}

// Near its fixed point |w| = 1, along a sample x that is repeated, Oja's rule has the factor
// 1 - 2 rate |x|^2; all of its kind settle up to rate |x|^2 = 1 and are lost beyond 2.
double limit_of(const OjaRule&) { return 1.0; }
double limit_of(const SangerRule&) { return 1.0; }
double limit_of(const OjaSubspaceRule&) { return 1.0; }
// A selective neuron, whose threshold has to follow its answer, loses its stability where
// rate tau |x|^2 is 1, in a Hopf bifurcation.
double limit_of(const BcmRule& rule) { return 1.0 / rule.tau; }

/// Whether weights or answers are bounded by something else than the rule.
bool is_held(const Plasticity& plasticity) {
  const Activation f = plasticity.activation;
  return plasticity.control.normalization != Normalization::none || f == Activation::tanh ||
         f == Activation::sigmoid || f == Activation::softmax;
}

}  // namespace

double learning_rate_of(const PlasticityRule& rule) {
  return visit_rule(rule, [](const auto& r) -> double {
    if constexpr (requires { r->learning_rate(); }) {
      return r->learning_rate();
    } else {
      return r.learning_rate;
    }
  });
}

std::optional<double> stability_limit(const Plasticity& plasticity) {
  if (is_held(plasticity)) return std::nullopt;
  return visit_rule(plasticity.rule, [](const auto& r) -> std::optional<double> {
    if constexpr (requires { limit_of(r); }) {
      return limit_of(r);
    } else {
      return std::nullopt;
    }
  });
}

std::string stability_note(const Plasticity& plasticity) {
  if (is_held(plasticity)) return {};
  return visit_rule(plasticity.rule, [](const auto& r) -> std::string {
    const bool is_hebb = std::is_same_v<std::decay_t<decltype(r)>, HebbRule>;
    return is_hebb ? "grows at any rate unless decay or a normalization holds it" : "";
  });
}

}  // namespace gaia
