// SPDX-License-Identifier: MIT
#include "series.h"

#include "../core/error.h"

namespace gaia {

const std::vector<std::string>& Series::latent_names() const {
  static const std::vector<std::string> none;
  return none;
}

void Series::read_latents(std::int64_t /*first*/, std::int64_t /*count*/,
                          std::span<double> /*out*/) {
  throw ArgumentError("[read_latents] this series has no latents");
}

void Series::check_range(std::int64_t first, std::int64_t count, std::size_t room,
                         std::int64_t width) const {
  if (first < 0 || count < 0 || count > rows() - first) {
    throw ArgumentError("[read] " + std::to_string(count) + " rows from " + std::to_string(first) +
                        " on, of a series of " + std::to_string(rows()) + " rows");
  }
  if (room < static_cast<std::size_t>(count * width)) {
    throw ArgumentError("[read] room for " + std::to_string(room) + " numbers, needed " +
                        std::to_string(count * width));
  }
}

}  // namespace gaia
