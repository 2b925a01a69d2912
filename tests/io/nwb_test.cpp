// SPDX-License-Identifier: MIT
/// \file
/// Neurodata Without Borders: HDF5 with rates, times and units at places of its own.
#include <cmath>
#include <filesystem>

#include "../../src/core/error.h"
#include "../../src/io/hdf5.h"
#include "../../src/io/hdf5_series.h"
#include "../../src/io/joined_series.h"
#include "../support/catch.h"
#include "../support/log_capture.h"
#include "../support/temp_dir.h"
#include "recordings/recorded.h"

namespace gaia {
namespace {

using namespace test;
using Values = std::vector<double>;

const std::string kEven = "/acquisition/even/data";
const std::string kStamped = "acquisition/stamped/data";

TEST_CASE("NWB: the values in units that pynwb reads, to the bit, with rate and start") {
  const auto series =
      open_hdf5(recorded("plain.nwb"), {.dataset = kEven, .side = {.time = "starting_time"}});
  CHECK(read_all(*series) == test::values_of_others("plain_nwb_even.npy"));
  CHECK(series->sample_rate() == 40.0);
  const Values times = std::get<Values>(*series->take_times());
  REQUIRE(times.size() == 50);
  for (int i = 0; i < 50; ++i) CHECK(times[static_cast<std::size_t>(i)] == 2.5 + i / 40.0);
}

TEST_CASE("NWB: times that stand beside the numbers") {
  const auto series =
      open_hdf5(recorded("plain.nwb"), {.dataset = kStamped, .side = {.time = "timestamps"}});
  CHECK_FALSE(series->sample_rate());
  const Values times = std::get<Values>(*series->take_times());
  for (int i = 0; i < 50; ++i) CHECK(times[static_cast<std::size_t>(i)] == i / 40.0 + 0.25);
  // conversion 1 and offset 0 leave the numbers as they are.
  const Values rows = read_all(*series);
  CHECK(rows[7] == std::floor(rows[7]));
  const auto file =
      open_files({recorded("plain.nwb")}, {.dataset = kStamped, .side = {.time = "timestamps"}},
                 open_hdf5, GapPolicy::error);
  CHECK(file->trial_starts() == std::vector<std::int64_t>{0});
}

FOLDER_TEST_CASE(
    "HDF5: a rate is an attribute of the dataset, and conversion is one of NWB alone") {
  const auto write = [&](const char* name, bool is_nwb, double rate, const char* beside) {
    const std::string path = folder.path(name);
    std::filesystem::remove(path);
    hdf5::File file = hdf5::File::create(path);
    if (is_nwb) file.set_attribute("nwb_version", "2.8.0");
    const std::vector<double> numbers = {1, 2, 3, 4};
    hdf5::Dataset dataset = file.create_dataset("data", {.shape = {4}});
    dataset.write(std::span<const double>(numbers));
    dataset.set_attribute("conversion", 0.5);
    dataset.set_attribute("offset", -1.0);
    dataset.set_attribute("rate", 7.0);  // of whatever
    if (rate != 0.0) dataset.set_attribute("sample_rate", rate);
    if (beside != nullptr) {
      file.create_dataset(beside, {.shape = {4}}).write(std::span<const double>(numbers));
    }
    file.close();
    return path;
  };
  const FileOptions options = {.dataset = "data"};
  CHECK(read_all(*open_hdf5(write("a.h5", false, 100, nullptr), options)) == Values{1, 2, 3, 4});
  CHECK(open_hdf5(folder.path("a.h5"), options)->sample_rate() == 100.0);
  for (const double none : {-100.0, std::nan(""), HUGE_VAL}) {
    CHECK_FALSE(open_hdf5(write("b.h5", false, none, nullptr), options)->sample_rate());
  }
  const test::LogCapture log;
  CHECK(read_all(*open_hdf5(write("c.nwb", true, 0, nullptr), options)) ==
        Values{-0.5, 0.0, 0.5, 1.0});
  CHECK(log.lines.empty());
  open_hdf5(write("d.nwb", true, 0, "channel_conversion"), options);
  CHECK(log.count(LogLevel::warning,
                  "channel_conversion, which stands beside it, is not applied") == 1);
  // A scalar without a rate is no time.
  const std::string path = folder.path("e.h5");
  hdf5::File file = hdf5::File::create(path);
  file.create_dataset("data", {.shape = {4}})
      .write(std::span<const double>(std::vector<double>{1, 2, 3, 4}));
  file.create_dataset("starting_time", {.shape = {}})
      .write(std::span<const double>(std::vector<double>{0.0}));
  file.close();
  CHECK_THROWS_WITH_TEXT(open_hdf5(path, {.dataset = "data", .side = {.time = "starting_time"}}),
                         DataError, "expected a dataset of one axis, got shape []");
  CHECK_FALSE(open_hdf5(path, options)->sample_rate());
}

}  // namespace
}  // namespace gaia
