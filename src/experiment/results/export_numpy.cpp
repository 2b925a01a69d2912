// SPDX-License-Identifier: MIT
#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/message.h"
#include "export_files.h"

namespace gaia {
namespace {

using TakeBytes = std::function<void(std::string_view)>;

/// The letters of a text of UTF-8, one number each.
std::u32string letters_of(const std::string& text, const std::string& where) {
  if (!is_utf8(text)) {
    fail<DataError>("{} has a text that is not UTF-8; export it to CSV", printable(where));
  }
  std::u32string letters;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t letter = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      letter = (letter << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    letters.push_back(letter);
    at += length;
  }
  return letters;
}

/// An array as NumPy's file of it: the header (numpy.lib.format, version 1.0, or 2.0 where it is
/// long), then the numbers.
class NumpyArray {
 public:
  explicit NumpyArray(const ExportedDataset& dataset) : dataset_(dataset) {
    if (dataset.type() == hdf5::Type::text) {
      for (const std::string& text : dataset.read_texts()) {
        texts_.push_back(letters_of(text, dataset.path()));
        longest_ = std::max(longest_, texts_.back().size());
      }
    }
    make_header();
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(header_.size()) +
           dataset_.rows() * dataset_.numbers_per_row() * item_bytes();
  }

  void write(const TakeBytes& take) const {
    take(header_);
    switch (dataset_.type()) {
      case hdf5::Type::text:
        return write_texts(take);
      case hdf5::Type::int32:
        return write_numbers<std::int32_t>(take);
      case hdf5::Type::int64:
        return write_numbers<std::int64_t>(take);
      case hdf5::Type::uint8:
        return write_numbers<std::uint8_t>(take);
      case hdf5::Type::float32:
        return write_numbers<float>(take);
      case hdf5::Type::float64:
        return write_numbers<double>(take);
      case hdf5::Type::other:
        break;
    }
    throw InternalError("[write_npy] a dataset of no type that is exported");
  }

 private:
  std::int64_t item_bytes() const {
    return dataset_.type() == hdf5::Type::text ? static_cast<std::int64_t>(4 * longest_)
                                               : size_of(dataset_.type());
  }

  std::string dtype() const {
    switch (dataset_.type()) {
      case hdf5::Type::int32:
        return "<i4";
      case hdf5::Type::int64:
        return "<i8";
      case hdf5::Type::uint8:
        return "|u1";
      case hdf5::Type::float32:
        return "<f4";
      case hdf5::Type::float64:
        return "<f8";
      case hdf5::Type::text:
      case hdf5::Type::other:
        break;
    }
    return "<U" + std::to_string(longest_);
  }

  void make_header() {
    std::string shape;
    for (const std::int64_t length : dataset_.shape()) shape += std::to_string(length) + ", ";
    if (dataset_.shape().size() > 1) shape.resize(shape.size() - 2);
    if (dataset_.shape().size() == 1) shape.resize(shape.size() - 1);
    std::string told =
        "{'descr': '" + dtype() + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // What NumPy maps begins at a multiple of 64.
    const bool is_long = told.size() > 65000;
    const std::size_t before = is_long ? 12 : 10;
    while ((before + told.size() + 1) % 64 != 0) told += ' ';
    told += '\n';
    header_ = std::string("\x93NUMPY", 6);
    header_ += static_cast<char>(is_long ? 2 : 1);
    header_ += '\0';
    for (std::size_t i = 0; i < before - 8; ++i) {
      header_ += static_cast<char>((told.size() >> (8 * i)) & 0xFF);
    }
    header_ += told;
  }

  void write_texts(const TakeBytes& take) const {
    std::u32string cell;
    for (const std::u32string& text : texts_) {
      cell = text;
      cell.resize(longest_, U'\0');
      take({reinterpret_cast<const char*>(cell.data()), 4 * cell.size()});
    }
  }

