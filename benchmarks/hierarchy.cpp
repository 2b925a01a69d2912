// SPDX-License-Identifier: MIT
/// \file
/// Learning in a whole hierarchy: the chunkwise executor compared with the stepwise one.
///
/// The hierarchy is 100 -> 200 -> 400 -> 800 at temporal resolutions 1, 2 and 4: a reactive layer,
/// then two plastic ones that learn at every tick, over 10 000 steps of Gaussian data, all
/// representations kept. First the two executors must agree; then they take turns, and the median
/// of the turns counts.
///
///     bench_hierarchy [--steps N] [--repeats N] [--threads N] [--json FILE]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../src/array/create.h"
#include "../src/array/ops.h"
#include "../src/core/parallel.h"
#include "../src/core/version.h"
#include "../src/hierarchy/manager.h"
#include "../src/layers/hierarchy/hebbian.h"
#include "../src/layers/hierarchy/reactive.h"

namespace {

using namespace gaia;

constexpr std::int64_t kSizes[] = {100, 200, 400, 800};

HierarchyManager make_hierarchy(const PlasticityRule& rule, Executor executor, DType dtype) {
  HierarchyManager hierarchy;
  for (int n = 0; n < 3; ++n) {
    const std::int64_t inputs = kSizes[n];
    const std::int64_t outputs = kSizes[n + 1];
    const RandomStream random{42, static_cast<std::uint64_t>(n)};
    HierarchicalLevel level(n, inputs, outputs, 1 << n);
    if (n == 0) {
      level.add_layer(ReactiveLayer(inputs, outputs, {.dtype = dtype, .random = random}));
    } else {
      // Rows of length one keep every rule in its working range.
      level.add_layer(HebbianLayer(inputs, outputs,
                                   {.rule = rule,
                                    .control = {.normalization = Normalization::l2},
                                    .executor = executor,
                                    .dtype = dtype,
                                    .random = random}));
    }
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

struct Timing {
  double median = 0.0;
  double fastest = 0.0;
  double slowest = 0.0;
};

Timing summarize(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

class Case {
 public:
  Case(std::string name, const PlasticityRule& rule, DType dtype, std::int64_t steps)
      : name_(std::move(name)),
        rule_(rule),
        dtype_(dtype),
        data_(random_normal({steps, kSizes[0]}, 0.0, 0.3, dtype, {1, 1})) {}

  /// Largest difference of the last level's answers, relative to the largest answer.
  double disagreement() const {
    const std::int64_t steps = std::min<std::int64_t>(500, data_.shape(0));
    const auto answers = [&](Executor executor) {
      return make_hierarchy(rule_, executor, dtype_)
          .process_hierarchy(data_, steps, {.learn = true})
          .at(2)
          .ticks;
    };
    const Array a = answers(Executor::stepwise);
    const Array b = answers(Executor::chunkwise);
    return max(abs(a - b)).item() / max(abs(a)).item();
  }

  double time(Executor executor) const {
    HierarchyManager hierarchy = make_hierarchy(rule_, executor, dtype_);
    const auto start = std::chrono::steady_clock::now();
    hierarchy.process_hierarchy(data_, -1, {.learn = true});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  std::int64_t steps() const { return data_.shape(0); }
  double operations() const {
    return make_hierarchy(rule_, Executor::chunkwise, dtype_).operations_per_step(true);
  }

 private:
  std::string name_;
  PlasticityRule rule_;
  DType dtype_;
  Array data_;
};

}  // namespace

int main(int argc, char** argv) {
  std::int64_t steps = 10000;
  int repeats = 7;
  int threads = 0;
  std::string json_file;
  CLI::App app("Learning in a hierarchy: chunkwise beside stepwise");
  app.add_option("--steps", steps)->check(CLI::Range(100, 10000000));
  app.add_option("--repeats", repeats)->check(CLI::Range(1, 1000));
  app.add_option("--threads", threads)->check(CLI::Range(0, 1024));
  app.add_option("--json", json_file, "Write the results here, with google-benchmark's keys");
  CLI11_PARSE(app, argc, argv);
  if (threads > 0) set_num_threads(threads);

  const std::vector<Case> cases = {
      {"hebbian", HebbRule{.learning_rate = 1e-3}, DType::float32, steps},
      {"oja", OjaRule{.learning_rate = 1e-3}, DType::float32, steps},
      {"bcm", BcmRule{.learning_rate = 1e-3}, DType::float32, steps},
      {"oja", OjaRule{.learning_rate = 1e-3}, DType::float64, steps},
  };
  fmt::print(
      "gaia {} ({}), {} thread(s), 100 -> 200 -> 400 -> 800 at 1/2/4, {} steps, l2, learning\n",
      version(), git_commit(), num_threads(), steps);
  fmt::print("{:10} {:8} {:>12} {:>12} {:>10} {:>12} {:>14}\n", "rule", "dtype", "stepwise ms",
             "chunkwise ms", "ratio", "steps/s", "agreement");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Case& one : cases) {
    const double disagreement = one.disagreement();
    const double tolerance = one.dtype() == DType::float32 ? 1e-3 : 1e-10;
    if (!(disagreement <= tolerance)) {
      fmt::print(stderr,
                 "{} {}: the executors differ by {:.1e}, more than {:.0e}; nothing measured\n",
                 one.name(), to_string(one.dtype()), disagreement, tolerance);
      return 1;
    }
    std::vector<double> stepwise;
    std::vector<double> chunkwise;
    for (int i = 0; i < repeats; ++i) {
      stepwise.push_back(one.time(Executor::stepwise));
      chunkwise.push_back(one.time(Executor::chunkwise));
    }
    const Timing slow = summarize(stepwise);
    const Timing fast = summarize(chunkwise);
    const double rate = static_cast<double>(one.steps()) / fast.median;
    fmt::print("{:10} {:8} {:12.1f} {:12.1f} {:10.2f} {:12.0f} {:14.1e}\n", one.name(),
               to_string(one.dtype()), slow.median * 1e3, fast.median * 1e3,
               slow.median / fast.median, rate, disagreement);
    for (const auto& [executor, timing] :
         {std::pair("stepwise", slow), std::pair("chunkwise", fast)}) {
      rows.push_back({{"name", fmt::format("hierarchy/{}/{}/{}", one.name(), to_string(one.dtype()),
                                           executor)},
                      {"run_type", "iteration"},
                      {"iterations", repeats},
                      {"real_time", timing.median * 1e3},
                      {"cpu_time", timing.median * 1e3},
                      {"time_unit", "ms"},
                      {"fastest", timing.fastest * 1e3},
                      {"slowest", timing.slowest * 1e3},
                      {"items_per_second", static_cast<double>(one.steps()) / timing.median},
                      {"operations_per_second",
                       one.operations() * static_cast<double>(one.steps()) / timing.median}});
    }
  }
  if (!json_file.empty()) {
    std::ofstream file(json_file);
    file << nlohmann::ordered_json{{"context",
                                    {{"library", "gaia " + version()},
                                     {"commit", git_commit()},
                                     {"num_threads", num_threads()},
                                     {"steps", steps}}},
                                   {"benchmarks", rows}}
                .dump(2)
         << "\n";
    if (!file.good()) {
      fmt::print(stderr, "{}: cannot be written\n", json_file);
      return 1;
    }
  }
  return 0;
}
