// SPDX-License-Identifier: MIT
#include "../../src/io/hdf5_chunks.h"

#include <cmath>
#include <cstring>
#include <random>

#include "../../src/io/hdf5_calls.h"
#include "../support/catch.h"
#include "../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;
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
      {
        const h5::File reader = h5::File::open(path);  // while it is written
        CHECK(reader.open_dataset("d").read<T>() == values);
      }
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

TEST_CASE("What is packed as HDF5 asks is told from what is not") {
  const TempDir folder;
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

TEST_CASE("Rows written over earlier ones replace them") {
  const TempDir folder;
  h5::File file = h5::File::create(folder.path("a.h5"));
  h5::Dataset data = file.create_dataset("d", packed_layout<float>());
  std::vector<float> values = numbers<float>(64 * 7, Kind::random);
  data.resize(64);
  data.write_rows(0, 64, values.data());
  for (std::size_t i = 10 * 7; i < 50 * 7; ++i) values[i] = -1.0f;
  data.write_rows(10, 40, values.data() + 10 * 7);
  CHECK(data.read<float>() == values);
}
