// SPDX-License-Identifier: MIT
/// \file
/// A layer of fixed weights.
#pragma once

#include "../../core/keys.h"
#include "../../core/random.h"
#include "../../formulas/activation.h"
#include "../init.h"
#include "layer.h"

namespace gaia {

class ReactiveLayer;

struct ReactiveOptions {
  Activation activation = Activation::relu;
  Init init = Init::he;
  double bias = 0.0;  ///< Bias of every neuron.
  DType dtype = DType::float32;
  RandomStream random = next_stream();  ///< Random stream of the initial weights.

  static constexpr const char* name = "reactive";
  using Made = ReactiveLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const { return to_string(activation); }
  void simplify() { *this = {.init = Init::zeros, .random = random}; }
};

/// y = f(W x + b), with W [outputs, inputs] as drawn and b [outputs] constant.  Never learns.
class ReactiveLayer final : public Layer {
 public:
  /// \throws ArgumentError for a bias that the dtype rounds to 0 or infinity.
  ReactiveLayer(std::int64_t input_size, std::int64_t output_size,
                const ReactiveOptions& options = {});

  std::string type() const override { return ReactiveOptions::name; }
  std::unique_ptr<Layer> clone() const override;
  std::unique_ptr<LayerKind> kind() const override;
  std::vector<NamedArray> arrays() const override;
  void keep(ArrayUndo& /*undo*/, bool /*learn*/) override {}
  bool repeats() const override { return true; }
  std::int64_t operations_per_tick(bool learn) const override;

  Activation activation() const { return activation_; }
  const Array& weights() const { return weights_; }
  const Array& bias() const { return bias_; }
  /// Copies `values` into the weights.  \throws ShapeError unless they are [outputs, inputs],
  /// ArgumentError unless they are finite.
  void set_weights(const Array& values) { assign_finite("set_weights", weights_, values); }
  /// The same for the biases [outputs].
  void set_bias(const Array& values) { assign_finite("set_bias", bias_, values); }

 private:
  void answer(const Array& x, bool learn, const Array& y) override;
  void move_to_current_device() override;

  ReactiveOptions made_with_;
  Activation activation_;
  Array weights_;
  Array bias_;
};

}  // namespace gaia
