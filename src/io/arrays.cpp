// SPDX-License-Identifier: MIT
#include "arrays.h"

#include <cstdio>
#include <filesystem>
#include <vector>

#include "../array/create.h"
#include "../core/checked.h"
#include "../core/error.h"
#include "../core/text.h"
#include "hdf5.h"
#include "output_files.h"

namespace gaia::io {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr const char* kFormat = "gaia arrays";
/// Groups within groups; more is a cycle or a prank.
constexpr int kMostDepth = 64;

// Names

/// "a.b/c" as "a/b/c".  \throws ArgumentError for an empty part.
std::string path_of(const std::string& name) {
  std::string path = name;
  for (char& c : path) {
    if (c == '.') c = '/';
  }
  if (path.empty() || path.front() == '/' || path.back() == '/' ||
      path.find("//") != std::string::npos || !is_utf8(path)) {
    throw ArgumentError("[io::save] expected a name of parts joined by '.', got '" +
                        printable(name) + "'");
  }
  return path;
}

/// Paths and arrays, each path neither repeated nor a group of another.
std::map<std::string, Array> by_path(const ArrayMap& arrays) {
  std::map<std::string, Array> paths;
  for (const auto& [name, value] : arrays) {
    if (!paths.emplace(path_of(name), value).second) {
      throw ArgumentError("[io::save] expected names that differ, got '" + name + "' twice");
    }
  }
  for (const auto& [path, value] : paths) {
    for (std::size_t cut = path.find('/'); cut != std::string::npos;
         cut = path.find('/', cut + 1)) {
      if (paths.contains(path.substr(0, cut))) {
        throw ArgumentError("[io::save] expected names of arrays or of groups, got '" +
                            path.substr(0, cut) + "' for both");
      }
    }
  }
  return paths;
}

// Types

hdf5::Type stored_type(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return hdf5::Type::uint8;
    case DType::int32:
      return hdf5::Type::int32;
    case DType::int64:
      return hdf5::Type::int64;
    case DType::bfloat16:
    case DType::float32:
      return hdf5::Type::float32;
    case DType::float64:
      break;
  }
  return hdf5::Type::float64;
}

/// The type in which an array is handed to HDF5.
DType transfer_type(DType dtype) { return dtype == DType::bfloat16 ? DType::float32 : dtype; }

template <class T>
std::vector<T> host_values(const Array& value) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    const std::vector<std::int32_t> wide = value.to_vector<std::int32_t>();
    return {wide.begin(), wide.end()};
  } else {
    return value.to_vector<T>();
  }
}

void write_array(hdf5::File& file, const std::string& path, const Array& value) {
  const std::size_t cut = path.rfind('/');
  const hdf5::Layout layout = {.type = stored_type(value.dtype()),
                               .shape = {value.shape().begin(), value.shape().end()}};
  const std::string leaf = cut == std::string::npos ? path : path.substr(cut + 1);
  hdf5::Dataset dataset = cut == std::string::npos
                              ? file.create_dataset(leaf, layout)
                              : file.nested(path.substr(0, cut)).create_dataset(leaf, layout);
  dataset.set_attribute("dtype", to_string(value.dtype()));
  const auto write = [&]<class T>(TypeTag<T>) {
    const std::vector<T> values = host_values<T>(value);
    dataset.write(std::span<const T>(values));
  };
  switch (layout.type) {
    case hdf5::Type::uint8:
      return write(TypeTag<std::uint8_t>{});
    case hdf5::Type::int32:
      return write(TypeTag<std::int32_t>{});
    case hdf5::Type::int64:
      return write(TypeTag<std::int64_t>{});
    case hdf5::Type::float32:
      return write(TypeTag<float>{});
    case hdf5::Type::float64:
    case hdf5::Type::other:
      return write(TypeTag<double>{});
  }
}

// Reading

[[noreturn]] void fail(const hdf5::Object& object, const std::string& what) {
  throw DataError(object.place().file + ": " + printable(object.place().path) + ": " + what);
}

