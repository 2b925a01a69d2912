// SPDX-License-Identifier: MIT
// Experiments whose results streams are made of, and how far answers are from expected ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../support/catch.h"
#include "streamed.h"

namespace gaia::test {

inline std::string experiment_of(const std::string& dtype, const std::string& rest) {
  return "experiment: streamed\nseed: 4\ndtype: " + dtype + "\n" + rest;
}

inline const std::string kData =
    "data:\n"
    "  {source: file, path: train.csv, columns: [a, b, c], targets: [gain], labels: state,\n"
    "   window: 2, normalize: zscore}\n";

/// Levels that learn by names, by equations that read a target and labels, and from above.
inline const std::string kLevels =
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: hebbian, size: 4, rule: oja, learning_rate: 0.01}\n" +
    kLevelByEquations +
    "              seen = seen + 1\n"
    "              dw = rate*(truth - y)*x*(1 + gain^2)/(1 + 0.001*seen)\n"
    "            parameters: {rate: 0.05}\n"
    "            signals: {truth: labels, gain: gain}\n"
    "    - temporal_resolution: 3\n      layers:\n"
    "        - {type: hebbian, size: 3, rule: bcm, learning_rate: 0.001, normalization: "
    "max_norm}\n";

inline const std::string kPlain =
    "hierarchy:\n  levels:\n"
    "    - layers: [{type: hebbian, size: 4, rule: oja, learning_rate: 0.01}]\n"
    "    - temporal_resolution: 3\n      pooling: mean\n"
    "      layers: [{type: hebbian, size: 3, rule: sanger, learning_rate: 0.002}]\n";

inline const std::string kOnline =
    "readouts:\n"
    "  - {name: live, type: online, target: {channel: [a, b], horizon: 3, mean_over: 2},\n"
    "     levels: [0, 1], skip: 0.1}\n"
    "  - {name: gains, type: online, method: nlms, target: {column: gain, horizon: 2, change: "
    "true},\n"
    "     levels: [0]}\n"
    "  - {name: alarm, type: anomaly, score: reconstruction, levels: [0, 1], train: 0.5}\n"
    "  - {name: far, type: anomaly, score: mahalanobis, levels: [0], train: 0.5}\n"
    "  - {name: next, type: anomaly, score: forecast, levels: [0], train: 0.5}\n";

inline StreamOptions learning_options() {
  return {.learn = true, .moments = StreamMoments::running};
}

/// The largest difference.
inline double worst(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace gaia::test
