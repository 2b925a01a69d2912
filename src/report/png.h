// SPDX-License-Identifier: MIT
/// \file
/// Images within the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "color.h"

namespace gaia::report {

/// An image of at most 256 colours.
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> pixels;  ///< [height, width] of indices into `palette`, top row first.
  const Palette* palette = nullptr;
};

/// The image as a PNG file (ISO/IEC 15948).
std::string to_png(const Image& image);

/// "data:image/png;base64,...".
std::string png_uri(const Image& image);

/// RFC 4648.
std::string base64(std::string_view bytes);

}  // namespace gaia::report
