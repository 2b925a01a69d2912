// SPDX-License-Identifier: MIT
/// \file
/// What recordings of instruments have in common: samples that are packed integers, evenly in time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "../array_axes.h"
#include "../file_series.h"

namespace gaia {

/// How data.time asks for the seconds that a recording's rate tells.
constexpr const char* kRecordingTime = "time";

/// The integer with a sign that so many bytes are, the lowest first.
template <int kBytes>
std::int32_t little_endian(const char* bytes) {
  static_assert(kBytes >= 1 && kBytes <= 4);
  std::uint32_t bits = 0;
  for (int i = 0; i < kBytes; ++i) {
    bits |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * (4 - kBytes + i));
  }
  return static_cast<std::int32_t>(bits) >> (8 * (4 - kBytes));
}

/// Whether a side column is asked for by a name that the file itself gives a meaning to, and none
/// of its columns has; it is taken out of what is looked for among the columns then.
inline bool takes_name(std::string& asked, const std::string& name,
                       const std::vector<std::string>& columns) {
  const bool is_it =
      asked == name && std::find(columns.begin(), columns.end(), name) == columns.end();
  if (is_it) asked.clear();
  return is_it;
}

/// What only arrays have.  \throws DataKeyError.
inline void refuse_axes_of_recording(const std::string& path, const ArrayAxes& axes) {
  if (axes.transpose) {
    throw DataKeyError("transpose", "true",
                       path + ": is a recording, whose rows are samples and columns channels");
  }
  if (axes.trials) {
    throw DataKeyError("trials.axes", "axes",
                       path +
                           ": is a recording, which has samples and channels only; data.trials "
                           "takes column or length for it");
  }
}

}  // namespace gaia
