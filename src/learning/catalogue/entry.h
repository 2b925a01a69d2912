// SPDX-License-Identifier: MIT
/// \file
/// What the catalogue says of a rule and of a neuron: its text in the language of docs/rules.md,
/// and what stands beside the text.
#pragma once

#include <optional>
#include <vector>

#include "../../core/key.h"

namespace gaia {

/// A number of the text, which is a key in YAML.
struct NamedParameter {
  const char* name;
  double value;         ///< Value where nothing else is said.
  const char* meaning;  ///< With its unit; without a full stop.
  NumberRange range = kNotNegative;
};

/// What a text remembers of every neuron.
struct NamedMemory {
  const char* name;
  const char* meaning;
  double initial = 0.0;
  bool is_key = false;  ///< Whether `initial` is a key of the memory's name.
  const char* symbol = nullptr;
  bool across_trials = false;  ///< Whether it goes on where a trial begins.
};

/// A filter of the input, whose time constant in ticks is a parameter.
struct NamedTrace {
  const char* name;
  const char* tau;
};

/// A number from outside, and the column that it is where nothing else is said.
struct NamedSignal {
  const char* name;
  const char* meaning;
  const char* column;  ///< "labels" is none: of neuron c it is 1 where the label is class c.
};

/// A neuron: lines that make y of z, and come before those of a rule.
struct NamedNeuron {
  const char* name;
  const char* summary;  ///< A sentence without a full stop.
  const char* source;   ///< Author, year, where.
  const char* equations;
  std::vector<NamedParameter> parameters = {};
  std::vector<NamedMemory> memories = {};
  std::vector<NamedSignal> signals = {};
};

/// A rule.  Its text has the parameters `rate` and `decay`, which are the keys learning_rate and
/// decay, beside those that are listed.
struct NamedRule {
  const char* name;
  const char* summary;  ///< A sentence without a full stop.
  const char* source;   ///< Author, year, where.
  const char* equations;
  double learning_rate = 0.01;
  std::vector<NamedParameter> parameters = {};
  std::vector<NamedMemory> memories = {};
  std::vector<NamedTrace> traces = {};
  std::vector<NamedSignal> signals = {};
  bool memory_across_trials = false;  ///< Whether all memories do.
  /// What the rule is made for: a neuron, weights between 0 and 1, and weights that begin so
  /// (`init`).
  const char* made_for_neuron = nullptr;
  bool made_for_bounds = false;
  const char* made_for_init = nullptr;
  /// Limit of learning_rate |x|^2 (learning/rule_list.h), divided by a parameter where one is
  /// named.
  std::optional<double> stability_limit = {};
  const char* stability_divisor = nullptr;
  /// What is known where there is no limit, to follow the rule's name; may be empty.
  const char* stability_note = "";
  const char* look_for = "";  ///< In the weights: a sentence; may be empty.
};

}  // namespace gaia
