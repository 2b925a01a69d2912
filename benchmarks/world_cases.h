// SPDX-License-Identifier: MIT
/// \file
/// Worlds of real numbers run by cases in JSON, to be compared with other programs.
#pragma once

#include <nlohmann/json.hpp>

namespace gaia::bench {

/// {"world": "pendulum" or "mountain_car", "state": variables, "actions": one list for each step},
/// and what it does: {"observations", "states", "rewards", "terminal"}, of each step.  With
/// "states" in the place of "state", every step begins in one of them.
nlohmann::json run_world_case(const nlohmann::json& one);

}  // namespace gaia::bench
