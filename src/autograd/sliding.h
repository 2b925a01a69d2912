// SPDX-License-Identifier: MIT
/// \file
/// Convolution and pooling of images and signals of tensors; options and shapes are those of the
/// functions of arrays with the same names.
#pragma once

#include <optional>

#include "../array/convolution.h"
#include "../array/pool2d.h"
#include "tensor.h"

namespace gaia {

/// numpy.convolve of two 1-d tensors, and the causal mode.
Tensor convolve1d(const Tensor& x, const Tensor& kernel,
                  ConvolutionMode mode = ConvolutionMode::full,
                  ConvolutionBoundary boundary = ConvolutionBoundary::zero);
/// Each column of x [T, F], or of a batch [..., T, F], with `kernel` [K], or with its column of
/// `kernel` [K, F].
Tensor temporal_convolution(const Tensor& x, const Tensor& kernel,
                            ConvolutionMode mode = ConvolutionMode::causal,
                            ConvolutionBoundary boundary = ConvolutionBoundary::zero);

/// x [N, C, H, W], weights [O, C / groups, kh, kw], bias [O]: [N, O, H', W'].
Tensor conv2d(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias = {},
              const Conv2dOptions& options = {});
/// x [N, C, L], weights [O, C / groups, k], bias [O]: [N, O, L'].
Tensor conv1d(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias = {},
              const Conv1dOptions& options = {});

/// The gradient goes to the element that was the largest, the first of equal ones.
Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options = {});
Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options = {});
Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options = {});
Tensor avg_pool1d(const Tensor& x, const AvgPool1dOptions& options = {});

}  // namespace gaia
