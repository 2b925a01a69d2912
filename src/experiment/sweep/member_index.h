// SPDX-License-Identifier: MIT
/// \file
/// Puts what the members of a sweep or a search have found into one place: FOLDER/index.h5, in
/// which the datasets of all members are seen as one, and FOLDER/members.csv.  docs/sweeps.md
/// describes both.
#pragma once

#include <functional>
#include <string>

#include "../../io/hdf5.h"
#include "member_table.h"

namespace gaia {

struct CollectedMembers {
  std::string index;  ///< Path of index.h5.
  std::string csv;    ///< Path of members.csv.
  MemberTable table;
};

/// Reads all member files, and writes both anew; `add` may add to the index.
/// \throws LockedError while another process does the same, OutputError where a file of one of
///         these names is not of this kind or cannot be written.
CollectedMembers collect_members(const Members& members,
                                 const std::function<void(hdf5::File&)>& add = {});

}  // namespace gaia
