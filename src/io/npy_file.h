// SPDX-License-Identifier: MIT
/// \file
/// An NPY file that is open, with its header read and checked against its length.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "input_file.h"
#include "npy_header.h"
#include "whole_numbers.h"

namespace gaia {

/// Bytes from an offset on; how many there were.
using ReadBytes = std::function<std::size_t(std::int64_t offset, std::span<char> out)>;

struct NpyStart {
  NpyHeader header;
  std::int64_t data = 0;   ///< Offset of the first item.
  std::int64_t bytes = 0;  ///< Bytes of all items.
};

/// Reads what stands before the items of an NPY file of `size` bytes, which `file` names.
/// \throws DataError "file: ..." for a header that is not understood, and where there are fewer or
/// more bytes than the shape says.
NpyStart read_npy_start(const ReadBytes& read, std::int64_t size, const std::string& file);

class NpyFile {
 public:
  /// \throws DataError "file: ..." for a header that is not understood, and a file that is shorter
  /// or longer than its shape says.
  explicit NpyFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const InputFile& file() const { return file_; }
  const NpyHeader& header() const { return start_.header; }
  /// Bytes of all items.
  std::int64_t bytes() const { return start_.bytes; }
  /// "[3, 2]".
  std::string shape_text() const;

  /// Bytes of the items from `offset` on.  \throws DataError where the file ends before.
  void read(std::int64_t offset, std::span<char> bytes) const;

  /// \throws DataError "file: expected ..., got ...".
  [[noreturn]] void fail(const std::string& expected, const std::string& got) const;

 private:
  InputFile file_;
  NpyStart start_;
};

/// How numbers of this type go beyond what a double holds.
Wide wide_of(NpyType type);

/// out[i * out_stride] = number i of those that stand `stride` bytes apart.
void convert_npy(NpyType type, const char* bytes, std::int64_t count, std::size_t stride,
                 double* out, std::size_t out_stride);

/// out[i] = integer of 64 bits number i of those that stand `stride` bytes apart.
void copy_npy_integers(const char* bytes, std::int64_t count, std::size_t stride,
                       std::int64_t* out);

/// Classes in an NPY file of one axis, as names: of integers, truth values, floating numbers that
/// are whole, or texts (dtype U or S); "" where a number is missing.  \throws DataError for
/// anything else.
std::vector<std::string> read_npy_labels(const NpyFile& file);

}  // namespace gaia
