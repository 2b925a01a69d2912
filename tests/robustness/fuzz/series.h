// SPDX-License-Identifier: MIT
/// \file
/// What holds of every series that a file gives, whatever the file.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "../../../src/core/error.h"
#include "../../../src/io/file_options.h"
#include "../../../src/io/series.h"
#include "target.h"

namespace gaia::test {

/// Times are finite and classes have names, in rows [first, first + count).
inline void check_side(Series& series, std::int64_t first, std::int64_t count) {
  const std::vector<SideColumn> columns = series.side_columns();
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < columns.size(); ++i) wanted.push_back(i);
  std::vector<double> rows(static_cast<std::size_t>(count * series.channels()));
  std::vector<SideValues> side(wanted.size());
  series.read_with_side(first, count, rows, wanted, side);
  const auto classes = static_cast<std::int64_t>(series.classes().size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto* codes = std::get_if<std::vector<std::int64_t>>(&side[i]);
    const auto* numbers = std::get_if<std::vector<double>>(&side[i]);
    require((codes != nullptr ? codes->size() : numbers->size()) == static_cast<std::size_t>(count),
            "a side column has a value for every row");
    if (columns[i].role == SideColumn::Role::label) {
      for (const std::int64_t code : *codes) {
        require(code >= -1 && code < classes, "a label is a class or none");
      }
    }
    for (const double number : numbers != nullptr ? *numbers : std::vector<double>()) {
      require(!std::isinf(number), "numbers beside the channels are finite");
    }
  }
}

/// The rows are finite, and the same in one piece, in blocks, and from the end to the start.
inline void check_series(Series& series) {
  const std::int64_t rows = series.rows();
  const std::int64_t channels = series.channels();
  require(rows >= 1 && channels >= 1, "a series has rows and channels");
  if (rows * channels > 1000000) return;
  std::vector<double> whole(static_cast<std::size_t>(rows * channels));
  series.read(0, rows, whole);
  require(std::all_of(whole.begin(), whole.end(), [](double x) { return std::isfinite(x); }),
          "numbers are finite");
  const std::int64_t block = rows / 3 + 1;
  std::vector<double> part(static_cast<std::size_t>(block * channels));
  for (std::int64_t first = (rows - 1) / block * block; first >= 0; first -= block) {
    const std::int64_t count = std::min(block, rows - first);
    series.read(first, count, part);
    require(
        std::equal(part.begin(), part.begin() + count * channels, whole.begin() + first * channels),
        "a block is as it is in the whole");
    check_side(series, first, count);
  }
}

/// Bytes as a file of rows, with each policy for missing values, and with columns beside the
/// channels.
template <class Open>
void check_rows(const std::uint8_t* bytes, std::size_t count, const Open& open) {
  static const InputInMemory input;
  const std::string path = input.path_with(text_of(bytes, count));
  std::vector<FileOptions> all = {{.missing = MissingPolicy::error}};
  for (const SideOptions& side :
       {SideOptions{}, SideOptions{.time = "0"}, SideOptions{.targets = {"1"}, .labels = "0"},
        SideOptions{.labels = "1", .trial = "0"}}) {
    all.push_back({.missing = MissingPolicy::interpolate, .side = side});
  }
  for (const FileOptions& options : all) {
    try {
      check_series(*open(path, options));
    } catch (const Error&) {
    }
  }
}

}  // namespace gaia::test
