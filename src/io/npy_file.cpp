// SPDX-License-Identifier: MIT
#include "npy_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "../core/checked.h"
#include "../core/error.h"
#include "class_table.h"

namespace gaia {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY numbers are used as they are read");

template <class T>
void convert_as(const char* bytes, std::int64_t count, std::size_t stride, double* out,
                std::size_t out_stride) {
  const auto convert = [&](auto between, auto step) {
    for (std::int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, bytes + i * between, sizeof value);
      out[i * step] = static_cast<double>(value);
    }
  };
  // Numbers side by side are converted by vectors.
  if (stride == sizeof(T) && out_stride == 1) {
    return convert(std::integral_constant<std::int64_t, sizeof(T)>(),
                   std::integral_constant<std::int64_t, 1>());
  }
  convert(static_cast<std::int64_t>(stride), static_cast<std::int64_t>(out_stride));
}

/// Appends a code point as UTF-8; what is none becomes a byte that is no UTF-8.
void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto tail = [&](int shift) { put(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    put(0xe0 | (point >> 12));
    tail(6);
    tail(0);
  } else if (point < 0x110000) {
    put(0xf0 | (point >> 18));
    tail(12);
    tail(6);
    tail(0);
  } else {
    put(0xff);
  }
}

/// A text of NumPy's, which fills what is left with zeros.
std::string text_of(NpyType type, const char* bytes, std::int64_t size) {
  std::string text;
  if (type == NpyType::bytes) {
    text.assign(bytes, static_cast<std::size_t>(size));
    text.erase(text.find_last_not_of('\0') + 1);
    return text;
  }
  std::vector<std::uint32_t> points(static_cast<std::size_t>(size / 4));
  std::memcpy(points.data(), bytes, static_cast<std::size_t>(size));
  while (!points.empty() && points.back() == 0) points.pop_back();
  for (const std::uint32_t point : points) append_utf8(text, point);
  return text;
}

/// Exact for 64 bits too, which a double is not.
std::string label_text(NpyType type, const char* bytes) {
  if (const Wide wide = wide_of(type); wide != Wide::no) {
    std::int64_t value = 0;
    copy_npy_integers(bytes, 1, 0, &value);
    return integer_text(wide, value);
  }
  double value = 0.0;
  convert_npy(type, bytes, 1, 0, &value, 1);
  return std::to_string(static_cast<std::int64_t>(value));
}

}  // namespace

Wide wide_of(NpyType type) {
  return type == NpyType::int64    ? Wide::signed64
         : type == NpyType::uint64 ? Wide::unsigned64
                                   : Wide::no;
}

NpyStart read_npy_start(const ReadBytes& read, std::int64_t size, const std::string& file) {
  const auto refuse = [&](const std::string& expected, const std::string& got) {
    throw DataError(fmt::format("{}: expected {}, got {}", file, expected, got));
  };
  char start[12];
  const std::size_t got = read(0, start);
  if (got < 10 || std::memcmp(start, "\x93NUMPY", 6) != 0) {
    refuse("an NPY file", "one that does not begin like it");
  }
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse("version 1.0, 2.0 or 3.0 of the NPY format", fmt::format("{}.{}", major, minor));
  }
  std::uint32_t length = 0;
  std::memcpy(&length, start + 8, major == 1 ? 2 : 4);
  const std::int64_t begin = major == 1 ? 10 : 12;
  constexpr std::uint32_t kMostHeader = 1 << 16;
  if (length > kMostHeader) {
    refuse(fmt::format("a header of at most {} bytes", kMostHeader), std::to_string(length));
  }
  std::string text(length, ' ');
  if (read(begin, text) != text.size()) refuse("more bytes", "the end of the file");
  NpyStart found = {.header = parse_npy_header(text, file), .data = begin + length};
  std::optional<std::int64_t> bytes = found.header.item_bytes();
  for (const std::int64_t axis : found.header.shape) {
    if (bytes) bytes = checked_multiply(*bytes, axis);
  }
  const std::string shape = fmt::format("[{}]", fmt::join(found.header.shape, ", "));
  if (!bytes) refuse("a shape that 64 bits can count", shape);
  if (*bytes != size - found.data) {
    refuse(fmt::format("{} bytes of numbers for shape {}", *bytes, shape),
           std::to_string(size - found.data));
  }
  found.bytes = *bytes;
  return found;
}

