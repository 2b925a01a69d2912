// SPDX-License-Identifier: MIT
/// \file
/// Normalisation of tensors beside layer_norm (`fused.h`).
#pragma once

#include <cstdint>
#include <optional>

#include "tensor.h"

namespace gaia {

struct GroupNormOptions {
  double epsilon = 1e-5;  ///< Added to the variance.
};

/// (x - mean) / sqrt(variance + epsilon) weight_c + bias_c of x [batch, channels, positions...],
/// with mean and variance (the biased one) of each sample over `groups` groups of neighbouring
/// channels and all of their positions; weight and bias [channels].  Wu & He (2018),
/// arXiv:1803.08494.
/// \throws ShapeError for other shapes, ArgumentError unless groups divides channels.
Tensor group_norm(const Tensor& x, std::int64_t groups, const std::optional<Tensor>& weight = {},
                  const std::optional<Tensor>& bias = {}, const GroupNormOptions& options = {});

/// The same of every channel by itself.  Ulyanov, Vedaldi & Lempitsky (2016), arXiv:1607.08022.
/// \throws ShapeError for x without positions, or with one of them only, whose variance is 0.
Tensor instance_norm(const Tensor& x, const std::optional<Tensor>& weight = {},
                     const std::optional<Tensor>& bias = {}, const GroupNormOptions& options = {});

struct RmsNormOptions {
  int axes = 1;  ///< How many of the last axes a mean is taken over.
  /// Added to the mean square; nothing: the distance from 1 to the next number of the dtype.
  std::optional<double> epsilon = {};
};

/// x / sqrt(mean(x^2) + epsilon) weight over the last axes, weight of their lengths.
/// Zhang & Sennrich (2019), arXiv:1910.07467.
/// \throws ShapeError for other shapes, ArgumentError for an epsilon below 0.
Tensor rms_norm(const Tensor& x, const std::optional<Tensor>& weight = {},
                const RmsNormOptions& options = {});

}  // namespace gaia
