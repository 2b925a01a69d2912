// SPDX-License-Identifier: MIT
#include "stream_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "../../array/create.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../core/text.h"
#include "../../io/foreign_hdf5/hdf5_reader.h"
#include "../../io/hdf5.h"
#include "../../io/output_files.h"
#include "../../io/sha256.h"

namespace gaia {
namespace {

constexpr std::int64_t kStreamFormat = 1;
constexpr const char* kStreamTitle = "gaia stream";
constexpr const char* kStateGroup = "/state/";

/// How the elements of an array stand in the file: those that are no type of HDF5's as bytes.
hdf5::Type type_in_file(DType dtype) {
  switch (dtype) {
    case DType::int32:
      return hdf5::Type::int32;
    case DType::int64:
      return hdf5::Type::int64;
    case DType::float32:
      return hdf5::Type::float32;
    case DType::float64:
      return hdf5::Type::float64;
    case DType::boolean:
    case DType::bfloat16:
      break;
  }
  return hdf5::Type::uint8;
}

std::optional<DType> dtype_of_text(const std::string& name) {
  for (const DType dtype : {DType::boolean, DType::int32, DType::int64, DType::bfloat16,
                            DType::float32, DType::float64}) {
    if (to_string(dtype) == name) return dtype;
  }
  return {};
}

std::span<const char> bytes_of(const Array& array) {
  return {static_cast<const char*>(array.view().data), static_cast<std::size_t>(array.bytes())};
}

/// Hash of everything that a state says.
std::string hash_of(const StreamState& state) {
  Sha256 hash;
  const auto add = [&](const std::string& text) {
    hash.add(text);
    hash.add(std::string_view("\n"));
  };
  add(state.run);
  add(state.options);
  add(fmt::format("{} {} {}", state.row, state.in_trial, state.step));
  add(state.trial);
  for (const auto& [name, array] : state.arrays) {
    add(name);
    add(to_string(array.dtype()));
    std::string shape;
    for (const std::int64_t length : array.shape()) shape += fmt::format("{} ", length);
    add(shape);
    hash.add(bytes_of(array));
  }
  return hash.text();
}

StreamState with_arrays_here(const StreamState& state) {
  StreamState here = state;
  const GPUContext on_host(Device::cpu());
  for (auto& [name, array] : here.arrays) array = array.to(Device::cpu()).contiguous();
  return here;
}

void write_array(hdf5::Group& group, const std::string& name, const Array& array) {
  const hdf5::Type type = type_in_file(array.dtype());
  const bool as_bytes = type == hdf5::Type::uint8;
  // HDF5 has no use for arrays without elements; their shape says all.
  std::vector<std::int64_t> shape = {as_bytes ? array.bytes() : array.size()};
  hdf5::Dataset dataset = group.create_dataset(name, {.type = type, .shape = shape});
  dataset.set_attribute("dtype", to_string(array.dtype()));
  std::string lengths;
  for (const std::int64_t length : array.shape()) {
    lengths += fmt::format("{}{}", lengths.empty() ? "" : " ", length);
  }
  dataset.set_attribute("shape", lengths);
  if (array.size() == 0) return;
  if (as_bytes) {
    const std::span<const char> bytes = bytes_of(array);
    dataset.write<std::uint8_t>(
        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    return;
  }
  dispatch(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float> ||
                  std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) {
      dataset.write<T>(std::span<const T>(array.elements<T>()));
    }
  });
}

/// "2 3" as lengths; nothing for anything else.
std::optional<std::vector<std::int64_t>> lengths_of(const std::string& text) {
  std::vector<std::int64_t> lengths;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const auto length = parse_integer(std::string_view(text).substr(at, end - at));
    if (!length || *length < 0) return {};
    lengths.push_back(*length);
    at = end + 1;
  }
  if (std::ssize(lengths) > kMaxRank) return {};
  return lengths;
}

