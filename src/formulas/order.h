// SPDX-License-Identifier: MIT
/// \file
/// The order of numbers by which everything is sorted and searched, written once for every device.
#pragma once

#include <cstdint>

#include "../core/host_device.h"

namespace gaia {

enum class SortOrder : std::uint8_t { ascending, descending };

/// Which side of equal elements a search returns.
enum class Side : std::uint8_t { left, right };

/// Whether a comes before b: a < b, and NaN is larger than every number.
struct ComesBefore {
  template <class T>
  GAIA_HOST_DEVICE bool value(T a, T b) const {
    return a < b || (b != b && a == a);
  }
};

}  // namespace gaia
