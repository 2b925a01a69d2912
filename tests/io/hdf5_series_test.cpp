// SPDX-License-Identifier: MIT
#include "../../src/io/hdf5_series.h"

#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "../../src/core/error.h"
#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "../support/log_capture.h"
#include "../support/special_numbers.h"
#include "../support/temp_dir.h"
#include "read_series.h"

using namespace gaia;
using namespace gaia::test;
using gaia::test::TempDir;
namespace h5 = gaia::hdf5;

namespace {

/// A file with the dataset /x of the given numbers, [rows] or [rows, columns].
template <class T = double>
std::string file_with(const TempDir& folder, const std::vector<std::int64_t>& shape,
                      const std::vector<T>& values, h5::Type type = h5::Type::float64) {
  std::string path = folder.path("x.h5");
  while (std::filesystem::exists(path)) path.insert(path.size() - 3, "x");
  h5::File file = h5::File::create(path);
  file.create_dataset("x", {.type = type, .shape = shape}).write(std::span<const T>(values));
  file.close();
  return path;
}

std::vector<double> all_of(Series& series) {
  std::vector<double> out(static_cast<std::size_t>(series.rows() * series.channels()));
  series.read(0, series.rows(), out);
  return out;
}

}  // namespace

FOLDER_TEST_CASE("HDF5: one column or several, of any number type") {
  const auto one = open_hdf5(file_with(folder, {3}, {1.0, 2.5, 4.0}));
  CHECK(one->channel_names() == std::vector<std::string>{"0"});
  CHECK(all_of(*one) == std::vector<double>{1.0, 2.5, 4.0});
  const auto integers =
      open_hdf5(file_with<std::int32_t>(folder, {2, 3}, {1, 2, 3, 4, 5, 6}, h5::Type::int32));
  CHECK(integers->channels() == 3);
  CHECK(all_of(*integers) == std::vector<double>{1, 2, 3, 4, 5, 6});
}

