// SPDX-License-Identifier: MIT
/// \file
/// What a report tells of a result of each kind that gaia has: its page, and its scores and curve
/// beside those of others.
#pragma once

#include <string>
#include <vector>

#include "comparison.h"
#include "result.h"

namespace gaia::report {

std::string hierarchy_page(const Result& result, const std::vector<std::string>& left_out);
std::string network_page(const Result& result, const std::vector<std::string>& left_out);
std::string agent_page(const Result& result, const std::vector<std::string>& left_out);

/// Members of a sweep or a search are compared by their validation parts, where they have some: the
/// test part is reported for the chosen one alone.
void compare_hierarchy(const Result& result, bool is_member, ComparedRun& run);
void compare_network(const Result& result, bool is_member, ComparedRun& run);
void compare_agent(const Result& result, ComparedRun& run);

}  // namespace gaia::report
