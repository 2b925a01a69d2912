// SPDX-License-Identifier: MIT
/// \file
/// What a hierarchy has learnt, read back from its results file.
#pragma once

#include <string>
#include <vector>

#include "../hierarchy/manager.h"
#include "../io/hdf5.h"
#include "network_checks.h"

namespace gaia {

/// Notes a problem for every level and layer of a hierarchy that reads samples of `features` numbers
/// whose weights in `file`, the result `name`, are of another shape, or that is of another type.
/// Levels that the file does not have are none: they begin as usual.
void check_stored_weights(const hdf5::File& file, const std::string& name,
                          const HierarchyConfig& hierarchy, std::int64_t features,
                          const AddProblem& add);

/// Gives a hierarchy the weights, biases, recurrent weights and thresholds at the end of the run that
/// left `path`; levels that this had not keep theirs.
/// \throws DataError for a file that cannot be read, or has no final weights: its run did not live
///         to write them, or was told not to.
void load_stored_weights(HierarchyManager& hierarchy, const std::string& path);

/// How the data of a run were scaled: what was subtracted and divided by, per channel; empty where
/// they were not.
struct StoredScaling {
  std::vector<double> offset;
  std::vector<double> scale;
};
StoredScaling stored_scaling(const hdf5::File& file);

/// What a readout of a run found.
struct StoredReadout {
  std::vector<double> weights;  ///< One for each neuron of each level that it reads, in order.
  double intercept = 0.0;
  double target_mean = 0.0;  ///< While it was trained.
};
/// \throws DataError if the file has no such readout, or its run did not come to train it.
StoredReadout stored_readout(const hdf5::File& file, const std::string& name);

}  // namespace gaia
