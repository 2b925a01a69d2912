// SPDX-License-Identifier: MIT
#include "hdf5_chunks.h"

#include <hdf5.h>
#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

#include "../core/parallel.h"
#include "hdf5_calls.h"

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

using Compressor = std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)>;

Compressor compressor_of(int level) {
  Compressor compressor(libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  return compressor;
}

/// The level of libdeflate for one of zlib, in which HDF5 counts: at its first it packs as tightly
/// as zlib at its fourth, in about half the time.
int libdeflate_level(int zlib_level) { return zlib_level <= 4 ? 1 : zlib_level; }

/// Whether the last bytes of a plane stand somewhere before, where deflate can see them from there.
bool repeats_itself(const std::uint8_t* plane, std::size_t numbers) {
  constexpr std::size_t kLast = 16;
  constexpr std::size_t kWindow = 32 << 10;
  if (numbers < 2 * kLast) return false;
  const std::string_view bytes(reinterpret_cast<const char*>(plane), numbers);
  const std::size_t last = numbers - kLast;
  const std::size_t first = last > kWindow ? last - kWindow : 0;
  return bytes.substr(first, numbers - 1 - first).find(bytes.substr(last)) !=
         std::string_view::npos;
}

/// The bytes of the first planes that look like noise, as the low bytes of measured numbers do.
/// Deflate takes longest over those and makes nothing of them.
std::size_t bytes_of_noise(const std::vector<std::uint8_t>& planes, std::size_t numbers) {
  constexpr std::size_t kPieces = 4;
  constexpr std::size_t kPiece = 1 << 10;
  const std::size_t piece = std::min(numbers / kPieces + 1, kPiece);
  const std::size_t distance = (numbers - piece) / (kPieces - 1);
  std::vector<std::uint8_t> sample(kPieces * piece);
  std::vector<std::uint8_t> tried(sample.size());
  const std::size_t worth_it = sample.size() - sample.size() / 64;
  const Compressor compressor = compressor_of(1);
  const auto is_noise = [&](const std::uint8_t* plane) {
    for (std::size_t i = 0; i < kPieces; ++i) {
      std::copy_n(plane + i * distance, piece, sample.data() + i * piece);
    }
    const bool is_packed = libdeflate_deflate_compress(compressor.get(), sample.data(),
                                                       sample.size(), tried.data(), worth_it) != 0;
    return !is_packed && !repeats_itself(plane, numbers);
  };
  std::size_t noise = 0;
  while (noise < planes.size() && is_noise(planes.data() + noise)) noise += numbers;
  return noise;
}

void append_big_endian(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// Data as stored blocks of deflate (RFC 1951), none of them the last.
void append_stored(std::vector<std::uint8_t>& bytes, const std::uint8_t* data, std::size_t count) {
  constexpr std::size_t kMost = 65535;
  for (std::size_t done = 0; done < count; done += kMost) {
    const std::size_t length = std::min(kMost, count - done);
    bytes.push_back(0);
    for (const std::size_t number : {length, ~length}) {
      bytes.push_back(static_cast<std::uint8_t>(number));
      bytes.push_back(static_cast<std::uint8_t>(number >> 8));
    }
    bytes.insert(bytes.end(), data + done, data + done + length);
  }
}

/// A stream of zlib (RFC 1950): noise as it is, then the rest deflated.  Empty if that is no
/// shorter.
std::vector<std::uint8_t> deflated(int level, const std::vector<std::uint8_t>& planes,
                                   std::size_t noise) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(planes.size());
  bytes.insert(bytes.end(), {0x78, 0x01});
  append_stored(bytes, planes.data(), noise);
  constexpr std::size_t kHash = 4;
  const std::size_t before = bytes.size();
  if (before + kHash + 1 >= planes.size()) return {};
  bytes.resize(planes.size() - kHash - 1);
  const std::size_t length = libdeflate_deflate_compress(
      compressor_of(libdeflate_level(level)).get(), planes.data() + noise, planes.size() - noise,
      bytes.data() + before, bytes.size() - before);
  if (length == 0) return {};
  bytes.resize(before + length);
  append_big_endian(bytes, libdeflate_adler32(1, planes.data(), planes.size()));
  return bytes;
}

Packed pack(const Packing& packing, const std::uint8_t* values) {
  const std::int64_t numbers = packing.bytes() / packing.element_bytes;
  std::vector<std::uint8_t> planes = shuffled(values, numbers, packing.element_bytes);
  const std::size_t noise = bytes_of_noise(planes, static_cast<std::size_t>(numbers));
  if (noise < planes.size()) {
    std::vector<std::uint8_t> bytes = deflated(packing.deflate, planes, noise);
    if (!bytes.empty()) return {std::move(bytes)};
  }
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
