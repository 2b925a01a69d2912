// SPDX-License-Identifier: MIT
#include "run.h"

namespace gaia {

std::unique_ptr<RunSummary> run_experiment(Experiment& experiment, const RunOptions& options) {
  return experiment.config.kind->run(experiment, options);
}

}  // namespace gaia
