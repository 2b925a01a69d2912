// SPDX-License-Identifier: MIT
/// \file
/// How large the learning rate of a plasticity rule may be.
#pragma once

#include <optional>
#include <string>

#include "plasticity.h"

namespace gaia {

/// The learning rate of any rule.
double learning_rate_of(const PlasticityRule& rule);

/// The largest learning_rate |x|^2 at which the weights stay finite, x being the input of the
/// layer: 1 under Oja's rule, Sanger's and Oja's subspace rule (beyond it a sample that is repeated
/// keeps turning the weights over, beyond 2 they grow to infinity), 1 / tau under BCM (Intrator &
/// Cooper 1992: the threshold is too slow).  A mean |x|^2 above it makes the weights grow to
/// infinity; below it single samples that are much larger may still do so.  Empty where none is
/// known, as under Hebb's rule, and where something else holds weights or answers, a normalization
/// or a bounded activation.
std::optional<double> stability_limit(const Plasticity& plasticity);

/// What is known of a rule without a limit, to follow its name: "grows at any rate ...".  Empty
/// where nothing is, or something else holds the weights.
std::string stability_note(const Plasticity& plasticity);

}  // namespace gaia