Array read_array(hdf5::Reader& reader, const hdf5::DatasetDescription& from,
                 const std::string& path) {
  const auto fail = [&] {
    throw DataError(fmt::format("{}: the state is damaged: {} is no array", path, from.path));
  };
  const auto dtype = dtype_of_text(from.text("dtype").value_or(""));
  const auto lengths = lengths_of(from.text("shape").value_or(""));
  if (!dtype || !lengths || from.shape.size() != 1) fail();
  std::int64_t size = 1;
  for (const std::int64_t length : *lengths) {
    const auto product = checked_multiply(size, length);
    if (!product) fail();
    size = *product;
  }
  const hdf5::Type type = type_in_file(*dtype);
  const bool as_bytes = type == hdf5::Type::uint8;
  const auto stored = as_bytes ? checked_multiply(size, size_of(*dtype)) : size;
  if (!stored || from.type != type || from.shape[0] != *stored) fail();
  Array array = Array::uninitialized(Shape{std::span<const std::int64_t>(*lengths)}, *dtype);
  if (size == 0) return array;
  if (as_bytes) {
    const std::vector<std::uint8_t> bytes = reader.read<std::uint8_t>(from);
    if (*dtype == DType::boolean &&
        std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte > 1; })) {
      fail();
    }
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(array.view().data));
    return array;
  }
  dispatch(*dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float> ||
                  std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) {
      reader.read_rows<T>(from, 0, size, array.elements<T>().data());
    }
  });
  return array;
}

}  // namespace

std::int64_t count_in_state(double number, std::int64_t least) {
  const bool is_count = number >= static_cast<double>(least) &&
                        number <= static_cast<double>(kMostRows) && number == std::floor(number);
  if (!is_count) throw ArgumentError(fmt::format("[stream] expected a count, got {}", number));
  return static_cast<std::int64_t>(number);
}

std::string default_stream_state(const std::string& result) {
  return std::filesystem::path(result).replace_extension(".stream.h5").string();
}

void write_stream_state(const std::string& path, const StreamState& given) {
  const StreamState state = with_arrays_here(given);
  const std::string aside = path + ".partial";
  discard(aside);
  try {
    hdf5::File file = hdf5::File::create(aside, path);
    file.set_attribute("title", kStreamTitle);
    file.set_attribute("format", kStreamFormat);
    file.set_attribute("run_id", state.run);
    file.set_attribute("options", state.options);
    file.set_attribute("row", state.row);
    file.set_attribute("rows_in_trial", state.in_trial);
    file.set_attribute("step", state.step);
    file.set_attribute("trial", state.trial);
    file.set_attribute("sha256", hash_of(state));
    hdf5::Group group = file.create_group("state");
    for (const auto& [name, array] : state.arrays) {
      const std::size_t slash = name.rfind('/');
      if (slash == std::string::npos) {
        write_array(group, name, array);
      } else {
        hdf5::Group nested = group.nested(name.substr(0, slash));
        write_array(nested, name.substr(slash + 1), array);
      }
    }
    file.close();
    publish(aside, path);
  } catch (...) {
    discard(aside);
    throw;
  }
}

StreamState read_stream_state(const std::string& path) {
  const std::unique_ptr<hdf5::Reader> reader = hdf5::open_reader(path);
  const hdf5::Contents& contents = reader->contents();
  const hdf5::Description& root = contents.root();
  if (root.text("title").value_or("") != kStreamTitle) {
    throw DataError(path + ": is no state of a stream (gaia stream)");
  }
  if (root.integer("format").value_or(0) != kStreamFormat) {
    throw DataError(fmt::format("{}: expected a state of format {}; another gaia wrote it", path,
                                kStreamFormat));
  }
  StreamState state;
  state.run = root.text("run_id").value_or("");
  state.options = root.text("options").value_or("");
  state.row = root.integer("row").value_or(-1);
  state.in_trial = root.integer("rows_in_trial").value_or(-1);
  state.step = root.integer("step").value_or(-1);
  state.trial = root.text("trial").value_or("");
  const GPUContext on_host(Device::cpu());
  for (const hdf5::DatasetDescription& one : contents.datasets) {
    if (!one.path.starts_with(kStateGroup)) continue;
    state.arrays.emplace(one.path.substr(std::string_view(kStateGroup).size()),
                         read_array(*reader, one, path));
  }
  const bool is_whole = state.row >= 0 && state.row <= kMostRows && state.in_trial >= 0 && state.in_trial <= state.row &&
                        state.step >= 0 && state.step <= state.in_trial &&
                        root.text("sha256").value_or("") == hash_of(state);
  if (!is_whole) {
    throw DataError(path + ": the state is damaged: its hash is not that of its content");
  }
  return state;
}

}  // namespace gaia
