// SPDX-License-Identifier: MIT
/// \file
/// Puts what the members of a sweep have found into one place: FOLDER/index.h5, in which the
/// datasets of all members are seen as one, and FOLDER/members.csv.  docs/sweeps.md describes both.
#pragma once

#include <string>

#include "sweep_table.h"

namespace gaia {

struct CollectedSweep {
  std::string index;  ///< Path of index.h5.
  std::string csv;    ///< Path of members.csv.
  SweepTable table;
};

/// Reads all member files, and writes both anew.
/// \throws LockedError while another process does the same, OutputError where a file of one of
/// these
///         names is not of this kind or cannot be written.
CollectedSweep collect_sweep(const Sweep& sweep);

}  // namespace gaia
