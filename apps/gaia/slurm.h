// SPDX-License-Identifier: MIT
/// \file
/// A script for the batch system Slurm that runs a sweep or a search as an array of tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia::app {

/// More tasks than many a cluster allows in an array are not asked for.
inline constexpr std::int64_t kMostTasks = 1000;

/// The script: `tasks` tasks, each of which runs `command` with `--shard auto`, stops it two
/// minutes before its time is over, and is queued again if it was interrupted.
std::string slurm_script(const std::string& name, std::int64_t tasks, std::int64_t processors,
                         const std::vector<std::string>& command);

}  // namespace gaia::app
