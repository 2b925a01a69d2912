// SPDX-License-Identifier: MIT
/// \file
/// What a person is told before and after a run, of whatever kind it is; what kinds add is made of
/// these lines.
#pragma once

#include <string>
#include <vector>

#include "../../core/fields.h"
#include "../data/experiment.h"
#include "../readouts/verdict.h"

namespace gaia {

/// Two or three lines: what is about to run, on what.
std::string opening_text(const Experiment& experiment);

/// "data     a.csv  1 000 rows x 3 channels", and what of them is filled.
std::string data_lines(const Experiment& experiment);

/// The score of `what`, "readout  name", compared with its baselines and controls, and a line with
/// the verdict, a warning where it is no better than they are.
std::string scores_text(const std::string& what, const std::string& whose, const Score& score,
                        const std::string& undefined, const std::vector<Score>& baselines,
                        const std::string& more, const std::vector<std::string>& doubts = {},
                        const std::vector<std::string>& remarks = {});

/// Its name, measure, value and error.
Fields fields_of(const Score& score);

/// A line below the scores, where there are some.
std::string seed_line(bool has_scores, const std::string& one_seed);

/// The results file, with its size or without, and what to type next.
std::string file_lines(const std::string& file, bool with_size = true);
std::string xarray_line(const std::string& file, const char* group);

}  // namespace gaia
