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
  /// Products of these r steps with the first rows of legendre_rows, degree by degree.
  legendre,
};

std::string to_string(Pooling pooling);
/// Those that a word alone says: all but `legendre`, which needs a degree.
std::vector<std::string> pooling_names();

/// \throws ArgumentError for a name that is none, listing the known ones.
Pooling pooling_from_name(std::string_view name);

/// Length of what a level of this temporal resolution reads, for a representation of length n
/// below; nothing where it has more than 63 bits.  `rows` is how many rows `legendre` takes.
std::optional<std::int64_t> pooled_size(Pooling pooling, std::int64_t resolution, std::int64_t n,
                                        std::int64_t rows = 0);

/// Discrete Legendre polynomials: 1, u, u^2 ... made orthonormal over `steps` points by Gram and
/// Schmidt, the highest coefficient positive; u goes from -1 at the oldest step to 1 at the newest.
/// Row-major [rows, steps].  \throws ArgumentError unless 1 <= rows <= steps.
std::vector<double> legendre_rows(std::int64_t rows, std::int64_t steps);

}  // namespace gaia
