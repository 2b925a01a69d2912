// SPDX-License-Identifier: MIT
/// \file
/// How PNG and JPEG files are found and read.
#pragma once

#include <string>

#include "../input_file.h"
#include "pictures.h"

namespace gaia::io {

/// Whether a file begins as PNG or JPEG files do.
bool is_decodable(const InputFile& file);

/// A PNG or JPEG file as the only picture.
Pictures read_one_picture(const std::string& path);

/// The pictures of a folder, as read_pictures has them; what EXIF says of their orientation is
/// warned of.
Pictures read_picture_folder(const std::string& folder, const PictureOptions& options);

}  // namespace gaia::io