DType dtype_of_dataset(const hdf5::Dataset& dataset) {
  if (dataset.type() == hdf5::Type::other) {
    fail(dataset, "expected numbers, got something else");
  }
  if (const auto name = dataset.text_attribute("dtype")) {
    for (const DType dtype : {DType::boolean, DType::int32, DType::int64, DType::bfloat16,
                              DType::float32, DType::float64}) {
      if (*name == to_string(dtype) && stored_type(dtype) == dataset.type()) return dtype;
    }
    fail(dataset, "expected a dtype that fits its numbers, got '" + printable(*name) + "'");
  }
  switch (dataset.type()) {
    case hdf5::Type::uint8:
    case hdf5::Type::int32:
      return DType::int32;
    case hdf5::Type::int64:
      return DType::int64;
    case hdf5::Type::float32:
      return DType::float32;
    case hdf5::Type::float64:
    case hdf5::Type::other:
      break;
  }
  return DType::float64;
}

Array read_array(const hdf5::Dataset& dataset) {
  const DType dtype = dtype_of_dataset(dataset);
  const std::string foreign = dataset.foreign_storage();
  if (!foreign.empty()) fail(dataset, "expected numbers in this file, got " + foreign);
  const std::vector<std::int64_t> lengths = dataset.shape();
  if (lengths.size() > static_cast<std::size_t>(kMaxRank)) {
    fail(dataset, "expected at most " + std::to_string(kMaxRank) + " axes, got " +
                      std::to_string(lengths.size()));
  }
  const Shape shape{std::span<const std::int64_t>(lengths)};
  // deflate packs no tighter than 1032 to 1; a file that claims more would fill the memory.
  const auto bytes = checked_multiply(count_elements(shape), hdf5::size_of(dataset.type()));
  if (!bytes || *bytes / 1032 > dataset.stored_bytes()) {
    fail(dataset, "expected the numbers of shape " + to_string(shape) + ", got " +
                      std::to_string(dataset.stored_bytes()) + " bytes");
  }
  return dispatch(transfer_type(dtype), [&](auto tag) -> Array {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bfloat16>) {
      throw InternalError("[io::load] bfloat16 in a file");
    } else if constexpr (std::is_same_v<T, bool>) {
      return from_values(dataset.read<std::int32_t>(), shape).astype(dtype);
    } else {
      return from_values(dataset.read<T>(), shape).astype(dtype);
    }
  });
}

void read_group(const hdf5::Group& group, const std::string& prefix, int depth, ArrayMap& arrays) {
  if (depth > kMostDepth) fail(group, "expected groups within groups less deep");
  for (const std::string& name : group.datasets()) {
    arrays.emplace(prefix + name, read_array(group.open_dataset(name)));
  }
  for (const std::string& name : group.groups()) {
    read_group(group.open_group(name), prefix + name + ".", depth + 1, arrays);
  }
}

/// Removes a file that was not finished.
class Partial {
 public:
  explicit Partial(std::string path) : path_(std::move(path)) {}
  ~Partial() {
    if (!done_) std::remove(path_.c_str());
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  const std::string& path() const { return path_; }
  void done() { done_ = true; }

 private:
  std::string path_;
  bool done_ = false;
};

}  // namespace

void save(const std::string& path, const ArrayMap& arrays, const SaveOptions& options) {
  const std::map<std::string, Array> paths = by_path(arrays);
  make_folder_of(path);
  const OutputLock lock(path);
  clear_the_way(path, options.overwrite,
                {.replace = "SaveOptions{.overwrite = true}", .rename = "choose another path"});
  Partial partial(partial_path(path));
  hdf5::File file = hdf5::File::create(partial.path());
  file.set_attribute("format", kFormat);
  file.set_attribute("format_version", kVersion);
  for (const auto& [name, value] : paths) write_array(file, name, value);
  file.close();
  publish(partial.path(), path);
  partial.done();
}

ArrayMap load(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw DataError(path + ": cannot be opened: No such file or directory");
  }
  const hdf5::File file = hdf5::File::open(path);
  if (file.text_attribute("format") == kFormat) {
    const std::int64_t version = file.integer_attribute("format_version").value_or(0);
    if (version < 1 || version > kVersion) {
      throw DataError(path + ": expected format_version 1, got " + std::to_string(version) +
                      "; a later gaia reads it");
    }
  }
  ArrayMap arrays;
  read_group(file, "", 0, arrays);
  return arrays;
}

}  // namespace gaia::io
