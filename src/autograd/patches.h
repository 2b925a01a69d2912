// SPDX-License-Identifier: MIT
/// \file
/// Windows of images as columns, and back, as of arrays (`array/patches.h`): each is the gradient
/// of the other.
#pragma once

#include "../array/patches.h"
#include "tensor.h"

namespace gaia {

/// [N, C, H, W] gives [N, C kh kw, H' W'].
Tensor unfold(const Tensor& x, const SlidingWindow& window);
/// [N, C kh kw, H' W'] gives [N, C, H, W].
Tensor fold(const Tensor& columns, const Pair& size, const SlidingWindow& window);

}  // namespace gaia
