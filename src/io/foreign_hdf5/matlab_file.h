// SPDX-License-Identifier: MIT
/// \file
/// MAT files of level 5, which MATLAB writes by `save` with '-v6' and '-v7' and scipy.io by
/// `savemat`: variables one after the other, each of them packed by zlib or not.
///
/// "MAT-File Format" (The MathWorks).  We read it ourselves: libmatio 1.5.23 takes what a header
/// says of the size of a variable as it stands, and hands out memory that nobody has written where
/// there are fewer numbers in the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foreign_file.h"

namespace gaia::hdf5 {

/// Whether a file begins as MAT files of level 5 do.  \throws DataError if it cannot be opened.
bool is_matlab5(const std::string& path);

/// Variables as datasets "/NAME".  A matrix has the axes that MATLAB shows, [rows, columns] or
/// more; a vector, 1 x n or n x 1, has one, and a scalar none.  What holds no real numbers is
/// listed with the reason for which it is refused.
class MatlabFile final : public ForeignFile {
 public:
  /// \throws DataError "FILE: byte N: expected ..., got ...".
  explicit MatlabFile(const std::string& path);
  ~MatlabFile() override;
  MatlabFile(const MatlabFile&) = delete;
  MatlabFile& operator=(const MatlabFile&) = delete;

  std::int64_t bytes() const override { return bytes_; }
  Contents contents(const ContentsLimits& limits, const std::function<void()>& tell) override;
  void read_rows(const DatasetDescription& dataset, Type type, std::int64_t first,
                 std::int64_t rows, char* to) override;

 private:
  /// A variable, as its header tells of it.
  struct Variable {
    std::string name;
    std::int64_t at = 0;     ///< Offset of its tag in the file.
    std::int64_t bytes = 0;  ///< Bytes of it in the file, behind the tag.
    bool is_packed = false;
    int kind = 0;  ///< Class of the array: double, int8 ...
    bool is_complex = false;
    std::vector<std::int64_t> lengths;  ///< Lengths of the axes.
    std::int64_t inner_bytes = 0;       ///< Bytes of the array, unpacked, behind its tag.
    int stored = 0;                     ///< Type of its numbers, as they are stored.
    std::int64_t numbers_at = 0;    ///< Offset of the numbers: in the file, or in what is unpacked.
    std::int64_t stored_bytes = 0;  ///< Bytes of the numbers, unpacked.
  };

  [[noreturn]] void fail(std::int64_t at, const std::string& expected,
                         const std::string& got) const;
  void read(std::int64_t at, char* to, std::int64_t count) const;
  Variable read_variable(std::int64_t at) const;
  void read_header(Variable& variable, const std::string& head, std::int64_t head_at) const;
  void check_numbers(const Variable& variable) const;
  std::string unpack(const Variable& variable, std::int64_t most, bool is_whole) const;
  std::string refusal_of(const Variable& variable) const;
  /// `count` numbers of a variable, as they are stored.
  const char* numbers_of(const Variable& variable, std::int64_t first, std::int64_t count);

  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  bool is_swapped_ = false;  // its numbers have the other order of bytes than the machine
  std::vector<Variable> variables_;
  const Variable* held_ = nullptr;  // whose numbers, or all of it where it is packed, are in memory
  std::string memory_;
  std::vector<char> piece_;
};

}  // namespace gaia::hdf5
