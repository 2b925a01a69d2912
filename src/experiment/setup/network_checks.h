// SPDX-License-Identifier: MIT
/// \file
/// What is checked of an experiment with a network before it runs.
#pragma once

#include "load.h"

namespace gaia {

/// Reads the images of `config` into the experiment.  \throws DataError for files that cannot be
/// used; missing ones are problems of data.folder.
void open_images(Experiment& experiment, const ImagesConfig& config, const AddProblem& add);

/// Makes `loss: auto` a name, and checks that target, split and layers fit the data.
void check_network(Experiment& experiment, const AddProblem& add);

}  // namespace gaia
