// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/message.h"
#include "../../io/npy_header.h"
#include "../../io/zip_archive.h"
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
    header_ = npy_header_text(dtype(), dataset.shape());
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

}  // namespace

void write_npy(const ExportedDataset& dataset, NewFile& file) {
  NumpyArray(dataset).write([&](std::string_view bytes) { file.write(bytes); });
}

void write_npz(const std::vector<ExportedDataset>& datasets, NewFile& file) {
  ZipWriter archive(file);
  for (const ExportedDataset& dataset : datasets) {
    const NumpyArray array(dataset);
    archive.begin(dataset.path().substr(1) + ".npy", array.bytes());
    array.write([&](std::string_view bytes) { archive.write(bytes); });
  }
  archive.end();
}

}  // namespace gaia
