// SPDX-License-Identifier: MIT
/// \file
/// `include:` at the top of an experiment: other YAML files that it is built from.
#pragma once

#include <functional>
#include <string>

#include "yaml.h"

namespace gaia {

/// Files in files, the outermost not counted.
inline constexpr int kDeepestInclude = 16;
/// Files in all, each as often as it is read.
inline constexpr int kMostIncludes = 64;

/// Text of a file.  \throws ConfigError, which names it, if that cannot be read.
using ReadText = std::function<std::string(const std::string& path)>;

/// Puts the files that `include` of `root` names, a path or a list of them, relative to the folder
/// of `path`, into the tree, and takes the key out: maps merge, key by key; of values that are no
/// maps, lists too, that of the including file stands, and of two files that of the later one.
/// Files that are read are noted in `problems` (Problems::included), and so is what is wrong: files
/// that cannot be read, that include themselves, or that are beyond the limits above.
void resolve_includes(YamlNode& root, const std::string& path, Problems& problems,
                      const ReadText& read);

}  // namespace gaia
