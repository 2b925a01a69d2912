// SPDX-License-Identifier: MIT
/// \file
/// Arrays in NumPy's files.  Format: numpy.lib.format, versions 1.0 (2007) to 3.0.
#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "../array/create.h"
#include "../array/device.h"
#include "../core/message.h"
#include "array_formats.h"
#include "new_file.h"
#include "npy_file.h"
#include "zip_archive.h"

namespace gaia::io {
namespace {

/// An array whose elements stand in memory as they are written.
Array as_written(const Array& x) {
  const Array numbers = x.dtype() == DType::bfloat16 ? x.astype(DType::float32) : x;
  return numbers.to(Device::cpu()).contiguous();
}

std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "|b1";
    case DType::int32:
      return "<i4";
    case DType::int64:
      return "<i8";
    case DType::float64:
      return "<f8";
    case DType::float32:
    case DType::bfloat16:
      break;
  }
  return "<f4";
}

std::string header_of(const Array& written) {
  const std::vector<std::int64_t> shape(written.shape().begin(), written.shape().end());
  return npy_header_text(descr_of(written.dtype()), shape);
}

std::string_view bytes_of(const Array& written) {
  return {static_cast<const char*>(written.view().data), static_cast<std::size_t>(written.bytes())};
}

template <class From, class To>
Array converted(std::string_view bytes, const Shape& shape, const std::string& file) {
  std::vector<To> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    if constexpr (std::is_same_v<From, std::uint64_t>) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        fail<DataError>("{}: expected integers below 2^63, got {}", file, value);
      }
    }
    values[i] = static_cast<To>(value);
  }
  return from_values(values, shape);
}

/// The numbers as they lie in the file, in C order of `shape`.
Array array_of(NpyType type, std::string_view bytes, const Shape& shape, const std::string& file) {
  switch (type) {
    case NpyType::bool8:
      return converted<std::uint8_t, std::int32_t>(bytes, shape, file).astype(DType::boolean);
    case NpyType::int8:
      return converted<std::int8_t, std::int32_t>(bytes, shape, file);
    case NpyType::int16:
      return converted<std::int16_t, std::int32_t>(bytes, shape, file);
    case NpyType::uint8:
      return converted<std::uint8_t, std::int32_t>(bytes, shape, file);
    case NpyType::uint16:
      return converted<std::uint16_t, std::int32_t>(bytes, shape, file);
    case NpyType::int32:
      return converted<std::int32_t, std::int32_t>(bytes, shape, file);
    case NpyType::uint32:
      return converted<std::uint32_t, std::int64_t>(bytes, shape, file);
    case NpyType::int64:
      return converted<std::int64_t, std::int64_t>(bytes, shape, file);
    case NpyType::uint64:
      return converted<std::uint64_t, std::int64_t>(bytes, shape, file);
    case NpyType::float32:
      return converted<float, float>(bytes, shape, file);
    case NpyType::float64:
      return converted<double, double>(bytes, shape, file);
    case NpyType::unicode:
    case NpyType::bytes:
      break;
  }
  fail<DataError>("{}: holds texts; expected numbers", file);
}

/// The array of an NPY file that `read` reads.
Array array_in(const NpyStart& start, std::string_view bytes, const std::string& file) {
  std::vector<std::int64_t> lengths = start.header.shape;
  if (lengths.size() > static_cast<std::size_t>(kMaxRank)) {
    fail<DataError>("{}: expected at most {} axes, got {}", file, kMaxRank, lengths.size());
  }
  // In Fortran's order the first axis is the fastest: the transpose stands in C's.
  if (start.header.fortran_order) std::reverse(lengths.begin(), lengths.end());
  const Array x =
      array_of(start.header.type, bytes, Shape{std::span<const std::int64_t>(lengths)}, file);
  return start.header.fortran_order ? x.transpose().copy() : x;
}

void check_memory(std::int64_t bytes, const std::string& file) {
  if (bytes > device_info(Device::cpu()).total_memory) {
    fail<OutOfMemory>("{}: holds {} bytes of numbers, more than this machine's memory", file,
                      bytes);
  }
}

}  // namespace

void save_npy(const std::string& path, const ArrayMap& arrays, const SaveOptions& options) {
  if (arrays.size() != 1) {
    fail<ArgumentError>(
        "[io::save] {}: expected one array for an NPY file, got {}; .npz and .h5 hold several",
        printable(path), arrays.size());
  }
  NewFile file(path, options.overwrite, kWayOut);
  const Array x = as_written(arrays.begin()->second);
  file.write(header_of(x));
  file.write(bytes_of(x));
  file.publish();
}

ArrayMap load_npy(const std::string& path) {
  const InputFile file(path);
  const NpyStart start = read_npy_start(
      [&](std::int64_t offset, std::span<char> out) { return file.read(offset, out); }, file.size(),
      path);
  check_memory(start.bytes, path);
  std::string bytes(static_cast<std::size_t>(start.bytes), '\0');
  if (file.read(start.data, bytes) != bytes.size()) {
    fail<DataError>("{}: expected more bytes, got the end of the file", path);
  }
  return {{kNameless, array_in(start, bytes, path)}};
}

void save_npz(const std::string& path, const ArrayMap& arrays, const SaveOptions& options) {
  NewFile file(path, options.overwrite, kWayOut);
  ZipWriter archive(file);
  for (const auto& [name, value] : arrays) {
    if (name.empty() || !is_utf8(name) || name.find('\0') != std::string::npos) {
      fail<ArgumentError>("[io::save] expected names of letters, got '{}'", printable(name));
    }
    const Array x = as_written(value);
    const std::string header = header_of(x);
    archive.begin(name + ".npy", static_cast<std::int64_t>(header.size()) + x.bytes());
    archive.write(header);
    archive.write(bytes_of(x));
  }
  archive.end();
  file.publish();
}

ArrayMap load_npz(const std::string& path) {
  const InputFile file(path);
  const std::vector<ZipMember> members = zip_members(file);
  std::int64_t all = 0;
  for (const ZipMember& member : members) {
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(
        member.bytes, std::numeric_limits<std::int64_t>::max() - static_cast<std::uint64_t>(all)));
    all += bytes;
    check_memory(all, path);
  }
  ArrayMap arrays;
  for (const ZipMember& member : members) {
    constexpr std::string_view ending = ".npy";
    if (!member.name.ends_with(ending)) {
      fail<DataError>("{}: expected arrays, got the member '{}'", path, printable(member.name));
    }
    const std::string label = path + ": " + printable(member.name);
    const std::string bytes = zip_read(file, member);
    const NpyStart start = read_npy_start(
        [&](std::int64_t offset, std::span<char> out) {
          const std::string_view from = std::string_view(bytes).substr(
              std::min(bytes.size(), static_cast<std::size_t>(offset)), out.size());
          std::copy(from.begin(), from.end(), out.begin());
          return from.size();
        },
        static_cast<std::int64_t>(bytes.size()), label);
    const std::string name = member.name.substr(0, member.name.size() - ending.size());
    const std::string_view numbers =
        std::string_view(bytes).substr(static_cast<std::size_t>(start.data));
    if (!arrays.emplace(name, array_in(start, numbers, label)).second) {
      fail<DataError>("{}: expected names that differ, got '{}' twice", path, printable(name));
    }
  }
  return arrays;
}

}  // namespace gaia::io
