// SPDX-License-Identifier: MIT
/// \file
/// The section `sweep:` of an experiment: what is varied, and over which values.  docs/sweeps.md
/// explains its keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yaml.h"

namespace gaia {

/// What varies together: one key, or several that advance side by side (those of `zip`, and all
/// that are drawn at random).
struct SweepAxis {
  struct Key {
    std::string name;  ///< "hierarchy.levels[0].layers[0].rule"
    Origin origin;
  };

  std::vector<Key> keys;
  std::vector<std::vector<YamlNode>> values;  ///< [position][key]; each knows where it was written.

  std::int64_t size() const { return static_cast<std::int64_t>(values.size()); }
};

/// At most so many runs in one sweep.
constexpr std::int64_t kMostMembers = 100000;

/// The axes of the `sweep` in `root`: those of the grid in the order of the file, then that of the
/// random draws, then that of the seeds.  The product of their lengths, which is that of the runs,
/// is at most kMostMembers.  What is wrong is added to `problems`.
std::vector<SweepAxis> read_sweep_axes(const YamlNode& root, Problems& problems);

/// JSON Schema of the section, as text.
std::string sweep_schema();

}  // namespace gaia
