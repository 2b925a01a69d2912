// SPDX-License-Identifier: MIT
/// \file
/// What an experiment asks of a device, and which one `device: auto` stands for.
#pragma once

#include <string>

#include "../../array/placement.h"
#include "../setup/load.h"

namespace gaia {

/// The work of a whole run: of a hierarchy its levels block by block, of a network all epochs.
/// Small things are left out (readouts, the optimiser's clipping), as is what the host does on its
/// own wherever the run computes (reading, writing).
Work work_of(const Experiment& experiment);

struct DeviceChoice {
  Device device;
  std::string text;  ///< "cuda:0 (12 ms estimated, on cpu 1.3 s)", or only "cpu" if it was named.
};

/// The device that the experiment names; under `auto` that on which it is expected to be done
/// soonest (`place`), which without a GPU is the CPU.
/// \throws ArgumentError for a name that is none.
DeviceChoice choose_device(const Experiment& experiment);

/// As choose_device, telling the log, for a run that begins.
Device device_of_run(const Experiment& experiment);

/// The table behind the choice, for every device that there is; the CPU is measured for it too.
std::string explain_device(const Experiment& experiment);

}  // namespace gaia
