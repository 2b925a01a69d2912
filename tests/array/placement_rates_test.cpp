// SPDX-License-Identifier: MIT
/// \file
/// Rates: curves, measuring them, and keeping them in files.  No speed.
#include "../../src/array/placement_rates.h"

#include <filesystem>
#include <limits>

#include "../../src/array/placement_cache.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/environment.h"
#include "../support/log_capture.h"
#include "../support/rates.h"
#include "../support/temp_dir.h"

namespace gaia::test {
namespace {

namespace fs = std::filesystem;

/// As little as can be measured.
constexpr MeasureOptions kQuick{.longest_call = 1e-9, .together = 0.0, .repeats = 1};

const RatesKey kKey{.device = "card", .version = "driver 1", .gaia = "0.1.0 (abc)", .threads = 2};

std::size_t points_of(const Rates& rates) {
  std::size_t points = 0;
  for_each_curve(rates,
                 [&](const char*, const CostCurve& curve) { points += curve.points.size(); });
  return points;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("A curve goes through its points, flat below and in proportion beyond") {
  const CostCurve curve{{{10.0, 1.0}, {1000.0, 4.0}, {4000.0, 4.0}}};
  CHECK(curve.seconds(10.0) == 1.0);
  CHECK(curve.seconds(1000.0) == Approx(4.0));
  CHECK(curve.seconds(0.001) == 1.0);
  CHECK(curve.seconds(0.0) == 1.0);
  CHECK(curve.seconds(100.0) == Approx(2.0));  // half-way in both logarithms
  CHECK(curve.seconds(2000.0) == Approx(4.0));
  CHECK(curve.seconds(8000.0) == Approx(8.0));
  CHECK(CostCurve{{{10.0, 2.0}}}.seconds(5.0) == 2.0);
  CHECK(CostCurve{{{10.0, 2.0}}}.seconds(50.0) == Approx(10.0));
}

TEST_CASE("Rates that cannot be are refused with the curve that is wrong") {
  CHECK(why_not_rates(cpu_rates()).empty());
  CHECK(why_not_rates(gpu_rates()).empty());
  const auto refused = [](auto spoil, const char* text) {
    Rates rates = gpu_rates();
    spoil(rates);
    CHECK_THAT(why_not_rates(rates), Catch::Matchers::ContainsSubstring(text));
    CHECK_THROWS_AS(set_rates(Device::cpu(), rates), ArgumentError);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  refused([](Rates& r) { r.passes.points.clear(); }, "passes has no points");
  refused([](Rates& r) { r.float64.coupled.points.clear(); }, "float64/coupled has no points");
  refused([](Rates& r) { r.upload.points.clear(); }, "upload and download");
  refused([&](Rates& r) { r.passes.points[0].seconds = nan; }, "passes has a point");
  refused([&](Rates& r) { r.passes.points[1].amount = inf; }, "passes has a point");
  refused([](Rates& r) { r.passes.points[0].seconds = 0.0; }, "passes has a point");
  refused([](Rates& r) { r.passes.points[0].seconds = -1.0; }, "passes has a point");
  refused([](Rates& r) { r.passes.points[0].amount = 0.0; }, "passes has a point");
  refused([](Rates& r) { std::swap(r.download.points[0], r.download.points[1]); },
          "download has a point");
}

TEST_CASE("Every device can be measured, from the smallest size on") {
  const auto measure = [](Device device) {
    INFO("on " << to_string(device));
    const TransferStats before = transfer_stats();
    const MemoryStats memory = memory_stats(device);
    const Rates rates = measure_rates(device, kQuick);
    CHECK(why_not_rates(rates) == "");
    CHECK(rates.upload.points.empty() == device.is_cpu());
    // The clock forbids everything but the first size of each curve.
    CHECK(points_of(rates) == (device.is_cpu() ? 11 : 13));
    CHECK(rates.passes.points[0].amount == 512.0);
    CHECK(rates.float64.products.points[0].amount == 2.0 * 16 * 16 * 16);
    CHECK(rates.float32.coupled.points[0].amount == 256.0);
    // It leaves no trace.
    CHECK(current_device().is_cpu());
    CHECK(memory_stats(device).used == memory.used);
    CHECK(memory_stats(device).arrays == memory.arrays);
    CHECK(transfer_stats().explicit_copies == before.explicit_copies);
    CHECK(transfer_stats().implicit_copies == before.implicit_copies);
  };
  measure(Device::cpu());
  {
    const EmulatedDevice emulated;
    measure(emulated.device());
  }
  const FakeDevice fake;
  measure(fake.device());
}

TEST_CASE("More time is more sizes, as far as memory goes") {
  const Rates rates =
      measure_rates(Device::cpu(), {.longest_call = 2e-3, .together = 0.0, .repeats = 1});
  CHECK(why_not_rates(rates) == "");
  CHECK(points_of(rates) >= 11);
  // The fake device has no memory free: what it must do, it does.
  const FakeDevice fake;
  CHECK(points_of(measure_rates(fake.device(), {.longest_call = 1.0, .repeats = 1})) == 13);
}

TEST_CASE("The cache lies where the XDG variables say") {
  const Environment home("HOME", "/home/somebody");
  {
    const Environment cache("XDG_CACHE_HOME", "/elsewhere");
    CHECK(rates_cache_path() == "/elsewhere/gaia/rates.json");
  }
  for (const char* ignored : {static_cast<const char*>(nullptr), "", "relative/path"}) {
    const Environment cache("XDG_CACHE_HOME", ignored);
    CHECK(rates_cache_path() == "/home/somebody/.cache/gaia/rates.json");
    const Environment no_home("HOME", ignored);
    CHECK(rates_cache_path().empty());
  }
}

TEST_CASE("Rates come back from a file as they were, each under its key") {
  const TempDir folder;
  const std::string path = folder.path("new/folder/rates.json");
  const LogCapture log;
  CHECK_FALSE(read_cached_rates(path, kKey));
  write_cached_rates(path, kKey, gpu_rates());
  RatesKey other = kKey;
  other.threads = 3;
  write_cached_rates(path, other, cpu_rates());
  CHECK(read_cached_rates(path, kKey) == gpu_rates());
  CHECK(read_cached_rates(path, other) == cpu_rates());
  for (const auto& [device, version, gaia, threads] :
       {RatesKey{"cord", "driver 1", "0.1.0 (abc)", 2},
        RatesKey{"card", "driver 2", "0.1.0 (abc)", 2},
        RatesKey{"card", "driver 1", "0.2.0 (abc)", 2},
        RatesKey{"card", "driver 1", "0.1.0 (abc)", 4}}) {
    CHECK_FALSE(read_cached_rates(path, {device, version, gaia, threads}));
  }
  // What is measured anew takes the place of the old.
  write_cached_rates(path, kKey, cpu_rates());
  CHECK(read_cached_rates(path, kKey) == cpu_rates());
  CHECK(read_cached_rates(path, other) == cpu_rates());
  // The oldest go.
  for (int i = 10; i < 30; ++i) {
    RatesKey one = kKey;
    one.threads = i;
    write_cached_rates(path, one, gpu_rates());
  }
  CHECK_FALSE(read_cached_rates(path, kKey));
  other.threads = 29;
  CHECK(read_cached_rates(path, other) == gpu_rates());
  CHECK(log.lines.empty());
  // Nothing is left beside it.
  CHECK(std::distance(fs::directory_iterator(folder.path("new/folder")),
                      fs::directory_iterator()) == 1);
}

TEST_CASE("A file of something else is told of and replaced") {
  const TempDir folder;
  const std::string path = folder.path("rates.json");
  write_cached_rates(path, kKey, gpu_rates());
  const std::string good = content(path);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::string> contents = {
      "",
      "\x01\xff",
      "[]",
      "{}",
      "null",
      good.substr(0, good.size() / 2),
      std::string(2000000, ' '),
      std::string(100000, '['),
      with("\"format\": 1", "\"format\": 2"),
      with("measured by gaia", "measured by somebody"),
      with("\"threads\": 2", "\"threads\": \"two\""),
      with("\"passes\"", "\"glances\""),
      with("1e-05", "-1e-05"),
      with("1e-05", "1e999"),
      with("1e-05", "null"),
      with("\"curves\": {", "\"curves\": 1, \"others\": {"),
  };
  for (const std::string& text : contents) {
    INFO(text.substr(0, 60));
    folder.write("rates.json", text);
    const LogCapture log;
    CHECK_FALSE(read_cached_rates(path, kKey));
    CHECK(log.count(LogLevel::info, path + " is not what gaia keeps of rates") == 1);
    CHECK(log.lines.size() == 1);
    write_cached_rates(path, kKey, gpu_rates());
    CHECK(read_cached_rates(path, kKey) == gpu_rates());
  }
}

TEST_CASE("A file that cannot be written is done without, and the log says so once") {
  const TempDir folder;
  folder.write("file", "not a folder");
  fs::create_directories(folder.path("rates.json/is a folder"));
  for (const std::string& path : {folder.path("file/gaia/rates.json"), folder.path("rates.json"),
                                  std::string("/proc/gaia/rates.json")}) {
    INFO(path);
    const LogCapture log;
    write_cached_rates(path, kKey, gpu_rates());
    write_cached_rates(path, kKey, gpu_rates());
    CHECK(log.count(LogLevel::info, "measured rates cannot be kept in " + path) == 1);
    CHECK(log.count(LogLevel::warning, "") == 0);
    CHECK_FALSE(read_cached_rates(path, kKey));
  }
  CHECK(std::distance(fs::directory_iterator(folder.path("")), fs::directory_iterator()) == 2);
}

TEST_CASE("rates_of knows what was set, what is kept, and measures what neither says") {
  const NoRates nothing_known;
  const TempDir folder;
  const Environment cache("XDG_CACHE_HOME", folder.path(""));
  const std::string path = rates_cache_path();
  const Device cpu = Device::cpu();
  const LogCapture log;

  set_rates(cpu, gpu_rates());
  CHECK(rates_of(cpu) == gpu_rates());
  CHECK(log.lines.empty());

  forget_rates();
  write_cached_rates(path, rates_key(cpu), cpu_rates());
  CHECK(rates_of(cpu) == cpu_rates());
  fs::remove(path);
  CHECK(rates_of(cpu) == cpu_rates());  // read once
  CHECK(log.lines.empty());
  {
    // For another number of threads they are others.
    const Threads threads(num_threads() + 1);
    CHECK_FALSE(rates_key(cpu) == RatesKey{});
    CHECK_FALSE(read_cached_rates(path, rates_key(cpu)));
  }

  forget_rates();
  const Rates measured = rates_of(cpu);
  CHECK(why_not_rates(measured) == "");
  CHECK(log.count(LogLevel::info, "measuring how fast cpu (") == 1);
  CHECK(rates_of(cpu) == measured);
  CHECK(log.lines.size() == 1);
  CHECK(read_cached_rates(path, rates_key(cpu)) == measured);

  set_rates(cpu, gpu_rates());
  const Rates again = calibrate(cpu);
  CHECK(log.count(LogLevel::info, "measuring how fast cpu (") == 2);
  CHECK(rates_of(cpu) == again);
  CHECK(read_cached_rates(path, rates_key(cpu)) == again);
}

TEST_CASE("A device that is not there has no rates") {
  CHECK_THROWS_AS(rates_of(Device::cuda(77)), DeviceError);
  CHECK_THROWS_AS(calibrate(Device::cuda(77)), DeviceError);
  CHECK_THROWS_AS(measure_rates(Device::cuda(77)), DeviceError);
}

}  // namespace
}  // namespace gaia::test
