// SPDX-License-Identifier: MIT
/// \file
/// What a level reads from the steps between its ticks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gaia {

/// A level of temporal resolution r that ticks at step t pools the steps (t - r, t], as far as they
/// exist, of the (held) representation below it.
enum class Pooling : std::uint8_t {
  last,    ///< Step t alone.
  mean,    ///< Arithmetic mean over the steps: the anti-aliased choice.
  max,     ///< Largest value over the steps.
  ema,     ///< e_0 = x_0, e_t = e_{t-1} + (x_t - e_{t-1}) / r at every step; the value at step t.
  concat,  ///< The r steps side by side, oldest first, zeros where a step does not exist.
};

std::string to_string(Pooling pooling);

/// \throws ArgumentError for a name that is none, listing the known ones.
Pooling pooling_from_name(std::string_view name);

}  // namespace gaia
