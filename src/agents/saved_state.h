// SPDX-License-Identifier: MIT
/// \file
/// The state of an agent or of a world as numbers by name, from which it goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../core/error.h"

namespace gaia::agents {

using SavedState = std::map<std::string, std::vector<double>>;

/// The numbers of a name.  \throws ArgumentError if there are none of that name, or not `count`.
inline const std::vector<double>& saved_numbers(const SavedState& saved, const std::string& name,
                                                std::optional<std::size_t> count = {}) {
  const auto found = saved.find(name);
  if (found == saved.end()) {
    throw ArgumentError("[restore] expected '" + name + "' in the saved state, got none");
  }
  if (count && found->second.size() != *count) {
    throw ArgumentError("[restore] " + name + ": expected " + std::to_string(*count) +
                        " numbers, got " + std::to_string(found->second.size()));
  }
  return found->second;
}

}  // namespace gaia::agents
