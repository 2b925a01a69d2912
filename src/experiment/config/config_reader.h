// SPDX-License-Identifier: MIT
/// \file
/// From a YAML tree to an ExperimentConfig, checking every key and value on the way.
#pragma once

#include <string>
#include <vector>

#include "config.h"
#include "yaml.h"

namespace gaia {

struct ReadConfig {
  ExperimentConfig config;
  std::vector<std::string> warnings;  ///< Keys without effect.
};

/// Reads `root`; unknown, missing and duplicate keys, wrong types, words and ranges are added to
/// `problems`, all of them.
ReadConfig read_config(const YamlNode& root, Problems& problems);

}  // namespace gaia
