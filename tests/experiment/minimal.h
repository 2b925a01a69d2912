// SPDX-License-Identifier: MIT
/// \file
/// A small experiment for tests to change.
#pragma once

#include <string>

namespace gaia::test {

inline const std::string kMinimal =
    "experiment: minimal\n"
    "data: {source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 2, rule: oja, learning_rate: 0.01}\n"
    "    - temporal_resolution: 3\n      pooling: mean\n      layers:\n"
    "        - {type: reactive, size: 4, activation: tanh}\n"
    "        - {type: hebbian, size: 2, rule: bcm, learning_rate: 0.001, normalization: l2}\n";

}  // namespace gaia::test
