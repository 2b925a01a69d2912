// SPDX-License-Identifier: MIT
// Stands in where libpng was not found.
#include "../../../core/error.h"
#include "../decoded_picture.h"

namespace gaia::io {

DecodedPicture decode_png(std::span<const char> /*file*/, const std::string& path) {
  throw DataError(path +
                  ": is a PNG file, and this gaia was built without libpng; install libpng-dev, "
                  "as scripts/setup does, and build anew, or save the pictures as .npy");
}

}  // namespace gaia::io
