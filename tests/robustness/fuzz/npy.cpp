// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as a NPY file.
#include "../../../src/io/npy.h"

#include "series.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  gaia::test::check_rows(bytes, count, gaia::open_npy);
  return 0;
}
