// SPDX-License-Identifier: MIT
/// \file
/// What a network in mixed precision is made of: numbers are stored as bfloat16, which has the
/// range of float32 and 8 bits of mantissa, and sums are carried in float32 (Kalamkar et al. 2019,
/// arXiv:1905.12322).  Parameters stay float32, since a step of an optimiser is often smaller than
/// what bfloat16 can tell apart; so do their gradients.
#pragma once

#include <optional>

#include "../formulas/activation.h"
#include "tensor.h"

namespace gaia {

/// y = x W^T + b in float32, with x [..., inputs] and W [outputs, inputs] rounded to bfloat16.
/// Products of two such numbers are exact in float32, in which they are added up.  The backward
/// sweep keeps x and W as bfloat16 and gives float32: dx = dy W, dW = dy^T x of the rounded ones,
/// as if nothing had been rounded.  \throws ShapeError if they do not fit.
Tensor linear_bfloat16(const Tensor& x, const Tensor& weights,
                       const std::optional<Tensor>& bias = {});

/// f(x), rounded to bfloat16.  The backward sweep keeps x or f(x), whichever the slope of f is
/// computed from, as bfloat16, and computes in float32.
Tensor activate_bfloat16(Activation f, const Tensor& x);

/// x with its numbers rounded to those that bfloat16 has, in its own dtype; gradients pass as if
/// nothing had been rounded.
Tensor round_to_bfloat16(const Tensor& x);

}  // namespace gaia
