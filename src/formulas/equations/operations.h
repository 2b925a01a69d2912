// SPDX-License-Identifier: MIT
/// \file
/// The operations of the language of rules, and the places that every program has: what of a
/// program kernels see, without the libraries of the host.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"

namespace gaia {

/// What a step computes from a, b and c.  Comparisons and logic give 0 or 1, and take any number
/// but 0 for true, as Python does (NaN is true).
enum class EquationOp : std::uint8_t {
  copy,
  add,
  subtract,
  multiply,
  divide,
  power,
  negate,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  where,  ///< b where a is not 0, else c: selected, not multiplied.
  exp,
  log,
  sqrt,
  abs,
  sign,
  tanh,
  sigmoid,
  relu,
  floor,
  sin,
  cos,
  minimum,
  maximum,
  // From numbers of neurons to one of the layer.
  layer_sum,
  layer_mean,
  layer_largest,
  layer_smallest,
  // From numbers of neurons to numbers of neurons, across the layer.
  softmax,
  rank,    ///< How many neurons are larger; of equals the lower index is ahead.
  kwta,    ///< a where rank(a) < b, else 0.
  winner,  ///< rank(a) == 0.
};

/// Whether an operation needs the numbers of all neurons at once.
GAIA_HOST_DEVICE constexpr bool crosses_layer(EquationOp op) { return op >= EquationOp::layer_sum; }

/// A call of uniform() or normal() in the text: a number for each neuron and tick (draws.h).
enum class EquationDraw : std::uint8_t { uniform, normal };

/// The first places of each kind in every program, from 0.
struct EquationPlaces {
  /// Constants.
  static constexpr std::uint16_t kInputs = 0, kOutputs = 1, kLearning = 2, kFirstParameter = 3;
  /// Numbers of the layer: t, xx, and signals from there on.
  static constexpr std::uint16_t kTick = 0, kSquare = 1, kFirstLayerSignal = 2;
  /// Numbers of neurons: z, f(z), ww, and memories from there on.
  static constexpr std::uint16_t kDrive = 0, kActivated = 1, kWeightSquare = 2, kFirstMemory = 3;
  /// Vectors: w, x, e, and traces from there on.
  static constexpr std::uint16_t kWeights = 0, kSample = 1, kEligibility = 2, kFirstTrace = 3;
};

}  // namespace gaia
