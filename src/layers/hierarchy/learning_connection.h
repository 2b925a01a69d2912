// SPDX-License-Identifier: MIT
/// \file
/// Weights that learn by a rule from an answer which is computed outside of them, by more
/// connections than one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../../learning/equation_state.h"
#include "../../learning/plasticity.h"
#include "layer.h"

namespace gaia {

/// A rule whose drive z and answer y are given, tick by tick: z is all that a neuron hears, over
/// this connection and over others, and y is what the layer answers, unless the rule's text says
/// y itself.  A rule with a name takes part by its text in the catalogue, so that every stream has
/// memories of its own.
class LearningConnection {
 public:
  /// \throws ArgumentError for a rule without a text (one that a program has registered), and for a
  ///         parameter out of its range.
  LearningConnection(const PlasticityRule& rule, std::int64_t inputs, std::int64_t outputs,
                     DType dtype, const RandomStream& random);

  /// The rule as its user gave it.
  const EquationRule& rule() const { return rule_; }
  /// Whether its text says what the layer answers.
  bool answers() const { return rule_.program().assigns_output; }
  void scale_learning_rate(double factor) { rate_factor_ = factor; }

  std::vector<std::string> signal_columns() const;
  /// Reads the rule's signals at the ticks of a block.
  void begin_block(const TickSignals& signals, std::int64_t streams, std::int64_t ticks,
                   bool learns);
  /// One tick, number `tick` of the block: x [streams, 1, inputs], drive and answer [streams, 1,
  /// outputs], the answer being f(z) where the text says y; y, of the same shape, is the rule's.
  /// While learning, weights [outputs, inputs] change by the mean over the streams.
  void tick(std::int64_t tick, const Array& weights, const Array& x, const Array& drive,
            const Array& answer, bool learns, const Array& y);

  void allocate_state(std::int64_t streams) { state_.allocate(given_, streams); }
  void reset_state() { state_.reset(given_); }
  void keep(ArrayUndo& undo, bool learns) { state_.keep(undo, learns); }
  LearningConnection copy() const;
  void move_to_current_device() { state_.move_to_current_device(); }

  /// What the rule carries, each name with `prefix` before it (behind "trace/" of a trace).
  void add_arrays(const std::string& prefix, std::vector<NamedArray>& arrays) const;
  /// Class of the rule and why, for results, under names with `prefix`.
  void add_attributes(const std::string& prefix,
                      std::vector<std::pair<std::string, std::string>>& attributes) const;
  std::string why_not_replica(const LearningConnection& other) const {
    return rule_.why_not_together(other.rule_);
  }

 private:
  EquationRule rule_;
  EquationRule given_;  // with z and y as signals
  double rate_factor_ = 1.0;
  EquationState state_;
  EquationSignals block_;
  Array table_;  // signals of neurons at one tick: the rule's own, y, z
};

}  // namespace gaia