FOLDER_TEST_CASE("HDF5: columns by index, or by the names in the attribute `columns`") {
  const std::string path = file_with(folder, {2, 3}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  CHECK(all_of(*open_hdf5(path, {.columns = {"2", "0"}})) == std::vector<double>{3, 1, 6, 4});
  CHECK_THROWS_AS(open_hdf5(path, {.columns = {"a"}}), ArgumentError);
  {
    h5::File file = h5::File::modify(path);
    file.open_dataset("x").set_attribute("columns", "a,b,c");
    file.close();
  }
  const auto named = open_hdf5(path, {.columns = {"b"}});
  CHECK(named->channel_names() == std::vector<std::string>{"b"});
  CHECK(all_of(*named) == std::vector<double>{2, 5});
}

FOLDER_TEST_CASE("HDF5: names may be a list of texts, and have blanks around them") {
  const auto names_with = [&](const auto& set, h5::ReaderOptions reader = {}) {
    const std::string path = file_with(folder, {2, 3}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
    h5::File file = h5::File::modify(path);
    h5::Dataset dataset = file.open_dataset("x");
    set(dataset);
    file.close();
    return open_hdf5(path, {.reader = reader})->channel_names();
  };
  using Names = std::vector<std::string>;
  const Names names = {"a", "b c", "d"};
  h5::ReaderOptions trusted;
  trusted.trusted = true;
  const auto texts = [&](h5::Dataset& dataset) { dataset.set_attribute("columns", names); };
  CHECK(names_with(texts) == names);
  CHECK(names_with(texts, trusted) == names);
  CHECK(names_with([](h5::Dataset& dataset) { dataset.set_attribute("columns", " a , b c,d "); }) ==
        names);
  CHECK(names_with([](h5::Dataset& dataset) {
          dataset.set_attribute("columns", Names{"a ", "", "d"});
        }) == Names{"a", "1", "d"});

  // What does not fit is reported.
  const test::LogCapture log;
  const Names numbers = {"0", "1", "2"};
  CHECK(names_with([](h5::Dataset& dataset) { dataset.set_attribute("columns", "a,b"); }) ==
        numbers);
  CHECK(log.count(LogLevel::warning,
                  "/x: its columns are called by their indices, since the attribute columns is to "
                  "hold 3 names, separated by commas or as a list of texts, and holds 2") == 1);
  CHECK(names_with([](h5::Dataset& dataset) {
          dataset.set_attribute("columns", Names{"a", "b", "c", "d"});
        }) == numbers);
  CHECK(log.count(LogLevel::warning, "and holds 4") == 1);
  CHECK(names_with([](h5::Dataset& dataset) {
          dataset.set_attribute("columns", std::int64_t{3});
        }) == numbers);
  CHECK(log.count(LogLevel::warning, "and holds something else") == 1);
  CHECK(names_with([](h5::Dataset& dataset) {
          dataset.set_attribute("columns", Names{"a", "b", "\xff"});
        }) == numbers);
  CHECK(log.count(LogLevel::warning, "and holds text that is not UTF-8") == 1);
}

FOLDER_TEST_CASE("HDF5: names may be texts of fixed length, as of NumPy") {
  for (const H5T_str_t padding : {H5T_STR_NULLPAD, H5T_STR_NULLTERM, H5T_STR_SPACEPAD}) {
    const std::string path = file_with(folder, {1, 2}, {1.0, 2.0});
    const bool is_padded = padding == H5T_STR_SPACEPAD;
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "x", H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 4);
    H5Tset_strpad(type, padding);
    const hsize_t n = 2;
    const hid_t space = H5Screate_simple(1, &n, nullptr);
    const hid_t names = H5Acreate2(dataset, "columns", type, space, H5P_DEFAULT, H5P_DEFAULT);
    const std::string texts(is_padded ? "a   long" : "a\0\0\0lon\0", 8);
    REQUIRE(H5Awrite(names, type, texts.data()) >= 0);
    H5Aclose(names);
    // Numbers have no names.
    const hid_t numbers =
        H5Acreate2(file, "columns", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(numbers);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
    CHECK(open_hdf5(path)->channel_names() ==
          std::vector<std::string>{"a", is_padded ? "long" : "lon"});
    CHECK(h5::open_reader(path)->contents().root().has("columns"));
  }
}

FOLDER_TEST_CASE("HDF5: a dataset is found by its path, or by being the only one") {
  const std::string path = folder.path("a.h5");
  {
    h5::File file = h5::File::create(path);
    h5::Group deep = file.nested("deep/er");
    deep.create_dataset("signal", {.shape = {2}})
        .write(std::span<const double>(std::vector{1.0, 2.0}));
    file.create_dataset("noise", {.shape = {1}}).write(std::span<const double>(std::vector{9.0}));
    file.close();
  }
  CHECK(open_hdf5(path, {.dataset = "/deep/er/signal"})->rows() == 2);
  CHECK(open_hdf5(path, {.dataset = "noise"})->rows() == 1);
  CHECK_THROWS_WITH_TEXT(open_hdf5(path), ArgumentError, "several datasets; say which one");
  CHECK_THROWS_WITH_TEXT(open_hdf5(path, {.dataset = "/nois"}), ArgumentError,
                         "has no dataset '/nois' (did you mean '/noise'?)");
}

FOLDER_TEST_CASE("HDF5: missing and infinite values") {
  const std::string path = file_with(folder, {5}, {1.0, kNaN, kNaN, 4.0, kNaN});
  CHECK_THROWS_WITH_TEXT(open_hdf5(path), DataError, "/x");
  const auto filled = open_hdf5(path, {.missing = MissingPolicy::interpolate});
  CHECK(all_of(*filled) == std::vector<double>{1, 2, 3, 4, 4});
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(open_hdf5(file_with(folder, {2}, {1.0, infinity})), DataError);
}

FOLDER_TEST_CASE("HDF5: numbers are unpacked, and fill values missing, by the attributes of CF") {
  const auto with = [&](const std::string& path, const auto& change) {
    h5::File file = h5::File::modify(path);
    h5::Dataset x = file.open_dataset("x");
    change(x);
    file.close();
    return path;
  };
  const std::string packed =
      with(file_with<std::int32_t>(folder, {4}, {-999, 0, 10, -999}, h5::Type::int32), [](auto& x) {
        x.set_attribute("scale_factor", 0.5);
        x.set_attribute("add_offset", std::int64_t{20});
        x.set_attribute("_FillValue", std::int64_t{-999});
      });
  CHECK_THROWS_AS(open_hdf5(packed), DataError);
  CHECK(all_of(*open_hdf5(packed, {.missing = MissingPolicy::interpolate})) ==
        std::vector<double>{20, 20, 25, 25});
  const std::string plain = with(file_with(folder, {3}, {-0.0, 1e20, 2.0}), [](auto& x) {
    x.set_attribute("_FillValue", kNaN);  // as xarray writes it
    x.set_attribute("missing_value", 1e20);
  });
  const auto values = all_of(*open_hdf5(plain, {.missing = MissingPolicy::interpolate}));
  CHECK(values == std::vector<double>{0, 1, 2});
  CHECK(std::signbit(values[0]));
  CHECK_THROWS_WITH(
      open_hdf5(with(file_with(folder, {1}, {1.0}),
                     [](auto& x) { x.set_attribute("scale_factor", "two"); })),
      Catch::Matchers::ContainsSubstring("scale_factor is expected to hold one number"));
}

namespace {

/// A file with the dataset /x [n] of type `stored`, with the attributes that `describe` gives it.
template <class T, class F>
std::string raw_file(const TempDir& folder, hid_t stored, hid_t memory,
                     const std::vector<T>& values, const F& describe) {
  std::string path = folder.path("raw.h5");
  while (std::filesystem::exists(path)) path.insert(path.size() - 3, "x");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t n = values.size();
  const hid_t space = H5Screate_simple(1, &n, nullptr);
  const hid_t x = H5Dcreate2(file, "x", stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Dwrite(x, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  describe(x);
  H5Dclose(x);
  H5Sclose(space);
  H5Fclose(file);
  return path;
}

void set_numbers(hid_t object, const char* name, hid_t stored, const std::vector<double>& values) {
  const hsize_t n = values.size();
  const hid_t space = H5Screate_simple(1, &n, nullptr);
  const hid_t attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
}

void set_text(hid_t object, const char* name, const std::string& value) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, value.size());
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  REQUIRE(H5Awrite(attribute, type, value.data()) >= 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

using Bytes = std::vector<std::int8_t>;
constexpr auto kNothing = [](hid_t) {};
const FileOptions kFilled{.missing = MissingPolicy::interpolate};

}  // namespace

FOLDER_TEST_CASE("HDF5: of MATLAB 7.3, texts, handles and empty variables are no numbers") {
  const auto of_class = [](const char* kind) {
    return [=](hid_t x) { set_text(x, "MATLAB_class", kind); };
  };
  const std::vector<double> codes = {72, 105, 33};
  const auto open = [&](const auto& describe) {
    return open_hdf5(raw_file(folder, H5T_STD_U16LE, H5T_NATIVE_DOUBLE, codes, describe));
  };
  CHECK(all_of(*open(of_class("uint16"))) == codes);
  for (const char* kind : {"char", "string", "cell"}) {
    CHECK_THROWS_WITH(open(of_class(kind)),
                      Catch::Matchers::ContainsSubstring(std::string("of MATLAB's class ") + kind));
  }
  CHECK_THROWS_WITH(open([](hid_t x) {
                      set_text(x, "MATLAB_class", "double");
                      set_numbers(x, "MATLAB_empty", H5T_STD_U8LE, {1});
                    }),
                    Catch::Matchers::ContainsSubstring("an empty variable of MATLAB's"));
}

FOLDER_TEST_CASE("HDF5: in files of netCDF, what nobody has written is missing") {
  const auto of_netcdf = [](hid_t x) {
    const hid_t file = H5Iget_file_id(x);
    set_text(file, "_NCProperties", "version=2,netcdf=4.9.2,hdf5=1.14.0");
    H5Fclose(file);
  };
  const std::vector<double> written = {1, 9.9692099683868690e+36, 3};
  for (const hid_t stored : {H5T_IEEE_F32LE, H5T_IEEE_F64LE}) {
    CHECK(all_of(*open_hdf5(raw_file(folder, stored, H5T_NATIVE_DOUBLE, written, of_netcdf),
                            kFilled)) == std::vector<double>{1, 2, 3});
  }
  const std::vector<std::tuple<hid_t, double, bool>> fills = {
      {H5T_STD_I16LE, -32767, true},      {H5T_STD_U16LE, 65535, true},
      {H5T_STD_I32LE, -2147483647, true}, {H5T_STD_U32LE, 4294967295, true},
      {H5T_STD_I16LE, -32766, false},     {H5T_STD_I8LE, -127, false}};
  for (const auto& [stored, fill, is_missing] : fills) {
    const auto values = all_of(*open_hdf5(
        raw_file(folder, stored, H5T_NATIVE_DOUBLE, std::vector<double>{1, fill, 3}, of_netcdf),
        kFilled));
    CHECK(values[1] == (is_missing ? 2 : fill));
  }
  // Where the file says otherwise, or is none of netCDF, they are numbers.
  const auto own = [&](hid_t x) {
    of_netcdf(x);
    set_numbers(x, "_FillValue", H5T_STD_I16LE, {-1});
  };
  const std::vector<double> numbers = {1, -32767, -1, 3};
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_STD_I16LE, H5T_NATIVE_DOUBLE, numbers, own),
                          kFilled)) == std::vector<double>{1, -32767, -16382, 3});
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_STD_I16LE, H5T_NATIVE_DOUBLE, numbers, kNothing))) ==
        numbers);
}

