// SPDX-License-Identifier: MIT
/// \file
/// Where the members of a sweep or a search run: how many at a time, and which GPU each process
/// sees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "child_processes.h"

namespace gaia {

/// The free bytes of each GPU as `gaia`, a path of that program, tells them; 0 for one that cannot
/// be used, empty where there is none.  A process of its own looks, since looking makes a context
/// on every GPU: it would hold memory as long as the members run, and would shut them out of GPUs
/// that serve one process alone (compute mode EXCLUSIVE_PROCESS).
std::vector<double> free_on_gpus(const std::string& gaia);

/// How many members of at most `memory_bytes` each GPU has room for; `free` bytes are left on each.
/// If none has room for any, the GPU with the most gets one.
std::vector<std::int64_t> room_on_gpus(double memory_bytes, const std::vector<double>& free);

/// How many members of at most `memory_bytes` can run at a time where `jobs` are asked for: at
/// least one, and not more than memory has room for.  `room`: on each of the GPUs that the members
/// share, empty on a CPU.
std::int64_t jobs_that_fit(std::int64_t jobs, double memory_bytes,
                           const std::vector<std::int64_t>& room);

/// One GPU for each of `jobs` processes, in turn, and of each GPU as many as it has `room` for:
/// CUDA_VISIBLE_DEVICES for each.  `visible` is its value now, empty if it has none.  Empty for
/// less than two GPUs.
std::vector<ChildProcesses::Environment> gpu_environments(std::int64_t jobs,
                                                          std::vector<std::int64_t> room,
                                                          const std::string& visible);

}  // namespace gaia
