// SPDX-License-Identifier: MIT
/// \file
/// The operations of `fused.h` as compositions of plain ones: what they mean, what they are tested
/// against, and what returns where a device has no fused kernel.  Arguments, results and errors are
/// theirs.
#pragma once

#include <optional>

#include "fused.h"

namespace gaia::unfused {

LinearGeluResult linear_gelu_forward(const Array& x, const Array& weights,
                                     const std::optional<Array>& bias = {},
                                     GeluForm form = GeluForm::tanh);
LinearGeluGradients linear_gelu_backward(const Array& dy, const Array& x, const Array& weights,
                                         const Array& z, GeluForm form = GeluForm::tanh,
                                         const LinearGeluWanted& wanted = {});

LayerNormResult layer_norm_forward(const Array& x, const std::optional<Array>& weight = {},
                                   const std::optional<Array>& bias = {},
                                   const LayerNormOptions& options = {});
LayerNormGradients layer_norm_backward(const Array& dy, const Array& x,
                                       const std::optional<Array>& weight, const Array& mean,
                                       const Array& rstd, const LayerNormOptions& options = {});

/// Holds the scores [..., T, S].
AttentionResult attention_forward(const Array& q, const Array& k, const Array& v,
                                  const AttentionOptions& options = {});
AttentionGradients attention_backward(const Array& dy, const Array& q, const Array& k,
                                      const Array& v, const AttentionResult& forward,
                                      const AttentionOptions& options = {});

}  // namespace gaia::unfused
