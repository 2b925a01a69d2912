// SPDX-License-Identifier: MIT
#include "hdf5_chunks.h"

#include <hdf5.h>

#include <algorithm>
#include <type_traits>

#include "../core/parallel.h"
#include "hdf5_calls.h"
#include "zlib_stream.h"

namespace gaia::hdf5 {
namespace {

/// Chunks that are packed before the first of them is written.
constexpr std::int64_t kAtOnce = 64;

/// A chunk as it goes to the file.
struct Packed {
  std::vector<std::uint8_t> bytes;
  bool is_packed = true;
};

/// For a `bytes_each` that the compiler knows it moves many bytes at once.
template <class Count>
void shuffle(const std::uint8_t* values, std::int64_t numbers, Count bytes_each,
             std::uint8_t* planes) {
  for (std::int64_t byte = 0; byte < bytes_each; ++byte) {
    std::uint8_t* const plane = planes + byte * numbers;
    for (std::int64_t i = 0; i < numbers; ++i) plane[i] = values[i * bytes_each + byte];
  }
}

/// The first bytes of all numbers, then the second ones, and so on: neighbours are alike there.
std::vector<std::uint8_t> shuffled(const std::uint8_t* values, std::int64_t numbers,
                                   std::int64_t bytes_each) {
  std::vector<std::uint8_t> planes(static_cast<std::size_t>(numbers * bytes_each));
  const auto shuffle_by = [&](auto count) { shuffle(values, numbers, count, planes.data()); };
  if (bytes_each == 4) {
    shuffle_by(std::integral_constant<std::int64_t, 4>());
  } else if (bytes_each == 8) {
    shuffle_by(std::integral_constant<std::int64_t, 8>());
  } else {
    shuffle_by(bytes_each);
  }
  return planes;
}

Packed pack(const Packing& packing, const std::uint8_t* values) {
  const std::int64_t numbers = packing.bytes() / packing.element_bytes;
  std::vector<std::uint8_t> bytes =
      zlib_stream(packing.deflate, shuffled(values, numbers, packing.element_bytes),
                  static_cast<std::size_t>(numbers));
  if (!bytes.empty()) return {std::move(bytes)};
  return {{values, values + packing.bytes()}, false};
}

/// HDF5 keeps the mask of filters that were not used when a chunk is written again at the same
/// length: so at the length of its numbers it is always unpacked, and nothing is half packed.
void write_chunk(std::int64_t dataset, const Place& place, const Packing& packing,
                 std::int64_t first, bool is_packed, const std::vector<std::uint8_t>& bytes) {
  constexpr std::uint32_t none = 0;
  constexpr std::uint32_t shuffle_and_deflate = 3;
  std::vector<hsize_t> offset(packing.chunk.size(), 0);
  offset.front() = static_cast<hsize_t>(first);
  check(H5Dwrite_chunk(dataset, H5P_DEFAULT, is_packed ? none : shuffle_and_deflate, offset.data(),
                       bytes.size(), bytes.data()),
        place, "write to");
}

}  // namespace

std::int64_t Packing::bytes() const {
  std::int64_t bytes = element_bytes;
  for (const std::int64_t length : chunk) bytes *= length;
  return bytes;
}

std::optional<Packing> packing_of(const Dataset& dataset, std::int64_t memory_type) {
  const Place& place = dataset.place();
  const Handle properties = own(H5Dget_create_plist(dataset.id()), place, "look at");
  if (H5Pget_layout(properties.id()) != H5D_CHUNKED) return {};
  if (check(H5Pget_nfilters(properties.id()), place, "look at") != 2) return {};
  unsigned level = 0;
  for (unsigned i = 0; i < 2; ++i) {
    unsigned flags = 0;
    unsigned values[8] = {};
    std::size_t count = 8;
    unsigned config = 0;
    const H5Z_filter_t filter =
        check(H5Pget_filter2(properties.id(), i, &flags, &count, values, 0, nullptr, &config),
              place, "look at");
    if (filter != (i == 0 ? H5Z_FILTER_SHUFFLE : H5Z_FILTER_DEFLATE)) return {};
    level = values[0];
  }
  const Handle stored = own(H5Dget_type(dataset.id()), place, "look at");
  if (H5Tequal(stored.id(), memory_type) <= 0) return {};
  const std::vector<std::int64_t> shape = dataset.shape();
  std::vector<hsize_t> chunk(shape.size());
  check(H5Pget_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()), place,
        "look at");
  const bool holds_rows =
      std::equal(chunk.begin() + 1, chunk.end(), shape.begin() + 1,
                 [](hsize_t a, std::int64_t b) { return static_cast<std::int64_t>(a) == b; });
  if (!holds_rows) return {};
  return Packing{.chunk = {chunk.begin(), chunk.end()},
                 .element_bytes = static_cast<std::int64_t>(H5Tget_size(stored.id())),
                 .deflate = static_cast<int>(level)};
}

