// SPDX-License-Identifier: MIT
#include "run.h"

#include <exception>

#include "telemetry.h"

namespace gaia {

std::unique_ptr<RunSummary> run_experiment(Experiment& experiment, const RunOptions& options) {
  ToldRun told(experiment, options);
  try {
    std::unique_ptr<RunSummary> summary = experiment.config.kind->run(experiment, told.options());
    told.end(*summary);
    return summary;
  } catch (const std::exception& error) {
    told.fail(error.what());
    throw;
  }
}

}  // namespace gaia
