// SPDX-License-Identifier: MIT
/// \file
/// Where a configuration says something that gaia would not have done by itself, and what tells
/// several of them apart.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace gaia::report {

/// Every value of a configuration under its key, "hierarchy.levels[0].layers[0].rule", in the order
/// of the text.
struct FlatConfig {
  std::vector<std::string> keys;
  std::map<std::string, std::string> values;
  std::map<std::string, int> lines;  ///< From 1.
};

/// Empty for a text that is no YAML of gaia's kind.
FlatConfig flatten(const std::string& config);

/// The lines of a resolved configuration whose value is required, or is not the default: left out,
/// the rest would not mean the same.  Empty where the text cannot be read, or is too long for that.
std::set<int> departing_lines(const std::string& config);

}  // namespace gaia::report
