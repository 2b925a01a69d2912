// SPDX-License-Identifier: MIT
/// \file
/// Random orthonormal vectors: initial weights, and the mixing and rotation of generated series.
#pragma once

#include <cstdint>

#include "../core/random.h"
#include "array.h"

namespace gaia {

/// `count` orthonormal vectors as the rows of [count, length], float64, drawn uniformly: the
/// columns of Q in the QR decomposition of a Gaussian matrix, R's diagonal made positive.
/// Mezzadri (2007), Notices AMS 54, 592.  \throws ShapeError unless 0 <= count <= length.
Array random_orthonormal(std::int64_t count, std::int64_t length, RandomStream stream);

}  // namespace gaia
