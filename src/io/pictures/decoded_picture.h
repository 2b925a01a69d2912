// SPDX-License-Identifier: MIT
/// \file
/// One picture of a PNG or JPEG file, as the decoders pass it on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace gaia::io {

struct PictureSize {
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t pixels() const { return height * width; }
  bool operator==(const PictureSize&) const = default;
};

/// Most pixels of one picture, whatever file it comes from.
constexpr std::int64_t kMostPicturePixels = std::int64_t{1} << 26;

struct DecodedPicture {
  PictureSize size;
  std::int64_t colours = 1;  ///< 1: grey; 3: red, green, blue.
  /// [height, width, colours], of 8 or 16 bits.
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>> numbers;
  int orientation = 1;  ///< Orientation by EXIF, 1 to 8, which is not applied; 1: upright.
};

/// What a PNG file (ISO/IEC 15948) holds: grey or colour of 1 to 16 bits, by a palette,
/// interlaced.  Fewer than 8 bits are stretched to 8; an alpha channel that is opaque throughout is
/// left out; gamma and colour profiles are not applied.
/// \throws DataError "path: ..." for a file that is damaged, cut, too large, or transparent, and in
///         a gaia that was built without libpng.
DecodedPicture decode_png(std::span<const char> file, const std::string& path);

/// What a JPEG file (ITU-T T.81) holds: grey or colour of 8 bits, in one go or progressive, by the
/// exact integer transform of libjpeg.
/// \throws DataError "path: ..." for a file that is damaged, cut, too large, or of four colours
///         (CMYK), and in a gaia that was built without libjpeg.
DecodedPicture decode_jpeg(std::span<const char> file, const std::string& path);

/// The orientation that EXIF data tell, which begin with their TIFF header; 1 where they tell none.
int exif_orientation(std::span<const std::uint8_t> tiff);

/// \throws DataError "path: expected ..., got H x W" for a picture without pixels or with too many.
void check_picture_size(const std::string& path, std::int64_t height, std::int64_t width);

}  // namespace gaia::io
