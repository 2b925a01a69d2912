// SPDX-License-Identifier: MIT
/// \file
/// Some channels of a series, and others of them as targets that no level reads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "series.h"

namespace gaia {

/// The channels `columns` of a series, in their order (empty: all that are no targets), and beside
/// them `targets`, before its own side columns; by name, or by index where no channel is called
/// so.  `source` begins the messages.  \throws DataKeyError for channels that there are not, that
/// are asked for twice, or for both.
std::unique_ptr<Series> select_channels(std::unique_ptr<Series> series, const std::string& source,
                                        const std::vector<std::string>& columns,
                                        const std::vector<std::string>& targets);

}  // namespace gaia
