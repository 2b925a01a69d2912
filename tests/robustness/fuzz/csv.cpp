// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as a CSV file, with each policy for missing values.
#include "../../../src/io/csv.h"

#include "../../../src/core/error.h"
#include "series.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  static const test::InputInMemory input;
  const std::string path = input.path_with(test::text_of(bytes, count));
  for (const MissingPolicy missing : {MissingPolicy::error, MissingPolicy::interpolate}) {
    try {
      test::check_series(*open_csv(path, {.missing = missing}));
    } catch (const Error&) {
    }
  }
  return 0;
}
