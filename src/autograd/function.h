// SPDX-License-Identifier: MIT
/// \file
/// How an operation becomes differentiable: `record` joins its value to a function that hands
/// gradients back.  All of gaia's operations are built with it, and so are the user's own:
///
///     Tensor cube(const Tensor& x) {
///       const Array value = x.value() * x.value() * x.value();
///       return record("cube", {x}, value, [x = SavedArray(x.value())](GradientFlow& flow) {
///         flow.give(0, 3.0 * flow.gradient() * square(flow.saved(x)));
///       });
///     }
///
/// A backward function that is written for arrays and tensors alike is differentiated itself where
/// a sweep is asked to (`create_graph`); it saves its inputs as tensors, and its result as an
/// array:
///
///     return record_twice("cube", {x}, value, [x = SavedTensor(x)](auto& flow) {
///       flow.give(0, 3.0 * flow.gradient() * square(flow.saved(x)));
///     });
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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
  friend class TensorFlow;
  Array array_;
  std::int64_t version_ = 0;
};

/// `x` if the gradient with respect to `input` can be asked for, else nothing, so that no more
/// stays alive than needed.
SavedArray saved_for(const Tensor& input, const Array& x);

/// A tensor that a backward function needs, with the version of its value at the time.
class SavedTensor {
 public:
  SavedTensor() = default;  ///< Nothing, where nothing is needed.
  explicit SavedTensor(Tensor tensor);

 private:
  friend class GradientFlow;
  friend class TensorFlow;
  std::optional<Tensor> tensor_;
  std::int64_t version_ = 0;
};

/// The tensor `x` if the gradient with respect to `input` can be asked for, else nothing.
SavedTensor saved_for(const Tensor& input, const Tensor& x);

template <class G>
class ReverseSweep;
struct Node;
struct Operation;
class TensorFlow;

/// What a backward function works with: gradients of its outputs come in, those of its inputs go
/// out.
class GradientFlow {
 public:
  /// d loss / d output; zeros for an output that the loss does not depend on.
  const Array& gradient(std::size_t output = 0) const;
  /// Whether anybody wants d loss / d input.
  bool needs(std::size_t input) const;
  /// Passes back d loss / d input: cast to the input's dtype, copied to its device, and summed over
  /// axes along which the input was broadcast.  Several calls for one input add up; an input that
  /// nobody needs is ignored; without a call the gradient is zero.
  /// \throws ShapeError if the input does not broadcast to the gradient's shape.
  void give(std::size_t input, const Array& gradient);
  /// The array as it was when saved.  \throws ArgumentError if it was changed in place since.
  const Array& saved(const SavedArray& array) const;
  const Array& saved(const SavedTensor& tensor) const;
  /// An output of the operation itself, saved as an array.
  const Array& result(const SavedArray& array, std::size_t output = 0) const;
  /// The same gradients as tensors, where the sweep is differentiated; else null.
  TensorFlow* tensors() const { return tensors_; }

 private:
  friend class ReverseSweep<Array>;
  friend class ReverseSweep<Tensor>;
  GradientFlow(ReverseSweep<Array>& sweep, const Operation& operation,
               const std::vector<Array>& gradients)
      : sweep_(&sweep), operation_(&operation), gradients_(&gradients) {}
  explicit GradientFlow(TensorFlow& tensors) : tensors_(&tensors) {}

  ReverseSweep<Array>* sweep_ = nullptr;
  const Operation* operation_ = nullptr;
  const std::vector<Array>* gradients_ = nullptr;
  TensorFlow* tensors_ = nullptr;
};

/// The same for a sweep that is differentiated: all are tensors, and remember how they were
/// computed.
class TensorFlow {
 public:
  const Tensor& gradient(std::size_t output = 0) const;
  bool needs(std::size_t input) const;
  void give(std::size_t input, const Tensor& gradient);
  const Tensor& saved(const SavedTensor& tensor) const;
  const Array& saved(const SavedArray& array) const;
  Tensor result(const SavedArray& array, std::size_t output = 0) const;
  /// \throws ArgumentError, for a gradient that cannot be differentiated.
  [[noreturn]] void refuse() const;

 private:
  friend class ReverseSweep<Tensor>;
  TensorFlow(ReverseSweep<Tensor>& sweep, const std::shared_ptr<Node>& node,
             const std::vector<Tensor>& gradients)
      : sweep_(sweep), node_(node), gradients_(gradients) {}

  ReverseSweep<Tensor>& sweep_;
  const std::shared_ptr<Node>& node_;
  const std::vector<Tensor>& gradients_;
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

/// The same with a backward function for a GradientFlow and a TensorFlow alike.
template <class F>
Tensor record_twice(std::string name, const std::vector<Tensor>& inputs, Array value, F backward);
template <class F>
std::vector<Tensor> record_twice(std::string name, const std::vector<Tensor>& inputs,
                                 std::vector<Array> values, F backward);

namespace detail {

/// One function that holds what was saved once.
template <class F>
auto for_both_flows(F backward) {
  return [backward = std::move(backward)](GradientFlow& flow) {
    if (TensorFlow* tensors = flow.tensors()) {
      backward(*tensors);
    } else {
      backward(flow);
    }
  };
}

Tensor record_twice(std::string name, const std::vector<Tensor>& inputs, Array value,
                    BackwardFunction backward);
std::vector<Tensor> record_twice(std::string name, const std::vector<Tensor>& inputs,
                                 std::vector<Array> values, BackwardFunction backward);

}  // namespace detail

template <class F>
Tensor record_twice(std::string name, const std::vector<Tensor>& inputs, Array value, F backward) {
  return detail::record_twice(std::move(name), inputs, std::move(value),
                              BackwardFunction(detail::for_both_flows(std::move(backward))));
}

template <class F>
std::vector<Tensor> record_twice(std::string name, const std::vector<Tensor>& inputs,
                                 std::vector<Array> values, F backward) {
  return detail::record_twice(std::move(name), inputs, std::move(values),
                              BackwardFunction(detail::for_both_flows(std::move(backward))));
}

}  // namespace gaia
