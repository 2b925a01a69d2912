// SPDX-License-Identifier: MIT
/// \file
/// Members of a sweep or a search that run together in this process.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "../run/replica_runs.h"
#include "members.h"

namespace gaia {

/// How many at most are worth the memory and the files that are open at a time.
inline constexpr std::int64_t kMostTogether = 64;

/// A member that was run, and what came of it.
struct MemberRun {
  std::int64_t member = 0;
  RunOutcome outcome;
};

/// Runs those of `members` of which there is nothing yet, as run_replicas does, each under the same
/// options.  Others are left: those that are complete, that were cut, or in whose place something
/// else stands, and those whose data cannot be read.
std::vector<MemberRun> run_members_together(const Members& members,
                                            const std::vector<std::int64_t>& numbers,
                                            const RunOptions& options);

}  // namespace gaia
