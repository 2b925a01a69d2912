// SPDX-License-Identifier: MIT
/// \file
/// What a person is told before and after a run.
#pragma once

#include <string>

#include "agent_summary.h"
#include "apply_network.h"
#include "estimate.h"
#include "run.h"
#include "train.h"

namespace gaia {

/// Two or three lines: what is about to run, on what.
std::string opening_text(const Experiment& experiment);

/// The closing table: levels, readouts beside their baselines, time, file, and what to type next.
std::string closing_text(const RunSummary& summary);

/// The same for a network.
std::string closing_text(const TrainingSummary& summary);

/// The same where a network was applied.
std::string closing_text(const NetworkApplication& made);

/// What `gaia check` says of a network that can be trained.
std::string network_text(const Experiment& experiment);

/// What `gaia check` says of an experiment that can run.
std::string estimate_text(const Experiment& experiment, const Estimate& estimate);

}  // namespace gaia
