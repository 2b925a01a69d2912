// SPDX-License-Identifier: MIT
/// \file
/// What every layer of a hierarchy is: a map from blocks of samples to blocks of outputs, which may
/// keep state from tick to tick and may learn.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../array/array.h"
#include "../../array/undo.h"
#include "../../core/error.h"
#include "../../formulas/activation.h"
#include "../../formulas/rules/rule.h"
#include "../../learning/auto_rate.h"
#include "../../learning/equation_state.h"

namespace gaia {

struct TopDownOptions;

/// One of a layer's arrays under the name that results and checkpoints use for it.
struct NamedArray {
  enum class Role {
    weights,      ///< What is learnt or drawn at the start: [out, in], bias [out], recurrent [out,
                  ///< out].
    memory,       ///< What a rule remembers per neuron.
    state,        ///< What the layer carries from tick to tick: [streams, n].
    eligibility,  ///< What a rule carries per synapse: [out, in].
    trace,        ///< What a rule carries per input: [in].
    synapse,      ///< What each synapse keeps beside its weight, over trials too: [out, in].
    noise,        ///< What a filter knows of the noise of its model, over trials too: [n, n].
    statistic,    ///< What a layer knows of what it reads, over trials too.
  };
  std::string name;
  Role role;
  Array value;
  std::optional<RuleMemory> memory = std::nullopt;  ///< What the rule says of a memory.
};

/// Numbers that a layer reports of each of its ticks beside its answer, in float64.
struct TickSeries {
  struct Axis {
    std::string name;
    std::string meaning;
    std::int64_t length;
  };
  std::string name;  ///< Name in results.
  std::string meaning;
  std::vector<Axis> axes = {};  ///< Axes behind [streams, ticks]; none: a number per tick.
};

/// A layer cannot go on at a tick.  A level tells of which step that is (DivergedError).
class TickFailure : public Error {
 public:
  TickFailure(const std::string& what, std::int64_t at_tick) : Error(what), tick(at_tick) {}
  std::int64_t tick;  ///< Tick of the call, from 0.
};

class LayerKind;

class Layer {
 public:
  virtual ~Layer() = default;

  /// "reactive", "hebbian", "temporal".
  virtual std::string type() const = 0;
  virtual std::unique_ptr<Layer> clone() const = 0;

  /// The kind of layer with the options that this one was created with, from which an experiment
  /// makes it again (get_config); null of a layer that no experiment can have.
  virtual std::unique_ptr<LayerKind> kind() const;

  std::int64_t input_size() const { return input_size_; }
  std::int64_t output_size() const { return output_size_; }
  DType dtype() const { return dtype_; }

  /// Whether `process` changes the weights when `learn` is set.
  virtual bool is_plastic() const { return false; }

  /// The columns whose numbers the layer reads beside its input, each once; "labels" for classes.
  virtual std::vector<std::string> signal_columns() const { return {}; }
  /// Their numbers at the ticks of the next call of `process`, which needs them all.
  virtual void read_signals(const TickSignals& /*signals*/) {}

  /// The connection from a level above that it was created with; null for none.
  virtual const TopDownOptions* top_down() const { return nullptr; }
  /// Whether its answers are the drives of its neurons.
  virtual bool answers_with_drive() const { return false; }
  /// Does as process_unguarded, of layers with a connection from above; returns the drives W x,
  /// before each tick's update, of y's shape.
  virtual Array process_with_drive(const Array& x, bool learn, const Array& y);

  /// From here on a plastic layer learns at the rate that it was created with times `factor`.
  virtual void scale_learning_rate(double /*factor*/) {}

  /// The rate that a plastic layer finds while it learns; null where it was given one, and of all
  /// other layers.
  virtual AutoRate* automatic_rate() { return nullptr; }
  const AutoRate* automatic_rate() const { return const_cast<Layer*>(this)->automatic_rate(); }

  /// Maps x [streams, ticks, input_size] to [streams, ticks, output_size], tick after tick,
  /// on the current device; plastic layers learn on the way if `learn` is set.
  ///
  /// On the CPU a call that fails leaves the layer as it was before it.  Weights that learning
  /// alone drives to NaN are no failure here: the caller looks at them, as hierarchies do. \throws
  /// ShapeError if x does not fit, ArgumentError naming the first number of x that is not
  ///         finite where weights or state are not finite afterwards and x is why.
  Array process(const Array& x, bool learn = false);
  /// The same into y, of the outputs' shape and dtype, on the current device, its last axis
  /// contiguous.  \throws ShapeError, DTypeError, DeviceError if y is not that.
  void process(const Array& x, bool learn, const Array& y);
  /// The same where the caller keeps what the layer may change and looks at what it leaves, as
  /// levels do for all of their layers.
  Array process_unguarded(const Array& x, bool learn);
  void process_unguarded(const Array& x, bool learn, const Array& y);

