// SPDX-License-Identifier: MIT
/// \file
/// Axes of HDF5 datasets, and what stands beside their channels: columns and other datasets.
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>

#include "../../src/core/error.h"
#include "../../src/io/hdf5.h"
#include "../../src/io/hdf5_series.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"
#include "read_series.h"
#include "side_values.h"

namespace gaia {
namespace {

namespace h5 = hdf5;
using Names = std::vector<std::string>;
using Values = std::vector<double>;
using Codes = std::vector<std::int64_t>;
using Role = SideColumn::Role;
using namespace test;

constexpr std::int64_t kSecond = 1000000000;
constexpr std::int64_t k2020 = 1577836800 * kSecond;

template <class T>
constexpr h5::Type type_for() {
  return std::is_same_v<T, double>         ? h5::Type::float64
         : std::is_same_v<T, float>        ? h5::Type::float32
         : std::is_same_v<T, std::int32_t> ? h5::Type::int32
                                           : h5::Type::int64;
}

template <class T>
h5::Dataset put(h5::Group& group, const char* name, const std::vector<std::int64_t>& shape,
                const std::vector<T>& values) {
  h5::Dataset dataset = group.create_dataset(name, {.type = type_for<T>(), .shape = shape});
  dataset.write(std::span<const T>(values));
  return dataset;
}

std::string side_file_with(const TempDir& folder, const std::function<void(h5::File&)>& fill) {
  const std::string path = folder.path("x.h5");
  std::filesystem::remove(path);
  h5::File file = h5::File::create(path);
  fill(file);
  file.close();
  return path;
}

/// Adds texts as h5py writes them: of any length, or all of one, filled up with zeros.
void put_texts(const std::string& path, const char* name, const Names& texts, bool are_variable) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(file >= 0);
  const hsize_t n = texts.size();
  const hid_t space = H5Screate_simple(1, &n, nullptr);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  H5Tset_size(type, are_variable ? H5T_VARIABLE : width);
  if (!are_variable) H5Tset_strpad(type, H5T_STR_NULLPAD);
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  std::vector<const char*> pointers;
  std::string block(texts.size() * width, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    pointers.push_back(texts[i].c_str());
    std::copy(texts[i].begin(), texts[i].end(),
              block.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  const void* const data = are_variable ? static_cast<const void*>(pointers.data()) : block.data();
  REQUIRE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(dataset);
  H5Tclose(type);
  H5Sclose(space);
  H5Fclose(file);
}

std::string refused(const std::string& path, const FileOptions& options) {
  return test::complaint_of([&] { open_hdf5(path, options); });
}

const std::vector<h5::ReaderOptions> kReaders = {{}, {.trusted = true}};

FOLDER_TEST_CASE("HDF5: a coordinate beside the dataset tells the times") {
  const std::string path = side_file_with(folder, [](h5::File& file) {
    h5::Group data = file.create_group("data");
    put(data, "flow", {3, 2}, Values{1, 2, 3, 4, 5, 6});
    put(data, "time", {3}, Codes{0, 10, 20}).set_attribute("units", "seconds since 2020-01-01");
    h5::Group other = file.create_group("other");
    put(other, "clock", {3}, Values{0, 0.25, 0.5}).set_attribute("units", "days since 2020-01-01");
    put(other, "plain", {3}, Values{0, 0.25, 0.5}).set_attribute("units", "s");
    h5::Dataset noleap = put(other, "noleap", {3}, Values{0, 1, 2});
    noleap.set_attribute("units", "days since 2020-01-01");
    noleap.set_attribute("calendar", "noleap");
    put(other, "months", {3}, Values{0, 1, 2}).set_attribute("units", "months since 2020-01-01");
    put(other, "short", {2}, Values{0, 1});
    put(other, "far", {3}, Values{0, 1, 1e15}).set_attribute("units", "days since 2020-01-01");
    put(other, "holes", {3}, Values{0, std::nan(""), 1});
  });
  for (const h5::ReaderOptions& reader : kReaders) {
    const auto with = [&](const char* time) {
      return FileOptions{.dataset = "/data/flow", .reader = reader, .side = {.time = time}};
    };
    const auto series = open_hdf5(path, with("time"));
    CHECK(series->channels() == 2);
    CHECK(series->side_columns() == std::vector<SideColumn>{{Role::time, "time"}});
    CHECK(side_of<std::int64_t>(*series, 0) ==
          Codes{k2020, k2020 + 10 * kSecond, k2020 + 20 * kSecond});
    CHECK(side_of<std::int64_t>(*series, 0, 1, 1) == Codes{k2020 + 10 * kSecond});
    CHECK(side_of<std::int64_t>(*open_hdf5(path, with("/other/clock")), 0) ==
          Codes{k2020, k2020 + 21600 * kSecond, k2020 + 43200 * kSecond});
    CHECK(side_of<double>(*open_hdf5(path, with("/other/plain")), 0) == Values{0, 0.25, 0.5});
    {
      const test::LogCapture log;
      CHECK(side_of<double>(*open_hdf5(path, with("/other/noleap")), 0) == Values{0, 1, 2});
      CHECK(log.count(LogLevel::warning, "its dates are of the calendar 'noleap'") == 1);
    }
    {
      const test::LogCapture log;
      CHECK(side_of<double>(*open_hdf5(path, with("/other/months")), 0) == Values{0, 1, 2});
      CHECK(log.count(LogLevel::warning, "its units are 'months since 2020-01-01'") == 1);
    }
    CHECK_SAYS(refused(path, with("/other/short")),
               "/other/short (data.time): expected a value for each of the 3 rows, got 2");
    CHECK_SAYS(refused(path, with("/other/far")),
               "expected a time for every row, got 1000000000000000, which is too far");
    CHECK_SAYS(refused(path, with("/other/holes")),
               "expected a time for every row, got a missing value in row 1");
    CHECK_SAYS(refused(path, with("/none")), "has no dataset '/none'");
    CHECK_SAYS(refused(path, with("tme")), "unknown column 'tme'");
    CHECK_SAYS(refused(path, with("/data/flow")), "unknown column");
  }
}

FOLDER_TEST_CASE("HDF5: a time that a double cannot hold is exact all the same") {
  const std::string path = side_file_with(folder, [](h5::File& file) {
    put(file, "x", {2}, Values{1, 2});
    put(file, "time", {2}, Codes{k2020 + 1, k2020 + 2})
        .set_attribute("units", "nanoseconds since 1970-01-01");
  });
  CHECK(side_of<std::int64_t>(*open_hdf5(path, {.dataset = "x", .side = {.time = "time"}}), 0) ==
        Codes{k2020 + 1, k2020 + 2});
}

FOLDER_TEST_CASE("HDF5: targets and labels may be datasets of one axis") {
  const std::string path = side_file_with(folder, [](h5::File& file) {
    put(file, "x", {4, 2}, Values{1, 2, 3, 4, 5, 6, 7, 8}).set_attribute("columns", "a,b");
    put(file, "quality", {4}, Values{0.5, std::nan(""), 1, 2});
    put(file, "state", {4}, std::vector<std::int32_t>{3, 20, 3, -1});
    put(file, "empty", {4}, Values(4, std::nan("")));
    put(file, "table", {4, 1}, Values(4));
  });
  put_texts(path, "names", {"good", "bad", "", "h\u00e9"}, true);
  put_texts(path, "fixed", {"good", "bad", "", "h\u00e9"}, false);
  put_texts(path, "when", {"2020-01-01", "2020-01-02", "2020-01-03T00:00Z", "2020-01-04"}, true);
  put_texts(path, "long", {"a", "b", "c", std::string(257, 'd')}, true);
  put_texts(path, "odd", {"a", "b", "c", "\x1b[0m"}, true);
  for (const h5::ReaderOptions& reader : kReaders) {
    const auto with = [&](const SideOptions& side) {
      return FileOptions{.dataset = "x", .reader = reader, .side = side};
    };
    // The target b is a column, the others are datasets.
    const auto series =
        open_hdf5(path, with({.targets = {"quality", "b", "state"}, .labels = "names"}));
    CHECK(series->channel_names() == Names{"a"});
    CHECK(series->side_columns() == std::vector<SideColumn>{{Role::target, "quality"},
                                                            {Role::target, "b"},
                                                            {Role::target, "state"},
                                                            {Role::label, "names"}});
    CHECK(read_all(*series) == Values{1, 3, 5, 7});
    CHECK(std::isnan(side_of<double>(*series, 0)[1]));
    CHECK(side_of<double>(*series, 1) == Values{2, 4, 6, 8});
    CHECK(side_of<double>(*series, 2, 1, 2) == Values{20, 3});
    CHECK(series->classes() == Names{"bad", "good", "h\u00e9"});
    CHECK(side_of<std::int64_t>(*series, 3) == Codes{1, 0, -1, 2});
    CHECK(open_hdf5(path, with({.labels = "fixed"}))->classes() == Names{"bad", "good", "h\u00e9"});
    const auto numbers = open_hdf5(path, with({.labels = "state"}));
    CHECK(numbers->classes() == Names{"-1", "3", "20"});
    CHECK(side_of<std::int64_t>(*numbers, 0) == Codes{1, 2, 1, 0});
    const auto dates = open_hdf5(path, with({.time = "when"}));
    CHECK(side_of<std::int64_t>(*dates, 0)[2] == k2020 + 2 * 86400 * kSecond);
    CHECK_SAYS(refused(path, with({.labels = "long"})),
               "expected texts of at most 256 bytes, got 257 in row 3");
    CHECK_SAYS(refused(path, with({.labels = "odd"})),
               "label 3: expected a name without control characters");
    CHECK_SAYS(refused(path, with({.labels = "quality"})),
               "expected a whole number in row 0, got 0.5; data.targets");
    CHECK_SAYS(refused(path, with({.targets = {"empty"}})),
               "/empty (data.targets): has no values at all");
    CHECK_SAYS(refused(path, with({.targets = {"names"}})), "/names");
    CHECK_SAYS(refused(path, with({.targets = {"table"}})),
               "expected a dataset of one axis, got shape [4, 1]");
    CHECK_SAYS(refused(path, with({.time = "names"})), "expected a date as 2020-01-31");
    // Texts are no series.
    CHECK_SAYS(refused(path, {.dataset = "names", .reader = reader}),
               "expected integers or floating numbers");
  }
}

FOLDER_TEST_CASE("HDF5: what keys name, and coordinates, are no tables to choose from") {
  const std::string path = side_file_with(folder, [](h5::File& file) {
    h5::Dataset x = put(file, "x", {2}, Values{1, 2});
    h5::Dataset time = put(file, "time", {2}, Values{0, 1});
    time.make_scale("time");
    x.attach_scale(0, time);
    h5::Dataset y = put(file, "y", {2}, Values{3, 4});
    // h5netcdf marks everything that has a first axis, not the axes alone.
    for (h5::Dataset* const each : {&x, &time, &y}) {
      each->set_attribute("_Netcdf4Dimid", std::int64_t{0});
    }
  });
  CHECK(read_all(*open_hdf5(path, {.side = {.time = "time", .targets = {"y"}}})) == Values{1, 2});
  CHECK_SAYS(refused(path, {.side = {.time = "time"}}), "several datasets; say which one");
}

FOLDER_TEST_CASE("HDF5: a coordinate of texts names the columns, as xarray writes it") {
  const auto open_with = [&](const Names& names) {
    const std::string path =
        side_file_with(folder, [](h5::File& file) { put(file, "x", {1, 2}, Values{1, 2}); });
    put_texts(path, "channel", names, true);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t x = H5Dopen2(file, "x", H5P_DEFAULT);
    const hid_t channel = H5Dopen2(file, "channel", H5P_DEFAULT);
    REQUIRE(H5DSset_scale(channel, "channel") >= 0);
    REQUIRE(H5DSattach_scale(x, channel, 1) >= 0);
    H5Dclose(channel);
    H5Dclose(x);
    H5Fclose(file);
    return open_hdf5(path);
  };
  CHECK(open_with({"Fz", "Cz"})->channel_names() == Names{"Fz", "Cz"});
  CHECK(open_with({"Fz", "Fz"})->channel_names() == Names{"0", "1"});
  CHECK(open_with({"Fz", ""})->channel_names() == Names{"0", "1"});
}

FOLDER_TEST_CASE("HDF5: rows may be channels, and three axes are trials in any order") {
  constexpr std::array<std::int64_t, 3> sizes = {2, 3, 4};
  Values expected;
  for (int row = 0; row < 6; ++row) {
    for (int c = 0; c < 4; ++c) expected.push_back(100 * (row / 3) + 10 * (row % 3) + c);
  }
  std::array<std::size_t, 3> order = {0, 1, 2};
  do {
    std::array<std::size_t, 3> axis_of{};
    for (std::size_t axis = 0; axis < 3; ++axis) axis_of[order[axis]] = axis;
    const std::vector<std::int64_t> shape = {sizes[order[0]], sizes[order[1]], sizes[order[2]]};
    std::vector<float> numbers;
    std::array<std::int64_t, 3> at{};
    for (at[0] = 0; at[0] < shape[0]; ++at[0]) {
      for (at[1] = 0; at[1] < shape[1]; ++at[1]) {
        for (at[2] = 0; at[2] < shape[2]; ++at[2]) {
          numbers.push_back(
              static_cast<float>(100 * at[axis_of[0]] + 10 * at[axis_of[1]] + at[axis_of[2]]));
        }
      }
    }
    INFO(shape[0] << " " << shape[1] << " " << shape[2]);
    const std::string path = side_file_with(folder, [&](h5::File& file) {
      put(file, "x", shape, numbers);
      put(file, "time", {3}, Values{0, 1, 2});
      put(file, "condition", {2}, std::vector<std::int32_t>{7, 5});
    });
    const FileOptions options = {.dataset = "x",
                                 .side = {.time = "time", .labels = "condition"},
                                 .axes = {.trials = axis_of}};
    const auto series = open_hdf5(path, options);
    CHECK(series->trial_starts() == Codes{0, 3});
    CHECK(read_all(*series) == expected);
    CHECK(test::read_rows(*series, 2, 2) == Values(expected.begin() + 8, expected.begin() + 16));
    CHECK(side_of<double>(*series, 0) == Values{0, 1, 2, 0, 1, 2});
    CHECK(side_of<std::int64_t>(*series, 1) == Codes{1, 1, 1, 0, 0, 0});
  } while (std::next_permutation(order.begin(), order.end()));
  const std::string path = side_file_with(
      folder, [](h5::File& file) { put(file, "x", {2, 3}, Values{1, 2, 3, 4, 5, 6}); });
  const FileOptions transposed = {.axes = {.transpose = true}};
  CHECK(read_all(*open_hdf5(path, transposed)) == Values{1, 4, 2, 5, 3, 6});
  CHECK(read_all(*open_hdf5(path, {.columns = {"1"}, .axes = {.transpose = true}})) ==
        Values{4, 5, 6});
  test::check_any_cut([&] { return open_hdf5(path, transposed); });
  CHECK_SAYS(refused(path, {.axes = {.trials = {{0, 1, 2}}}}),
             "expected shape of three axes (data.trials.axes), got [2, 3]");
}

}  // namespace
}  // namespace gaia