FOLDER_TEST_CASE(
    "HDF5: integers are without a sign, or with one, as the attribute _Unsigned says") {
  const auto with = [&](const char* value) {
    return [=](hid_t x) { set_text(x, "_Unsigned", value); };
  };
  const Bytes bytes = {0, 127, -128, -1};
  const auto stored = H5T_STD_I8LE;
  const auto memory = H5T_NATIVE_INT8;
  CHECK(all_of(*open_hdf5(raw_file(folder, stored, memory, bytes, with("true")))) ==
        std::vector<double>{0, 127, 128, 255});
  CHECK(all_of(*open_hdf5(raw_file(folder, stored, memory, bytes, with("false")))) ==
        std::vector<double>{0, 127, -128, -1});
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_STD_I16LE, memory, bytes, with("true")))) ==
        std::vector<double>{0, 127, 65408, 65535});
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_STD_I32BE, memory, bytes, with("true")))) ==
        std::vector<double>{0, 127, 4294967168.0, 4294967295.0});
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_STD_I64LE, memory, bytes, with("true"))))[3] ==
        18446744073709551615.0);
  const std::vector<std::uint8_t> raised = {0, 127, 128, 255};
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_STD_U8LE, H5T_NATIVE_UINT8, raised,
                                   with("false")))) == std::vector<double>{0, 127, -128, -1});
  // The other attributes are of the type that is stored.
  CHECK(all_of(*open_hdf5(raw_file(folder, stored, memory, bytes,
                                   [](hid_t x) {
                                     set_text(x, "_Unsigned", "true");
                                     set_numbers(x, "_FillValue", H5T_STD_I8LE, {-1});
                                     set_numbers(x, "valid_range", H5T_STD_I8LE, {0, -2});
                                     set_numbers(x, "scale_factor", H5T_IEEE_F32LE, {0.5});
                                   }),
                          kFilled)) == std::vector<double>{0, 63.5, 64, 64});
}

