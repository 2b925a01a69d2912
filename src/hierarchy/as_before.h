// SPDX-License-Identifier: MIT
/// \file
/// What errors say of a hierarchy that has been put back.
#pragma once

namespace gaia {

inline constexpr const char* kAsBefore = "; the hierarchy is as it was before";

}  // namespace gaia
