// SPDX-License-Identifier: MIT
/// \file
/// Which device an experiment runs on, and what `device: auto` stands for.
#pragma once

#include <functional>
#include <string>

#include "../../array/placement.h"
#include "../data/experiment.h"

namespace gaia {

/// Makes the trial of a run, where one is needed.
using MakeTrial = std::function<DeviceTrial()>;

struct DeviceChoice {
  Device device;
  std::string text;  ///< "cuda:0 (about 12 ms, on cpu about 1.3 s)"; only "cpu" if it was named.
  double seconds = 0.0;  ///< Time that the run would take there; 0 where nothing was tried.
};

/// The device that the experiment names; under `auto` that on which a trial (trial_of, if no other
/// is given) says that it is done soonest, which without a GPU is the CPU, and nothing is tried.
/// \throws ArgumentError for a name that is none.
DeviceChoice choose_device(const Experiment& experiment, const MakeTrial& trial = {});

/// Device of choose_device for a run that begins; the choice is logged.
Device device_of_run(const Experiment& experiment, const MakeTrial& trial = {});

/// Whether the experiment leaves it to a trial.
bool is_auto_device(const Experiment& experiment);

/// What was tried on every device that there is, and the choice; without a GPU the CPU is tried
/// too.
std::string explain_device(const Experiment& experiment);

}  // namespace gaia
