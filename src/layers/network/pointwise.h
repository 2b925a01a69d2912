// SPDX-License-Identifier: MIT
/// \file
/// Layers without parameters: activations, shapes, dropout, and any function of one's own.
#pragma once

#include <functional>
#include <string>

#include "../../array/ops.h"
#include "../../autograd/ops.h"
#include "../../core/random.h"
#include "module.h"
#include "module_kind.h"

namespace gaia {

/// Any function of a tensor as a layer.
class FunctionLayer : public Module {
 public:
  FunctionLayer(std::string type, std::function<Tensor(const Tensor&)> function)
      : type_(std::move(type)), function_(std::move(function)) {}

  std::string type() const override { return type_; }
  Tensor forward(const Tensor& x) override { return function_(x); }

 private:
  std::string type_;
  std::function<Tensor(const Tensor&)> function_;
};

/// A function of one number as a layer, from its parameters: ElementwiseLayer<Elu>(2.0).
template <class F>
class ElementwiseLayer final : public FunctionLayer {
 public:
  explicit ElementwiseLayer(auto... parameters)
      : FunctionLayer(F::facts.name,
                      [f = F{parameters...}](const Tensor& x) { return elementwise(f, x); }) {}
};

using ReluLayer = ElementwiseLayer<Relu>;
using LeakyReluLayer = ElementwiseLayer<LeakyRelu>;
using EluLayer = ElementwiseLayer<Elu>;
using SiluLayer = ElementwiseLayer<Silu>;
using MishLayer = ElementwiseLayer<Mish>;
using HardswishLayer = ElementwiseLayer<HardSwish>;
using SoftplusLayer = ElementwiseLayer<Softplus>;
using TanhLayer = ElementwiseLayer<Tanh>;
using SigmoidLayer = ElementwiseLayer<Sigmoid>;

/// x Phi(x), Phi being the normal distribution function
class GeluLayer final : public FunctionLayer {
 public:
  explicit GeluLayer(GeluForm form = GeluForm::tanh)
      : FunctionLayer("gelu", [=](const Tensor& x) { return gelu(x, form); }) {}
};

class SoftmaxLayer final : public FunctionLayer {
 public:
  explicit SoftmaxLayer(std::int64_t axis = -1)
      : FunctionLayer("softmax", [=](const Tensor& x) { return softmax(x, axis); }) {}
};

class LogSoftmaxLayer final : public FunctionLayer {
 public:
  explicit LogSoftmaxLayer(std::int64_t axis = -1)
      : FunctionLayer("log_softmax", [=](const Tensor& x) { return log_softmax(x, axis); }) {}
};

/// [batch, a, b, ...] becomes [batch, a b ...].
class Flatten final : public Module {
 public:
  std::string type() const override { return "flatten"; }
  /// \throws ShapeError for a tensor without axes.
  Tensor forward(const Tensor& x) override;
};

/// [batch, ...] becomes [batch, shape...]; one length may be -1.
class Reshape final : public Module {
 public:
  explicit Reshape(const Shape& shape) : shape_(shape) {}
  std::string type() const override { return "reshape"; }
  Tensor forward(const Tensor& x) override;

 private:
  Shape shape_;
};

struct DropoutOptions {
  double probability = 0.5;             ///< Probability that an element is dropped: in [0, 1].
  RandomStream random = next_stream();  ///< Call n while training draws from stream n of this one.
};

/// While training each element is 0 with the probability given, and divided by 1 - probability
/// else (with probability 1 all are 0); while not training x itself.  Srivastava et al. (2014),
/// JMLR 15, 1929.
class Dropout final : public Module {
 public:
  /// \throws ArgumentError for a probability out of [0, 1].
  explicit Dropout(const DropoutOptions& options = {});
  explicit Dropout(double probability) : Dropout(DropoutOptions{.probability = probability}) {}

  std::string type() const override { return "dropout"; }
  Tensor forward(const Tensor& x) override;

 private:
  double probability_;
  RandomStream random_;
  std::int64_t calls_ = 0;
};

/// Keys in an experiment: type: flatten.
struct FlattenKind {
  static constexpr const char* name = "flatten";
  void keys(ConfigVisitor& /*v*/) {}
  void add_to(const ModulePlace& place) const { place.net.add<Flatten>(); }
};

/// Keys in an experiment: type: dropout.
struct DropoutKind {
  DropoutOptions options = {.random = {}};

  static constexpr const char* name = "dropout";
  void keys(ConfigVisitor& v) {
    v.number({"probability", "of an answer to be dropped while training"}, options.probability,
             {0.0, 1.0});
  }
  void add_to(const ModulePlace& place) const { place.net.add<Dropout>(placed(options, place)); }
};

}  // namespace gaia
