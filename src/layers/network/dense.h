// SPDX-License-Identifier: MIT
/// \file
/// A layer of neurons that read all inputs.
#pragma once

#include <optional>

#include "../../core/random.h"
#include "../../formulas/activation.h"
#include "../../learning/rewiring.h"
#include "../init.h"
#include "module.h"
#include "module_kind.h"

namespace gaia {

struct DenseOptions {
  Activation activation = Activation::linear;
  bool bias = true;
  Init init = Init::pytorch;  ///< Initial weights; the bias starts as PyTorch's, uniform in
                              ///< +-1 / sqrt(inputs), or zero under another init.
  DType dtype = DType::float32;
  RandomStream random = next_stream();  ///< Stream of the weights; the bias has one of its own.
};

/// y = f(x W^T + b): x [..., inputs], W "weights" [outputs, inputs], b "bias" [outputs],
/// y [..., outputs].  With f = gelu (its tanh form) one fused operation.
class Dense final : public Module {
 public:
  /// \throws ArgumentError unless both sizes are at least 1, DTypeError unless float32 or float64.
  Dense(std::int64_t inputs, std::int64_t outputs, const DenseOptions& options = {});

  std::string type() const override { return "dense"; }
  Tensor forward(const Tensor& x) override;
  Tensor forward_bfloat16(const Tensor& x, DType answer) override;

  const Tensor& weights() const { return weights_; }
  const Tensor& bias() const { return bias_; }  ///< Without elements if there is none.

 private:
  Activation activation_;
  bool has_bias_;
  Tensor weights_;
  Tensor bias_;
};

/// x W^T + b for x [..., inputs], W [outputs, inputs], b [outputs] or none.
/// \throws ShapeError if they do not fit.
Tensor linear(const Tensor& x, const Tensor& weights);
Tensor linear(const Tensor& x, const Tensor& weights, const Tensor& bias);

/// f(x W^T + b) in mixed precision, in `answer`: bfloat16 or float32.  A bias without elements is
/// none.
Tensor dense_bfloat16(const Tensor& x, const Tensor& weights, const Tensor& bias, Activation f,
                      DType answer);

/// The bias [outputs] that belongs to weights drawn by `init` from `random`: PyTorch's, or zeros.
Array initial_bias(Init init, std::int64_t outputs, Fan fan, DType dtype, RandomStream random);

/// \throws ArgumentError unless `value` is at least `least`; "[type] what: expected ..., got ...".
void check_size(const char* type, const char* what, std::int64_t value, std::int64_t least = 1);

/// \throws DTypeError unless float32 or float64.
void check_trainable(const char* type, DType dtype);

/// Keys in an experiment: type: dense.
struct DenseKind {
  std::int64_t size = 0;
  DenseOptions options = {.random = {}};
  std::optional<RewireOptions> rewire = {};  ///< Few weights, which go and come: a RewiredDense.

  static constexpr const char* name = "dense";
  void keys(ConfigVisitor& v);
  void add_to(const ModulePlace& place) const;
};

}  // namespace gaia
