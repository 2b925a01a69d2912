// SPDX-License-Identifier: MIT
/// \file
/// /readouts/NAME/controls in a results file: what the readout reaches on each control.
#pragma once

#include <string>
#include <vector>

#include "../../io/hdf5.h"
#include "../setup/control.h"

namespace gaia {

/// A group for each control, with scores that are not there yet; nothing without controls.
void lay_out_controls(hdf5::Group& readout, const std::vector<std::string>& controls);

/// Writes the scores into the groups that lay_out_controls has made.
void write_control_scores(hdf5::Group& readout, const std::vector<ControlScore>& scores);

}  // namespace gaia
