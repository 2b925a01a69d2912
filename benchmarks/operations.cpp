// SPDX-License-Identifier: MIT
/// \file
/// How long gaia's operations take on the CPU, compared with what the machine can do at most.
///
///     bench_operations [--filter TEXT] [--threads N] [--repeats N] [--seconds S] [--quick]
///                      [--no-ceilings] [--list] [--json FILE]
///
/// The answer of every case is compared with a reference first; a wrong one is not timed, and the
/// exit code is 1.  A time is the mean of as many calls as take two milliseconds; the median of
/// such times counts.  Where operations are counted, each time is followed by a short measurement
/// of the limit itself: how fast the processor then multiplied.  `scripts/benchmark` runs this and
/// its peers in turns.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../cpu/instruction_set.h"
#include "../src/array/benchmark.h"
#include "../src/core/error.h"
#include "../src/core/parallel.h"
#include "../src/core/version.h"
#include "cases.h"
#include "ceilings.h"

namespace {

using namespace gaia;
using namespace gaia::bench;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct Options {
  std::string filter;
  int threads = 0;
  std::int64_t repeats = 15;
  double seconds = 0.5;  // per case
  bool quick = false;
  bool no_ceilings = false;
  bool list = false;
  std::string json_file;
};

/// Calls are timed together until they take as long as this.
double sample_seconds(const Options& options) { return options.quick ? 1e-4 : 2e-3; }

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Times {
  std::vector<double> seconds;  // of one call, each the mean of `calls`
  std::int64_t calls = 1;
  double cpu_seconds = 0.0;       // of one call, over all threads
  std::vector<double> fma_rates;  // right after each, where the case counts operations
};

Times measure(const Case& one, const Task& work, const Options& options) {
  const Clock::time_point begin = Clock::now();
  const auto call = [&](std::int64_t calls) {
    if (work.reset) work.reset();
    const Clock::time_point start = Clock::now();
    for (std::int64_t i = 0; i < calls; ++i) work.run();
    return seconds_since(start);
  };
  Times times;
  const double wanted = sample_seconds(options);
  double once = call(1);
  // What is reset before a call is timed call by call.
  while (!work.reset && once < wanted) {
    times.calls =
        std::max(times.calls + 1, static_cast<std::int64_t>(static_cast<double>(times.calls) *
                                                            std::min(10.0, 1.2 * wanted / once)));
    once = call(times.calls);
  }
  double cpu = 0.0;
  do {
    const std::clock_t before = std::clock();
    times.seconds.push_back(call(times.calls) / static_cast<double>(times.calls));
    cpu += static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    if (one.flops > 0.0) times.fma_rates.push_back(fma_rate_now(one.dtype));
  } while (std::ssize(times.seconds) < options.repeats && seconds_since(begin) < options.seconds);
  times.cpu_seconds =
      cpu / static_cast<double>(times.calls) / static_cast<double>(times.seconds.size());
  return times;
}

/// google-benchmark's keys first; every single time, for who joins several runs.
Json record(const std::string& name, const std::vector<double>& seconds, std::int64_t calls,
            double cpu_seconds) {
  const BenchmarkResult summary = summarize_times(seconds);
  std::vector<double> times;
  for (const double one : seconds) times.push_back(one * 1e6);
  return {{"name", name},
          {"run_type", "iteration"},
          {"iterations", calls * std::ssize(seconds)},
          {"threads", num_threads()},
          {"real_time", summary.median_time * 1e6},
          {"cpu_time", cpu_seconds * 1e6},
          {"time_unit", "us"},
          {"lower_quartile", summary.lower_quartile * 1e6},
          {"upper_quartile", summary.upper_quartile * 1e6},
          {"times", times}};
}

void add_ceilings(Json& rows, const Options& options) {
  for (const Ceiling& ceiling : measure_ceilings(num_threads(), options.quick)) {
    const double fastest = *std::min_element(ceiling.seconds.begin(), ceiling.seconds.end());
    const bool is_fma = ceiling.name.starts_with("ceiling/fma");
    fmt::print("{:52} {:10.1f} {}\n", ceiling.name, ceiling.work / fastest * 1e-9,
               is_fma ? "GFLOP/s" : "GB/s");
    Json row = record(ceiling.name, ceiling.seconds, 1, 0.0);
    row["cpu_time"] = row["real_time"].get<double>() * ceiling.threads;
    row[is_fma ? "flops" : "bytes"] = ceiling.work;
    row["best_rate"] = ceiling.work / fastest;
    rows.push_back(row);
  }
}

/// Whether the answer was right.
bool add_case(Json& rows, const Case& one, const Options& options) {
  const Task work = one.prepare(one.inputs ? one.inputs() : Arrays());
  const double error = work.error();
  if (!(error <= one.tolerance)) {
    const std::string message =
        fmt::format("differs from the reference by {:.1e}, more than {:.0e}", error, one.tolerance);
    fmt::print(stderr, "{}: {}; not timed\n", one.name, message);
    rows.push_back({{"name", one.name},
                    {"run_type", "iteration"},
                    {"error_occurred", true},
                    {"error_message", message}});
    return false;
  }
  const Times times = measure(one, work, options);
  Json row = record(one.name, times.seconds, times.calls, times.cpu_seconds);
  row["dtype"] = to_string(one.dtype);
  row["error"] = error;
  const double seconds = row["real_time"].get<double>() * 1e-6;
  if (one.flops > 0.0) {
    row["flops"] = one.flops;
    row["fma_rates"] = times.fma_rates;
  } else {
    row["bytes"] = one.bytes;
  }
  if (one.items > 0.0) row["items_per_second"] = one.items / seconds;
  const double rate = (one.flops > 0.0 ? one.flops : one.bytes) / seconds * 1e-9;
  fmt::print("{:52} {:12.3f} us {:8.1f} {}\n", one.name, seconds * 1e6, rate,
             one.flops > 0.0 ? "GFLOP/s" : "GB/s");
  std::fflush(stdout);
  rows.push_back(row);
  return true;
}

int run(const Options& options) {
  if (options.threads > 0) set_num_threads(options.threads);
  std::vector<Case> cases;
  for (auto* list : {learning_cases, equation_cases, growth_cases, hierarchy_cases, product_cases,
                     elementwise_cases, function_cases, order_cases, reduction_cases, copy_cases,
                     image_cases, random_cases, network_cases}) {
    add_named(cases, list(options.quick), options.filter);
  }
  if (options.list) {
    for (const Case& one : cases) fmt::print("{}\n", one.name);
    return 0;
  }
  if (cases.empty()) {
    fmt::print(stderr, "no case has '{}' in its name; --list shows all\n", options.filter);
    return 2;
  }
  fmt::print("gaia {} ({}), {} thread(s), {}\n", version(), git_commit(), num_threads(),
             to_string(cpu::instruction_set()));
  Json rows = Json::array();
  if (!options.no_ceilings) add_ceilings(rows, options);
  bool good = true;
  for (const Case& one : cases) good = add_case(rows, one, options) && good;
  if (!options.json_file.empty()) {
    std::ofstream file(options.json_file);
    file << Json{{"context",
                  {{"library", "gaia " + version()},
                   {"commit", git_commit()},
                   {"build", build_description()},
                   {"cpu", device_info(Device::cpu()).name},
                   {"instruction_set", to_string(cpu::instruction_set())},
                   {"largest_cache", largest_cache()},
                   {"num_threads", num_threads()},
                   {"quick", options.quick}}},
                 {"benchmarks", rows}}
                .dump(1)
         << "\n";
    if (!file.flush()) {
      fmt::print(stderr, "{}: cannot be written\n", options.json_file);
      return 1;
    }
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("gaia's operations on the CPU, checked and timed");
  app.add_option("--filter", options.filter, "Only cases whose name holds this");
  app.add_option("--threads", options.threads)->check(CLI::Range(0, 1024));
  app.add_option("--repeats", options.repeats)->check(CLI::Range(1, 1000));
  app.add_option("--seconds", options.seconds, "Spent on a case, about")
      ->check(CLI::Range(0.0, 3600.0));
  app.add_flag("--quick", options.quick,
               "Small sizes and few calls: whether it works, not how fast");
  app.add_flag("--no-ceilings", options.no_ceilings, "Do not measure the machine's limits");
  app.add_flag("--list", options.list, "Name the cases");
  app.add_option("--json", options.json_file,
                 "Write the results here, with google-benchmark's keys");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.seconds = std::min(options.seconds, 0.01);
  try {
    return run(options);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
