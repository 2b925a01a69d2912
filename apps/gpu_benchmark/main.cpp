// SPDX-License-Identifier: MIT
/// \file
/// The `gpu_benchmark` command: whether a GPU pays, operation by operation and size by size.
///
/// Every result of the GPU is compared with the CPU's before the clock starts.  The table (or JSON,
/// or CSV) goes to stdout, progress to stderr.  Exit code 1 if any result is wrong; the others are
/// those of `gaia`.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <fstream>
#include <string>

#include "../../src/core/error.h"
#include "../../src/core/text.h"
#include "../../src/io/output_files.h"
#include "../gaia/console.h"
#include "../gaia/exit_codes.h"
#include "report.h"

namespace {

using namespace gaia;
using namespace gaia::bench;

struct Arguments {
  std::string json;  // a file, "-" for stdout, or empty
  std::string csv;
  std::string hdf5;
  std::string filter;
  std::string device;
  std::int64_t repeats = 0;
  bool cpu_only = false;
  bool quick = false;
  bool list = false;
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
  cli.add_flag("--cpu-only", arguments.cpu_only, "Measure the CPU alone");
  cli.add_option("--device", arguments.device,
                 "cuda, cuda:1, ...; default: a GPU where there is one")
      ->excludes("--cpu-only");
  cli.add_option("--repeats", arguments.repeats, "Calls that are timed at most (default 30)")
      ->check(CLI::Range(1, 1000000));
  cli.add_flag("--quick", arguments.quick,
               "Fewer cases, sizes and repeats: a check, no measurement");
  cli.add_flag("--list", arguments.list, "Print the names of the cases");
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

Report run(const Arguments& arguments, const std::vector<Case>& cases) {
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
    app::tell(fmt::format("{:3}/{} {}\n", i + 1, cases.size(), cases[i].name));
    report.rows.push_back(measure(cases[i], gpu, effort));
  }
  report.crossovers = find_crossovers(report.rows);
  return report;
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc | std::ios::binary);
  file << text;
  file.close();
  if (!file) throw OutputError(path + ": cannot be written");
}

void write(const Arguments& arguments, const Report& report) {
  if (!arguments.hdf5.empty()) write_hdf5(report, arguments.hdf5);
  bool to_stdout = false;
  const auto put = [&](const std::string& where, std::string (*text)(const Report&)) {
    if (where.empty()) return;
    to_stdout = to_stdout || where == "-";
    where == "-" ? app::answer(text(report)) : write_text(where, text(report));
  };
  put(arguments.json, &to_json);
  put(arguments.csv, &to_csv);
  if (!to_stdout) app::answer(to_table(report));
}

int benchmark_all(const Arguments& arguments) {
  if (arguments.json == "-" && arguments.csv == "-") {
    throw ConfigError("--json and --csv cannot both go to stdout; give one of them a file");
  }
  const std::vector<Case> cases = all_cases(arguments.quick, arguments.filter);
  if (cases.empty()) {
    throw ConfigError("--filter '" + arguments.filter + "' leaves no case; --list names them all");
  }
  if (arguments.list) {
    for (const Case& one : cases) app::answer(one.name + "\n");
    return app::kDone;
  }
  if (!arguments.hdf5.empty()) {
    make_folder_of(arguments.hdf5);
    clear_the_way(arguments.hdf5, false, {.replace = "rm", .rename = "--hdf5 with another name"});
  }
  const Report report = run(arguments, cases);
  write(arguments, report);
  if (!report.is_bad()) return app::kDone;
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
    return benchmark_all(arguments);
  } catch (...) {
    return app::report_exception();
  }
}
