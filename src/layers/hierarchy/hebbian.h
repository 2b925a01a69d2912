// SPDX-License-Identifier: MIT
/// \file
/// A layer whose weights follow a plasticity rule.
#pragma once

#include "../../core/keys.h"
#include "../../core/random.h"
#include "../../learning/plasticity.h"
#include "../init.h"
#include "layer.h"

namespace gaia {

class HebbianLayer;

struct HebbianOptions {
  PlasticityRule rule = HebbRule{};
  /// The layer finds its rate from what it reads (AutoRate), and the rule's own is of no meaning.
  /// For rules with a stability_limit.
  bool automatic_rate = false;
  Activation activation = Activation::linear;
  /// `uniform`: between the bounds where there are some; `samples`: zeros, until whoever has
  /// samples sets the weights.
  Init init = Init::he;
  WeightControl control = {};               ///< Homeostasis and normalisation.
  std::optional<WeightBounds> bounds = {};  ///< After those; of a rule by its equations.
  Executor executor = Executor::chunkwise;
  std::int64_t chunk = 32;  ///< Samples per chunk of the chunkwise executor.
  bool learn = true;        ///< false: the weights stay as they are, whatever learns around them.
  DType dtype = DType::float32;
  /// Of the initial weights; uniform() and normal() of a rule by its equations have one derived
  /// from it.
  RandomStream random = next_stream();

  static constexpr const char* name = "hebbian";
  using Made = HebbianLayer;
  void keys(ConfigVisitor& v);
  std::string summary() const { return rule_name(rule); }
  std::vector<std::string> warnings(std::int64_t inputs, std::int64_t outputs) const;
  void drop_idle();
  void simplify();
};

/// y = f(W x), W [outputs, inputs]; while learning, W follows the rule after each output (see
/// `learn` in learning/plasticity.h for what happens at a tick, in order).
class HebbianLayer final : public Layer {
 public:
  /// \throws ArgumentError for a parameter of the rule out of its range, and for an automatic rate
  ///         of a rule without a limit.
  HebbianLayer(std::int64_t input_size, std::int64_t output_size,
               const HebbianOptions& options = {});

  std::string type() const override { return HebbianOptions::name; }
  std::unique_ptr<Layer> clone() const override;
  std::unique_ptr<LayerKind> kind() const override;
  bool is_plastic() const override { return learns_; }
  void scale_learning_rate(double factor) override { rate_factor_ = factor; }
  AutoRate* automatic_rate() override { return rate_ ? &*rate_ : nullptr; }
  std::vector<std::string> signal_columns() const override;
  void read_signals(const TickSignals& signals) override { signals_ = signals; }
  void allocate_state(std::int64_t streams) override;
  void reset_state() override;
  void keep(ArrayUndo& undo, bool learn) override;
  /// But a rule of a program's own may do anything.
  bool repeats() const override;
  /// Replicas share all but the numbers of rule and control.
  std::string why_not_replica(const Layer& other) const override;
  std::vector<std::pair<std::string, std::string>> attributes() const override;
  std::vector<NamedArray> arrays() const override;
  std::int64_t operations_per_tick(bool learn) const override;

  const Plasticity& plasticity() const { return plasticity_; }
  const Array& weights() const { return weights_; }
  /// Copies `values` into the weights.  \throws ShapeError unless they are [outputs, inputs],
  /// ArgumentError unless they are finite.
  void set_weights(const Array& values);
  /// What the rule remembers of every neuron, [memories, outputs]; by equations [streams,
  /// memories, outputs].
  const Array& memory() const { return equations_ ? equations_->memory() : memory_; }

 private:
  void answer(const Array& x, bool learn, const Array& y) override;
  void answer_replicas(std::span<Layer* const> replicas, const Array& x, bool learn,
                       const Array& y) override;
  void move_to_current_device() override;

  /// With the learning rate times the factor.
  Plasticity current() const;
  /// The ticks of x by the rates at which they are learnt: of one that is given they are one
  /// stretch.
  std::vector<AutoRate::Stretch> stretches(const Array& x);
  void answer_by_equations(const Array& x, bool learning, const Array& y);

  void add_equation_arrays(std::vector<NamedArray>& arrays) const;

  HebbianOptions made_with_;
  Plasticity plasticity_;
  std::optional<WeightBounds> bounds_;
  bool learns_;
  double rate_factor_ = 1.0;
  std::optional<AutoRate> rate_;
  Array weights_;
  Array memory_;
  std::optional<EquationState> equations_;  // of a rule by its equations
  TickSignals signals_;
};

}  // namespace gaia
