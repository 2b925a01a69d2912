// SPDX-License-Identifier: MIT
/// \file
/// Tensor: an Array that knows how it was computed, and so what it would take to change it.
///
/// Functions of tensors have the names of the functions of arrays (`autograd/ops.h` lists them) and
/// compute the same values.  Where an argument requires a gradient, and no NoGrad lives, the result
/// remembers the operation; `backward` then walks from a result to the leaves and leaves
/// d result / d leaf in each leaf's `grad`.  Gradients are Arrays: they have the shape, dtype and
/// device of the value they belong to; with `create_graph` they are tensors too, which can be
/// differentiated again.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../array/array.h"

namespace gaia {

struct TensorState;

struct BackwardOptions {
  /// d loss / d this tensor, broadcast to its shape; may be left out if it has one element, and is
  /// then 1.
  std::optional<Array> gradient = {};
  /// Whether the history stays, for another sweep over it.
  bool retain_graph = false;
  /// Whether gradients remember how they were computed, so that they can be differentiated again
  /// (`Tensor::grad_tensor`); the history then stays as well.
  bool create_graph = false;
};

class Tensor {
 public:
  /// No elements: shape [0], float32.
  Tensor();

  /// A leaf.  Not explicit: where a tensor is taken, an array is a constant.
  /// \throws DTypeError if it requires a gradient and is neither float32 nor float64.
  Tensor(Array value, bool requires_grad = false);

  // What it is.  Copies of a tensor share value, gradient and history.

  /// The numbers.  Changing them in place (`value().assign(...)`) is how a leaf is trained; a
  /// backward sweep that still needs the old ones refuses.
  const Array& value() const;
  const Shape& shape() const;
  std::int64_t shape(int axis) const;  ///< Negative axes count from the end.
  int rank() const;
  std::int64_t size() const;  ///< Number of elements.
  DType dtype() const;
  Device device() const;
  double item() const;  ///< The only element.  \throws ShapeError if there is not exactly one.

  // Gradients

  /// Whether gradients flow to or through it.
  bool requires_grad() const;
  /// \throws ArgumentError unless it is a leaf, DTypeError as the constructor.
  void set_requires_grad(bool required);
  /// Whether no recorded operation computed it; only leaves that require a gradient collect one.
  bool is_leaf() const;

  bool has_grad() const;
  /// The sum of what the sweeps since the last `zero_grad` found.  \throws ArgumentError if there
  /// is none.
  const Array& grad() const;
  /// The same as a tensor that can be differentiated.  \throws ArgumentError if there is none, or
  /// if a sweep without `create_graph` has added to it.
  const Tensor& grad_tensor() const;
  bool has_grad_tensor() const;
  /// \throws ShapeError or DTypeError unless shape and dtype are those of the value.
  void set_grad(Array gradient);
  void zero_grad();  ///< Drops the gradient.

  /// Adds d this / d leaf to the gradient of every leaf that this was computed from and that
  /// requires one.  Leaves change only when the whole sweep has succeeded.  History that has been
  /// walked, be it up to an error, is dropped, unless `retain_graph`; each operation is undone on
  /// the device that it ran on.
  /// \throws ArgumentError if this does not require a gradient, if the seed gradient is missing, if
  ///         history was dropped before, or if a value needed was changed in place; ShapeError if
  ///         the seed does not broadcast to the shape.
  void backward(const BackwardOptions& options = {}) const;

  /// The same numbers as a leaf that requires no gradient.
  Tensor detach() const;

  // Views and casts; `autograd/ops.h` has them as functions too.

  Tensor astype(DType dtype) const;
  Tensor to(Device device) const;
  Tensor reshape(const Shape& shape) const;
  Tensor transpose(const Axes& axes = {}) const;
  Tensor swapaxes(std::int64_t a, std::int64_t b) const;
  Tensor squeeze(const Axes& axes = {}) const;
  Tensor expand_dims(std::int64_t axis) const;
  Tensor broadcast_to(const Shape& shape) const;
  Tensor slice(std::int64_t axis, std::optional<std::int64_t> start,
               std::optional<std::int64_t> stop = {}, std::int64_t step = 1) const;
  Tensor select(std::int64_t axis, std::int64_t index) const;
  Tensor diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) const;
  Tensor operator[](std::int64_t index) const;

 private:
  friend struct TensorAccess;

  std::shared_ptr<TensorState> state_;
};

struct GradOptions {
  /// d loss / d output for each output, broadcast to its shape; may be left out if every output has
  /// one element, and is then 1.
  std::vector<Array> seeds = {};
  /// Whether the history stays, for another sweep over it.
  bool retain_graph = false;
  /// Whether an input that the outputs do not depend on gets zeros instead of an error.
  bool allow_unused = false;
};

/// sum over outputs of seed * d output / d input, one array for each input, leaf or not.  Gradients
/// of leaves (`Tensor::grad`) stay as they are; only the history between inputs and outputs is
/// walked.
/// \throws as Tensor::backward, and ArgumentError for an input that requires no gradient, or that
///         the outputs do not depend on.
std::vector<Array> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                        const GradOptions& options = {});

/// Asks `grad` for gradients that can be differentiated again.
struct CreateGraph {
  /// Seeds as in GradOptions, which may require gradients themselves.
  explicit CreateGraph(std::vector<Tensor> seeds_of_outputs = {}, bool zeros_for_unused = false)
      : seeds(std::move(seeds_of_outputs)), allow_unused(zeros_for_unused) {}

  std::vector<Tensor> seeds;
  bool allow_unused;
};

namespace detail {

std::vector<Tensor> grad_of_graph(const std::vector<Tensor>& outputs,
                                  const std::vector<Tensor>& inputs, const CreateGraph& options);

}  // namespace detail

/// The same as tensors that can be differentiated again, for functions whose gradients are computed
/// from differentiable functions (docs/autograd.md lists them).  The history stays.
///
///     const Tensor slope = grad({y}, {x}, CreateGraph()).front();
///     const Array curvature = grad({sum(slope)}, {x}).front();
///
/// \throws as above, and ArgumentError naming a function whose gradient cannot be differentiated.
/// (A template, so that `grad(outputs, inputs, {})` means the function above.)
template <std::same_as<CreateGraph> Options>
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const Options& options) {
  return detail::grad_of_graph(outputs, inputs, options);
}

}  // namespace gaia
