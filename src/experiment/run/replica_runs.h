// SPDX-License-Identifier: MIT
/// \file
/// Several experiments of one structure run together: on a GPU a layer of all of them learns in one
/// launch.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "hierarchy_run.h"

namespace gaia {

/// What one of several runs came to: a summary, or why it failed.
struct RunOutcome {
  std::optional<HierarchySummary> summary;
  std::exception_ptr error;
};

/// Does for each experiment what run_hierarchy does under the options of its number; their files
/// are the same bit for bit, but for metrics/steps_per_second and times, and on a GPU within what
/// process_replicas says.
///
/// Hierarchies of one structure (why_not_replica) that read their data in the same blocks compute
/// together; one that is like no other is run by itself.  One that fails or diverges leaves the
/// others what they are.  All are in memory at a time, and all their files are open.
std::vector<RunOutcome> run_replicas(std::span<Experiment> experiments,
                                     std::span<const RunOptions> options);

}  // namespace gaia
