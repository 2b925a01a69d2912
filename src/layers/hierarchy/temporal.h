// SPDX-License-Identifier: MIT
/// \file
/// A leaky recurrent layer: a reservoir, whose weights are fixed unless they are given rules.
#pragma once

#include <optional>

#include "../../core/keys.h"
#include "../../core/random.h"
#include "../../formulas/activation.h"
#include "../init.h"
#include "layer.h"
#include "learning_connection.h"

namespace gaia {

class TemporalLayer;

struct TemporalOptions {
  Activation activation = Activation::tanh;
  Init init = Init::xavier;      ///< Initial values of the input weights W.
  double input_scale = 1.0;      ///< Factor on W as drawn, >= 0.
  double leak = 1.0;             ///< a in (0, 1]: 1 forgets h at every tick but for R h.
  double spectral_radius = 0.9;  ///< Radius of R, >= 0; below 1 the state forgets its beginning.
  double density = 1.0;          ///< Share of the entries of R that are not 0, in (0, 1].
  double bias = 0.0;             ///< Bias of every neuron.
  double bias_scale = 0.0;       ///< >= 0: a number uniform in +-bias_scale is added to each bias.
  /// Rules by which W and R learn; none: they are as drawn.  z is the whole drive, and y the
  /// answer, unless the rule of W says y itself; that of R may not.  Rules of names stand for their
  /// texts.
  std::optional<PlasticityRule> input_rule = {};
  std::optional<PlasticityRule> recurrent_rule = {};
  /// Ticks that learn after which R is brought back to spectral_radius, again and again; 0: never.
  std::int64_t hold_spectral_radius = 0;
  /// How many inputs of the last ticks the layer shows as time_window(); 0: none.
  std::int64_t time_window = 0;
  /// Readout whose last prediction the layer reads, as the signals feedback_signal() names; empty:
  /// none.
  std::string feedback = {};
  double feedback_scale = 1.0;     ///< Factor on F as drawn, >= 0.
  std::int64_t feedback_size = 0;  ///< Numbers that this readout predicts, once that is known.
  bool learn = true;               ///< false: weights under rules stay as they are.
  DType dtype = DType::float32;
  /// Random stream of W; R, F and biases have streams derived from it.
  RandomStream random = next_stream();

  static constexpr const char* name = "temporal";
  using Made = TemporalLayer;
  void keys(ConfigVisitor& v);
  bool is_plastic() const { return input_rule || recurrent_rule; }
  std::vector<const PlasticityRule*> rules() const;
  std::string summary() const;
  static double weights(double inputs, double outputs) { return outputs * (inputs + outputs); }
  void simplify() { *this = {.init = Init::zeros, .spectral_radius = 0.0, .random = random}; }
};

/// The signal that has what a readout has said last, of its output number `output`.
std::string feedback_signal(const std::string& readout, std::int64_t output);

/// h <- (1 - a) h + a f(W x + R h + b), h_0 = 0; the output is h.  Jaeger, Lukosevicius, Popovici &
/// Siewert (2007), Neural Networks 20, 335-352.  Each stream of a batch has its own h.
///
/// Under rules the layer goes tick by tick: z = W x + R h + b; y = f(z), or what the text of W's
/// rule makes of z; h' = (1 - a) h + a y; then W learns from x, z and h' (from y, where its text
/// says y), then R from h in the place of x, z and h'.  Both read the weights that computed z.
///
/// With feedback F o is added to W x + b, where o is what a readout has said last: Jaeger's output
/// feedback (2001, GMD Report 148).  F is fixed; where the signals of o are not given, o is 0.
class TemporalLayer final : public Layer {
 public:
  /// \throws ArgumentError for options out of their range, for numbers that the dtype rounds to 0
  /// or
  ///         infinity, for a rule without a text, for a rule of R that says y, and for a density so
  ///         low that R has no loop, so that no factor gives it a spectral radius.
  TemporalLayer(std::int64_t input_size, std::int64_t output_size,
                const TemporalOptions& options = {});

  std::string type() const override { return TemporalOptions::name; }
  std::unique_ptr<Layer> clone() const override;
  std::unique_ptr<LayerKind> kind() const override;
  std::vector<NamedArray> arrays() const override;
  std::int64_t operations_per_tick(bool learn) const override;
  bool is_plastic() const override { return learns_ && (input_ || cross_); }
  std::vector<std::string> signal_columns() const override;
  void read_signals(const TickSignals& signals) override { signals_ = signals; }
  void scale_learning_rate(double factor) override;
  std::string why_not_replica(const Layer& other) const override;
  std::vector<std::pair<std::string, std::string>> attributes() const override;
  void allocate_state(std::int64_t streams) override;
  void reset_state() override;
  void keep(ArrayUndo& undo, bool learn) override;
  bool repeats() const override { return true; }

  const Array& weights() const { return weights_; }
  const Array& recurrent() const { return recurrent_; }
  /// F [output_size, feedback_size]; without elements where nothing is fed back.
  const Array& feedback() const { return feedback_; }
  /// h [streams, output_size]; empty before the first tick.
  const Array& state() const { return state_; }
  /// The inputs of the last ticks of this trial, oldest first, 0 where there was none: [streams,
  /// TemporalOptions::time_window, input_size]; empty before the first tick, and where that is 0.
  const Array& time_window() const { return window_; }
  /// What W and R learn by; null for none.
  const LearningConnection* input_connection() const { return input_ ? &*input_ : nullptr; }
  const LearningConnection* recurrent_connection() const { return cross_ ? &*cross_ : nullptr; }

 private:
  void answer(const Array& x, bool learn, const Array& y) override;
  /// Tick by tick, under rules.
  void answer_by_rules(const Array& x, bool learns, const Array& y);
  /// F o of a block, [streams, ticks, output_size]; without elements where nothing is fed back.
  Array feedback_drive(std::int64_t streams, std::int64_t ticks) const;
  void shift_window(const Array& x);
  void hold_radius();
  void move_to_current_device() override;

  TemporalOptions made_with_;
  Activation activation_;
  double leak_;
  Array weights_;
  Array recurrent_;
  Array bias_;
  Array feedback_;
  Array state_;
  std::optional<LearningConnection> input_;
  std::optional<LearningConnection> cross_;  // from the layer's last state to itself
  bool learns_;
  double radius_;
  std::int64_t hold_every_;
  Array
      learnt_ticks_;  // int64 on the CPU: ticks that R has learnt from; without elements if no hold
  std::int64_t window_length_;
  Array window_;
  TickSignals signals_;
};

}  // namespace gaia