  template <class T>
  void write_numbers(const TakeBytes& take) const {
    if (dataset_.numbers_per_row() == 0) return;
    std::vector<T> values;
    for (std::int64_t first = 0; first < dataset_.rows(); first += dataset_.block()) {
      const std::int64_t count = std::min(dataset_.block(), dataset_.rows() - first);
      values.resize(static_cast<std::size_t>(count * dataset_.numbers_per_row()));
      dataset_.read_rows(first, count, values.data());
      take({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    }
  }

  const ExportedDataset& dataset_;
  std::vector<std::u32string> texts_;
  std::size_t longest_ = 1;
  std::string header_;
};

struct ZipMember {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  std::uint64_t place = 0;  ///< First byte of its header.
};

constexpr std::uint64_t kElsewhere = 0xFFFFFFFF;  // the number stands in 64 bits behind the name
constexpr int kZip64 = 45;                        // version that is needed
constexpr std::uint64_t kUtf8Names = 1U << 11;
constexpr std::uint64_t kFirstDay = (1U << 5) | 1U;  // 1980-01-01: the same bytes whenever

/// Bytes of a record of a ZIP archive, little-endian.
class ZipRecord {
 public:
  ZipRecord& put(int bytes, std::uint64_t value) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>((value >> (8 * i)) & 0xFF);
    return *this;
  }
  ZipRecord& put(const std::string& text) {
    text_ += text;
    return *this;
  }
  /// Fields that both headers of a member have, from the version that is needed to the length of
  /// what stands behind the name.
  ZipRecord& put(const ZipMember& member, std::uint64_t behind_name) {
    return put(2, kZip64)
        .put(2, kUtf8Names)
        .put(2, 0)
        .put(2, 0)
        .put(2, kFirstDay)
        .put(4, member.crc)
        .put(4, kElsewhere)
        .put(4, kElsewhere)
        .put(2, member.name.size())
        .put(2, behind_name);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string local_header(const ZipMember& member) {
  return ZipRecord()
      .put(4, 0x04034b50)
      .put(member, 20)
      .put(member.name)
      .put(2, 1)
      .put(2, 16)
      .put(8, member.bytes)
      .put(8, member.bytes)
      .text();
}

std::string central_header(const ZipMember& member) {
  constexpr std::uint64_t regular_file = 0100644;
  return ZipRecord()
      .put(4, 0x02014b50)
      .put(2, (3U << 8) | kZip64)  // by a Unix
      .put(member, 28)
      .put(2, 0)
      .put(2, 0)
      .put(2, 0)
      .put(4, regular_file << 16)
      .put(4, kElsewhere)
      .put(member.name)
      .put(2, 1)
      .put(2, 24)
      .put(8, member.bytes)
      .put(8, member.bytes)
      .put(8, member.place)
      .text();
}

std::string end_of_archive(std::uint64_t members, std::uint64_t place, std::uint64_t bytes) {
  return ZipRecord()
      .put(4, 0x06064b50)
      .put(8, 44)
      .put(2, (3U << 8) | kZip64)
      .put(2, kZip64)
      .put(4, 0)
      .put(4, 0)
      .put(8, members)
      .put(8, members)
      .put(8, bytes)
      .put(8, place)
      .put(4, 0x07064b50)
      .put(4, 0)
      .put(8, place + bytes)
      .put(4, 1)
      .put(4, 0x06054b50)
      .put(2, 0)
      .put(2, 0)
      .put(2, 0xFFFF)
      .put(2, 0xFFFF)
      .put(4, kElsewhere)
      .put(4, kElsewhere)
      .put(2, 0)
      .text();
}

}  // namespace

void write_npy(const ExportedDataset& dataset, ExportFile& file) {
  NumpyArray(dataset).write([&](std::string_view bytes) { file.write(bytes); });
}

void write_npz(const std::vector<ExportedDataset>& datasets, ExportFile& file) {
  std::vector<ZipMember> members;
  for (const ExportedDataset& dataset : datasets) {
    const NumpyArray array(dataset);
    ZipMember& member = members.emplace_back();
    member.name = dataset.path().substr(1) + ".npy";
    if (member.name.size() > std::numeric_limits<std::uint16_t>::max()) {
      fail<DataError>("a name of {} bytes is too long for an archive; export it to NPY",
                      member.name.size());
    }
    member.bytes = static_cast<std::uint64_t>(array.bytes());
    member.place = static_cast<std::uint64_t>(file.size());
    file.write(local_header(member));
    array.write([&](std::string_view bytes) {
      member.crc = libdeflate_crc32(member.crc, bytes.data(), bytes.size());
      file.write(bytes);
    });
    // The sum is known only now.
    file.write_at(static_cast<std::int64_t>(member.place), local_header(member));
  }
  const auto place = static_cast<std::uint64_t>(file.size());
  for (const ZipMember& member : members) file.write(central_header(member));
  file.write(
      end_of_archive(members.size(), place, static_cast<std::uint64_t>(file.size()) - place));
}

}  // namespace gaia
