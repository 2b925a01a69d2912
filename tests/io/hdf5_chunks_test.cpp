// SPDX-License-Identifier: MIT
#include "../../src/io/hdf5_chunks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <random>

#include "../../src/core/error.h"
#include "../../src/io/foreign_hdf5/hdf5_reader.h"
#include "../../src/io/hdf5_calls.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;
namespace h5 = gaia::hdf5;

namespace {

/// Numbers that pack well, whose high bytes do, or that do not pack at all.
enum class Kind { smooth, measured, random };

template <class T>
std::vector<T> numbers(std::size_t count, Kind kind) {
  std::mt19937_64 engine(7);
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = engine();
    if (kind == Kind::random) {
      std::memcpy(&values[i], &bits, sizeof(T));
      if (!(values[i] == values[i])) values[i] = T(0);
    } else if (kind == Kind::smooth) {
      values[i] = static_cast<T>(i / 50);
    } else if constexpr (std::is_integral_v<T>) {
      values[i] = static_cast<T>(bits % (std::uint64_t{1} << (4 * sizeof(T))));
    } else {
      values[i] = static_cast<T>(1 + static_cast<double>(bits % 1000003) / 1000003);
    }
  }
  return values;
}

template <class T>
constexpr h5::Type kType = std::is_same_v<T, float>          ? h5::Type::float32
                           : std::is_same_v<T, double>       ? h5::Type::float64
                           : std::is_same_v<T, std::int64_t> ? h5::Type::int64
                           : std::is_same_v<T, std::int32_t> ? h5::Type::int32
                                                             : h5::Type::uint8;

template <class T>
h5::Layout packed_layout(int deflate = 4) {
  return {
      .type = kType<T>, .shape = {0, 7}, .chunk = {16, 7}, .can_grow = true, .deflate = deflate};
}

/// Dataset d, read by another process while the file may be written.
template <class T>
std::vector<T> read_by_another(const std::string& path) {
  const auto reader = h5::open_reader(path);
  return reader->read<T>(*reader->contents().dataset("/d"));
}

}  // namespace

TEMPLATE_TEST_CASE("Rows that are packed here are read back by HDF5", "", float, double,
                   std::int64_t, std::int32_t, std::uint8_t) {
  using T = TestType;
  const TempDir folder;
  const std::int64_t rows = 16 * 70 + 5;  // more than are packed at once
  for (const Kind kind : {Kind::smooth, Kind::measured, Kind::random}) {
    const std::string path = folder.path(std::to_string(static_cast<int>(kind)) + ".h5");
    const std::vector<T> values = numbers<T>(static_cast<std::size_t>(rows) * 7, kind);
    {
      h5::File file = h5::File::create(path);
      h5::Dataset data = file.create_dataset("d", packed_layout<T>());
      file.start_swmr();
      std::int64_t done = 0;
      for (const std::int64_t count : {3L, 16L, 13L, 32L, 1L, 40L, rows - 105}) {
        data.resize(done + count);
        data.write_rows(done, count, values.data() + done * 7);
        done += count;
      }
      REQUIRE(done == rows);
      data.flush();
      CHECK(read_by_another<T>(path) == values);
      file.close();
    }
    const h5::File file = h5::File::open(path);
    const h5::Dataset data = file.open_dataset("d");
    CHECK(data.read<T>() == values);
    const std::int64_t raw = rows * 7 * static_cast<std::int64_t>(sizeof(T));
    const auto stored = static_cast<double>(data.stored_bytes()) / static_cast<double>(raw);
    CHECK(stored < (kind == Kind::random ? 1.05 : kind == Kind::smooth ? 0.5 : 0.95));
  }
}

