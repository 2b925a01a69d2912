// SPDX-License-Identifier: MIT
/// \file
/// How an operation becomes differentiable: `record` joins its value to a function that hands
/// gradients back.  All of gaia's operations are made with it, and so are the user's own:
///
///     Tensor cube(const Tensor& x) {
///       const Array value = x.value() * x.value() * x.value();
///       return record("cube", {x}, value, [x = SavedArray(x.value())](GradientFlow& flow) {
///         flow.give(0, 3.0 * flow.gradient() * square(flow.saved(x)));
///       });
///     }
///
/// The backward function takes and gives Arrays; it is not differentiated itself.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "../array/operands.h"
#include "tensor.h"

namespace gaia {

/// An array that a backward function needs, with its version at the time.
class SavedArray {
 public:
  SavedArray() = default;  ///< Nothing, where nothing is needed.
  explicit SavedArray(Array array);

 private:
  friend class GradientFlow;
  Array array_;
  std::int64_t version_ = 0;
};

/// `x` if the gradient by `input` can be asked for, else nothing: keeps no more alive than needed.
SavedArray saved_for(const Tensor& input, const Array& x);

class ReverseSweep;
struct Operation;

/// What a backward function works with: gradients of its outputs come in, those of its inputs go
/// out.
class GradientFlow {
 public:
  /// d loss / d output; zeros for an output that the loss does not depend on.
  const Array& gradient(std::size_t output = 0) const;
  /// Whether anybody wants d loss / d input.
  bool needs(std::size_t input) const;
  /// Hands back d loss / d input: cast to the input's dtype, brought to its device, and summed over
  /// axes along which the input was broadcast.  Several calls for one input add up; an input that
  /// nobody needs is ignored; without a call the gradient is zero.
  /// \throws ShapeError if the input does not broadcast to the gradient's shape.
  void give(std::size_t input, const Array& gradient);
  /// The array as it was when saved.  \throws ArgumentError if it was changed in place since.
  const Array& saved(const SavedArray& array) const;

 private:
  friend class ReverseSweep;
  GradientFlow(ReverseSweep& sweep, const Operation& operation, const std::vector<Array>& gradients)
      : sweep_(sweep), operation_(operation), gradients_(gradients) {}

  ReverseSweep& sweep_;
  const Operation& operation_;
  const std::vector<Array>& gradients_;
};

using BackwardFunction = std::function<void(GradientFlow&)>;

/// `value`, computed from `inputs`, as a tensor.  Requires a gradient, and then keeps `backward`,
/// if an input requires one, recording is enabled on this thread and `value` is floating.
/// `backward` runs on the device that is current now.  Arrays go into it as SavedArray. \param name
/// of the operation, for messages.
Tensor record(std::string name, const std::vector<Tensor>& inputs, Array value,
              BackwardFunction backward);
/// The same for an operation with several results.
std::vector<Tensor> record(std::string name, const std::vector<Tensor>& inputs,
                           std::vector<Array> values, BackwardFunction backward);

}  // namespace gaia
