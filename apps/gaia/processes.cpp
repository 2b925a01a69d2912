// SPDX-License-Identifier: MIT
#include "processes.h"

#include <fmt/format.h>

#include "../../src/core/error.h"
#include "../../src/core/log.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {

std::unique_ptr<Communicator> processes_for(const Experiment& experiment) {
  const int started = launched_processes();
  if (started == 1) return nullptr;
  const std::string begin =
      fmt::format("{}: was started by {} processes together, ", experiment.file, started);
  const NetworkConfig* const network = experiment.config.network();
  if (network == nullptr) {
    throw ConfigError(begin + "but " + experiment.config.kind->title() +
                      " runs in one; `gaia sweep --shard auto` is for many runs");
  }
  if (!why_no_mpi().empty()) throw ConfigError(begin + "but " + why_no_mpi());
  if (network->members < started) {
    throw ConfigError(fmt::format(
        "{}but network.members is {}; set it to {} or more, the same for any number of processes",
        begin, network->members, started));
  }
  std::unique_ptr<Communicator> processes = connect_mpi();
  if (processes->rank() > 0) set_log_level(LogLevel::error);
  return processes;
}

int do_together(Communicator& processes, const std::function<int()>& work) {
  int code = kDone;
  try {
    code = work();
    // The first writes on when the others are done; a process that left now would end it.
    processes.any(false);
  } catch (...) {
    if (processes.rank() > 0) tell(fmt::format("process {}: ", processes.rank()));
    code = report_exception();
    // The others may be waiting for this one.
    if (processes.size() > 1) processes.abort(code);
  }
  return processes.rank() == 0 ? code : static_cast<int>(kDone);
}

}  // namespace gaia::app
