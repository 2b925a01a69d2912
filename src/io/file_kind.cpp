// SPDX-License-Identifier: MIT
#include "file_kind.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "../core/error.h"
#include "input_file.h"

namespace gaia {
namespace {

using std::string_view_literals::operator""sv;

struct Unread {
  std::string_view start;
  const char* told;
};

constexpr const char* kNetcdf =
    "is a classic netCDF file, which is not read; write it as netCDF-4, e.g. by `nccopy -k nc4 "
    "FILE NEW.nc`";

constexpr std::array kUnread = {
    Unread{"CDF\x01"sv, kNetcdf},
    Unread{"CDF\x02"sv, kNetcdf},
    Unread{"CDF\x05"sv, kNetcdf},
    Unread{"MATLAB 5.0 MAT-file"sv,
           "is a MATLAB file of a version before 7.3, which is not read; save it with '-v7.3'"},
    Unread{"PK\x03\x04"sv,
           "is a ZIP archive, as .npz and .xlsx are, which is not read; save one array as .npy, or "
           "a table as CSV"},
    Unread{"\x1f\x8b"sv, "is packed by gzip, which is not read; unpack it with gunzip"},
    Unread{"PAR1"sv, "is a Parquet file, which is not read; save the table as CSV"}};

/// Whether bytes stand at an offset of the file.
bool has_at(const InputFile& file, std::int64_t offset, std::string_view bytes) {
  std::string found(bytes.size(), '\0');
  return file.read(offset, found) == bytes.size() && found == bytes;
}

/// HDF5 looks for its signature at 0, 512, 1024, 2048, ...
bool is_hdf5(const InputFile& file) {
  for (std::int64_t offset = 0; offset < file.size(); offset = offset == 0 ? 512 : 2 * offset) {
    if (has_at(file, offset, "\x89HDF\r\n\x1a\n"sv)) return true;
  }
  return false;
}

FileKind kind_by_name(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& letter : extension) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  if (extension == ".csv") return FileKind::csv;
  if (extension == ".npy") return FileKind::npy;
  return extension == ".h5" || extension == ".hdf5" ? FileKind::hdf5 : FileKind::unknown;
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return kind_by_name(path);
  const InputFile file(path);
  if (is_hdf5(file)) return FileKind::hdf5;
  if (has_at(file, 0, "\x93NUMPY"sv)) return FileKind::npy;
  for (const Unread& unread : kUnread) {
    if (has_at(file, 0, unread.start)) throw DataError(path + ": " + unread.told);
  }
  return kind_by_name(path);
}

}  // namespace gaia
