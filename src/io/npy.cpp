// SPDX-License-Identifier: MIT
#include "npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "../core/checked.h"
#include "../core/error.h"
#include "columns.h"
#include "input_file.h"
#include "npy_header.h"

namespace gaia {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY numbers are used as they are read");

/// out[i * out_stride] = number i of those that stand `stride` bytes apart.
template <class T>
void convert(const char* bytes, std::int64_t count, std::size_t stride, double* out,
             std::size_t out_stride) {
  for (std::int64_t i = 0; i < count; ++i, bytes += stride, out += out_stride) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    *out = static_cast<double>(value);
  }
}

void convert(NpyType type, const char* bytes, std::int64_t count, std::size_t stride, double* out,
             std::size_t out_stride) {
  switch (type) {
    case NpyType::bool8:
      for (std::int64_t i = 0; i < count; ++i, bytes += stride, out += out_stride) {
        *out = *bytes == 0 ? 0.0 : 1.0;
      }
      return;
    case NpyType::int8:
      return convert<std::int8_t>(bytes, count, stride, out, out_stride);
    case NpyType::int16:
      return convert<std::int16_t>(bytes, count, stride, out, out_stride);
    case NpyType::int32:
      return convert<std::int32_t>(bytes, count, stride, out, out_stride);
    case NpyType::int64:
      return convert<std::int64_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint8:
      return convert<std::uint8_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint16:
      return convert<std::uint16_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint32:
      return convert<std::uint32_t>(bytes, count, stride, out, out_stride);
    case NpyType::uint64:
      return convert<std::uint64_t>(bytes, count, stride, out, out_stride);
    case NpyType::float32:
      return convert<float>(bytes, count, stride, out, out_stride);
    case NpyType::float64:
      return convert<double>(bytes, count, stride, out, out_stride);
  }
}

class NpySeries final : public Series {
 public:
  NpySeries(const std::string& path, const NpyOptions& options) : file_(path, true) {
    read_header();
    const std::vector<std::string> all_names = numbered_names(width_);
    if (options.columns.empty()) {
      columns_.resize(all_names.size());
      std::iota(columns_.begin(), columns_.end(), std::size_t{0});
    } else {
      columns_ = select_columns(path, options.columns, all_names);
    }
    for (const std::size_t column : columns_) names_.push_back(all_names[column]);
    if (header_.type == NpyType::float32 || header_.type == NpyType::float64) {
      gaps_ = find_gaps(
          path, names_, rows(), options.missing,
          [this](std::int64_t first, std::int64_t count, std::span<double> block) {
            read_raw(first, count, block);
          },
          options.measured);
      keep_moments(std::min(options.measured, rows()), moments_of(gaps_));
    }
    file_.check_unchanged();
  }

  std::int64_t rows() const override { return header_.shape[0]; }
  const std::vector<std::string>& channel_names() const override { return names_; }

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    check_range(first, count, out.size(), channels());
    file_.check_unchanged();
    read_raw(first, count, out);
    file_.check_unchanged();
    if (!gaps_.empty()) fill_gaps(file_.path(), gaps_, first, count, out);
  }

  std::string sha256() override { return file_.sha256(); }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& got) const {
    throw DataError(fmt::format("{}: expected {}, got {}", file_.path(), expected, got));
  }

  void read_exactly(std::int64_t offset, std::span<char> bytes) const {
    if (file_.read(offset, bytes) != bytes.size()) fail("more bytes", "the end of the file");
  }

  void read_header();
  void read_raw(std::int64_t first, std::int64_t count, std::span<double> out);
  void read_rows(std::int64_t first, std::int64_t count, double* out);
  void read_columns(std::int64_t first, std::int64_t count, double* out);

  InputFile file_;
  NpyHeader header_;
  std::int64_t data_ = 0;   // offset of the first number
  std::int64_t width_ = 1;  // columns of the file
  std::vector<std::size_t> columns_;
  std::vector<std::string> names_;
  std::vector<Gaps> gaps_;  // empty for integers
  std::vector<char> bytes_;
};

