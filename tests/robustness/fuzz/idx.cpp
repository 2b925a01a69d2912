// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as an IDX file, plain or packed by gzip.
#include "../../../src/io/idx.h"

#include "../../../src/core/error.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  static const test::InputInMemory input;
  const std::string path = input.path_with(test::text_of(bytes, count));
  try {
    const Array array = io::read_idx(path);
    const Array wide = io::read_idx(path, DType::float64);
    test::require(array.shape() == wide.shape(), "the dtype does not change the shape");
  } catch (const Error&) {
  }
  return 0;
}
