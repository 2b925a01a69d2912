// SPDX-License-Identifier: MIT
/// \file
/// What an earlier run of a hierarchy has learnt, read back from its results file: weights,
/// thresholds and readouts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../hierarchy/manager.h"
#include "../config/config.h"
#include "../config/problems.h"
#include "../data/stored_run.h"

namespace gaia {

/// Notes a problem under hierarchy.from for a run that is not complete, was none of a hierarchy, or
/// has stored no weights; and for every level and layer of a hierarchy that reads samples of
/// `features` numbers whose weights are of another shape or dtype, or that is of another type.
/// Levels that the run does not have are none: they begin as usual.
void check_weights(const StoredRun& run, const ExperimentConfig& config, std::int64_t features,
                   const AddProblem& add);

/// Notes a problem with readout number `index`, which does not learn, unless the run has trained
/// one of its name that reads the same levels, of the sizes that `config` gives them, and predicts
/// the same.
void check_readout(const StoredRun& run, const ExperimentConfig& config, std::size_t index,
                   const AddProblem& add);

/// What a run begins with.
struct Learnt {
  std::vector<ReadoutSolution>
      readouts;  ///< In the order of the config; empty for those that learn.
};

/// Gives the hierarchy of an experiment, which was checked, the weights, biases, recurrent weights
/// and thresholds at the end of the run that `path` is of, and reads the readouts that do not
/// learn. \throws DataError for a file that cannot be read or does not fit, or numbers that are not
/// finite.
Learnt load_learnt(const std::string& path, const ExperimentConfig& config,
                   HierarchyManager& hierarchy);

}  // namespace gaia