FOLDER_TEST_CASE("HDF5: what lies outside a valid range is missing, and told") {
  const std::vector<double> values = {-5, 0, 4, 9, 12};
  struct Case {
    std::vector<std::pair<const char*, std::vector<double>>> attributes;
    std::vector<double> expected;
  };
  for (const auto& [attributes, expected] :
       std::vector<Case>{{{{"valid_range", {0, 9}}}, {0, 0, 4, 9, 9}},
                         {{{"valid_min", {0}}}, {0, 0, 4, 9, 12}},
                         {{{"valid_max", {4}}}, {-5, 0, 4, 4, 4}},
                         {{{"valid_min", {0}}, {"valid_max", {9}}}, {0, 0, 4, 9, 9}},
                         {{{"valid_range", {0, 9}}, {"scale_factor", {0.5}}}, {0, 0, 2, 4.5, 4.5}},
                         {{{"missing_value", {4, 12}}}, {-5, 0, 4.5, 9, 9}}}) {
    const auto describe = [&, &all = attributes](hid_t x) {
      for (const auto& [name, numbers] : all) set_numbers(x, name, H5T_IEEE_F64LE, numbers);
    };
    const std::string path = raw_file(folder, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, describe);
    const test::LogCapture log;
    CHECK(all_of(*open_hdf5(path, kFilled)) == expected);
    const bool has_range = attributes.front().first != std::string("missing_value");
    CHECK(log.count(LogLevel::warning, "count as missing") == (has_range ? 1 : 0));
    CHECK_THROWS_WITH_TEXT(open_hdf5(path), DataError, "expected no missing values");
  }
  // A range of floating-point numbers on packed integers is of what they mean.
  const test::LogCapture log;
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_STD_I16LE, H5T_NATIVE_DOUBLE, values,
                                   [](hid_t x) {
                                     set_numbers(x, "add_offset", H5T_IEEE_F64LE, {100});
                                     set_numbers(x, "valid_range", H5T_IEEE_F64LE, {99.5, 109.5});
                                   }),
                          kFilled)) == std::vector<double>{100, 100, 104, 109, 109});
  CHECK(log.count(LogLevel::warning,
                  "/x: numbers outside 99.5 to 109.5, as its attributes valid_range, valid_min and "
                  "valid_max have it, count as missing") == 1);
  CHECK_THROWS_WITH_TEXT(
      open_hdf5(raw_file(folder, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values,
                         [](hid_t x) { set_numbers(x, "valid_range", H5T_IEEE_F64LE, {1}); })),
      DataError, "its attribute valid_range is expected to hold two numbers");
}

