// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/core/error.h"
#include "../../src/io/arrays.h"
#include "../support/complaint.h"
#include "../support/devices.h"
#include "../support/temp_dir.h"
#include "../support/text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The same shape, dtype and numbers, NaN and the sign of zero among them.
void check_same(const Array& got, const Array& expected, DType dtype) {
  CHECK(got.dtype() == dtype);
  REQUIRE(got.shape() == expected.shape());
  if (expected.dtype() == DType::int64) {
    CHECK(got.to_vector<std::int64_t>() == expected.to_vector<std::int64_t>());
    return;
  }
  const std::vector<double> a = got.to_vector<double>();
  const std::vector<double> b = expected.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK((a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))));
    CHECK(std::signbit(a[i]) == std::signbit(b[i]));
  }
}

ArrayMap all_kinds() {
  ArrayMap arrays;
  arrays["0.weights"] = random_normal({3, 4}, 0.0, 1.0, DType::float64, {1, 1}).transpose();
  arrays["bias"] = array({0.1, -0.0, INFINITY, NAN});
  arrays["gate"] = array({1e-45, 1.0, NAN}).astype(DType::bfloat16);
  arrays["ids"] = from_values(
      std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), (1LL << 53) + 1}, {2});
  arrays["small"] = from_values(std::vector<std::int32_t>{-2147483647, 5}, {2, 1});
  arrays["mask"] = less(array({1.0, 2.0, 3.0}), array({2.0, 2.0, 2.0}));
  arrays["scalar"] = full({}, 2.5);
  arrays["empty"] = zeros({0, 3}, DType::int64);
  arrays["view"] = arange(0.0, 12.0).reshape({3, 4}).slice(1, 3, {}, -2);
  return arrays;
}

DType stored(DType dtype) { return dtype == DType::bfloat16 ? DType::float32 : dtype; }

}  // namespace

DEVICE_TEST_CASE("Arrays come back from NumPy's files as they were") {
  const TempDir folder;
  const ArrayMap arrays = all_kinds();
  io::save(folder.path("deep/a.npz"), arrays);
  const ArrayMap back = io::load(folder.path("deep/a.npz"));
  REQUIRE(back.size() == arrays.size());
  for (const auto& [name, value] : arrays) {
    INFO(name);
    check_same(back.at(name), value, stored(value.dtype()));
    CHECK(back.at(name).device() == current_device());
    const std::string path = folder.path(name + ".npy");
    io::save(path, value);
    check_same(io::load_array(path), value, stored(value.dtype()));
    check_same(io::load(path).at("array"), value, stored(value.dtype()));
  }
}

FOLDER_TEST_CASE("An NPY file has the bytes that NumPy writes") {
  io::save(folder.path("x.npy"), array({{1, 2, 3}, {4, 5, 6}}, DType::int32));
  // numpy.save of np.array([[1, 2, 3], [4, 5, 6]], np.int32)
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }";
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += header + std::string(0x76 - header.size() - 1, ' ') + "\n";
  for (char i = 1; i <= 6; ++i) expected += std::string({i, 0, 0, 0});
  CHECK(file_text(folder.path("x.npy")) == expected);
}

FOLDER_TEST_CASE("Arrays of NumPy's other orders and widths are read") {
  const auto npy = [&](const std::string& header, const std::string& bytes) {
    std::string told = header;
    while ((10 + told.size() + 1) % 64 != 0) told += ' ';
    told += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(told.size() & 0xFF);
    text += static_cast<char>(told.size() >> 8);
    put(folder.path("x.npy"), text + told + bytes);
    return io::load_array(folder.path("x.npy"));
  };
  // Columns one after the other: [[1, 3, 5], [2, 4, 6]].
  const Array columns = npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
                            std::string("\x01\x02\x03\x04\x05\x06", 6));
  check_same(columns, array({{1, 3, 5}, {2, 4, 6}}), DType::int32);
  CHECK(columns.is_contiguous());
  check_same(npy("{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", "\xff\xff\xff\xff"),
             from_values(std::vector<std::int64_t>{4294967295}, {1}), DType::int64);
  check_same(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", "\xff\x7f"),
             array({-1, 127}), DType::int32);
  CHECK_THROWS_AS(
      npy("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }", std::string(8, '\xff')),
      DataError);
  CHECK_THROWS_AS(npy("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", "abcd"),
                  DataError);
  CHECK_THROWS_AS(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "abcd"),
                  DataError);
}

