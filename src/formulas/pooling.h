// SPDX-License-Identifier: MIT
/// \file
/// What a level reads from the steps between its ticks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
std::vector<std::string> pooling_names();

/// \throws ArgumentError for a name that is none, listing the known ones.
Pooling pooling_from_name(std::string_view name);

/// Length of what a level of this temporal resolution reads, for a representation of length n
/// below; nothing where it has more than 63 bits.
std::optional<std::int64_t> pooled_size(Pooling pooling, std::int64_t resolution, std::int64_t n);

}  // namespace gaia
