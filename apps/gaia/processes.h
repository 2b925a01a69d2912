// SPDX-License-Identifier: MIT
/// \file
/// A command that mpirun or srun has started several times, so that the processes train together.
#pragma once

#include <functional>
#include <memory>

#include "../../src/experiment/data/experiment.h"
#include "../../src/training/communicator.h"

namespace gaia::app {

/// The processes that were started to run this experiment together; null where it is this one
/// alone. \throws ConfigError for an experiment that several processes cannot run, or where gaia
/// was built
///         without MPI.
std::unique_ptr<Communicator> processes_for(const Experiment& experiment);

/// Does `work`, the same in all processes, and returns its exit code when all are done; but for
/// rank 0 that is 0 where nothing went wrong.  An error in one ends all, with its exit code.
int do_together(Communicator& processes, const std::function<int()>& work);

}  // namespace gaia::app
