// SPDX-License-Identifier: MIT
/// \file
/// Lines of a CSV file in which nothing but numbers stands, parsed on all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace gaia {

/// What a record of such a file has.
struct CsvLayout {
  /// A field that is not parsed.
  static constexpr std::int64_t kNone = -1;

  char separator = ',';
  char decimal = '.';
  std::int64_t width = 0;            ///< Number of fields that are parsed.
  std::vector<std::int64_t> places;  ///< Place among these of each field, or kNone.
};

/// The numbers of some lines.
struct CsvNumbers {
  /// Row and byte at which a stretch of the lines begins.
  struct Place {
    std::int64_t row;
    std::size_t byte;
  };

  std::int64_t rows = 0;
  std::unique_ptr<double[]> values;  ///< Numbers [rows, width], NaN where missing.
  std::vector<Place> places;         ///< A place about every 64 KiB, the first line's first.
};

/// Parses whole lines, each with its end.  Nothing unless every line is a record as it stands,
/// without quotes and blank lines, of as many fields as the layout has, and what is parsed are
/// numbers below 2^53 or missing values: CsvRecords has to look at other lines one by one.
std::optional<CsvNumbers> parse_lines(std::string_view lines, const CsvLayout& layout);

}  // namespace gaia
