// SPDX-License-Identifier: MIT
/// \file
/// Any bytes as a MATLAB file of level 5: every variable that is listed is read, as each type.
#include "../../../src/io/foreign_hdf5/matlab_file.h"

#include <algorithm>
#include <vector>

#include "../../../src/core/error.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace gaia;
  using hdf5::Type;
  static const test::InputInMemory input;
  const std::string path = input.path_with(test::text_of(bytes, count));
  try {
    hdf5::MatlabFile file(path);
    for (const hdf5::DatasetDescription& dataset : file.contents({}, {}).datasets) {
      if (!dataset.refusal.empty()) continue;
      const std::int64_t rows = dataset.shape.empty() ? 1 : dataset.shape.front();
      std::int64_t numbers = 1;
      for (const std::int64_t length : dataset.shape) numbers *= length;
      test::require(numbers <= static_cast<std::int64_t>(1100 * count + 8192),
                    "no more numbers than the file can hold");
      for (const Type type :
           {Type::float64, Type::float32, Type::int64, Type::int32, Type::uint8}) {
        std::vector<char> whole(static_cast<std::size_t>(numbers * hdf5::size_of(type)));
        try {
          file.read_rows(dataset, type, 0, rows, whole.data());
        } catch (const DataError&) {
          continue;
        }
        if (rows < 2) continue;
        std::vector<char> part(whole.size() / static_cast<std::size_t>(rows));
        file.read_rows(dataset, type, rows - 1, 1, part.data());
        test::require(std::equal(part.begin(), part.end(), whole.end() - std::ssize(part)),
                      "a row is as it is in the whole");
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
