// SPDX-License-Identifier: MIT
/// \file
/// A regular file, open for reading at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../core/work_queue.h"
#include "sha256.h"

namespace gaia {

class InputFile {
 public:
  /// With `hashes`, what is read from the start on without leaving anything out is hashed while it
  /// is read.  \throws DataError unless `path` is a regular file that can be read.
  explicit InputFile(const std::string& path, bool hashes = false);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes, when the file was opened.
  std::int64_t size() const { return size_; }

  /// Bytes from `offset` on; returns how many there were, less than asked for only at the end.
  /// \throws DataError for a failure of the system.
  std::size_t read(std::int64_t offset, std::span<char> bytes) const;

  /// Whether these bytes stand at an offset.
  bool has_at(std::int64_t offset, std::string_view bytes) const;

  /// \throws DataError if the file was written to since it was opened.
  void check_unchanged() const;
  /// \throws DataError if another file has its place by now.
  void check_in_place() const;

  /// SHA-256 of the whole file: of the bytes as they were read first, and what nobody has read is
  /// read now.  Of a file that hashes.  \throws DataError as check_unchanged().
  std::string sha256() const;

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
  std::int64_t modified_ = 0;  // ns
  mutable std::optional<Sha256> hash_;
  mutable std::int64_t hashed_ = 0;  // bytes
  mutable std::string sha256_;       // empty: not asked for yet
  // Thread that hashes what has been read of a large file; last, since it uses hash_.
  mutable std::optional<WorkQueue> hashing_;
};

}  // namespace gaia
