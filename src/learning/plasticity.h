// SPDX-License-Identifier: MIT
/// \file
/// Plasticity on arrays: a layer that learns from a block of samples.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../array/array.h"
#include "../array/backend.h"
#include "../formulas/rules_control.h"
#include "rule_list.h"

namespace gaia {

std::string to_string(Normalization normalization);
Normalization normalization_from_name(std::string_view name);
std::string to_string(Executor executor);
Executor executor_from_name(std::string_view name);

/// How a plastic layer computes and learns.
struct Plasticity {
  PlasticityRule rule = HebbRule{};
  WeightControl control = {};
  Activation activation = Activation::linear;
  Executor executor = Executor::chunkwise;
  std::int64_t chunk = 32;  ///< Samples per chunk of the chunkwise executor.
};

/// \throws ArgumentError for a parameter out of its range: learning_rate >= 0, 0 <= decay <= 1,
///         those of the rule's own keys, bound > 0, strength >= 0, chunk >= 1, all finite.
void check(const Plasticity& plasticity);

/// Computes the outputs for samples [streams, ticks, inputs] and learns from them, tick by tick:
///
///     z = W x,  y = f(z)                             (y is the output, with W before the update)
///     W <- rule with decay;  w <- w exp(strength (target - y));  normalisation
///
/// Streams share the weights; the update is the mean of theirs.  Changes weights [outputs, inputs]
/// and memory [memories of the rule, outputs] in place, which are contiguous arrays on the current
/// device; under a rule with one memory, or none, memory may be [outputs].
/// Returns the outputs [streams, ticks, outputs].
/// \throws ShapeError, DTypeError, ArgumentError.
Array learn(const Plasticity& plasticity, const Array& weights, const Array& memory,
            const Array& samples);

/// A plastic layer among several that learn side by side.
struct Learner {
  Plasticity plasticity;
  Array weights;  ///< [outputs, inputs]
  Array memory;   ///< [memories, outputs]
};

/// What keeps two layers from learning side by side: "rule is oja, not hebbian".  Empty if nothing
/// does: they may differ in numbers only (rates, targets, bounds).
std::string why_not_together(const Plasticity& a, const Plasticity& b);

/// The same as `learn`, for layers of one shape and dtype that do not see each other: layer i
/// computes and learns from samples[i streams : (i + 1) streams], and gives what it gives alone.
/// Under rules of single neurons a GPU does this in one launch.
/// samples [layers x streams, ticks, inputs]; returns [layers x streams, ticks, outputs].
/// \throws the errors of `learn`, and ArgumentError if the layers are not alike.
Array learn_together(std::span<const Learner> layers, const Array& samples);
/// The same into `answers`, on the current device, whose last axis is contiguous.
void learn_together(std::span<const Learner> layers, const Array& samples, const Array& answers);

}  // namespace gaia
