// SPDX-License-Identifier: MIT
/// \file
/// Experiments with agents, for tests.
#pragma once

#include <string>

namespace gaia::test {

inline const std::string kMaze =
    "experiment: maze\nseed: 3\n"
    "environment: {type: t_maze, episodes: 40, steps: 2}\n"
    "agent: {type: discrete, horizon: 2}\n"
    "controls: [random, no_epistemic]\n";

/// Moves whose effects are learnt, in a grid whose cells are seen; also what is drawn, a window and
/// all controls.
inline const std::string kGrid =
    "experiment: grid\nseed: 5\n"
    "environment: {type: grid_world, rows: 2, columns: 3, slip: 0.1, episodes: 6, steps: 7}\n"
    "agent:\n"
    "  type: discrete\n"
    "  horizon: 2\n"
    "  planning: {parameter_gain: exact}\n"
    "  window: 2\n"
    "  is_sampled: true\n"
    "  learn: {transitions: {prior: uniform, count: 0.5}, initial: {prior: model, count: 2}}\n"
    "controls: [random, no_epistemic, frozen]\n";

/// A mass on a line, for a few steps.
inline const std::string kMass =
    "experiment: mass\nseed: 2\n"
    "environment: {type: point_mass, episodes: 3, steps: 12}\n"
    "agent:\n"
    "  type: continuous\n"
    "  preference: {target: [0, 0], precision: [10, 0]}\n"
    "  model: {members: 2, hidden: [8], batch: 8}\n"
    "  horizon: 3\n"
    "  search: {population: 12, elites: 3, iterations: 2}\n"
    "  random_steps: 10\n"
    "controls: [random, frozen]\n";

}  // namespace gaia::test