NpyFile::NpyFile(const std::string& path)
    : file_(path, true),
      start_(read_npy_start(
          [this](std::int64_t offset, std::span<char> out) { return file_.read(offset, out); },
          file_.size(), path)) {}

std::string NpyFile::shape_text() const {
  return fmt::format("[{}]", fmt::join(start_.header.shape, ", "));
}

void NpyFile::read(std::int64_t offset, std::span<char> bytes) const {
  if (file_.read(start_.data + offset, bytes) != bytes.size())
    fail("more bytes", "the end of the file");
}

void NpyFile::fail(const std::string& expected, const std::string& got) const {
  throw DataError(fmt::format("{}: expected {}, got {}", file_.path(), expected, got));
}

void convert_npy(NpyType type, const char* bytes, std::int64_t count, std::size_t stride,
                 double* out, std::size_t out_stride) {
  switch (type) {
    case NpyType::bool8:
      for (std::int64_t i = 0; i < count; ++i, bytes += stride, out += out_stride) {
        *out = *bytes == 0 ? 0.0 : 1.0;
      }
      return;
    case NpyType::int8:
      return convert_as<std::int8_t>(bytes, count, stride, out, out_stride);
    case NpyType::int16:
      return convert_as<std::int16_t>(bytes, count, stride, out, out_stride);
    case NpyType::int32:
      return convert_as<std::int32_t>(bytes, count, stride, out, out_stride);
    case NpyType::int64:
      return convert_as<std::int64_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint8:
      return convert_as<std::uint8_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint16:
      return convert_as<std::uint16_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint32:
      return convert_as<std::uint32_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint64:
      return convert_as<std::uint64_t>(bytes, count, stride, out, out_stride);
    case NpyType::float32:
      return convert_as<float>(bytes, count, stride, out, out_stride);
    case NpyType::float64:
      return convert_as<double>(bytes, count, stride, out, out_stride);
    case NpyType::unicode:
    case NpyType::bytes:
      break;
  }
  throw InternalError("[convert_npy] texts are no numbers");
}

void copy_npy_integers(const char* bytes, std::int64_t count, std::size_t stride,
                       std::int64_t* out) {
  for (std::int64_t i = 0; i < count; ++i, bytes += stride) {
    std::memcpy(out + i, bytes, sizeof *out);
  }
}

std::vector<std::string> read_npy_labels(const NpyFile& file) {
  const NpyHeader& header = file.header();
  if (header.shape.size() != 1) file.fail("labels of shape [rows] or [trials]", file.shape_text());
  const std::int64_t size = header.item_bytes();
  const bool are_texts = header.type == NpyType::unicode || header.type == NpyType::bytes;
  // In characters of four bytes at most; zeros may follow the text.
  constexpr std::int64_t longest = std::int64_t{1} << 16;
  if (are_texts && size > longest) {
    file.fail(fmt::format("texts of at most {} bytes", longest), std::to_string(size));
  }
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 20) / std::max<std::int64_t>(1, size));
  std::vector<std::string> labels;
  std::vector<char> bytes;
  for (std::int64_t first = 0; first < header.shape.front(); first += piece) {
    const std::int64_t count = std::min(piece, header.shape.front() - first);
    bytes.resize(static_cast<std::size_t>(count * size));
    file.read(first * size, bytes);
    for (std::int64_t i = 0; i < count; ++i) {
      const char* const at = bytes.data() + i * size;
      if (are_texts) {
        labels.push_back(text_of(header.type, at, size));
        continue;
      }
      double value = 0.0;
      convert_npy(header.type, at, 1, 0, &value, 1);
      if (std::isnan(value)) {
        labels.emplace_back();
      } else if (header.type == NpyType::float32 || header.type == NpyType::float64) {
        if (std::floor(value) != value || is_beyond_exact(value)) {
          file.fail(fmt::format("a whole number as label {}", first + i),
                    fmt::format("{}; {}", value, why_no_name(value)));
        }
        labels.push_back(std::to_string(static_cast<std::int64_t>(value)));
      } else {
        labels.push_back(label_text(header.type, at));
      }
    }
  }
  file.file().check_unchanged();
  return labels;
}

}  // namespace gaia
