// SPDX-License-Identifier: MIT
/// \file
/// The list of plasticity rules that are built in.  A rule tells of itself in its own header
/// (rules/rule.h); what stands here has a name in YAML, results and every executor on every device.
#pragma once

#include <variant>

#include "rules/bcm.h"
#include "rules/hebbian.h"
#include "rules/oja.h"
#include "rules/tick_rule.h"

namespace gaia {

/// Rules that ask for {loss, gain}: functors of single neurons, and the code of others.
using Rule = std::variant<HebbRule, OjaRule, BcmRule, CustomRule>;

/// Whether R is a functor of single neurons, which executors have in their loops; a CustomRule is
/// called once a tick.
template <class R>
inline constexpr bool is_neuron_rule = !std::is_same_v<R, CustomRule>;

}  // namespace gaia
