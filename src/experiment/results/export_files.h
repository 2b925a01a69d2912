// SPDX-License-Identifier: MIT
/// \file
/// The files that datasets are exported to, one function for each format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exported_dataset.h"

namespace gaia {

/// A file that is written beside its name, which it gets when it is whole; without `publish` it is
/// gone when the object is.
class ExportFile {
 public:
  /// Makes its folder.  \throws OutputError if the file is there and not to be replaced, or cannot
  /// be made.
  ExportFile(std::string path, bool overwrite);
  ~ExportFile();
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;

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
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// \throws OutputError if the file is there.
void refuse_export_over(const std::string& path, bool overwrite);

void write_csv(const ExportedDataset& dataset, ExportFile& file);
void write_npy(const ExportedDataset& dataset, ExportFile& file);
/// As ZIP with extensions for 64 bits (PKWARE's APPNOTE 6.3.3), nothing packed.
void write_npz(const std::vector<ExportedDataset>& datasets, ExportFile& file);

}  // namespace gaia
