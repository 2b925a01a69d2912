// SPDX-License-Identifier: MIT
/// \file
/// What rules that are text read from outside, as the tables that executors take.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "../array/array.h"
#include "equation_rule.h"

namespace gaia {

/// Numbers from outside by the name of their column, [streams, ticks] float64 on the CPU.  Labels
/// stand under the name "labels" as numbers of classes, and -1 where there is none.
using TickSignals = std::map<std::string, Array>;

/// Signals at the ticks [first, end) of those that signals [streams, ticks] are of.
TickSignals of_ticks(const TickSignals& signals, std::int64_t first, std::int64_t end);

/// The signals of a rule at some ticks, in the order of its program.
struct EquationSignals {
  Array of_layer;    ///< [streams, ticks, signals of the layer]
  Array of_neurons;  ///< [streams, ticks, signals of neurons, outputs]; labels as 0 and 1
};

/// What a block is asked for.
struct SignalBlock {
  std::int64_t streams;
  std::int64_t ticks;
  std::int64_t outputs;
  DType dtype;
  bool learns;  ///< Signals that are read by learning alone are 0 elsewhere, and need not be given.
};

/// \throws ArgumentError for a signal that is read and missing, or not finite, or a class without a
///         neuron; ShapeError for one of another length.
EquationSignals gather_signals(const EquationRule& rule, const TickSignals& given,
                               const SignalBlock& block);

}  // namespace gaia
