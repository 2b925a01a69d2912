// SPDX-License-Identifier: MIT
/// \file
/// What backward functions for arrays and tensors alike are written with.  Not for users.
#pragma once

#include <type_traits>

#include "../array/array.h"
#include "../formulas/elementwise.h"
#include "tensor.h"

namespace gaia {

/// The numbers, for questions that have no gradient.
inline const Array& value_of(const Array& x) { return x; }
inline const Array& value_of(const Tensor& x) { return x.value(); }

class TensorFlow;

/// Whether a backward function is called with a TensorFlow.
template <class Flow>
inline constexpr bool is_on_tensors = std::is_same_v<std::decay_t<Flow>, TensorFlow>;

/// f'(x) at y = f(x), as a tensor that can be differentiated; of x and y only what the slope of f
/// reads is there, which stands in for the other.  \throws ArgumentError for a function whose
/// slope has none (TensorFlow::refuse).
Tensor slope_of(const Unary& f, const Tensor& x, const Tensor& y, const TensorFlow& flow);

}  // namespace gaia
