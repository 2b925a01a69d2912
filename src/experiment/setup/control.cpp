// SPDX-License-Identifier: MIT
#include "control.h"

#include <algorithm>

#include "../../core/error.h"
#include "frozen_control.h"

namespace gaia {
namespace {

bool learns(const HierarchyConfig& config, const HierarchyManager& hierarchy) {
  if (!config.learn || config.freeze_after == 0) return false;
  for (const HierarchicalLevel& level : hierarchy.levels()) {
    for (std::size_t m = 0; m < level.layer_count(); ++m) {
      if (level.layer(m).is_plastic()) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> controls_of(const ExperimentConfig& config,
                                     const HierarchyManager& hierarchy) {
  if (config.readouts.empty()) return {};
  std::vector<std::string> names = config.controls;
  if (!learns(config.hierarchy, hierarchy)) std::erase(names, FrozenControl::kName);
  return names;
}

std::unique_ptr<Control> make_control(const std::string& name, const ExperimentConfig& config,
                                      const HierarchyManager& hierarchy, std::int64_t features) {
  if (name == FrozenControl::kName) {
    return std::make_unique<FrozenControl>(hierarchy, features, config.dtype);
  }
  throw ArgumentError("[make_control] unknown control '" + name + "'; known: frozen");
}

}  // namespace gaia
