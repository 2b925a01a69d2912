// SPDX-License-Identifier: MIT
/// \file
/// Random orthonormal vectors, with which generators mix and rotate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../core/random.h"

namespace gaia {

/// `count` <= `length` orthonormal vectors, one after the other, drawn uniformly: the columns of Q
/// in the QR decomposition of a Gaussian matrix, R's diagonal made positive.
/// Mezzadri (2007), Notices AMS 54, 592.
std::vector<double> random_orthonormal(std::int64_t length, std::int64_t count,
                                       const RandomStream& stream);

/// x = sum_k weights_k vector_k, for vectors of x's length, one after the other.
void combine(std::span<const double> vectors, std::span<const double> weights, std::span<double> x);

}  // namespace gaia
