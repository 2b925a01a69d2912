// SPDX-License-Identifier: MIT
/// \file
/// /readouts/NAME in a results file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../readouts/readout.h"
#include "growing_datasets.h"

namespace gaia {

/// What is filled while the run goes on.
struct ReadoutDatasets {
  hdf5::Dataset step;
  std::optional<hdf5::Dataset> time;
  std::vector<hdf5::Dataset> series;  ///< Series as Readout::series lists them.
  /// Solution of a linear one: weights, intercept, target_mean; of a consensus error_covariance,
  /// fused_covariance, target_mean.
  std::vector<hdf5::Dataset> solution;
  std::optional<hdf5::Dataset> name;   ///< Names of neurons, where it gives them.
  std::optional<hdf5::Dataset> asked;  ///< Steps that these have asked for.
  std::int64_t rows = 0;
};

/// Creates the attributes of a readout, with room for scores that are not known yet, and its
/// datasets.
ReadoutDatasets lay_out_readout(hdf5::Group& group, const Readout& readout,
                                const HierarchyManager& hierarchy,
                                const std::vector<std::string>& channel_names,
                                const GrowingDatasets& growing);

/// Writes Readout::model_state, where there is any.
void write_model(hdf5::Group& group, const std::vector<double>& state);

}  // namespace gaia
