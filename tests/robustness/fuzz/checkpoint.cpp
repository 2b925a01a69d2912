// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as a checkpoint, and as the content of one whose hash is right.
#include "../../../src/array/create.h"
#include "../../../src/core/error.h"
#include "../../../src/io/checkpoint_file.h"
#include "../../../src/io/sha256.h"
#include "target.h"

namespace {

void read(const std::string& path) {
  try {
    for (const auto& [name, array] : gaia::read_checkpoint(path).arrays) {
      // What was read can be computed with.
      (void)array.to_vector<double>();
    }
  } catch (const gaia::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  static const test::InputInMemory input;
  const std::string_view text = test::text_of(bytes, count);
  read(input.path_with(text));
  read(input.path_with("gaia checkpoint 1\n" + sha256_of({text.data(), text.size()}) + "\n" +
                       std::string(text)));
  return 0;
}
