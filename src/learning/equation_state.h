// SPDX-License-Identifier: MIT
/// \file
/// What a layer under a rule that is text carries from tick to tick, and how it computes.
#pragma once

#include <cstdint>
#include <optional>

#include "../array/array.h"
#include "../array/backend.h"
#include "../array/undo.h"
#include "equation_rule.h"
#include "equation_signals.h"

namespace gaia {

/// How a layer of a block is computed beside what its rule says.
struct EquationPlan {
  Activation activation = Activation::linear;
  WeightControl control = {};
  std::optional<WeightBounds> bounds = {};
  Executor executor = Executor::chunkwise;
  std::int64_t chunk = 32;
  LateralTicks* lateral = nullptr;  ///< Connections within the layer; on the CPU alone.
};

class EquationState;

/// A layer, and what of a block of ticks is its own.
struct EquationLearner {
  EquationState& state;
  const EquationRule& rule;
  EquationPlan plan;
  const Array& weights;
  Array x;  ///< [streams, ticks, inputs]
  EquationSignals signals;
  Array y;  ///< [streams, ticks, outputs]
};

class EquationState {
 public:
  /// `random` is the stream of the layer's initial weights, from which that of its draws derives;
  /// these go on as after `ticks_before` ticks.
  EquationState(const EquationRule& rule, std::int64_t inputs, std::int64_t outputs, DType dtype,
                const RandomStream& random, std::int64_t ticks_before = 0);

  /// From here on each weight has a chain, whose numbers begin at 0.
  void add_chain(const SynapseChain& chain);
  /// Makes room for the streams of a batch, where there is none yet.
  void allocate(const EquationRule& rule, std::int64_t streams);
  /// A trial begins: traces, eligibility and t anew, and memories unless they go on.  Draws always
  /// go on: trials that all had the same noise would be no repetitions.
  void reset(const EquationRule& rule);

  /// Computes the outputs y [streams, ticks, outputs] of x [streams, ticks, inputs]; while learning
  /// the weights [outputs, inputs] change.  \throws the errors of gather_signals.
  void process(const EquationRule& rule, const EquationPlan& plan, const Array& weights,
               const Array& x, bool learns, const TickSignals& signals, const Array& y);

  /// The same of signals that are tables already.
  void process(const EquationRule& rule, const EquationPlan& plan, const Array& weights,
               const Array& x, bool learns, const EquationSignals& signals, const Array& y);

  /// Layers under one text, which are alike but for their numbers, each as `process` does it; where
  /// the device can, at once.
  static void process_together(std::span<const EquationLearner> layers, bool learns);

  /// The outputs of `process` alone: weights and all that is carried stay as they are.
  void look(const EquationRule& rule, const EquationPlan& plan, const Array& weights,
            const Array& x, bool learns, const TickSignals& signals, const Array& y) const;

  /// [streams, memories, outputs], [streams, traces, inputs], [streams, outputs, inputs], [1].
  const Array& memory() const { return memory_; }
  const Array& traces() const { return traces_; }
  const Array& eligibility() const { return eligibility_; }
  /// u_2, u_3, ... of each weight, [chain length - 1, outputs, inputs]: of the weights, whatever
  /// the streams, and going on over trials as they do.  Without elements where there is no chain.
  const Array& chained() const { return chained_; }
  const Array& tick() const { return tick_; }
  /// Ticks of the trials before this one, [1].
  const Array& ticks_before() const { return ticks_before_; }

  /// Keeps what `process` may change.
  void keep(ArrayUndo& undo, bool learns);

  EquationState copy() const;
  void move_to_current_device();

 private:
  /// Memories, but for some, have their initial values.
  void fill_memory(const EquationRule& rule, const MemoriesKept& but);
  EquationRun run_of(const EquationLearner& layer, bool learns) const;
  /// t is 0.
  void begin_ticks();

  std::int64_t inputs_;
  std::int64_t outputs_;
  DType dtype_;
  Array memory_;
  Array traces_;
  Array eligibility_;  // without elements where the rule has none
  std::optional<SynapseChain> chain_;
  Array chained_;
  RandomStream draws_;
  Array tick_;          // int64, on the CPU: t of the next one
  Array ticks_before_;  // the same
};

}  // namespace gaia
