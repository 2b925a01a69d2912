// SPDX-License-Identifier: MIT
/// \file
/// Values in a tree of YAML by their paths, such as "hierarchy.levels[1].layers[0].rule".
#pragma once

#include <string>

#include "yaml.h"

namespace gaia {

/// Sets the node at a path such as "hierarchy.levels[1].layers[0].rule".  Maps on the way are
/// created where they are missing; list elements must exist.  Problems are reported under
/// `argument`, the command-line argument this came from.
void set_in_yaml(YamlNode& root, const std::string& path, YamlNode value,
                 const std::string& argument, Problems& problems);

/// The same, with what `value` says in YAML.
void set_in_yaml(YamlNode& root, const std::string& path, const std::string& value,
                 const std::string& argument, Problems& problems);

/// The same for a value that knows where it was written; `origin` is that of the path.
void set_in_yaml(YamlNode& root, const std::string& path, YamlNode value, const Origin& origin,
                 Problems& problems);

/// The node at a path, or the nearest one above it that exists.
const YamlNode& nearest_in_yaml(const YamlNode& root, const std::string& path);

/// The node at a path; null where there is none.
const YamlNode* find_in_yaml(const YamlNode& root, const std::string& path);

}  // namespace gaia
