// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as a NPY file, with each policy for missing values, and with
/// columns beside the channels.
#include "../../../src/io/npy.h"

#include "../../../src/core/error.h"
#include "series.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  static const test::InputInMemory input;
  const std::string path = input.path_with(test::text_of(bytes, count));
  for (const MissingPolicy missing : {MissingPolicy::error, MissingPolicy::interpolate}) {
    try {
      test::check_series(*open_npy(path, {.missing = missing}));
    } catch (const Error&) {
    }
  }
  for (const SideOptions& side :
       {SideOptions{.time = "0"}, SideOptions{.targets = {"1"}, .labels = "0"},
        SideOptions{.labels = "1", .trial = "0"}}) {
    try {
      test::check_series(*open_npy(path, {.missing = MissingPolicy::interpolate, .side = side}));
    } catch (const Error&) {
    }
  }
  return 0;
}
