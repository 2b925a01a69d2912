// SPDX-License-Identifier: MIT
/// \file
/// From an ExperimentConfig back to text: the resolved YAML, attributes of the results file, and
/// the JSON Schema that editors use.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config.h"

namespace gaia {

/// The experiment as YAML with every default written out; reading it gives the same config.
std::string to_yaml(ExperimentConfig config);
/// The hierarchy alone: from the line "hierarchy:" on.
std::string to_yaml(HierarchyConfig hierarchy);

using AttributeValue = std::variant<std::string, std::int64_t, double>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

/// Every parameter of a layer or readout under its YAML key, nested keys joined by '_'.
Attributes attributes_of(LevelConfig level);  ///< Without its layers.
Attributes attributes_of(LayerConfig layer);
Attributes attributes_of(ReadoutConfig readout);
/// Without the settings of its short form.
Attributes attributes_of(PublishedConfig published);
Attributes attributes_of(Kind<ModuleKind> layer);
/// Without its layers.
Attributes attributes_of(NetworkConfig network, bool on_series);

/// Every number that is no integer, under its path: "hierarchy.levels[0].layers[1].bias"; of a text
/// of equations all numbers that stand in it, under its own.
std::vector<std::pair<std::string, double>> numbers_of(ExperimentConfig config);

/// JSON Schema (draft 7) of an experiment.
std::string json_schema();

/// The same of a file that is a part of an experiment: one that includes others, or is included.
/// No key of a map is required, since maps merge; what lists hold is whole.
std::string json_schema_of_part();

}  // namespace gaia
