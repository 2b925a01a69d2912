// SPDX-License-Identifier: MIT
/// \file
/// The `gpu_benchmark` command: whether a GPU pays, operation by operation and size by size.
///
/// Every result of the GPU is compared with the CPU's before the clock starts.  The table (or JSON,
/// or CSV) goes to stdout, progress to stderr.  Files of JSON and CSV hold each row as soon as it
/// is measured, so that a run that is cut off loses no more than the row it was at.  Exit code 1 if
/// any result is wrong or there was no time for a case; the others are those of `gaia`.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "../../src/core/error.h"
#include "../../src/core/text.h"
#include "../../src/io/output_files.h"
#include "../gaia/console.h"
#include "../gaia/exit_codes.h"
#include "facts.h"
#include "report.h"

namespace {

using namespace gaia;
using namespace gaia::bench;

struct Arguments {
  std::string json;  // a file, "-" for stdout, or empty
  std::string csv;
  std::string hdf5;
  std::string filter;
  std::string group;
  double max_time = 0.0;  // seconds, or 0 for no end
  std::string device;
  std::int64_t repeats = 0;
  bool cpu_only = false;
  bool quick = false;
  bool list = false;
  bool facts = false;
};

void add_options(CLI::App& cli, Arguments& arguments) {
  cli.add_option("--json", arguments.json, "Write JSON, here or to stdout instead of the table")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("[FILE]");
  cli.add_option("--csv", arguments.csv, "Write CSV, here or to stdout instead of the table")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("[FILE]");
  cli.add_option("--hdf5", arguments.hdf5, "Write every single time to a new HDF5 file")
      ->type_name("FILE");
  cli.add_option("--filter", arguments.filter, "Only cases whose name holds this text")
      ->type_name("TEXT");
  cli.add_option("--group", arguments.group, "Only the cases of this group")
      ->check(CLI::IsMember(device_groups()));
  cli.add_option("--max-time", arguments.max_time,
                 "Begin no case after so many seconds, and name those left out")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  cli.add_flag("--cpu-only", arguments.cpu_only, "Measure the CPU alone");
  cli.add_option("--device", arguments.device,
                 "cuda, cuda:1, ...; default: a GPU where there is one")
      ->excludes("--cpu-only");
  cli.add_option("--repeats", arguments.repeats, "Calls that are timed at most (default 30)")
      ->check(CLI::Range(1, 1000000));
  cli.add_flag("--quick", arguments.quick,
               "Fewer cases, sizes and repeats: a check, no measurement");
  cli.add_flag("--list", arguments.list, "Print the names of the cases");
  cli.add_flag("--facts", arguments.facts,
               "Measure no times, but how exact products, attention and gelu are on the device");
}

/// The GPU to measure; without one, `why` says the reason.
std::optional<Device> choose_gpu(const Arguments& arguments, std::string& why) {
  if (arguments.cpu_only) {
    why = "left out, by --cpu-only";
    return {};
  }
  if (!arguments.device.empty()) {
    const Device device = Device::from_name(arguments.device);
    if (device.is_cpu()) {
      why = "left out, by --device " + arguments.device;
      return {};
    }
    const GPUContext usable(device);  // throws if it is not
    return device;
  }
  why = why_no_cuda();
  return why.empty() ? std::optional(Device::automatic()) : std::nullopt;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// Calls on_row(report) after every row.
template <class OnRow>
Report run(const Arguments& arguments, const std::vector<Case>& cases, const OnRow& on_row) {
  const auto start = std::chrono::steady_clock::now();
  Report report;
  const std::optional<Device> gpu = choose_gpu(arguments, report.why_no_gpu);
  if (!gpu) app::tell("no GPU: " + report.why_no_gpu + "; measuring the CPU\n");
  report.started_utc =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  report.host = host_name();
  report.quick = arguments.quick;
  Effort effort;
  if (arguments.quick) effort = {.warmup = 1, .repeats = 3, .max_seconds = 0.1, .quick = true};
  if (arguments.repeats > 0) effort.repeats = arguments.repeats;
  app::tell("limits\n");
  report.cpu = measure_limits(Device::cpu(), effort);
  if (gpu) report.gpu = measure_limits(*gpu, effort);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (arguments.max_time > 0.0 && taken.count() > arguments.max_time) {
      report.left_out.push_back(cases[i].name);
      continue;
    }
    app::tell(fmt::format("{:3}/{} {}\n", i + 1, cases.size(), cases[i].name));
    report.rows.push_back(measure(cases[i], gpu, effort));
    report.crossovers = find_crossovers(report.rows);
    on_row(report);
  }
  return report;
}

/// In place of what was there, of which nothing is lost before all of `text` is written.
void write_text(const std::string& path, const std::string& text) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {  // /dev/stderr
    std::ofstream file(path, std::ios::binary);
    if (!(file << text << std::flush)) throw OutputError(path + ": cannot be written");
    return;
  }
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::trunc | std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (!file || error) throw OutputError(path + ": cannot be written");
}

