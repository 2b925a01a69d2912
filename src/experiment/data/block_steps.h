// SPDX-License-Identifier: MIT
/// \file
/// How long the blocks of a run are.
#pragma once

#include <cstdint>

#include "../../hierarchy/manager.h"

namespace gaia {

/// Steps that are worked on at a time.  Depends on the configuration alone, so that results do too.
std::int64_t choose_block_steps(const HierarchyManager& hierarchy, std::int64_t features,
                                std::int64_t steps, bool learn);

}  // namespace gaia
