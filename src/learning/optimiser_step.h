// SPDX-License-Identifier: MIT
/// \file
/// One step of gradient descent on arrays, in place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../array/array.h"
#include "../formulas/optimiser_rules.h"

namespace gaia {

/// A parameter, its gradient, and the memory of its rule (`OptimiserRule`'s a and b, zeros before
/// the first step).  Memory that the rule does not have stays without elements.
struct OptimisedArray {
  Array parameter;  ///< Changed.
  Array gradient;
  Array first;   ///< a: changed.
  Array second;  ///< b: changed.
};

/// How many memory arrays, each like the parameter, the rule needs: 0, 1 or 2.
int state_count(const OptimiserRule& rule);

/// Applies `rule` once to every parameter; `step` counts from 1.  All arrays of an entry have one
/// shape and one dtype, float32 or float64; parameters and memory live on the current device.
/// \throws ArgumentError for a step below 1, or a parameter or memory that is a broadcast view;
///         ShapeError, DTypeError, DeviceError.
void optimiser_step(const OptimiserRule& rule, std::int64_t step,
                    std::span<const OptimisedArray> parameters);

/// sqrt of the sum of squares of all elements of all arrays, summed in double.
double total_norm(std::span<const Array> arrays);

/// Every array times `factor`, in new arrays on the current device, which may make all of them in
/// one go.
std::vector<Array> scaled(std::span<const Array> arrays, double factor);

/// Multiplies all arrays by max_norm / (total_norm + 1e-6), in place, if that is below 1, and
/// returns the norm from before: PyTorch's clip_grad_norm_.  Elements that several of them share
/// are multiplied once. \throws ArgumentError if max_norm is negative or NaN.
double clip_grad_norm(std::span<const Array> gradients, double max_norm);

}  // namespace gaia
