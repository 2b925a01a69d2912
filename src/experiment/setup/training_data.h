// SPDX-License-Identifier: MIT
/// \file
/// What a network is trained on and tested with: images and their classes, or windows of a series
/// and what comes after them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "../../array/array.h"
#include "../data/experiment.h"
#include "../data/sample_reader.h"
#include "../readouts/readout_ticks.h"
#include "../readouts/test_score.h"

namespace gaia {

/// What is kept from training to validate by.
struct ValidationData {
  Array x;
  Array y;
  /// Newest row of each sample of a series; of images their numbers among the training images.
  std::vector<std::int64_t> places = {};
  SeriesBaseline baseline = {};  ///< Baseline of a series.
};

/// Images: x [n, colours, height, width] in [0, 1], y [n] classes.  Series: x [n, window,
/// channels], y [n, 1] the target `horizon` steps after the newest row of x.
struct TrainingData {
  Array train_x;
  Array train_y;
  Array test_x;
  Array test_y;
  std::optional<ValidationData> validation = {};  ///< With network.validation.
  /// How much a picture of each class counts in the loss; empty: each once.
  std::vector<double> class_weights = {};
  std::int64_t classes = 0;  ///< 0 for a series.
  std::vector<std::int64_t> test_rows =
      {};                   ///< Newest row of each sample of a series to test with.
  SeriesBaseline baseline;  ///< Baseline on the test samples of a series that are known.
  Scaling scaling;          ///< Scaling of the channels of a series; empty without normalisation.
  // A network that is only applied has these:
  bool wants_probabilities = false;  ///< Those of classes are stored too.
  /// The test samples whose targets are known; all if not given.
  std::optional<std::vector<std::int64_t>> known{};
};

/// Windows of a series, of one trial after another, and their targets.
struct SeriesSamples {
  Array x;                              ///< [n, window, channels], on the current device.
  std::vector<double> targets = {};     ///< NaN where none is known, or it was missing.
  std::vector<double> now = {};         ///< The targets as they are at the samples.
  std::vector<std::int64_t> rows = {};  ///< Newest row of each.
};

/// Which samples of a series are read.
struct SamplesWanted {
  bool targets = true;          ///< With their targets, else targets and now are NaN.
  bool without_target = false;  ///< Those too after which a trial ends before the target is there.
  std::optional<std::int64_t> most = {};
};

/// Reads them by `samples`, which reaches the horizon of the target ahead.
SeriesSamples read_series_samples(const Experiment& experiment, SampleReader& samples,
                                  const SamplesWanted& wanted = {});

/// Images as the samples of a network: with an axis for their colours, if they have none.
Array with_colours(const Array& images);

/// Shape of one sample.
Shape sample_shape(const Experiment& experiment);

/// Classes of the images, or 1: the numbers that a network puts out.
std::int64_t answer_size(const Experiment& experiment);

/// Which samples of a series, of those with a target, are to train on, to validate by and to test
/// with, as parts of a readout that reads the windows: of several trials none has samples in two
/// parts, and none is in an earlier part whose window or target reaches a later one.
ReadoutTicks network_ticks(const Experiment& experiment);

/// Numbers of the training images that are kept to validate by, of `count` of them: the first
/// round(share count) of a random order, which is that of the numbers of the stream
/// "data/validation" of the seed, in rising order.
std::vector<std::int64_t> validation_images(std::int64_t count, double share, std::int64_t seed);

/// How many samples there are to train on, to test with and to validate by, without those whose
/// target was missing.
struct SampleCounts {
  std::int64_t train = 0;
  std::int64_t test = 0;
  std::int64_t purged = 0;  ///< Samples of a series in between: for neither.
  std::int64_t validation = 0;
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
