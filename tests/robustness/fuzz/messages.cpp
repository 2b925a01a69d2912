// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as what a reader of HDF5 files, taken over by one, may say: they are refused, or
/// packing what was unpacked gives the same bytes.
#include "../../../src/io/foreign_hdf5/hdf5_messages.h"

#include "../../../src/core/error.h"
#include "target.h"

namespace {

template <class Unpack>
void check(std::string_view bytes, const Unpack& unpack) {
  try {
    gaia::test::require(pack(unpack(bytes)) == bytes, "messages have one form");
  } catch (const gaia::DataError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia::hdf5;
  const std::string_view text = gaia::test::text_of(bytes, count);
  check(text, unpack_contents);
  check(text, unpack_header);
  check(text, unpack_read_request);
  return 0;
}
