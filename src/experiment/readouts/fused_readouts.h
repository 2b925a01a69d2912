// SPDX-License-Identifier: MIT
/// \file
/// Readouts of which some fuse others (type: consensus), wherever in the list they stand.
#pragma once

#include <functional>
#include <vector>

#include "readout.h"

namespace gaia {

/// Those that a readout of `configs` fuses, found by their place there; none of one that fuses
/// none.
std::vector<const Readout*> fused_by(const ReadoutConfig& config,
                                     const std::function<const Readout*(std::size_t)>& at);

/// A readout for each of `configs`: `make` is told the place of one that reads levels, `fuse` that
/// of one that fuses others, with these.
std::vector<Readout> make_readouts(
    const std::vector<ReadoutConfig>& configs, const std::function<Readout(std::size_t)>& make,
    const std::function<Readout(std::size_t, const std::vector<const Readout*>&)>& fuse);

/// Lets all of them read a block; what each adds, in their order.
std::vector<Readout::Added> process_readouts(std::vector<Readout>& readouts,
                                             const HierarchyBlock& block,
                                             const SampleReader& samples);

}  // namespace gaia
