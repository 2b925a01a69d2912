// SPDX-License-Identifier: MIT
/// \file
/// The catalogue's parts, a file each.  A new rule is an entry in one of them.
#pragma once

#include <vector>

#include "entry.h"

namespace gaia::catalogue {

std::vector<NamedRule> correlation();
std::vector<NamedRule> components();
std::vector<NamedRule> competition();
std::vector<NamedRule> spikes();
std::vector<NamedRule> targets();
std::vector<NamedRule> excitability();

std::vector<NamedNeuron> neurons();

}  // namespace gaia::catalogue
