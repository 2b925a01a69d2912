// SPDX-License-Identifier: MIT
/// \file
/// What a network is trained on and tested with: images and their classes, or windows of a series
/// and what comes after them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../../array/array.h"
#include "load.h"
#include "test_score.h"

namespace gaia {

/// Images: x [n, 1, height, width] in [0, 1], y [n] classes.  Series: x [n, window, channels],
/// y [n, 1] the target `horizon` steps after the newest row of x.
struct TrainingData {
  Array train_x;
  Array train_y;
  Array test_x;
  Array test_y;
  std::int64_t classes = 0;     ///< 0 for a series.
  std::int64_t first_test = 0;  ///< Newest row of a series' first sample to test with.
  SeriesBaseline baseline;      ///< Of the test samples of a series.
  Scaling scaling;              ///< Of the channels of a series; empty without normalisation.
  // Of a network that is only applied:
  bool wants_probabilities = false;       ///< Those of classes are stored too.
  std::optional<std::int64_t> targets{};  ///< So many of test_y are known; all if not given.
};

/// Shape of one sample.
Shape sample_shape(const Experiment& experiment);

/// Classes of the images, or 1: the numbers that a network puts out.
std::int64_t answer_size(const Experiment& experiment);

/// How many samples of a series there are to train on and to test with.
struct SampleCounts {
  std::int64_t train = 0;
  std::int64_t test = 0;
};
SampleCounts sample_counts(const Experiment& experiment);

/// Optimiser steps in one epoch.
std::int64_t batches_of(const Experiment& experiment);

/// `now`: the target as it is at each sample; `known`: the targets that the mean is taken of.
SeriesBaseline series_baseline(std::int64_t horizon, std::vector<double> now,
                               const std::vector<double>& known);

/// On the current device, in the experiment's dtype.
TrainingData read_training_data(Experiment& experiment);

}  // namespace gaia