  /// Keeps in `undo` whatever `process` may change, so that a call which fails can be undone.  A
  /// layer that says nothing has its `arrays` kept, without the weights where it does not learn.
  virtual void keep(ArrayUndo& undo, bool learn);

  /// Whether `process` does the same whenever it is called again in the same state with the same
  /// x, so that what it did may be undone by doing again what was before.
  virtual bool repeats() const { return false; }

  /// Computes the outputs of replicas of one layer, of which this is the first, each with weights
  /// and state of its own: number i reads x[i streams : (i + 1) streams] of x [replicas x streams,
  /// ticks, input_size], and does what it does alone, unguarded.  why_not_replica is empty for all
  /// of them.
  /// \throws ShapeError if x does not fit.
  Array process_replicas(std::span<Layer* const> replicas, const Array& x, bool learn = false);
  /// The same into y, as by `process`.
  void process_replicas(std::span<Layer* const> replicas, const Array& x, bool learn,
                        const Array& y);

  /// In what `other` differs so much from this layer that they cannot be replicas, to follow
  /// "its layer 0": "is temporal, not hebbian".  Empty if it does not.
  virtual std::string why_not_replica(const Layer& other) const;

  /// Makes room for what is carried from tick to tick, for `streams` streams.
  virtual void allocate_state(std::int64_t /*streams*/) {}

  /// Forgets what was carried from earlier ticks; weights and the rule's memory stay.
  virtual void reset_state() {}

  /// Whether NaN in what it reads is a value that is missing, which it can do without.
  virtual bool takes_missing() const { return false; }

  /// What it reports of its ticks beside its answers.
  virtual std::vector<TickSeries> tick_series() const { return {}; }
  /// The numbers of the last call of `process`, [streams, ticks, ...] on the CPU, in that order.
  virtual std::vector<Array> tick_values() const { return {}; }

  /// What results tell of the layer beside its configuration: names with texts.
  virtual std::vector<std::pair<std::string, std::string>> attributes() const { return {}; }

  /// The arrays of this layer; they share their elements with it.
  virtual std::vector<NamedArray> arrays() const = 0;

  /// Multiplications and additions for one tick of one stream.
  virtual std::int64_t operations_per_tick(bool learn) const = 0;

 protected:
  /// \throws ArgumentError unless both sizes are at least 1, DTypeError unless float32 or float64.
  Layer(std::int64_t input_size, std::int64_t output_size, DType dtype);
  Layer(const Layer&) = default;

  /// Writes the outputs for x, whose shape is checked, cast to the layer's dtype and on the current
  /// device, to y, whose last axis is contiguous.
  virtual void answer(const Array& x, bool learn, const Array& y) = 0;

  /// The same for replicas: one after another, unless a layer can do better.
  virtual void answer_replicas(std::span<Layer* const> replicas, const Array& x, bool learn,
                               const Array& y);

  /// Moves the layer's arrays to the current device.
  virtual void move_to_current_device() = 0;

 public:
  /// From here on, whether what it knows of what it reads (NamedArray::Role::statistic) moves where
  /// the layer does not learn, as in a control whose weights stand still.
  virtual void follow_input(bool /*follows*/) {}

 private:
  void check_samples(const Array& x, std::int64_t replicas) const;
  void check_room(const Array& x, const Array& y) const;
  /// \throws ArgumentError for the first of the samples that is not finite in the layer's dtype.
  void check_finite(const Array& x) const;

  std::int64_t input_size_;
  std::int64_t output_size_;
  DType dtype_;
};

/// Copies `values` into `array`, the weights or biases of a layer.  \throws ShapeError unless they
/// have its shape, ArgumentError unless they are finite in its dtype; `function` is who is told.
void assign_finite(const char* function, Array& array, const Array& values);

/// y = f(x W^T + bias) for x [streams, ticks, inputs], W [outputs, inputs], y [streams, ticks,
/// outputs]; no bias if it is empty.
void answer_linearly(Activation f, const Array& x, const Array& weights, const Array& bias,
                     const Array& y);

}  // namespace gaia
