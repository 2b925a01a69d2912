// SPDX-License-Identifier: MIT
#include "file_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "../../core/error.h"
#include "csv_format.h"
#include "edf_format.h"
#include "hdf5_format.h"
#include "matlab_format.h"
#include "npy_format.h"
#include "wav_format.h"

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
    Unread{"RIFX"sv,
           "is a RIFX file, whose numbers have their highest byte first, which is not read; "
           "write it as WAV, e.g. by `ffmpeg -i FILE NEW.wav`"},
    Unread{"PK\x03\x04"sv,
           "is a ZIP archive, as .npz and .xlsx are, which is not read; save one array as .npy, or "
           "a table as CSV"},
    Unread{"\x1f\x8b"sv, "is packed by gzip, which is not read; unpack it with gunzip"},
    Unread{"PAR1"sv,
           "is a Parquet file, which the Python package reads, by gaia.run(experiment, "
           "'FILE.parquet'), and this does not; save the table as CSV"}};

const FileFormat* format_by_name(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& letter : ending) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  for (const auto& format : FileFormat::list()) {
    const std::vector<std::string> endings = format->endings();
    if (std::find(endings.begin(), endings.end(), ending) != endings.end()) return format.get();
  }
  return nullptr;
}

}  // namespace

std::vector<std::shared_ptr<const FileFormat>>& FileFormat::list() {
  static std::vector<std::shared_ptr<const FileFormat>> formats = {
      std::make_shared<CsvFormat>(),  std::make_shared<NpyFormat>(),
      std::make_shared<Hdf5Format>(), std::make_shared<MatlabFormat>(),
      std::make_shared<EdfFormat>(),  std::make_shared<WavFormat>()};
  return formats;
}

const FileFormat* format_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return format_by_name(path);
  const InputFile file(path);
  for (const auto& format : FileFormat::list()) {
    if (format->is_signed(file)) return format.get();
  }
  for (const Unread& unread : kUnread) {
    if (file.has_at(0, unread.start)) throw DataError(path + ": " + unread.told);
  }
  return format_by_name(path);
}

std::string a_file_of_data() {
  std::vector<std::string> endings;
  for (const auto& format : FileFormat::list()) {
    endings.push_back(fmt::format("{}", fmt::join(format->endings(), "/")));
  }
  const std::string last = endings.back();
  endings.pop_back();
  return fmt::format("a {} or {} file", fmt::join(endings, ", "), last);
}

std::string of_no_known_kind() {
  std::vector<std::string> endings;
  for (const auto& format : FileFormat::list()) {
    for (std::string& ending : format->endings()) endings.push_back(std::move(ending));
  }
  return fmt::format("is of no known kind; known: {}", fmt::join(endings, ", "));
}

}  // namespace gaia
