// SPDX-License-Identifier: MIT
/// \file
/// What stands before the numbers of an NPY file.
/// Format: numpy.lib.format, versions 1.0 (2007) to 3.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gaia {

enum class NpyType {
  bool8,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  unicode,  ///< Texts of so many characters, four bytes each.
  bytes     ///< Texts of so many bytes.
};

/// Bytes of a number, or of a character of a text.
std::int64_t size_of(NpyType type);

struct NpyHeader {
  NpyType type = NpyType::float64;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t length = 1;  ///< Characters of each text; 1 for numbers.

  std::int64_t item_bytes() const { return size_of(type) * length; }
};

/// Parses the header's dictionary: keys descr, fortran_order and shape, in any order, each with a
/// literal of its kind, as in {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }.
/// \throws DataError "file: ..." for anything else, and for types that are neither numbers in
/// little-endian order nor texts.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

/// What stands before the numbers of a file in C order: version 1.0, or 2.0 where it is long.
/// `descr` is NumPy's name of the type, "<f4".
std::string npy_header_text(std::string_view descr, std::span<const std::int64_t> shape);

}  // namespace gaia
