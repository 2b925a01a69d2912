// SPDX-License-Identifier: MIT
/// \file
/// A layer that learns by a plasticity rule among layers that learn by gradients.
#pragma once

#include <optional>
#include <vector>

#include "../../learning/rule_execution.h"
#include "../hierarchy/hebbian.h"
#include "module.h"
#include "module_kind.h"

namespace gaia {

/// y = f(W x) with a HebbianLayer's W.  Gradients flow through it, dx = W^T (f'(z) dy) with the
/// weights that computed the output, and do not touch W; while training, W follows its rule at
/// every call, unless HebbianOptions::learn is false.
///
/// x [batch, inputs]: the samples of a batch see the same weights, and the update is
/// the mean of theirs.  x [batch, steps, inputs]: so at every step, one after the other.  "weights"
/// and the rule's memories, by their names, are buffers.
///
/// Under an EquationRule every sample is a stream and a trial of its own: at its beginning t,
/// traces and eligibility are 0, and memories from which y is computed have their initial values
/// (unless memory_across_trials).  Rules with traces, with de, with a y that remembers, or that
/// read t therefore need x [batch, steps, inputs].  All other memories go on from batch to batch:
/// every sample begins with them, and they become the mean of what the samples leave.  Draws go on
/// too (the count "draws"): each training batch has its own, and while nothing trains all batches
/// have those of the next.  Where the equations assign y the layer hands no gradient down.
class PlasticModule final : public Module {
 public:
  /// \throws ArgumentError for a rule that reads signals, which networks do not have; and the
  ///         errors of HebbianLayer.
  PlasticModule(std::int64_t inputs, std::int64_t outputs, const HebbianOptions& options = {});

  std::string type() const override { return "plastic"; }
  /// \throws ShapeError for x of another shape, or without steps where the rule needs them;
  ///         ArgumentError for x with a gradient where the equations assign y; DivergedError, with
  ///         the weights as they were, where it is to learn on the CPU from what is not finite.
  Tensor forward(const Tensor& x) override;

  const Plasticity& plasticity() const { return plasticity_; }
  const Array& weights() const { return weights_; }
  /// How it learns from batches of so many samples.
  RuleExecution execution(std::int64_t batch) const;

 private:
  /// Computes the outputs for samples [batch, steps, inputs] and learns from them.
  Array learn_from(const Array& samples);

  /// The state of a batch whose samples begin.
  EquationState begin(std::int64_t batch) const;
  /// Answers by the equations, and learns if asked to.
  Array run(EquationState& state, const Array& samples, bool learns);
  /// Keeps the memories that go on.
  void keep(const EquationState& state);
  const EquationRule* equations() const { return std::get_if<EquationRule>(&plasticity_.rule); }
  void check_samples(const Tensor& x) const;

  std::int64_t inputs_;
  bool learns_;
  Plasticity plasticity_;
  std::optional<WeightBounds> bounds_;
  Array weights_;
  std::vector<Array> memories_;        // each [outputs]
  std::vector<std::int64_t> carried_;  // numbers of these in the program of equations
  RandomStream random_;
  std::int64_t ticks_ = 0;  // ticks that it has learnt from
};

/// Why samples of a rule need steps: "has traces"; empty where they do not.
std::string why_steps(const EquationRule& rule);

/// Keys in an experiment: type: hebbian.
struct PlasticKind {
  std::int64_t size = 0;
  HebbianOptions options = {.random = {}};

  static constexpr const char* name = HebbianOptions::name;
  void keys(ConfigVisitor& v) {
    v.integer(kSizeKey, size, kNeurons);
    options.keys(v);
  }
  void add_to(const ModulePlace& place) const {
    place.net.add<PlasticModule>(place.features(), size, placed(options, place));
  }
};

}  // namespace gaia
