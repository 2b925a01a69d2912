// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as a WAV file, with each policy for missing values, and with times.
#include "../../../src/io/recordings/wav.h"

#include "../../../src/core/error.h"
#include "series.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  static const test::InputInMemory input;
  const std::string path = input.path_with(test::text_of(bytes, count));
  for (const MissingPolicy missing : {MissingPolicy::error, MissingPolicy::interpolate}) {
    for (const SideOptions& side : {SideOptions{}, SideOptions{.time = "time"}}) {
      try {
        test::check_series(*open_wav(path, {.missing = missing, .side = side}));
      } catch (const Error&) {
      }
    }
  }
  return 0;
}
