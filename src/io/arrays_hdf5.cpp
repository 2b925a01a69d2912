// SPDX-License-Identifier: MIT
#include "array_formats.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "../array/create.h"
#include "../array/device.h"
#include "../core/checked.h"
#include "../core/error.h"
#include "../core/text.h"
#include "foreign_hdf5/hdf5_reader.h"
#include "hdf5.h"
#include "output_files.h"

namespace gaia::io {
namespace {

constexpr std::int64_t kArraysVersion = 1;
constexpr const char* kFormat = "gaia arrays";

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

/// The type in which an array is passed to HDF5.
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
    case hdf5::Type::text:
      return write(TypeTag<double>{});
  }
}

// Reading

/// A file that is being read.
struct Source {
  std::string path;
  hdf5::Reader& reader;
};

[[noreturn]] void refuse(const Source& source, const hdf5::DatasetDescription& dataset,
                         const std::string& what) {
  throw DataError(source.path + ": " + printable(dataset.path) + ": " + what);
}

DType dtype_of_dataset(const Source& source, const hdf5::DatasetDescription& dataset) {
  if (const auto name = dataset.text("dtype")) {
    for (const DType dtype : {DType::boolean, DType::int32, DType::int64, DType::bfloat16,
                              DType::float32, DType::float64}) {
      if (*name == to_string(dtype) && stored_type(dtype) == dataset.type) return dtype;
    }
    refuse(source, dataset,
           "expected a dtype that fits its numbers, got '" + printable(*name) + "'");
  }
  switch (dataset.type) {
    case hdf5::Type::uint8:
    case hdf5::Type::int32:
      return DType::int32;
    case hdf5::Type::int64:
      return DType::int64;
    case hdf5::Type::float32:
      return DType::float32;
    case hdf5::Type::float64:
    case hdf5::Type::other:
    case hdf5::Type::text:
      break;
  }
  return DType::float64;
}

Array read_array(const Source& source, const hdf5::DatasetDescription& dataset) {
  const DType dtype = dtype_of_dataset(source, dataset);
  if (dataset.shape.size() > static_cast<std::size_t>(kMaxRank)) {
    refuse(source, dataset,
           "expected at most " + std::to_string(kMaxRank) + " axes, got " +
               std::to_string(dataset.shape.size()));
  }
  const Shape shape{std::span<const std::int64_t>(dataset.shape)};
  return dispatch(transfer_type(dtype), [&](auto tag) -> Array {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bfloat16>) {
      throw InternalError("[io::load] bfloat16 in a file");
    } else if constexpr (std::is_same_v<T, bool>) {
      return from_values(source.reader.read<std::int32_t>(dataset), shape).astype(dtype);
    } else {
      return from_values(source.reader.read<T>(dataset), shape).astype(dtype);
    }
  });
}

/// What is claimed must fit into this machine before any of it is read.
void check_bytes(const Source& source) {
  const hdf5::Contents& contents = source.reader.contents();
  std::int64_t all = 0;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    if (!dataset.refusal.empty()) refuse(source, dataset, dataset.refusal);
    all = checked_add(all, dataset.bytes().value_or(0))
              .value_or(std::numeric_limits<std::int64_t>::max());
  }
  const std::int64_t memory = device_info(Device::cpu()).total_memory;
  if (all > memory) {
    throw OutOfMemory(source.path + ": holds " + bytes_text(static_cast<double>(all)) +
                      " of numbers; this machine has " + bytes_text(static_cast<double>(memory)) +
                      " of memory");
  }
}

/// Removes a file that was not finished.
class Partial {
 public:
  explicit Partial(std::string path) : path_(std::move(path)) {}
  ~Partial() {
    if (!done_) discard(path_);
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

void save_hdf5(const std::string& path, const ArrayMap& arrays, const SaveOptions& options) {
  const std::map<std::string, Array> paths = by_path(arrays);
  make_folder_of(path);
  const OutputLock lock(path);
  clear_the_way(path, options.overwrite, kWayOut);
  Partial partial(partial_path(path));
  hdf5::File file = hdf5::File::create(partial.path());
  file.set_attribute("format", kFormat);
  file.set_attribute("format_version", kArraysVersion);
  for (const auto& [name, value] : paths) write_array(file, name, value);
  file.close();
  publish(partial.path(), path);
  partial.done();
}

ArrayMap load_hdf5(const std::string& path, const hdf5::ReaderOptions& options) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path, options);
  const hdf5::Contents& contents = reader->contents();
  if (contents.root().text("format") == kFormat) {
    const std::int64_t version = contents.root().integer("format_version").value_or(0);
    if (version < 1 || version > kArraysVersion) {
      throw DataError(path + ": expected format_version 1, got " + std::to_string(version) +
                      "; a later gaia reads it");
    }
  }
  const Source source{path, *reader};
  check_bytes(source);
  ArrayMap arrays;
  for (const hdf5::DatasetDescription& dataset : contents.datasets) {
    std::string name = dataset.path.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    arrays.emplace(name, read_array(source, dataset));
  }
  return arrays;
}

}  // namespace gaia::io
