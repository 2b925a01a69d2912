// SPDX-License-Identifier: MIT
/// \file
/// A file that is written as a whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "output_files.h"

namespace gaia {

/// A file that is written beside its name, which it gets when it is whole; without `publish` it is
/// gone when the object is.
class NewFile {
 public:
  /// Makes its folder.  \throws OutputError if the file is there and not to be replaced, or cannot
  /// be created.
  NewFile(std::string path, bool overwrite, const WayOut& way_out = {});
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// \throws OutputError.
  void write(std::string_view bytes);
  /// Writes over what stands at this place.
  void write_at(std::int64_t place, std::string_view bytes);
  std::int64_t size() const { return size_; }
  void publish();

 private:
  [[noreturn]] void fail_to(const char* what) const;
  void write_bytes(std::string_view bytes, std::int64_t place);

  std::string path_;
  std::string aside_;
  bool overwrite_;
  WayOut way_out_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// \throws OutputError with the way out if the file is there, or if it is a folder.
void refuse_over(const std::string& path, bool overwrite, const WayOut& way_out = {});

}  // namespace gaia
