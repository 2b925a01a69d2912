// SPDX-License-Identifier: MIT
#include "../../src/io/arrays.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/io/hdf5.h"
#include "../support/devices.h"
#include "../support/temp_dir.h"

using namespace gaia;
using gaia::test::TempDir;

DEVICE_TEST_CASE("Arrays come back with their names, dtypes, shapes and bits") {
  const TempDir folder;
  ArrayMap arrays;
  arrays["0.weights"] = random_normal({3, 4}, 0.0, 1.0, DType::float64, {1, 1}).transpose();
  arrays["0.bias"] = array({0.1, -0.0, INFINITY});
  arrays["1.cell.gate"] = array({1e-45, 1.0, NAN}).astype(DType::bfloat16);
  arrays["ids"] = from_values(
      std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), (1LL << 53) + 1}, {2});
  arrays["small"] = from_values(std::vector<std::int32_t>{-2147483647, 5}, {2, 1});
  arrays["mask"] = less(array({1.0, 2.0, 3.0}), array({2.0, 2.0, 2.0}));
  arrays["scalar"] = full({}, 2.5);
  arrays["empty"] = zeros({0, 3}, DType::int64);
  arrays["view"] = arange(0.0, 12.0).reshape({3, 4}).slice(1, 3, {}, -2);
  io::save(folder.path("deep/down/a.h5"), arrays);
  const ArrayMap back = io::load(folder.path("deep/down/a.h5"));
  REQUIRE(back.size() == arrays.size());
  for (const auto& [name, value] : arrays) {
    INFO(name);
    REQUIRE(back.contains(name));
    const Array& copy = back.at(name);
    CHECK(copy.dtype() == value.dtype());
    CHECK(copy.shape() == value.shape());
    CHECK(copy.device() == current_device());
    if (name == "ids") {
      CHECK(copy.to_vector<std::int64_t>() == value.to_vector<std::int64_t>());
    } else {
      const std::vector<double> expected = value.to_vector<double>();
      const std::vector<double> got = copy.to_vector<double>();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK((got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))));
        CHECK(std::signbit(got[i]) == std::signbit(expected[i]));
      }
    }
  }
}

FOLDER_TEST_CASE("Names with points or slashes are groups of the file") {
  io::save(folder.path("a.h5"), {{"a.b", ones({1})}, {"a/c", zeros({1})}});
  const hdf5::File file = hdf5::File::open(folder.path("a.h5"));
  CHECK(file.has_dataset("a/b"));
  CHECK(file.open_dataset("a/b").type() == hdf5::Type::float32);
  CHECK(io::load(folder.path("a.h5")).contains("a.c"));
}

FOLDER_TEST_CASE("Names that cannot be are refused before anything is written") {
  const std::string path = folder.path("a.h5");
  const Array x = ones({1});
  for (const char* name : {"", ".", "a.", ".a", "a..b", "a./b"}) {
    INFO(name);
    CHECK_THROWS_WITH_TEXT(io::save(path, {{name, x}}), ArgumentError, "parts joined by '.'");
  }
  CHECK_THROWS_WITH_TEXT(io::save(path, {{"a.b", x}, {"a/b", x}}), ArgumentError, "twice");
  CHECK_THROWS_WITH_TEXT(io::save(path, {{"a", x}, {"a.b.c", x}}), ArgumentError, "'a' for both");
  CHECK_FALSE(std::filesystem::exists(path));
}

FOLDER_TEST_CASE("A file that exists is replaced only when asked for, and whole") {
  const std::string path = folder.path("a.h5");
  io::save(path, {{"x", full({2}, 1.0)}});
  CHECK_THROWS_WITH_TEXT(io::save(path, {{"x", full({2}, 2.0)}}), OutputError,
                         "a.h5 exists; use the option overwrite to replace it");
  CHECK(io::load(path).at("x").item({0}) == 1.0);
  io::save(path, {{"y", full({2}, 2.0)}}, {.overwrite = true});
  const ArrayMap back = io::load(path);
  CHECK(back.size() == 1);
  CHECK(back.at("y").item({0}) == 2.0);
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));
  CHECK_FALSE(std::filesystem::exists(path + ".lock"));
}

FOLDER_TEST_CASE("Files of others are read as far as they hold numbers") {
  const std::string path = folder.path("a.h5");
  {
    hdf5::File file = hdf5::File::create(path);
    hdf5::Dataset bytes =
        file.nested("deep/er").create_dataset("bytes", {.type = hdf5::Type::uint8, .shape = {2}});
    const std::vector<std::uint8_t> values = {7, 255};
    bytes.write(std::span<const std::uint8_t>(values));
    file.close();
  }
  const ArrayMap arrays = io::load(path);
  CHECK(arrays.at("deep.er.bytes").dtype() == DType::int32);
  CHECK(arrays.at("deep.er.bytes").to_vector<double>() == std::vector<double>{7, 255});
}

FOLDER_TEST_CASE("io::load does not trust a file") {
  CHECK_THROWS_WITH_TEXT(io::load(folder.path("none.h5")), DataError, "No such file");
  CHECK_THROWS_AS(io::load(folder.write("text.h5", "no HDF5")), DataError);
  const auto with = [&](const std::string& name, auto change) {
    hdf5::File file = hdf5::File::create(folder.path(name));
    change(file);
    file.close();
    return folder.path(name);
  };
  const std::string claims = with("claims.h5", [](hdf5::File& file) {
    file.create_dataset("x", {.type = hdf5::Type::float64, .shape = {1LL << 36}, .chunk = {1024}});
  });
  CHECK_THROWS_WITH_TEXT(io::load(claims), DataError,
                         "claims 549755813888 bytes of numbers, more than the 0 bytes");
  const std::string dtype = with("dtype.h5", [](hdf5::File& file) {
    file.create_dataset("x", {.shape = {1}}).set_attribute("dtype", "int32");
  });
  CHECK_THROWS_WITH_TEXT(io::load(dtype), DataError, "a dtype that fits its numbers, got 'int32'");
  const std::string rank = with("rank.h5", [](hdf5::File& file) {
    file.create_dataset("x", {.shape = std::vector<std::int64_t>(9, 1)});
  });
  CHECK_THROWS_WITH_TEXT(io::load(rank), DataError, "at most 8 axes, got 9");
  const std::string later = with("later.h5", [](hdf5::File& file) {
    file.set_attribute("format", "gaia arrays");
    file.set_attribute("format_version", std::int64_t{2});
  });
  CHECK_THROWS_WITH_TEXT(io::load(later), DataError, "expected format_version 1, got 2");
}