FOLDER_TEST_CASE("A deflated archive is read, and a damaged one is refused") {
  // numpy.savez_compressed(NAME, x=np.repeat(np.arange(3, dtype=np.int32), 40),
  //                        y=np.array([[1.5, 2.5]]).T)
  const ArrayMap packed = io::load(GAIA_SOURCE_DIR "/tests/data/savez_compressed.npz");
  check_same(packed.at("x"), repeat(array({0, 1, 2}), 40), DType::int32);
  check_same(packed.at("y"), array({{1.5}, {2.5}}, DType::float64), DType::float64);
  io::save(folder.path("a.npz"), {{"x", arange(0.0, 50.0)}, {"y", ones({3})}});
  const std::string whole = file_text(folder.path("a.npz"));
  // Every cut of the file, and every byte changed, is an error or the same numbers.
  int refused = 0;
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    put(folder.path("b.npz"), whole.substr(0, length));
    CHECK_THROWS_AS(io::load(folder.path("b.npz")), DataError);
    ++refused;
  }
  int other = 0;
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    put(folder.path("b.npz"), changed);
    try {
      const ArrayMap back = io::load(folder.path("b.npz"));
      for (const auto& [name, value] : back) {
        // Names may have changed; numbers have not, for their sum is checked.
        CHECK((value.size() == 50 || value.size() == 3));
      }
      ++other;
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > other);
}

FOLDER_TEST_CASE("A table is an array, or columns by their names") {
  const std::string path = folder.path("x.csv");
  const Array rows = array({{1.0, 0.1}, {-2.5, NAN}, {1e300, 3.0}}, DType::float64);
  io::save(path, rows);
  CHECK(file_text(path) == "1,0.1\n-2.5,NaN\n1e+300,3\n");
  check_same(io::load_array(path), rows, DType::float64);

  io::save(path, {{"b, second", array({0.1F, 2.0F})}, {"a", array({7, 8})}}, {.overwrite = true});
  CHECK(file_text(path) == "a,\"b, second\"\n7,0.1\n8,2\n");
  const ArrayMap columns = io::load(path);
  REQUIRE(columns.size() == 2);
  check_same(columns.at("a"), array({7.0, 8.0}, DType::float64), DType::float64);
  check_same(columns.at("b, second"), array({0.1, 2.0}, DType::float64), DType::float64);

  io::save(path, array({1.5, 2.5}), {.overwrite = true});
  check_same(io::load_array(path), array({1.5, 2.5}, DType::float64), DType::float64);
}

FOLDER_TEST_CASE("Arrays that a format cannot hold are refused, and nothing is written") {
  const auto refused = [&](const char* name, const ArrayMap& arrays, const std::string& words) {
    INFO(name);
    const std::string path = folder.path(name);
    CHECK(test::complaint_of<ArgumentError>([&] { io::save(path, arrays); }).find(words) !=
          std::string::npos);
    CHECK(!std::ifstream(path));
    CHECK(!std::ifstream(path + ".writing"));
  };
  refused("x.npy", {{"a", ones({1})}, {"b", ones({1})}}, ".npz and .h5 hold several");
  refused("x.csv", {{"a", ones({2})}, {"b", ones({3})}}, "of one axis and one length");
  refused("x.csv", {{"a", ones({2, 2, 2})}}, "of one axis and one length");
  refused("x.csv", {{"a", array({1.0, INFINITY})}}, "infinity");
  refused("x.csv", {{"a", ones({0})}}, "an empty array");
  refused("x.txt", {{"a", ones({1})}},
          "expected a name that ends with .h5, .hdf5, .npy, .npz or .csv, got");
  refused("x", {{"a", ones({1})}}, "[io::save] expected a name that ends with");
}

FOLDER_TEST_CASE("A file that is there stays, and one of another kind is refused") {
  for (const char* name : {"x.npy", "x.npz", "x.csv", "x.h5"}) {
    INFO(name);
    const std::string path = folder.path(name);
    io::save(path, ones({2}));
    CHECK_THROWS_AS(io::save(path, zeros({2})), OutputError);
    check_same(io::load_array(path), ones({2}),
               std::string(name) == "x.csv" ? DType::float64 : DType::float32);
    io::save(path, zeros({2}), {.overwrite = true});
    check_same(io::load_array(path), zeros({2}),
               std::string(name) == "x.csv" ? DType::float64 : DType::float32);
  }
  put(folder.path("x.txt"), "1,2\n");
  CHECK_THROWS_AS(io::load(folder.path("x.txt")), ArgumentError);
  CHECK_THROWS_AS(io::load(folder.path("absent.npy")), DataError);
  std::ofstream(folder.path("x.nwb"), std::ios::binary) << file_text(folder.path("x.h5"));
  check_same(io::load_array(folder.path("x.nwb")), zeros({2}), DType::float32);
  io::save(folder.path("two.npz"), {{"a", ones({1})}, {"b", ones({1})}});
  CHECK_THROWS_AS(io::load_array(folder.path("two.npz")), DataError);
}
