// SPDX-License-Identifier: MIT
/// \file
/// The state of an agent or of a world as numbers by name, from which it goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../core/message.h"

namespace gaia::agents {

using SavedState = std::map<std::string, std::vector<double>>;

/// The numbers of a name.  \throws ArgumentError if there are none of that name, or not `count`.
inline const std::vector<double>& saved_numbers(const SavedState& saved, const std::string& name,
                                                std::optional<std::size_t> count = {}) {
  const auto found = saved.find(name);
  if (found == saved.end()) {
    fail<ArgumentError>("[restore] expected '{}' in the saved state, got none", name);
  }
  if (count && found->second.size() != *count) {
    fail<ArgumentError>("[restore] {}: expected {} numbers, got {}", name, *count,
                        found->second.size());
  }
  return found->second;
}

}  // namespace gaia::agents