FOLDER_TEST_CASE("Noise that comes again is packed, from however far it comes") {
  for (const std::int64_t period : {900, 6'400, 12'000, 25'000}) {
    const std::string path = folder.path(std::to_string(period) + ".h5");
    const std::int64_t rows = 2 * period + 3'000;
    const std::vector<float> once = numbers<float>(static_cast<std::size_t>(period), Kind::random);
    std::vector<float> values;
    for (std::int64_t i = 0; i < rows; ++i) {
      values.push_back(once[static_cast<std::size_t>(i % period)]);
    }
    h5::File file = h5::File::create(path);
    h5::Dataset data = file.create_dataset(
        "d",
        {.type = h5::Type::float32, .shape = {0}, .chunk = {rows}, .can_grow = true, .deflate = 4});
    data.resize(rows);
    data.write_rows(0, rows, values.data());
    data.flush();
    CHECK(static_cast<double>(data.stored_bytes()) < 0.6 * 4.0 * static_cast<double>(rows));
    file.close();
    CHECK((h5::File::open(path).open_dataset("d").read<float>() == values));
  }
}

FOLDER_TEST_CASE("A chunk that fills row by row takes no more room than twice its numbers") {
  constexpr std::int64_t length = 1024;
  constexpr std::int64_t rows = 3 * length + 100;
  h5::Layout layout = packed_layout<float>();
  layout.chunk.front() = length;
  for (const Kind kind : {Kind::smooth, Kind::measured, Kind::random}) {
    const std::string path = folder.path(std::to_string(static_cast<int>(kind)) + ".h5");
    const std::vector<float> values = numbers<float>(static_cast<std::size_t>(rows) * 7, kind);
    h5::File file = h5::File::create(path);
    h5::Dataset data = file.create_dataset("d", layout);
    file.start_swmr();
    data.limit_cache();
    const std::int64_t before = file.bytes();
    for (std::int64_t row = 0; row < rows; ++row) {
      data.resize(row + 1);
      data.write_rows(row, 1, values.data() + row * 7);
      data.flush();
      if (row % 97 != 0 && row % length < length - 2) continue;
      const auto found = read_by_another<float>(path);
      REQUIRE(std::ssize(found) == (row + 1) * 7);
      REQUIRE(std::equal(found.begin(), found.end(), values.begin()));
    }
    const std::int64_t chunks = 4;
    const std::int64_t index = 32 << 10;
    CHECK(file.bytes() - before <= chunks * 2 * length * 7 * 4 + index);
    // Longer, it shows its fill value.
    data.resize(rows + 1);
    file.close();
    const h5::File reader = h5::File::open(path);
    CHECK(std::isnan(reader.open_dataset("d").read<float>().back()));
  }
}

FOLDER_TEST_CASE(
    "Rows that readers have seen stay the same bytes in the file while their chunk fills") {
  const std::string path = folder.path("a.h5");
  constexpr std::int64_t length = 4096;
  h5::Layout layout = packed_layout<float>();
  layout.chunk.front() = length;
  const std::vector<float> values = numbers<float>(length * 7, Kind::random);
  h5::File file = h5::File::create(path);
  h5::Dataset data = file.create_dataset("d", layout);
  file.start_swmr();
  data.limit_cache();
  data.resize(length);
  const std::string known(reinterpret_cast<const char*>(values.data()), 1000 * 7 * sizeof(float));
  std::size_t place = std::string::npos;
  for (std::int64_t row = 0; row < length; row += 50) {
    data.write_rows(row, std::min<std::int64_t>(50, length - row), values.data() + row * 7);
    data.flush();
    if (row < 1000) continue;
    const std::string now = file_text(path);
    if (place == std::string::npos) place = now.find(known);
    REQUIRE(place != std::string::npos);
    CHECK(now.compare(place, known.size(), known) == 0);
    CHECK(now.find(known, place + 1) == std::string::npos);  // once: it was not moved
  }
  CHECK(read_by_another<float>(path) == values);
}

FOLDER_TEST_CASE("What is packed as HDF5 asks is told from what is not") {
  h5::File file = h5::File::create(folder.path("a.h5"));
  const auto packing = [&](const char* name, const h5::Layout& layout, auto number) {
    return h5::packing_of(file.create_dataset(name, layout), h5::memory_type<decltype(number)>());
  };
  const auto found = packing("packed", packed_layout<float>(6), 0.0f);
  REQUIRE(found);
  CHECK(found->rows() == 16);
  CHECK(found->bytes() == 16 * 7 * 4);
  CHECK(found->deflate == 6);
  CHECK_FALSE(packing("plain", packed_layout<float>(0), 0.0f));
  CHECK_FALSE(packing("converted", packed_layout<float>(), 0.0));
  CHECK_FALSE(packing("whole", {.type = h5::Type::float32, .shape = {5, 7}}, 0.0f));
  h5::Layout halves = packed_layout<float>();
  halves.chunk = {16, 4};
  CHECK_FALSE(packing("halves", halves, 0.0f));
}

FOLDER_TEST_CASE("Rows written over earlier ones replace them") {
  h5::File file = h5::File::create(folder.path("a.h5"));
  h5::Dataset data = file.create_dataset("d", packed_layout<float>());
  std::vector<float> values = numbers<float>(64 * 7, Kind::random);
  data.resize(64);
  data.write_rows(0, 64, values.data());
  for (std::size_t i = 10 * 7; i < 50 * 7; ++i) values[i] = -1.0f;
  data.write_rows(10, 40, values.data() + 10 * 7);
  // Noise over what is packed, parts of it in any order, and what was open when the file is closed.
  for (const std::int64_t row : {48, 20, 33, 0, 62}) {
    const std::int64_t count = std::min<std::int64_t>(17, 64 - row);
    const std::vector<float> noise =
        numbers<float>(static_cast<std::size_t>(count) * 7, Kind::random);
    std::copy(noise.begin(), noise.end(), values.begin() + row * 7);
    data.write_rows(row, count, noise.data());
  }
  std::fill(values.begin() + 50 * 7, values.end(), 4.0f);
  data.write_rows(50, 14, values.data() + 50 * 7);
  CHECK_THROWS_AS(data.resize(50), InternalError);
  file.close();
  CHECK(h5::File::open(file.place().file).open_dataset("d").read<float>() == values);
}

FOLDER_TEST_CASE("Rows that a dataset still holds reach the file where it or its file is closed") {
  const std::string path = folder.path("a.h5");
  const std::vector<float> values = numbers<float>(5 * 7, Kind::measured);
  h5::File file = h5::File::create(path);
  h5::Dataset closed_later = file.create_dataset("a", packed_layout<float>());
  {
    h5::Dataset data = file.create_dataset("b", packed_layout<float>());
    data.resize(5);
    data.write_rows(0, 5, values.data());
    h5::Dataset moved = std::move(data);
    data = file.create_dataset("c", packed_layout<float>());
    data.resize(5);
    data.write_rows(0, 5, values.data());
    std::swap(data, moved);
  }
  closed_later.resize(5);
  closed_later.write_rows(0, 5, values.data());
  file.close();
  const h5::File reader = h5::File::open(path);
  for (const char* const name : {"a", "b", "c"}) {
    CHECK(reader.open_dataset(name).read<float>() == values);
  }
}