FOLDER_TEST_CASE("HDF5: float32 is compared with attributes as float32") {
  const std::vector<float> values = {0.1F, 1e20F, 0.3F};
  CHECK(all_of(*open_hdf5(raw_file(folder, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, values,
                                   [](hid_t x) {
                                     set_numbers(x, "missing_value", H5T_IEEE_F64LE, {1e20});
                                     set_numbers(x, "valid_range", H5T_IEEE_F64LE, {0.1, 0.3});
                                   }),
                          kFilled))[0] == static_cast<double>(0.1F));
  CHECK_NOTHROW(open_hdf5(raw_file(folder, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT,
                                   std::vector<float>{0.1F, 0.3F}, [](hid_t x) {
                                     set_numbers(x, "valid_min", H5T_IEEE_F64LE, {0.1});
                                     set_numbers(x, "valid_max", H5T_IEEE_F64LE, {0.3});
                                   })));
}

FOLDER_TEST_CASE("HDF5: truth values of h5py are 0 and 1, other enumerations are refused") {
  const auto enumeration = [](const std::vector<const char*>& names) {
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    for (std::int8_t i = 0; i < static_cast<std::int8_t>(names.size()); ++i) {
      H5Tenum_insert(type, names[static_cast<std::size_t>(i)], &i);
    }
    return type;
  };
  const hid_t truth = enumeration({"FALSE", "TRUE"});
  const hid_t state = enumeration({"run", "stop"});
  const Bytes bytes = {0, 1, 1};
  for (const bool trusted : {false, true}) {
    h5::ReaderOptions reader;
    reader.trusted = trusted;
    CHECK(all_of(*open_hdf5(raw_file(folder, truth, truth, bytes, kNothing), {.reader = reader})) ==
          std::vector<double>{0, 1, 1});
    CHECK_THROWS_WITH_TEXT(
        open_hdf5(raw_file(folder, state, state, bytes, kNothing), {.reader = reader}), DataError,
        "expected integers or floating numbers of up to 64 bits, or truth values");
  }
  H5Tclose(truth);
  H5Tclose(state);
}

FOLDER_TEST_CASE("HDF5: names that are there twice, and MATLAB's order of axes, are warned of") {
  const auto warned = [&](const char* attribute, const char* value, const char* text) {
    const std::string path = file_with(folder, {2, 2}, {1.0, 2.0, 3.0, 4.0});
    h5::File file = h5::File::modify(path);
    file.open_dataset("x").set_attribute(attribute, value);
    file.close();
    const gaia::test::LogCapture log;
    CHECK(open_hdf5(path)->channel_names() == std::vector<std::string>{"0", "1"});
    CHECK(log.lines.size() == 1);
    CHECK(log.count(LogLevel::warning, text) == 1);
  };
  warned("columns", "a,a", "and holds a name twice");
  warned("MATLAB_class", "double", "its 2 columns are the rows here");
}

