// SPDX-License-Identifier: MIT
/// \file
/// The weights of a layer as reports show them, read row by row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../learning/rule_execution.h"
#include "decimate.h"
#include "result.h"

namespace gaia::report {

/// What a rule remembers of every neuron.
struct MemorySurvey {
  std::string name;
  std::string symbol;          ///< The name where the rule has none.
  std::string meaning;         ///< For example "threshold"; may be empty.
  std::vector<double> values;  ///< Values at the end.
  std::optional<double> initial;
  Matrix history;  ///< Values of some neurons [history_steps, neurons]; may be empty.
};

struct LayerSurvey {
  std::string path;  ///< "levels/0/layers/1"
  std::string name;  ///< "level 0, layer 1: hebbian, bcm"
  std::string type;
  std::string rule;         ///< Empty where nothing is plastic.
  std::string equations;    ///< Equations of a rule that is text.
  RuleExecution execution;  ///< Empty where the file does not say how the rule ran.
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;          ///< All axes but the first, taken together.
  std::vector<std::int64_t> shape;  ///< Shape of the weights.

  std::string missing;                ///< Why nothing of the following is here; empty if it is.
  std::vector<double> norms;          ///< Length of every neuron's weights.
  std::vector<double> norms_initial;  ///< Empty where they are not in the file.
  std::int64_t not_finite = 0;        ///< Weights that are NaN or infinite.
  Matrix map;                         ///< Means over groups of [neurons, inputs].
  Matrix fields;  ///< Weights of the first neurons, in full [neurons, inputs]; may be empty.
  std::vector<MemorySurvey> memories;
  Matrix eligibility;                ///< Means of a rule's traces of weights, as `map`; or empty.
  double mean_eligibility = 0.0;     ///< Mean of the absolute values of that trace.
  std::vector<MemorySurvey> traces;  ///< Traces of the inputs at the end.
  std::vector<double> history_steps;
  Matrix history_norms;  ///< Lengths of some neurons' weights [history_steps, neurons].
  std::vector<std::vector<double>> rows;  ///< Directions of up to 256 neurons, of length 1.
};

/// Reads a layer of a hierarchy or of a network.
/// `dataset` is what its weights are called.
LayerSurvey survey_layer(const Result& result, const std::string& path, std::string name,
                         const std::string& dataset = "weights");

/// The layers of all levels, or of the network, from the first on; of those of a network with
/// several arrays of weights one for each.
std::vector<LayerSurvey> survey_layers(const Result& result);

}  // namespace gaia::report
