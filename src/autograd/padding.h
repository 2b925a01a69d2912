// SPDX-License-Identifier: MIT
/// \file
/// More elements at the ends of the axes of tensors, as of arrays (`array/padding.h`).
#pragma once

#include <cstdint>
#include <vector>

#include "../array/padding.h"
#include "tensor.h"

namespace gaia {

/// numpy.pad.  What is added passes its gradient to the elements that it was computed from; of
/// equal extremes each gets its share.
Tensor pad(const Tensor& x, const std::vector<PadWidth>& widths, const PadOptions& options = {});
/// The same number at all ends.
inline Tensor pad(const Tensor& x, std::int64_t width, const PadOptions& options = {}) {
  return pad(x, {{width, width}}, options);
}

}  // namespace gaia
