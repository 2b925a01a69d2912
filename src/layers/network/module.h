// SPDX-License-Identifier: MIT
/// \file
/// Module: a part of a network that gradients train.
///
/// A module maps a tensor to a tensor, and knows its parameters, its buffers (arrays that training
/// changes without a gradient) and its children by name.  "2.weights" is the parameter `weights` of
/// child 2.  Writing one:
///
///     class Scale final : public Module {
///      public:
///       explicit Scale(std::int64_t n) : factor_(ones({n}), true) { add("factor", factor_); }
///       std::string type() const override { return "scale"; }
///       Tensor forward(const Tensor& x) override { return x * factor_; }
///
///      private:
///       Tensor factor_;
///     };
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../array/array_map.h"
#include "../../autograd/tensor.h"

namespace gaia {

class Module {
 public:
  Module() = default;
  virtual ~Module() = default;
  // Others hold pointers to a module's parameters.
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// What it is in one word: "dense", "conv2d".
  virtual std::string type() const = 0;

  virtual Tensor forward(const Tensor& x) = 0;
  /// The same in mixed precision (autograd/mixed_precision.h): of x in bfloat16, answered in
  /// `answer`, which is bfloat16 or float32.  By default all is computed in float32 between the
  /// two.
  virtual Tensor forward_bfloat16(const Tensor& x, DType answer);
  Tensor operator()(const Tensor& x) { return forward(x); }

  /// Parameters of this module and its children, in the order in which they were added.
  std::vector<std::pair<std::string, Tensor>> named_parameters() const;
  std::vector<Tensor> parameters() const;
  std::int64_t parameter_count() const;  ///< Numbers in all parameters together.

  /// Parameters and buffers.  The arrays share their elements with the module.
  ArrayMap state() const;
  /// Copies `values` into parameters and buffers, cast to their dtypes.
  /// \throws ArgumentError for a name that is missing or unknown, ShapeError for another shape;
  ///         nothing has changed then.
  void set_state(const ArrayMap& values);

  /// Counts on which training depends beside parameters and buffers, such as how often dropout has
  /// drawn, by name.
  std::map<std::string, std::int64_t> counts() const;
  /// \throws ArgumentError unless there is one for each of these counts.
  void set_counts(const std::map<std::string, std::int64_t>& values);

  /// Whether it behaves as in training: dropout drops, batch norm uses the batch, plastic layers
  /// learn.  True at first.
  bool is_training() const { return training_; }
  void train(bool training = true);  ///< Sets the mode of this module and its children.
  void eval() { train(false); }

  /// Whether gradients reach the parameters: without, they stay as they are.
  void set_requires_grad(bool required);
  void zero_grad();  ///< Drops the gradients of all parameters.

  /// Moves parameters and buffers to a device.  Optimisers created before still have the old ones.
  void to(Device device);

  const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& children() const {
    return children_;
  }

 protected:
  // What is added must be a member: the module keeps its address.

  void add(std::string name, Tensor& parameter);
  void add(std::string name, Array& buffer);
  void add(std::string name, std::int64_t& count);
  void add(std::string name, std::shared_ptr<Module> child);  ///< In place of one of that name.

 private:
  friend class Evaluating;

  void visit_counts(const std::string& prefix,
                    const std::function<void(const std::string&, std::int64_t&)>& visitor) const;
  void visit(const std::string& prefix,
             const std::function<void(const std::string&, Tensor*, Array*)>& visitor) const;

  std::vector<std::pair<std::string, Tensor*>> parameters_;
  std::vector<std::pair<std::string, Array*>> buffers_;
  std::vector<std::pair<std::string, std::int64_t*>> counts_;
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> children_;
  bool training_ = true;
};

/// Puts a module into evaluation mode for a scope; restores the mode of each of its parts.
class Evaluating {
 public:
  explicit Evaluating(Module& module);
  ~Evaluating();
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  void collect(Module& module);

  std::vector<Module*> were_training_;
};

}  // namespace gaia
