// SPDX-License-Identifier: MIT
#include "decoded_picture.h"

#include <fmt/format.h>

#include "../../core/error.h"

namespace gaia::io {

int exif_orientation(std::span<const std::uint8_t> tiff) {
  const bool is_little = tiff.size() >= 8 && tiff[0] == 'I' && tiff[1] == 'I';
  const bool is_big = tiff.size() >= 8 && tiff[0] == 'M' && tiff[1] == 'M';
  if (!is_little && !is_big) return 1;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value = value << 8 | tiff[at + (is_little ? bytes - 1 - i : i)];
    }
    return value;
  };
  // The first directory: a count of entries, each of a tag, a type, a count and a value.
  const std::size_t directory = number(4, 4);
  if (directory > tiff.size() - 2) return 1;
  constexpr std::size_t kEntry = 12;
  constexpr std::size_t kOrientation = 0x0112;
  constexpr std::size_t kShort = 3;
  const std::size_t entries = number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + i * kEntry;
    if (at + kEntry > tiff.size()) return 1;
    if (number(at, 2) != kOrientation || number(at + 2, 2) != kShort) continue;
    const std::size_t told = number(at + 8, 2);
    return told >= 1 && told <= 8 ? static_cast<int>(told) : 1;
  }
  return 1;
}

void check_picture_size(const std::string& path, std::int64_t height, std::int64_t width) {
  if (height >= 1 && width >= 1 && height <= kMostPicturePixels / width) return;
  throw DataError(
      fmt::format("{}: expected a picture of 1 to {} pixels, got {} x {}; make it smaller", path,
                  kMostPicturePixels, height, width));
}

}  // namespace gaia::io
