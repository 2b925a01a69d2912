// SPDX-License-Identifier: MIT
/// \file
/// Changes of the regime, as the probabilities in a results file tell them.
#pragma once

#include <cstdint>
#include <vector>

#include "../../filters/regime_changes.h"
#include "../../io/foreign_hdf5/hdf5_reader.h"

namespace gaia {

/// Those of one level; `tick` of each is the step that it begins with.
struct RegimesOfLevel {
  std::int64_t level = 0;
  std::int64_t models = 0;
  std::vector<RegimeChange> changes;
};

/// Changes of all levels that tell probabilities of models, as far as the first `steps` steps go.
/// \throws DataError for a file that cannot be read.
std::vector<RegimesOfLevel> regimes_in_file(hdf5::Reader& reader, std::int64_t steps);

}  // namespace gaia
