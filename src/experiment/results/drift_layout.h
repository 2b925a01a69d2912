// SPDX-License-Identifier: MIT
/// \file
/// What results tell of drift.
#pragma once

#include <vector>

#include "../../io/hdf5.h"
#include "../data/drift.h"

namespace gaia {

/// /data/drift/N: what each does when; nothing without drift.
void write_drifts(hdf5::Group& data, const std::vector<Drift>& drifts);

}  // namespace gaia
