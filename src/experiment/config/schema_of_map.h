// SPDX-License-Identifier: MIT
/// \file
/// JSON Schema of a map whose keys are known.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gaia {

/// A map with these keys and no others, of which some are required.
inline nlohmann::ordered_json schema_of_map(nlohmann::ordered_json properties,
                                            std::vector<std::string> required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"properties", std::move(properties)},
          {"required", std::move(required)}};
}

}  // namespace gaia
