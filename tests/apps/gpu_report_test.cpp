// SPDX-License-Identifier: MIT
/// \file
/// What gpu_benchmark writes, and the program as its users meet it.
#include <nlohmann/json.hpp>
#include <sstream>

#include "../../apps/gpu_benchmark/facts.h"
#include "../../apps/gpu_benchmark/report.h"
#include "../../src/array/create.h"
#include "../../src/io/hdf5.h"
#include "../support/catch.h"
#include "../support/fake_device.h"
#include "command.h"

namespace gaia::test {
namespace {

using namespace gaia::bench;
using Json = nlohmann::json;

Finished gpu_benchmark(const TempDir& folder, const std::vector<std::string>& arguments) {
  return Running(folder, arguments, GAIA_GPU_BENCHMARK).wait();
}

/// Fields of a line; those in quotes may hold commas.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<std::vector<std::string>> table_of(const std::string& csv) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(csv);
  for (std::string line; std::getline(text, line);) lines.push_back(fields_of(line));
  return lines;
}

Measurement measured(Device device, const std::vector<double>& times) {
  Measurement one;
  one.device = device;
  one.compute = summarize_times(times, device);
  return one;
}

/// A right row and a wrong one.
Report example(Device gpu) {
  Report report;
  report.started_utc = "2026-01-01T00:00:00Z";
  report.cpu.copy_rate = 10.0;
  report.cpu.matmul_rate = 100.0;
  report.gpu = Limits{.device = gpu, .copy_rate = 100.0, .matmul_rate = 1000.0, .problem = {}};
  Row good;
  good.what = {.name = "add/10",
               .what = "a sum",
               .inputs = {},
               .prepare = {},
               .bytes = 100.0,
               .claim = Claim{20.0, 30.0, 0.8, 1.2},
               .sweep = "add",
               .size = 10};
  good.cpu = measured(Device::cpu(), {20.0, 10.0, 30.0});
  good.gpu = measured(gpu, {2.0, 2.0});
  good.gpu->upload = summarize_times({3.0});
  good.gpu->download = summarize_times({5.0});
  Row bad;
  bad.what.name = "relu/10";
  bad.cpu = measured(Device::cpu(), {1.0});
  bad.gpu.emplace();
  bad.gpu->device = gpu;
  bad.gpu->status = Status::wrong;
  bad.gpu->message = "differs, \"by much\"";
  bad.gpu->error = std::nan("");
  report.rows = {good, bad};
  report.crossovers = find_crossovers(report.rows);
  return report;
}

TEST_CASE("The JSON of a report has google-benchmark's keys and ours") {
  const FakeDevice fake;
  const Report report = example(fake.device());
  CHECK(report.is_bad());
  const Json json = Json::parse(to_json(report));
  CHECK(json["context"]["executable"] == "gpu_benchmark");
  CHECK(json["context"]["devices"].size() == 2);
  REQUIRE(json["benchmarks"].size() == 4);
  const Json& cpu = json["benchmarks"][0];
  CHECK(cpu["name"] == "add/10/cpu");
  CHECK(cpu["run_name"] == "add/10");
  CHECK(cpu["run_type"] == "iteration");
  CHECK(cpu["iterations"] == 3);
  CHECK(cpu["real_time"] == 20e3);
  CHECK(cpu["time_unit"] == "ms");
  CHECK(cpu["lower_quartile"] == 15e3);
  CHECK(cpu["upper_quartile"] == 25e3);
  CHECK(cpu["bytes_per_second"] == 5.0);
  CHECK(cpu["share_of_limit"] == 0.5);
  CHECK(cpu["limit"] == "copy");
  CHECK(cpu["guide_time"] == Json{20e3, 30e3});
  const Json& gpu = json["benchmarks"][1];
  CHECK(gpu["name"] == "add/10/gpu");
  CHECK(gpu["device"] == "cuda:0");
  CHECK(gpu["speedup"] == 10.0);
  CHECK(gpu["speedup_with_transfers"] == 2.0);
  CHECK(gpu["upload_time"] == 3e3);
  CHECK(gpu["download_time"] == 5e3);
  CHECK(gpu["guide_time"] == Json{0.8e3, 1.2e3});
  const Json& wrong = json["benchmarks"][3];
  CHECK(wrong["error_occurred"] == true);
  CHECK(wrong["error_message"] == "differs, \"by much\"");
  CHECK(wrong["error"].is_null());
  CHECK_FALSE(wrong.contains("real_time"));
  CHECK(json["crossovers"][0]["from"] == 10);
}

TEST_CASE("The CSV of a report has as many fields in every line") {
  const FakeDevice fake;
  const auto lines = table_of(to_csv(example(fake.device())));
  REQUIRE(lines.size() == 5);
  for (const auto& line : lines) CHECK(line.size() == lines[0].size());
  CHECK(lines[0][0] == "name");
  CHECK(lines[1][5] == "20.0");
  CHECK(lines[2][2] == "cuda:0");
  CHECK(lines[4][3] == "wrong");
  CHECK(lines[4].back() == "differs, by much");
}

TEST_CASE("The table names medians, speed-up, limits, claims and what went wrong") {
  const FakeDevice fake;
  const std::string table = to_table(example(fake.device()));
  for (const char* text :
       {"fake device", "20000 +-10000", "2000 +-0", "10.0x", "2.00x", "20000-30000 / 800-1200",
        "50 %", "wrong", "relu/10 on cuda:0: wrong, differs",
        "the GPU is faster at every size measured"}) {
    INFO(text);
    CHECK_SAYS(table, text);
  }
}

FOLDER_TEST_CASE("Every single time is in the HDF5 file") {
  const FakeDevice fake;
  write_hdf5(example(fake.device()), folder.path("r.h5"));
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  const hdf5::Dataset times = file.open_dataset("cases/add/10/cpu/compute");
  CHECK(times.read<double>() == std::vector<double>{20.0, 10.0, 30.0});
  CHECK(times.number_attribute("median") == 20.0);
  CHECK(times.text_attribute("units") == "s");
  CHECK(file.open_dataset("cases/add/10/gpu/upload").read<double>() == std::vector<double>{3.0});
  const hdf5::Group wrong = file.open_group("cases/relu/10/gpu");
  CHECK(wrong.text_attribute("status") == "wrong");
  CHECK_FALSE(wrong.has_dataset("compute"));
  CHECK(file.open_group("crossovers/add").integer_attribute("from") == 10);
}

FOLDER_TEST_CASE("gpu_benchmark measures the CPU alone, and what it writes can be read") {
  const Finished done =
      gpu_benchmark(folder, {"--cpu-only", "--quick", "--filter", "1000x1000", "--json", "r.json",
                             "--csv", "r.csv", "--hdf5", "r.h5"});
  CHECK(done.code == 0);
  CHECK_SAYS(done.out, "no GPU   left out, by --cpu-only", "matmul/1000x1000");
  CHECK_SAYS(done.err, "measuring the CPU");
  const Json json = Json::parse(file_text(folder.path("r.json")));
  const std::size_t cases = json["benchmarks"].size();
  CHECK(cases == 6);
  for (const Json& row : json["benchmarks"]) {
    CHECK(row["status"] == "measured");
    CHECK(row["min_time"] <= row["real_time"]);
    CHECK(row["real_time"] <= row["max_time"]);
    CHECK(row["device"] == "cpu");
  }
  CHECK(table_of(file_text(folder.path("r.csv"))).size() == cases + 1);
  const hdf5::File file = hdf5::File::open(folder.path("r.h5"));
  CHECK(file.has_dataset("cases/matmul/1000x1000/cpu/compute"));
  CHECK(file.open_group("devices/cpu").number_attribute("copy_bytes_per_second").value() > 0.0);
}

FOLDER_TEST_CASE("gpu_benchmark --cpu-only --quick runs every case") {
  const Finished done =
      gpu_benchmark(folder, {"--cpu-only", "--quick", "--repeats", "1", "--json"});
  CHECK(done.code == 0);
  const Json json = Json::parse(done.out);
  CHECK(json["benchmarks"].size() == device_cases(true).size());
  CHECK(json["context"]["why_no_gpu"] == "left out, by --cpu-only");
}

FOLDER_TEST_CASE("gpu_benchmark says why there is no GPU") {
  if (why_no_cuda().empty()) GAIA_SKIP("there is a GPU");
  const std::vector<std::string> quick = {"--quick", "--filter", "scaling/add/1000", "--csv"};
  const Finished done = gpu_benchmark(folder, quick);
  CHECK(done.code == 0);
  CHECK_SAYS(done.err, "no GPU: " + why_no_cuda());
  std::vector<std::string> forced = quick;
  forced.insert(forced.end(), {"--device", "cuda"});
  CHECK(gpu_benchmark(folder, forced).code == 6);
}

FOLDER_TEST_CASE("gpu_benchmark tells how exact a device is") {
  const Finished done = gpu_benchmark(folder, {"--cpu-only", "--facts"});
  CHECK(done.code == 0);
  for (const char* what :
       {"product in full", "product in tf32", "attention in bfloat16", "linear_gelu in full"}) {
    CHECK_SAYS(done.out, what);
  }
  CHECK_THAT(done.out, !ContainsSubstring("TOO MUCH") && !ContainsSubstring("nan"));
  // An answer that is off, on a device that answers zeros, is reported.
  const FakeDevice fake({.answers_zeros = true});
  const std::vector<Fact> facts = find_facts(fake.device());
  for (const Fact& fact : facts) {
    INFO(fact.what);
    CHECK(fact.is_bad() == (fact.what.substr(0, 7) == "product"));
  }
  CHECK_SAYS(to_text(facts), "1.0e+00, 1e-05 allowed  TOO MUCH");
}

FOLDER_TEST_CASE("gpu_benchmark refuses what makes no sense") {
  const auto check_refused = [&](const std::vector<std::string>& arguments, int code,
                                 const char* text) {
    const Finished done = gpu_benchmark(folder, arguments);
    CHECK(done.code == code);
    CHECK_SAYS(done.err, text);
  };
  check_refused({"--filter", "nothing like it"}, 2, "leaves no case");
  check_refused({"--json", "--csv"}, 2, "cannot both go to stdout");
  check_refused({"--device", "tpu", "--quick"}, 2, "tpu");
  check_refused({"--repeats", "0"}, 2, "--repeats");
  check_refused({"--cpu-only", "--device", "cpu"}, 2, "--device");
  folder.write("r.h5", "mine");
  check_refused({"--quick", "--hdf5", "r.h5"}, 4, "r.h5 exists");
  CHECK(file_text(folder.path("r.h5")) == "mine");
}

FOLDER_TEST_CASE("gpu_benchmark lists its cases") {
  const Finished done = gpu_benchmark(folder, {"--list"});
  CHECK(done.code == 0);
  for (const Case& one : device_cases(false)) CHECK_SAYS(done.out, one.name + "\n");
}

}  // namespace
}  // namespace gaia::test
