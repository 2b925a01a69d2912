// SPDX-License-Identifier: MIT
/// \file
/// What an experiment will need, and what `gaia check` tells of one that can run.
#pragma once

#include <string>
#include <vector>

#include "../../core/fields.h"
#include "../data/experiment.h"

namespace gaia {

/// 0 where it is not known.
struct Needs {
  double memory_bytes = 0.0;  ///< At the peak, beside the program itself.
  double disk_bytes = 0.0;    ///< Size of the results file, not compressed.
  double operations = 0.0;    ///< By which times of like experiments compare.
  double seconds = 0.0;       ///< Time of the whole run, from a short trial; 0 without one.
};

struct CheckedExperiment {
  std::string text;                    ///< Sizes, memory, disk and time, for a person.
  std::vector<std::string> shortages;  ///< What there is too little of now.
  std::vector<std::string> warnings;   ///< Warnings beside the experiment's own.
  std::vector<std::string> rates;      ///< Learning rates that were found.
  Fields fields;                       ///< The numbers, for other programs.
};

/// What there is too little of now, one sentence each; `way_out` ends that of the disk.
std::vector<std::string> shortages(const Experiment& experiment, double memory_bytes,
                                   double disk_bytes, const std::string& way_out = {});

}  // namespace gaia
