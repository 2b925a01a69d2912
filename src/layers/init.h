// SPDX-License-Identifier: MIT
/// \file
/// Initial weights [outputs, inputs].  The fan-in of a neuron is its number of inputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../array/array.h"
#include "../core/random.h"

namespace gaia {

enum class Init : std::uint8_t {
  he,          ///< Normal, variance 2 / inputs.  He, Zhang, Ren & Sun (2015), arXiv:1502.01852.
  xavier,      ///< Normal, variance 2 / (inputs + outputs).  Glorot & Bengio (2010), AISTATS.
  normal,      ///< Normal, standard deviation 0.01.
  uniform,     ///< Uniform in [-0.01, 0.01).
  orthogonal,  ///< Orthonormal rows, or columns where there are more rows.  Saxe et al. (2014),
               ///< arXiv:1312.6120.
};

std::string to_string(Init init);

/// \throws ArgumentError for a name that is none, listing the known ones.
Init init_from_name(std::string_view name);

/// Drawn in float64 and rounded to `dtype`, so that both precisions start from the same weights.
Array initial_weights(Init init, std::int64_t outputs, std::int64_t inputs, DType dtype,
                      RandomStream stream);

/// A square matrix with normal entries, scaled so that its largest absolute eigenvalue is
/// `spectral_radius`.
Array recurrent_weights(std::int64_t size, double spectral_radius, DType dtype,
                        RandomStream stream);

/// Largest absolute eigenvalue of a square matrix, to about 1e-10 relative, by Gelfand's formula
/// |A^k|^(1/k) with k = 2^40.
double spectral_radius(const Array& matrix);

}  // namespace gaia
