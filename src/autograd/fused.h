// SPDX-License-Identifier: MIT
/// \file
/// The fused operations for tensors: forward and backward each in one pass over memory.  Equations,
/// shapes and options are those of `array/fused.h`.
#pragma once

#include <optional>

#include "../array/fused.h"
#include "tensor.h"

namespace gaia {

/// gelu(x W^T + b): x [..., in], weights [out, in], bias [out] or none.
Tensor linear_gelu(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias = {},
                   GeluForm form = GeluForm::tanh);

/// Mean 0 and variance 1 along the last axes, then weight and bias, each of the shape of these axes
/// or none.
Tensor layer_norm(const Tensor& x, const std::optional<Tensor>& weight = {},
                  const std::optional<Tensor>& bias = {}, const LayerNormOptions& options = {});

/// softmax(scale q k^T) v: q [..., T, d], k [..., S, d], v [..., S, dv].  Memory is linear in T and
/// S in both directions.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options = {});

}  // namespace gaia