/// The rows so far, to files.
void write_files(const Arguments& arguments, const Report& report) {
  const auto is_file = [](const std::string& where) { return !where.empty() && where != "-"; };
  if (is_file(arguments.json)) write_text(arguments.json, to_json(report));
  if (is_file(arguments.csv)) write_text(arguments.csv, to_csv(report));
}

void write(const Arguments& arguments, const Report& report) {
  write_files(arguments, report);
  if (!arguments.hdf5.empty()) write_hdf5(report, arguments.hdf5);
  if (arguments.json == "-") app::answer(to_json(report));
  if (arguments.csv == "-") app::answer(to_csv(report));
  if (arguments.json != "-" && arguments.csv != "-") app::answer(to_table(report));
}

int tell_facts(const Arguments& arguments) {
  std::string why;
  const std::optional<Device> gpu = choose_gpu(arguments, why);
  const Device device = gpu.value_or(Device::cpu());
  const std::vector<Fact> facts = find_facts(device);
  app::answer(to_string(device) + "\n" + to_text(facts));
  const bool is_bad =
      std::any_of(facts.begin(), facts.end(), [](const Fact& fact) { return fact.is_bad(); });
  return is_bad ? app::kFailed : app::kDone;
}

int benchmark_all(const Arguments& arguments) {
  if (arguments.json == "-" && arguments.csv == "-") {
    throw ConfigError("--json and --csv cannot both go to stdout; give one of them a file");
  }
  const std::vector<Case> cases = device_cases(arguments.quick, arguments.filter, arguments.group);
  if (cases.empty()) {
    throw ConfigError("--filter '" + arguments.filter + "'" +
                      (arguments.group.empty() ? "" : " and --group " + arguments.group) +
                      " leaves no case; --list names them all");
  }
  if (arguments.list) {
    for (const Case& one : cases) app::answer(one.name + "\n");
    return app::kDone;
  }
  if (!arguments.hdf5.empty()) {
    make_folder_of(arguments.hdf5);
    clear_the_way(arguments.hdf5, false, {.replace = "rm", .rename = "--hdf5 with another name"});
  }
  const Report report =
      run(arguments, cases, [&](const Report& so_far) { write_files(arguments, so_far); });
  write(arguments, report);
  if (!report.is_bad()) return report.left_out.empty() ? app::kDone : app::kFailed;
  for_each_measurement(report, [](const Row& row, const Measurement& one) {
    if (one.status == Status::wrong || one.status == Status::failed) {
      app::tell(printable(row.what.name + " on " + to_string(one.device) + ": " +
                          to_string(one.status) + ": " + one.message) +
                "\n");
    }
  });
  return app::kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  app::prepare_streams();
  CLI::App cli(
      "Whether a GPU pays: every operation on the CPU and on the GPU, verified, then timed",
      "gpu_benchmark");
  Arguments arguments;
  add_options(cli, arguments);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kDone : app::kUsage;
  }
  // An option without its file.
  if (cli.count("--json") > 0 && arguments.json.empty()) arguments.json = "-";
  if (cli.count("--csv") > 0 && arguments.csv.empty()) arguments.csv = "-";
  try {
    return arguments.facts ? tell_facts(arguments) : benchmark_all(arguments);
  } catch (...) {
    return app::report_exception();
  }
}
