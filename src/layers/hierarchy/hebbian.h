// SPDX-License-Identifier: MIT
/// \file
/// A layer whose weights follow a plasticity rule.
#pragma once

#include "../../core/keys.h"
#include "../../core/random.h"
#include "../../learning/plasticity.h"
#include "../init.h"
#include "lateral.h"
#include "layer.h"
#include "rewire.h"
#include "top_down_options.h"

namespace gaia {

struct RuleSite;

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
  /// Behind each weight; of a rule by its equations, with a dw.
  std::optional<SynapseChain> chain = {};
  std::optional<RewireOptions> rewire = {};  ///< Few synapses, which come and go.
  /// Connections between the layer's neurons; a rule with a name then runs as its text.
  std::optional<LateralOptions> lateral = {};
  Executor executor = Executor::chunkwise;
  std::int64_t chunk = 32;  ///< Samples per chunk of the chunkwise executor.
  bool learn = true;        ///< false: the weights stay as they are, whatever learns around them.
  std::optional<TopDownOptions> top_down = {};  ///< Connection to the last layer of a level alone.
  DType dtype = DType::float32;
  /// Random stream of the initial weights; uniform() and normal() of a rule by its equations have
  /// one derived from it.
  RandomStream random = next_stream();

  static constexpr const char* name = "hebbian";
  using Made = HebbianLayer;
  void keys(ConfigVisitor& v) { keys_of(v, false); }
  /// Those of a layer that reads patches of a picture, in which some keys have no place.
  void patch_keys(ConfigVisitor& v) { keys_of(v, true); }
  std::string summary() const { return rule_name(rule); }
  std::vector<std::string> warnings(std::int64_t inputs, std::int64_t outputs) const;
  void drop_idle();
  void simplify();

 private:
  void keys_of(ConfigVisitor& v, bool of_patches);
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
  const TopDownOptions* top_down() const override { return top_down_ ? &*top_down_ : nullptr; }
  bool answers_with_drive() const override;
  /// Tick by tick where it learns and the answer is not the drive itself.
  Array process_with_drive(const Array& x, bool learn, const Array& y) override;
  void allocate_state(std::int64_t streams) override;
  void reset_state() override;
  void keep(ArrayUndo& undo, bool learn) override;
  /// But a rule of a program's own may do anything.
  bool repeats() const override;
  /// Replicas share all but the numbers of rule and control.
  std::string why_not_replica(const Layer& other) const override;
  std::vector<std::pair<std::string, std::string>> attributes() const override;
  /// What decides how its rule runs, on that device.
  RuleSite rule_site(const Device& device) const;
  std::vector<NamedArray> arrays() const override;
  std::int64_t operations_per_tick(bool learn) const override;

  const Plasticity& plasticity() const { return plasticity_; }
  const Array& weights() const { return weights_; }
  /// Copies `values` into the weights.  \throws ShapeError unless they are [outputs, inputs],
  /// ArgumentError unless they are finite.
  void set_weights(const Array& values);
  /// Whether the rule is a text that reads what comes from above, and so is run by `hear`.
  bool reads_from_above() const;
  /// Whether the rule is a functor, or one that finds components, as it stands: then weights grow
  /// large only where answers do.
  bool has_plain_rule() const;
  /// Whether it learns tick by tick, since drives are asked for that are not the answers.
  bool hands_out_drive() const;
  /// What a tick comes to, each [streams, 1, outputs].
  struct Heard {
    Array drive;   ///< z
    Array plain;   ///< p, the answer to td = 0, of which nothing else is left.
    Array answer;  ///< y
  };
  /// Under a rule that reads_from_above, of the tick number `tick` of those whose signals were
  /// read: answers x [streams, 1, inputs] with td [streams, 1, outputs], and learns.
  Heard hear(const Array& x, std::int64_t tick, const Array& td, bool learn);
  /// By what rates are multiplied (scale_learning_rate).
  double rate_factor() const { return rate_factor_; }
  /// From which random numbers of what belongs to the layer derive.
  const RandomStream& random() const { return random_; }

  /// Connections between its neurons, under which it runs on the CPU whatever the device.
  const std::optional<LateralState>& lateral() const { return lateral_; }
  /// Which synapses are there, where not all of them are.
  const std::optional<Rewire>& rewire() const { return rewire_; }
  /// What the rule remembers of every neuron, [memories, outputs]; by equations [streams,
  /// memories, outputs].
  const Array& memory() const { return equations_ ? equations_->memory() : memory_; }

 private:
  void answer(const Array& x, bool learn, const Array& y) override;
  void answer_replicas(std::span<Layer* const> replicas, const Array& x, bool learn,
                       const Array& y) override;
  void move_to_current_device() override;

  void check_top_down() const;
  /// z = W x of samples in the layer's dtype on the current device.
  Array drive(const Array& x) const;
  EquationPlan plan() const;

  /// With the learning rate times the factor.
  Plasticity current() const;
  /// The ticks of x by the rates at which they are learnt: of one that is given they are one
  /// stretch.
  std::vector<AutoRate::Stretch> stretches(const Array& x);
  void answer_at_once(const Array& x, bool learning, const Array& y);
  void answer_rewired(const Array& x, const Array& y);
  void begin_lateral(Plasticity plasticity, std::int64_t streams);
  /// Under lateral connections, which run on the CPU whatever the device.
  void answer_on_cpu(const Array& x, bool learning, const Array& y);
  void answer_by_equations(const Array& x, bool learning, const Array& y);
  /// Replicas under one text that learn.
  void answer_together(std::span<Layer* const> replicas, const Array& x, const Array& y);

  void add_equation_arrays(std::vector<NamedArray>& arrays) const;

  HebbianOptions made_with_;
  Plasticity plasticity_;
  std::optional<WeightBounds> bounds_;
  bool learns_;
  std::optional<TopDownOptions> top_down_;
  RandomStream random_;
  double rate_factor_ = 1.0;
  std::optional<AutoRate> rate_;
  Array weights_;
  Array memory_;
  std::optional<EquationState> equations_;  // state of a rule by its equations
  std::optional<Rewire> rewire_;
  std::optional<LateralState> lateral_;
  TickSignals signals_;
};

}  // namespace gaia
