// SPDX-License-Identifier: MIT
#include "../../src/io/zlib_stream.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "../support/catch.h"

using gaia::zlib_stream;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// What zlib, with which HDF5 reads, makes of a stream; it has to be all of the stream.
Bytes unpacked(Bytes stream, std::size_t length) {
  Bytes bytes(length);
  uLongf written = length;
  uLong read = stream.size();
  REQUIRE(uncompress2(bytes.data(), &written, stream.data(), &read) == Z_OK);
  REQUIRE(read == stream.size());
  REQUIRE(written == length);
  return bytes;
}

template <class T>
Bytes planes_of(const std::vector<T>& values) {
  Bytes planes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint8_t bytes[sizeof(T)];
    std::memcpy(bytes, &values[i], sizeof(T));
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      planes[byte * values.size() + i] = bytes[byte];
    }
  }
  return planes;
}

std::vector<float> answers(std::size_t count, bool rectified) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) {
    value = normal(random);
    if (rectified) value = std::max(value, 0.0F);
  }
  return values;
}

/// Planes of one kind each: zeros, noise, letters of an alphabet of 20, or noise that repeats
/// itself.
Bytes mixed_planes(std::mt19937& random, std::size_t count, std::size_t length) {
  Bytes planes;
  for (std::size_t plane = 0; plane < count; ++plane) {
    const auto kind = random() % 4;
    const std::size_t first = planes.size();
    for (std::size_t i = 0; i < length; ++i) {
      const auto drawn = static_cast<std::uint8_t>(random() >> 8);
      if (kind == 0) planes.push_back(0);
      if (kind == 1) planes.push_back(drawn);
      if (kind == 2) planes.push_back(drawn % 20);
      if (kind == 3) planes.push_back(i < 5000 ? drawn : planes[first + i - 5000]);
    }
  }
  return planes;
}

TEST_CASE("what is packed is unpacked by zlib, at every level and length") {
  for (int level = 1; level <= 9; ++level) {
    for (const std::size_t length :
         {1U, 2U, 31U, 64U, 1000U, 4095U, 4096U, 4097U, 16384U, 65535U, 65536U, 140001U}) {
      CAPTURE(level, length);
      std::vector<std::int64_t> steps(length);
      std::iota(steps.begin(), steps.end(), 1000);
      const Bytes planes = planes_of(steps);
      const Bytes stream = zlib_stream(level, planes, length);
      if (length >= 31) REQUIRE(stream.size() < planes.size() / 2);
      if (!stream.empty()) CHECK(unpacked(stream, planes.size()) == planes);
    }
  }
}

TEST_CASE("planes of any kinds, in any order, are unpacked by zlib") {
  std::mt19937 random(3);
  int packed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t count = std::size_t{1} << (random() % 4);
    const std::size_t length = 1 + random() % (trial % 8 == 0 ? 90000 : 9000);
    const Bytes planes = mixed_planes(random, count, length);
    const int level = 1 + static_cast<int>(random() % 6);
    CAPTURE(trial, count, length, level);
    const Bytes stream = zlib_stream(level, planes, length);
    if (stream.empty()) continue;
    ++packed;
    CHECK(stream.size() < planes.size());
    CHECK(unpacked(stream, planes.size()) == planes);
  }
  CHECK(packed > 100);
}

TEST_CASE("noise is not packed, but by what it repeats") {
  std::mt19937 random(1);
  Bytes noise(4 * 20000);
  for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(random() >> 8);
  for (const int level : {1, 4, 9}) CHECK(zlib_stream(level, noise, 20000).empty());
  // Every plane is twice the same 10 000 bytes.
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (i % 20000 >= 10000) noise[i] = noise[i - 10000];
  }
  for (const int level : {1, 4, 9}) {
    const Bytes stream = zlib_stream(level, noise, 20000);
    CHECK(stream.size() < noise.size() * 6 / 10);
    CHECK(unpacked(stream, noise.size()) == noise);
  }
}

TEST_CASE("answers of neurons take about as much room as in zlib's streams") {
  for (const bool rectified : {false, true}) {
    for (const int level : {1, 4, 6, 9}) {
      const Bytes planes = planes_of(answers(65536, rectified));
      Bytes whole(compressBound(planes.size()));
      uLongf length = whole.size();
      REQUIRE(compress2(whole.data(), &length, planes.data(), planes.size(), level) == Z_OK);
      const Bytes stream = zlib_stream(level, planes, 65536);
      CAPTURE(rectified, level, length, stream.size());
      CHECK(static_cast<double>(stream.size()) < 1.02 * static_cast<double>(length));
      CHECK(unpacked(stream, planes.size()) == planes);
    }
  }
}

TEST_CASE("threads pack side by side, and each packs the same twice") {
  const Bytes planes = planes_of(answers(30000, true));
  const Bytes wanted = zlib_stream(4, planes, 30000);
  std::vector<Bytes> streams(8);
  std::vector<std::jthread> threads;
  for (Bytes& stream : streams) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) stream = zlib_stream(4, planes, 30000);
    });
  }
  threads.clear();
  for (const Bytes& stream : streams) CHECK(stream == wanted);
}

}  // namespace
