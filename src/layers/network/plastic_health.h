// SPDX-License-Identifier: MIT
/// \file
/// Which values of diagnostics are healthy: the ranges of the guide of GAIA v3.1.  They are
/// experience with its own networks, not theory; what lies outside deserves a look.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gaia {

/// From `low` to `high`, both included.
struct HealthyRange {
  const char* name;     ///< Name of the diagnostic: "fast_norm".
  const char* meaning;  ///< What it is, in a few words.
  double low;
  double high;
};

inline constexpr HealthyRange kHealthyFastNorm{"fast_norm", "norm of the fast trace", 0.5, 5.0};
inline constexpr HealthyRange kHealthySlowNorm{"slow_norm", "norm of the slow trace", 0.1, 2.0};
inline constexpr HealthyRange kHealthyUpdateNorm{
    "update_norm", "norm of what a step adds to the fast trace", 0.01, 0.5};
/// At most this norm, not below it.
inline constexpr HealthyRange kHealthyGradientNorm{"gradient_norm", "norm of the weights' gradient",
                                                   0.0, 100.0};
inline constexpr HealthyRange kHealthyWorldModelLoss{"world_model_loss",
                                                     "loss of the model of the world", 0.0, 0.1};
inline constexpr HealthyRange kHealthyEpistemicValue{
    "epistemic_value", "what is expected to be learnt from a step", 0.01, 0.2};

/// All of the above.
std::span<const HealthyRange> healthy_ranges();
/// The range of that name, or null if that diagnostic has none.
const HealthyRange* healthy_range(std::string_view name);

enum class Health : std::uint8_t { healthy, too_low, too_high, not_a_number };

/// The position of a value: below the range, within it, above it; NaN has none.  A ten-thousandth
/// beyond an end is within: a trace at its bound of 5 may be 5.0000003.
Health health_of(const HealthyRange& range, double value);
/// "healthy", "too low", "too high" or "not a number".
std::string to_string(Health health);

}  // namespace gaia
