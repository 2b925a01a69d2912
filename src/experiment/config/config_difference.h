// SPDX-License-Identifier: MIT
/// \file
/// In what two experiments differ, key by key.
#pragma once

#include <string>
#include <vector>

namespace gaia {

/// One line for every key whose value differs between two resolved experiments (see to_yaml), but
/// for output.path and those of `runtime`, on which no number depends:
/// "hierarchy.levels[0].layers[0].learning_rate: 0.01 in A, 0.02 in B".
std::vector<std::string> config_differences(const std::string& yaml_a, const std::string& name_a,
                                            const std::string& yaml_b, const std::string& name_b);

}  // namespace gaia
