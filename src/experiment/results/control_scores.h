// SPDX-License-Identifier: MIT
/// \file
/// Scores as attributes of a results file: those of a readout, and in /readouts/NAME/controls what
/// it reaches on each control.
#pragma once

#include <string>
#include <vector>

#include "../../io/hdf5.h"
#include "../readouts/control.h"

namespace gaia {

/// Writes scores under their names, a confusion matrix too, and why they are not defined.
void write_scores(hdf5::Group& group, const ReadoutScore& score);

/// Writes the group `windows`: scores along the stream, each under its name.
void write_windows(hdf5::Group& scored, const WindowScores::Table& windows);

/// Writes the group `groups`: scores of each group (data.groups) that was a fold.
void write_folds(hdf5::Group& scored, const FoldScores& folds,
                 const std::vector<std::string>& names);

/// A group for each control that the readout reads, with the scores of `kind` that are not there
/// yet; the attribute controls_left_out says why it does not read others.
void lay_out_controls(hdf5::Group& readout, const std::vector<ControlPlan>& plans,
                      std::size_t index, const ReadoutScore& kind);

/// Writes the scores into the groups that lay_out_controls has created.
void write_control_scores(hdf5::Group& readout, const std::vector<ControlScore>& scores,
                          const std::vector<std::string>& group_names);

}  // namespace gaia