bool write_chunks(const Dataset& dataset, const Packing& packing, std::int64_t first,
                  std::int64_t count, const void* values) {
  const auto* const from = static_cast<const std::uint8_t*>(values);
  bool all_packed = true;
  for (std::int64_t done = 0; done < count; done += kAtOnce) {
    std::vector<Packed> packed(static_cast<std::size_t>(std::min(kAtOnce, count - done)));
    parallel_for(static_cast<std::int64_t>(packed.size()), [&](std::int64_t i) {
      packed[static_cast<std::size_t>(i)] = pack(packing, from + (done + i) * packing.bytes());
    });
    for (const Packed& chunk : packed) {
      write_chunk(dataset.id(), dataset.place(), packing, first, chunk.is_packed, chunk.bytes);
      all_packed = all_packed && chunk.is_packed;
      first += packing.rows();
    }
  }
  return all_packed;
}

OpenChunk::OpenChunk(const Dataset& dataset, const Packing& packing, std::int64_t first,
                     std::int64_t rows)
    : dataset_(dataset.id()), place_(dataset.place()), packing_(packing), first_(first) {
  const Handle type = own(H5Dget_type(dataset_), place_, "look at");
  const Handle properties = own(H5Dget_create_plist(dataset_), place_, "look at");
  std::vector<std::uint8_t> fill(static_cast<std::size_t>(packing_.element_bytes));
  check(H5Pget_fill_value(properties.id(), type.id(), fill.data()), place_, "look at");
  numbers_.resize(static_cast<std::size_t>(packing_.bytes()));
  for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = fill[i % fill.size()];
  if (rows > 0) {
    const RowSelection rows_of(dataset_, place_, first, rows);
    check(H5Dread(dataset_, type.id(), rows_of.memory.id(), rows_of.stored.id(), H5P_DEFAULT,
                  numbers_.data()),
          place_, "read from");
  }
  place_.writing->held.push_back(this);
}

OpenChunk::~OpenChunk() { std::erase(place_.writing->held, this); }

void OpenChunk::put(std::int64_t row, std::int64_t rows, const void* values) {
  const std::int64_t row_bytes = packing_.bytes() / packing_.rows();
  const auto* const from = static_cast<const std::uint8_t*>(values);
  std::copy_n(from, rows * row_bytes, numbers_.begin() + (row - first_) * row_bytes);
  has_new_rows_ = true;
}

void OpenChunk::write() {
  if (!has_new_rows_) return;
  if (is_packed_) {
    Packed packed = pack(packing_, numbers_.data());
    // At the same length HDF5 would write it over the one that readers have, who could not unpack a
    // mixture of the two.  What follows a stream of zlib is not looked at.
    if (std::ssize(packed.bytes) == last_) packed.bytes.push_back(0);
    last_ = std::ssize(packed.bytes);
    spent_ += last_;
    is_packed_ = packed.is_packed && spent_ <= packing_.bytes() && last_ < packing_.bytes();
    if (is_packed_) write_chunk(dataset_, place_, packing_, first_, true, packed.bytes);
  }
  if (!is_packed_) write_chunk(dataset_, place_, packing_, first_, false, numbers_);
  has_new_rows_ = false;
}

}  // namespace gaia::hdf5
