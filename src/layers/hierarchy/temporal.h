// SPDX-License-Identifier: MIT
/// \file
/// A leaky recurrent layer of fixed weights: a reservoir.
#pragma once

#include "../../core/keys.h"
#include "../../core/random.h"
#include "../../formulas/activation.h"
#include "../init.h"
#include "layer.h"

namespace gaia {

class TemporalLayer;

struct TemporalOptions {
  Activation activation = Activation::tanh;
  Init init = Init::xavier;      ///< Of the input weights W.
  double input_scale = 1.0;      ///< Factor on W as drawn, >= 0.
  double leak = 1.0;             ///< a in (0, 1]: 1 forgets h at every tick but for R h.
  double spectral_radius = 0.9;  ///< Of R, >= 0; below 1 the state forgets its beginning.
  double density = 1.0;          ///< Share of the entries of R that are not 0, in (0, 1].
  double bias = 0.0;             ///< Of every neuron.
  double bias_scale = 0.0;       ///< >= 0: a number uniform in +-bias_scale is added to each bias.
  DType dtype = DType::float32;
  RandomStream random = next_stream();  ///< Of W; R and biases have streams derived from it.

  static constexpr const char* name = "temporal";
  using Made = TemporalLayer;
  void keys(ConfigVisitor& v);
  static double weights(double inputs, double outputs) { return outputs * (inputs + outputs); }
  void simplify() { *this = {.init = Init::zeros, .spectral_radius = 0.0, .random = random}; }
};

/// h <- (1 - a) h + a f(W x + R h + b), h_0 = 0; the output is h.  Jaeger, Lukosevicius, Popovici &
/// Siewert (2007), Neural Networks 20, 335-352.  Each stream of a batch has its own h.
class TemporalLayer final : public Layer {
 public:
  /// \throws ArgumentError for options out of their range, for numbers that the dtype rounds to 0
  /// or
  ///         infinity, and for a density so low that R has no loop, so that no factor gives it a
  ///         spectral radius.
  TemporalLayer(std::int64_t input_size, std::int64_t output_size,
                const TemporalOptions& options = {});

  std::string type() const override { return TemporalOptions::name; }
  std::unique_ptr<Layer> clone() const override;
  std::unique_ptr<LayerKind> kind() const override;
  std::vector<NamedArray> arrays() const override;
  std::int64_t operations_per_tick(bool learn) const override;
  void allocate_state(std::int64_t streams) override;
  void reset_state() override { state_ = Array(); }
  void keep(ArrayUndo& undo, bool /*learn*/) override { undo.keep(state_); }
  bool repeats() const override { return true; }

  const Array& weights() const { return weights_; }
  const Array& recurrent() const { return recurrent_; }
  /// h [streams, output_size]; empty before the first tick.
  const Array& state() const { return state_; }

 private:
  void answer(const Array& x, bool learn, const Array& y) override;
  void move_to_current_device() override;

  TemporalOptions made_with_;
  Activation activation_;
  double leak_;
  Array weights_;
  Array recurrent_;
  Array bias_;
  Array state_;
};

}  // namespace gaia
