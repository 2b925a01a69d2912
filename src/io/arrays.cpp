// SPDX-License-Identifier: MIT
#include "arrays.h"

#include <array>
#include <string_view>

#include "../core/message.h"
#include "array_formats.h"
#include "input_file.h"

namespace gaia::io {
namespace {

using Save = void (*)(const std::string&, const ArrayMap&, const SaveOptions&);
using Load = ArrayMap (*)(const std::string&, const hdf5::ReaderOptions&);

struct ArrayFormat {
  std::string_view ending;
  Save save;
  Load load;
};

template <ArrayMap (*load)(const std::string&)>
ArrayMap in_this_process(const std::string& path, const hdf5::ReaderOptions&) {
  return load(path);
}

constexpr std::array kFormats = {
    ArrayFormat{".h5", save_hdf5, load_hdf5},
    ArrayFormat{".hdf5", save_hdf5, load_hdf5},
    ArrayFormat{".npy", save_npy, in_this_process<load_npy>},
    ArrayFormat{".npz", save_npz, in_this_process<load_npz>},
    ArrayFormat{".csv", save_csv, in_this_process<load_csv_columns>},
};

/// The format that a name ends with, or null.
const ArrayFormat* format_of(const std::string& path) {
  for (const ArrayFormat& format : kFormats) {
    if (path.ends_with(format.ending)) return &format;
  }
  return nullptr;
}

[[noreturn]] void refuse_name(const char* function, const std::string& path) {
  std::string endings;
  for (const ArrayFormat& format : kFormats) {
    if (!endings.empty()) endings += &format == &kFormats.back() ? " or " : ", ";
    endings += format.ending;
  }
  fail<ArgumentError>("[{}] expected a name that ends with {}, got '{}'", function, endings,
                      printable(path));
}

}  // namespace

void save(const std::string& path, const ArrayMap& arrays, const SaveOptions& options) {
  const ArrayFormat* format = format_of(path);
  if (format == nullptr) refuse_name("io::save", path);
  format->save(path, arrays, options);
}

void save(const std::string& path, const Array& x, const SaveOptions& options) {
  save(path, ArrayMap{{kNameless, x}}, options);
}

ArrayMap load(const std::string& path, const hdf5::ReaderOptions& options) {
  if (const ArrayFormat* format = format_of(path)) return format->load(path, options);
  // Files of other programs are HDF5 under many names.
  if (InputFile(path).has_at(0, "\x89HDF\r\n\x1a\n")) return load_hdf5(path, options);
  refuse_name("io::load", path);
}

Array load_array(const std::string& path, const hdf5::ReaderOptions& options) {
  const ArrayMap arrays = load(path, options);
  if (arrays.size() != 1) {
    fail<DataError>("{}: expected one array, got {}; io::load gives all by their names", path,
                    arrays.size());
  }
  return arrays.begin()->second;
}

}  // namespace gaia::io
