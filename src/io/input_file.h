// SPDX-License-Identifier: MIT
/// \file
/// A regular file, open for reading at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gaia {

class InputFile {
 public:
  /// \throws DataError unless `path` is a regular file that can be read.
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes, when the file was opened.
  std::int64_t size() const { return size_; }

  /// Bytes from `offset` on; returns how many there were, less than asked for only at the end.
  /// \throws DataError for a failure of the system.
  std::size_t read(std::int64_t offset, std::span<char> bytes) const;

  /// \throws DataError if the file was written to since it was opened.
  void check_unchanged() const;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
  std::int64_t modified_ = 0;  // ns
};

}  // namespace gaia
