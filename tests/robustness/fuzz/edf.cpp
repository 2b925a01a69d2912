// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as an EDF or BDF file: signals of the rate that most have, with times and annotations.
#include "../../../src/io/recordings/edf_series.h"

#include "../../../src/core/error.h"
#include "series.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  static const test::InputInMemory input;
  const std::string path = input.path_with(test::text_of(bytes, count));
  for (const SideOptions& side :
       {SideOptions{}, SideOptions{.time = "time"}, SideOptions{.labels = "annotations"},
        SideOptions{.targets = {"0"}}}) {
    try {
      const EdfHeader header = read_edf_header(InputFile(path));
      std::vector<std::string> columns;
      for (const std::size_t i : signals_of_most_common_rate(header)) {
        if (side.targets.empty() || i > 0) columns.push_back(std::to_string(i));
      }
      test::check_series(*open_edf(path, {.columns = columns, .side = side}));
    } catch (const Error&) {
    }
  }
  return 0;
}
