// SPDX-License-Identifier: MIT
// Stands in where libjpeg was not found.
#include "../../../core/error.h"
#include "../decoded_picture.h"

namespace gaia::io {

DecodedPicture decode_jpeg(std::span<const char> /*file*/, const std::string& path) {
  throw DataError(path +
                  ": is a JPEG file, and this gaia was built without libjpeg; install "
                  "libjpeg-dev, as scripts/setup does, and build anew, or save the pictures as "
                  ".npy");
}

}  // namespace gaia::io
