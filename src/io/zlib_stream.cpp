// SPDX-License-Identifier: MIT
#include "zlib_stream.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "../core/message.h"

namespace gaia {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// The levels of zlib up to which ISA-L packs; above them libdeflate does, at the level itself.
constexpr int kFastLevels = 4;

/// Levels of ISA-L.  The first sees what repeats itself within a few thousand bytes; the other
/// takes longer and sees as far as deflate can.
enum class Sight { near = 1, far = 3 };

/// Planes are packed one by one, as their bytes have little to do with each other, but several
/// together where they are shorter: each piece has its own table of codes.
constexpr std::size_t kLeastPiece = 4 << 10;

constexpr std::size_t kHash = 4;  // behind the blocks of a stream

/// What ISA-L works with, for each thread that packs: too much to ask for it anew every time.
struct FastRoom {
  isal_zstream stream;
  std::uint8_t level_buffer[ISAL_DEF_LVL3_DEFAULT];
};

/// Blocks of deflate (RFC 1951) that end with a byte; returns their length, 0 if `room` is too
/// small. Further blocks may follow unless `is_last`.
std::size_t deflate_fast(Sight sight, Bytes data, bool is_last, std::span<std::uint8_t> room) {
  thread_local const std::unique_ptr<FastRoom> work(new FastRoom);
  isal_zstream& stream = work->stream;
  isal_deflate_stateless_init(&stream);
  stream.next_in = const_cast<std::uint8_t*>(data.data());  // read only
  stream.avail_in = static_cast<std::uint32_t>(data.size());
  stream.next_out = room.data();
  stream.avail_out = static_cast<std::uint32_t>(room.size());
  stream.level = static_cast<std::uint32_t>(sight);
  stream.level_buf = work->level_buffer;
  stream.level_buf_size = sizeof(work->level_buffer);
  stream.gzip_flag = IGZIP_DEFLATE;
  stream.end_of_stream = is_last ? 1 : 0;
  stream.flush = is_last ? NO_FLUSH : FULL_FLUSH;
  const int answer = isal_deflate_stateless(&stream);
  if (answer == STATELESS_OVERFLOW) return 0;
  if (answer != COMP_OK) throw InternalError(message("[zlib_stream] ISA-L answers {}", answer));
  return stream.total_out;
}

/// All of `data`, and nothing can follow.
std::size_t deflate_tightly(int level, Bytes data, std::span<std::uint8_t> room) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  return libdeflate_deflate_compress(compressor.get(), data.data(), data.size(), room.data(),
                                     room.size());
}

/// Whether the last bytes of a plane stand somewhere before, where deflate can see them from there.
bool repeats_itself(Bytes plane) {
  constexpr std::size_t kLast = 16;
  constexpr std::size_t kWindow = 32 << 10;
  if (plane.size() < 2 * kLast) return false;
  const Bytes last = plane.last(kLast);
  const std::size_t window = std::min(plane.size(), kWindow + kLast);
  const Bytes seen = plane.last(window).first(window - 1);
  return memmem(seen.data(), seen.size(), last.data(), last.size()) != nullptr;
}

/// Whether a plane looks like noise, as the low bytes of measured numbers do.  Deflate takes
/// longest over those and makes nothing of them.
bool is_noise(Bytes plane) {
  constexpr std::size_t kPieces = 4;
  constexpr std::size_t kPiece = 1 << 10;
  const std::size_t piece = std::min(plane.size() / kPieces + 1, kPiece);
  const std::size_t distance = (plane.size() - piece) / (kPieces - 1);
  std::uint8_t sample[kPieces * kPiece];
  std::uint8_t tried[sizeof(sample)];
  const std::size_t length = kPieces * piece;
  for (std::size_t i = 0; i < kPieces; ++i) {
    std::copy_n(plane.data() + i * distance, piece, sample + i * piece);
  }
  const std::size_t worth_it = length - length / 64;
  return deflate_fast(Sight::near, {sample, length}, true, {tried, worth_it}) == 0 &&
         !repeats_itself(plane);
}

std::size_t bytes_of_noise(Bytes planes, std::size_t plane_bytes) {
  std::size_t noise = 0;
  while (noise < planes.size() && is_noise(planes.subspan(noise, plane_bytes))) {
    noise += plane_bytes;
  }
  return noise;
}

void append_big_endian(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// Data as stored blocks of deflate.
void append_stored(std::vector<std::uint8_t>& bytes, Bytes data, bool is_last) {
  constexpr std::size_t kMost = 65535;
  for (std::size_t done = 0; done < data.size(); done += kMost) {
    const std::size_t length = std::min(kMost, data.size() - done);
    bytes.push_back(is_last && done + length == data.size() ? 1 : 0);
    for (const std::size_t number : {length, ~length}) {
      bytes.push_back(static_cast<std::uint8_t>(number));
      bytes.push_back(static_cast<std::uint8_t>(number >> 8));
    }
    const Bytes part = data.subspan(done, length);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
}

/// A piece as blocks that are no longer than it is, or stored.
void append_fast(std::vector<std::uint8_t>& bytes, Sight sight, Bytes piece, bool is_last) {
  const std::size_t before = bytes.size();
  bytes.resize(before + piece.size());
  const std::size_t length =
      deflate_fast(sight, piece, is_last, std::span(bytes).subspan(before, piece.size()));
  bytes.resize(before + length);
  if (length == 0) append_stored(bytes, piece, is_last);
}

/// False if that is no shorter.
bool append_tightly(std::vector<std::uint8_t>& bytes, int level, Bytes data) {
  const std::size_t before = bytes.size();
  bytes.resize(before + data.size());
  const std::size_t length =
      deflate_tightly(level, data, std::span(bytes).subspan(before, data.size()));
  bytes.resize(before + length);
  return length != 0;
}

}  // namespace

std::vector<std::uint8_t> zlib_stream(int level, Bytes planes, std::size_t plane_bytes) {
  std::size_t done = bytes_of_noise(planes, plane_bytes);
  if (done == planes.size()) return {};
  std::vector<std::uint8_t> bytes;
  bytes.reserve(planes.size() + kHash);
  bytes.insert(bytes.end(), {0x78, 0x01});
  append_stored(bytes, planes.first(done), false);
  if (level > kFastLevels) {
    if (!append_tightly(bytes, level, planes.subspan(done))) return {};
  } else {
    const std::size_t piece = plane_bytes * ((kLeastPiece + plane_bytes - 1) / plane_bytes);
    // The first bytes differ most from number to number: where they repeat themselves all do.
    const Sight sight = repeats_itself(planes.first(plane_bytes)) ? Sight::far : Sight::near;
    while (done < planes.size()) {
      const std::size_t length = std::min(piece, planes.size() - done);
      append_fast(bytes, sight, planes.subspan(done, length), done + length == planes.size());
      done += length;
    }
  }
  append_big_endian(bytes, libdeflate_adler32(1, planes.data(), planes.size()));
  if (bytes.size() >= planes.size()) return {};
  return bytes;
}

}  // namespace gaia