void NpySeries::read_header() {
  char start[12];
  const std::size_t got = file_.read(0, start);
  if (got < 10 || std::memcmp(start, "\x93NUMPY", 6) != 0) {
    fail("an NPY file", "one that does not begin like it");
  }
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail("version 1.0, 2.0 or 3.0 of the NPY format", fmt::format("{}.{}", major, minor));
  }
  std::uint32_t length = 0;
  std::memcpy(&length, start + 8, major == 1 ? 2 : 4);
  const std::int64_t begin = major == 1 ? 10 : 12;
  constexpr std::uint32_t kMostHeader = 1 << 16;
  if (length > kMostHeader) {
    fail(fmt::format("a header of at most {} bytes", kMostHeader), std::to_string(length));
  }
  std::string text(length, ' ');
  read_exactly(begin, text);
  header_ = parse_npy_header(text, file_.path());
  data_ = begin + length;

  const std::vector<std::int64_t>& shape = header_.shape;
  const std::string shown = fmt::format("[{}]", fmt::join(shape, ", "));
  if (shape.empty() || shape.size() > 2) fail("shape [rows] or [rows, columns]", shown);
  if (shape.size() == 2) width_ = shape[1];
  constexpr std::int64_t kMostColumns = 100000;
  if (shape[0] < 1 || width_ < 1 || width_ > kMostColumns) {
    fail(fmt::format("at least one row and 1 to {} columns", kMostColumns), "shape " + shown);
  }
  const auto numbers = checked_multiply(shape[0], width_);
  const auto bytes = numbers ? checked_multiply(*numbers, size_of(header_.type)) : std::nullopt;
  if (!bytes) fail("a shape that 64 bits can count", shown);
  if (*bytes != file_.size() - data_) {
    fail(fmt::format("{} bytes of numbers for shape {}", *bytes, shown),
         std::to_string(file_.size() - data_));
  }
}

/// Rows as they stand in the file.
void NpySeries::read_raw(std::int64_t first, std::int64_t count, std::span<double> out) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 20;  // bytes
  const bool by_column = header_.fortran_order && width_ > 1;
  const std::int64_t stride = size_of(header_.type) * (by_column ? 1 : width_);
  const std::int64_t piece = std::max<std::int64_t>(1, kPiece / stride);
  for (std::int64_t done = 0; done < count; done += piece) {
    const std::int64_t rows_now = std::min(piece, count - done);
    double* to = out.data() + static_cast<std::size_t>(done) * columns_.size();
    bytes_.resize(static_cast<std::size_t>(rows_now * stride));
    if (by_column) {
      read_columns(first + done, rows_now, to);
    } else {
      read_rows(first + done, rows_now, to);
    }
  }
}

void NpySeries::read_rows(std::int64_t first, std::int64_t count, double* out) {
  const std::int64_t size = size_of(header_.type);
  read_exactly(data_ + first * width_ * size, bytes_);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    convert(header_.type, bytes_.data() + columns_[c] * static_cast<std::size_t>(size), count,
            static_cast<std::size_t>(width_ * size), out + c, columns_.size());
  }
}

/// In Fortran order a column is contiguous.
void NpySeries::read_columns(std::int64_t first, std::int64_t count, double* out) {
  const std::int64_t size = size_of(header_.type);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto column = static_cast<std::int64_t>(columns_[c]);
    read_exactly(data_ + (column * rows() + first) * size, bytes_);
    convert(header_.type, bytes_.data(), count, static_cast<std::size_t>(size), out + c,
            columns_.size());
  }
}

}  // namespace

std::unique_ptr<Series> open_npy(const std::string& path, const NpyOptions& options) {
  return std::make_unique<NpySeries>(path, options);
}

}  // namespace gaia
