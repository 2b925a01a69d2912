// SPDX-License-Identifier: MIT
/// \file
/// Initial weights [outputs, inputs], or [outputs, inputs, kernel...] of convolutions.
///
/// The fan-in of a neuron is how many numbers it reads, its fan-out how many neurons read it:
/// inputs and outputs, times the numbers in a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../array/array.h"
#include "../core/random.h"

namespace gaia {

enum class Init : std::uint8_t {
  he,              ///< Normal, variance 2 / fan_in.  He, Zhang, Ren & Sun (2015), arXiv:1502.01852.
  xavier,          ///< Normal, variance 2 / (fan_in + fan_out).  Glorot & Bengio (2010), AISTATS.
  normal,          ///< Normal, standard deviation 0.01.
  uniform,         ///< Uniform in [-0.01, 0.01).
  orthogonal,      ///< Orthonormal rows, or columns where there are more rows.  Saxe et al. (2014),
                   ///< arXiv:1312.6120.
  identity,        ///< A 1 where neuron i reads number i, else 0: what is read goes on as it is.
  he_uniform,      ///< Uniform, variance 2 / fan_in.
  xavier_uniform,  ///< Uniform, variance 2 / (fan_in + fan_out).
  pytorch,         ///< Uniform in +-1 / sqrt(fan_in), what PyTorch's layers start with: variance
                   ///< 1 / (3 fan_in).  For weights and biases.
  zeros,
  positive,  ///< Uniform in [0, 1), then each neuron's row to length 1.
  samples,   ///< Rows of what the layer reads, which anyone who has samples gives it: `init:
             ///< samples`.
};

std::string to_string(Init init);

/// \throws ArgumentError for a name that is none, listing the known ones.
Init init_from_name(std::string_view name);

struct Fan {
  std::int64_t in = 1;
  std::int64_t out = 1;
};

/// The fans of weights [outputs, inputs, kernel...].  \throws ShapeError for less than two axes.
Fan fan_of(const Shape& weights);

/// Weights of any shape; `orthogonal` takes the axes behind the first for one.  Drawn in float64
/// and rounded to `dtype`, so that both precisions start from the same weights. \throws
/// ArgumentError for a fan below 1.
Array initial_weights(Init init, const Shape& shape, Fan fan, DType dtype, RandomStream stream);
/// Weights of shape [outputs, inputs], with these as fans.
Array initial_weights(Init init, std::int64_t outputs, std::int64_t inputs, DType dtype,
                      RandomStream stream);

/// A square matrix with normal entries, scaled so that its largest absolute eigenvalue is
/// `spectral_radius`.
Array recurrent_weights(std::int64_t size, double spectral_radius, DType dtype,
                        RandomStream stream);

/// The same with round(density size^2) of its entries, but at least one, in places drawn by
/// `places`, and 0 elsewhere, which is scaled after that.  \throws ArgumentError unless density is
/// in (0, 1], and where the entries close no loop, so that all eigenvalues are 0.
Array sparse_recurrent_weights(std::int64_t size, double spectral_radius, double density,
                               DType dtype, RandomStream stream, RandomStream places);

/// Largest absolute eigenvalue of a square matrix, to about 1e-10 relative: Gelfand's formula
/// |A^k|^(1/k) with k = 2^40, or, of more than 512 rows where it converges, Arnoldi's method.
double spectral_radius(const Array& matrix);

}  // namespace gaia
