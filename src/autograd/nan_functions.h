// SPDX-License-Identifier: MIT
/// \file
/// Reductions of tensors that leave out NaN, as of arrays (`array/nan_functions.h`).  NaN gets no
/// gradient.
#pragma once

#include <cstdint>

#include "../array/nan_functions.h"
#include "tensor.h"

namespace gaia {

Tensor nansum(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
Tensor nanmean(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
Tensor nanvar(const Tensor& x, const Axes& axes = {}, std::int64_t ddof = 0,
              bool keep_dims = false);
Tensor nanstd(const Tensor& x, const Axes& axes = {}, std::int64_t ddof = 0,
              bool keep_dims = false);
/// The gradient goes to the one or two elements that it was computed from.
Tensor nanmedian(const Tensor& x, const Axes& axes = {}, bool keep_dims = false);
Tensor nanquantile(const Tensor& x, double q, const Axes& axes = {}, bool keep_dims = false,
                   QuantileMethod method = QuantileMethod::linear);

}  // namespace gaia