FOLDER_TEST_CASE("HDF5: the cut into blocks does not matter") {
  std::vector<double> values(2 * 5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 977);
  const auto series = open_hdf5(file_with(folder, {5000, 2}, values));
  std::vector<double> pieces;
  for (std::int64_t first = 0; first < 5000; first += 700) {
    const std::int64_t count = std::min<std::int64_t>(700, 5000 - first);
    std::vector<double> block(static_cast<std::size_t>(2 * count));
    series->read(first, count, block);
    pieces.insert(pieces.end(), block.begin(), block.end());
  }
  CHECK(pieces == values);
}

FOLDER_TEST_CASE("HDF5: shapes and types that are no series are refused") {
  CHECK_THROWS_WITH_TEXT(open_hdf5(file_with(folder, {1, 2, 1}, {1.0, 2.0})), DataError,
                         "expected shape [rows] or [rows, columns], got [1, 2, 1]");
  CHECK_THROWS_AS(open_hdf5(file_with(folder, {0}, {})), DataError);
  CHECK_THROWS_AS(open_hdf5(file_with(folder, {}, {1.0})), DataError);
  const std::string path = folder.path("empty.h5");
  h5::File::create(path).close();
  CHECK_THROWS_WITH_TEXT(open_hdf5(path), DataError, "holds no dataset");
  CHECK_THROWS_AS(open_hdf5(folder.write("text.h5", "text")), DataError);
  // Text.
  const std::string texts = folder.path("texts.h5");
  {
    const hid_t file = H5Fcreate(texts.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 8);
    const hsize_t n = 3;
    const hid_t space = H5Screate_simple(1, &n, nullptr);
    H5Dclose(H5Dcreate2(file, "x", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
  }
  CHECK_THROWS_WITH_TEXT(open_hdf5(texts), DataError, "expected integers or floating numbers");
}

FOLDER_TEST_CASE("HDF5: numbers that lie in other files are not read") {
  folder.write("secret", std::string(64, 'x'));
  const std::string path = folder.path("external.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(creation, folder.path("secret").c_str(), 0, 64);
  const hsize_t n = 8;
  const hid_t space = H5Screate_simple(1, &n, nullptr);
  H5Dclose(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(creation);
  H5Lcreate_external("other.h5", "/x", file, "y", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  CHECK_THROWS_WITH_TEXT(
      open_hdf5(path), DataError,
      "its numbers lie in external files, which is refused; `h5repack -l /x:CONTI");
  CHECK_THROWS_WITH_TEXT(open_hdf5(path, {.dataset = "y"}), ArgumentError,
                         "/y is a link, which is not followed");
}

FOLDER_TEST_CASE("HDF5: a file of links alone says that they are not followed, and what to do") {
  const std::string path = folder.path("links.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/", file, "far", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/far/x", file, "near", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  const char* const told = "holds no dataset of its own; /far is a link, which is not followed";
  CHECK_THROWS_WITH_TEXT(open_hdf5(path), DataError, told);
  CHECK_THROWS_WITH_TEXT(open_hdf5(path), DataError, "h5repack --merge");
  h5::ReaderOptions trusted;
  trusted.trusted = true;
  CHECK_THROWS_WITH_TEXT(open_hdf5(path, {.reader = trusted}), DataError, told);
}

FOLDER_TEST_CASE("HDF5: a shape far beyond what the file holds costs nothing until it is read") {
  const std::string path = folder.path("huge.h5");
  {
    h5::File file = h5::File::create(path);
    file.create_dataset("x", {.type = h5::Type::float64,
                              .shape = {std::int64_t{1} << 61, 8},
                              .chunk = {1024, 8},
                              .can_grow = true});
    file.close();
  }
  CHECK_THROWS_WITH_TEXT(open_hdf5(path), DataError, "more numbers than 64 bits can count");
}
