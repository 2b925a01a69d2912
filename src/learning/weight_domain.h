// SPDX-License-Identifier: MIT
/// \file
/// Rules whose update is no number for every weight.
#pragma once

#include <cstdint>
#include <string>

#include "equation_rule.h"

namespace gaia {

/// What a rule does that negative weights do not allow: "raises w to the power 0.02", "takes the
/// logarithm of w", "takes the square root of w".  Empty where its update is a number for every
/// weight, and where a `where` chooses whether it is computed: anyone who writes one has thought of
/// it.
std::string needs_positive_weights(const EquationRule& rule, std::int64_t inputs,
                                   std::int64_t outputs);

/// What to do about it.
inline constexpr const char* kPositiveWeightsWayOut =
    "begin with init: uniform within bounds: {low: 0, high: 1}, which hold the weights there, or "
    "write it for positive weights alone, as where(w > 0, w^0.5, 0)";

}  // namespace gaia
