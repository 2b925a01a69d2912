// SPDX-License-Identifier: MIT
/// \file
/// An activation as a layer.
#pragma once

#include <string>

#include "../../autograd/mixed_precision.h"
#include "../../autograd/pointwise.h"
#include "module.h"

namespace gaia {

/// y = f(x)
class ActivationLayer final : public Module {
 public:
  explicit ActivationLayer(Activation f) : f_(f) {}

  std::string type() const override { return to_string(f_); }
  Tensor forward(const Tensor& x) override { return activate(f_, x); }
  Tensor forward_bfloat16(const Tensor& x, DType answer) override {
    return answer == DType::bfloat16 ? activate_bfloat16(f_, x)
                                     : activate(f_, x.astype(DType::float32));
  }

 private:
  Activation f_;
};

}  // namespace gaia
