// SPDX-License-Identifier: MIT
/// \file
/// data.filter and data.resample of experiments: rates, refusals, order.
#include <cmath>
#include <numbers>

#include "../../../src/experiment/config/config_writer.h"
#include "../../../src/experiment/data/filtered_series.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/experiment_text.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Two waves, 5 and 60 Hz, at 250 rows a second; times are dates, or seconds.
std::string waves(int rows, bool has_dates) {
  std::string text = "time,x,y,k\n";
  for (int row = 0; row < rows; ++row) {
    const double t = row / 250.0;
    const double x = std::sin(2.0 * std::numbers::pi * 5.0 * t);
    const double y = x + std::sin(2.0 * std::numbers::pi * 60.0 * t);
    char time[64];
    if (has_dates) {
      std::snprintf(time, sizeof time, "2026-01-01T00:00:%02d.%03d", row / 250, row % 250 * 4);
    } else {
      std::snprintf(time, sizeof time, "%.3f", t);
    }
    text += std::string(time) + "," + std::to_string(x) + "," + std::to_string(y) + "," +
            std::to_string(row) + "\n";
  }
  return text;
}

const std::string kFiltered =
    "experiment: filtered\n"
    "data:\n"
    "  {source: file, path: d.csv, columns: [x, y], targets: [k], filter: {band: [1, 20], order: "
    "4}}\n"
    "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";

Experiment filtered(const TempDir& folder, const std::vector<std::string>& set) {
  return load_text(folder, kFiltered, set);
}

}  // namespace

TEST_CASE("frequencies count by the rate that is written, by dates, or by seconds") {
  for (const bool has_dates : {true, false}) {
    CAPTURE(has_dates);
    const TempDir folder;
    folder.write("d.csv", waves(1000, has_dates));
    CHECK_SAYS(complaint_of<ConfigError>([&] { filtered(folder, {}); }), "data.filter",
               "how many rows a second", "data.sample_rate");
    Experiment by_time = filtered(folder, {"data.time=time"});
    CHECK(by_time.config.data.sample_rate == 250.0);
    CHECK_SAYS(to_yaml(by_time.config), "sample_rate: 250");
    CHECK(by_time.warnings.empty());
    Experiment by_rate = filtered(folder, {"data.sample_rate=250"});
    std::vector<double> a(2000);
    std::vector<double> b(2000);
    by_time.series->read(0, 1000, a);
    by_rate.series->read(0, 1000, b);
    CHECK(a == b);
    // The wave of 60 Hz is gone, that of 5 Hz is there.
    double most = 0.0;
    double apart = 0.0;
    for (std::size_t r = 500; r < 1000; ++r) {
      most = std::max(most, std::abs(a[2 * r]));
      apart = std::max(apart, std::abs(a[2 * r] - a[2 * r + 1]));
    }
    CHECK(most > 0.95);
    CHECK(apart < 0.03);
    const Experiment other = filtered(folder, {"data.time=time", "data.sample_rate=100"});
    REQUIRE(other.warnings.size() == 1);
    CHECK_SAYS(other.warnings.front(), "100", "250");
  }
}

FOLDER_TEST_CASE(
    "rows that are resampled have targets of their source rows, and results their rate") {
  folder.write("d.csv", waves(1000, false));
  const Experiment experiment =
      filtered(folder, {"data.sample_rate=250", "data.resample={to: 50}", "data.window=3"});
  CHECK(experiment.series->rows() == 200);
  CHECK(experiment.steps == 198);
  CHECK(experiment.config.data.rate_of_rows() == 50.0);
  std::vector<double> rows(400);
  SideValues targets;
  const std::size_t which = 0;
  experiment.series->read_with_side(0, 200, rows, {&which, 1}, {&targets, 1});
  CHECK(std::get<std::vector<double>>(targets)[37] == 185.0);
}

FOLDER_TEST_CASE("a generator makes the rows that a resampling takes") {
  const std::string text =
      "experiment: made\n"
      "data: {source: generator, kind: sines, frequencies: [0.03], steps: 100, window: 4, "
      "resample: {every: 5}}\n"
      "hierarchy: {levels: [{layers: [{type: reactive, size: 2}]}]}\n";
  const Experiment experiment = load_text(folder, text);
  CHECK(experiment.steps == 100);
  CHECK(experiment.series->rows() == 103);
}

FOLDER_TEST_CASE("what cannot be filtered is refused by its key") {
  folder.write("d.csv", waves(300, false));
  const auto refusal = [&](const std::vector<std::string>& set) {
    return complaint_of<ConfigError>([&] { filtered(folder, set); });
  };
  CHECK_SAYS(refusal({"data.sample_rate=30"}), "data.filter", "half the rate of 30.0");
  CHECK_SAYS(refusal({"data.sample_rate=250", "data.order=shuffle"}), "data.filter", "data.order");
  CHECK_SAYS(refusal({"data.filter={band: [20, 1]}"}), "data.filter.band", "got 2, 20 and 1");
  CHECK_SAYS(refusal({"data.filter={low: 4, high: 3}"}),
             "exactly one of the keys low, high, band, stop, got 2");
  CHECK_SAYS(refusal({"data.sample_rate=250", "data.resample={to: 300}"}), "data.resample.to",
             "none are made up");
  CHECK_SAYS(refusal({"data.filter=null", "data.resample={to: 300}"}), "data.resample.to");
}
