// SPDX-License-Identifier: MIT
/// \file
/// Weights that are -1, 0 or 1 times a scale, and how gradients pass them.
#pragma once

#include <cstdint>

#include "../../autograd/tensor.h"

namespace gaia {

/// What has a scale of its own.
enum class TernaryScale : std::uint8_t {
  matrix,  ///< All weights share one, 0-d.
  row,     ///< Each neuron has one, [rows, 1].
};

/// `weights` as codes times their scale, gamma = mean |w|: clip(round(w / (gamma + 1e-8)), -1, 1).
/// Ma et al. (2024), arXiv:2402.17764, where the matrix has the scale.
struct Ternary {
  Array codes;  ///< -1, 0 and 1, in the dtype of the weights.
  Array scale;  ///< gamma, 0-d, or [rows, 1].
};
/// The ternary form of weights [rows, columns].  \throws ShapeError for scales of rows unless 2-d.
Ternary ternary(const Array& weights, TernaryScale scale = TernaryScale::matrix);

/// Codes -1, 0 and 1 [rows, columns] in two bits each, 16 to an int32: [rows, ceil(columns / 16)].
/// \throws ShapeError unless 2-d.
Array pack_ternary(const Array& codes);
/// The codes again, [rows, columns], in `dtype`.  \throws ShapeError, DTypeError.
Array unpack_ternary(const Array& packed, std::int64_t columns, DType dtype = DType::float32);

/// `value` in place of `x`, with the gradient of x: as if what computed it from x were not there.
/// Bengio, Leonard & Courville (2013), arXiv:1308.3432.  `value` has the shape of x.
Tensor straight_through(const Tensor& x, const Array& value);

/// x T^T for x [..., columns] and packed codes T [rows, columns]: [..., rows], in `dtype`, or
/// float64 where x is.  Codes stay packed (ternary_product); of many inputs, and for gradients,
/// some rows of them are unpacked at a time.  \throws ShapeError if they do not fit.
Tensor packed_product(const Tensor& x, const Array& packed, std::int64_t columns, DType dtype);

}  // namespace gaia
