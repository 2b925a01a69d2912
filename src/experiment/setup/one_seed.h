// SPDX-License-Identifier: MIT
/// \file
/// Texts that say that what one run shows is what one seed shows, and how others are asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../data/experiment.h"

namespace gaia {

/// "one seed, 7: `gaia verdict e.yaml --seeds 10` tells whether others agree".
///
/// `file` is that of the experiment, empty where none can be run again, and `settings` are what a
/// command line has changed in it (Experiment::settings).
std::string one_seed_text(std::int64_t seed, const std::string& file,
                          const std::vector<std::string>& settings);

/// The same of an experiment.  A verdict over seeds is of no network, whose seeds a sweep varies.
std::string one_seed_text(const Experiment& experiment);

/// A verdict of one run with the end that says so: "learning gains ...; of one seed".  An empty one
/// stays empty.
std::string of_one_seed(const std::string& verdict);

}  // namespace gaia
