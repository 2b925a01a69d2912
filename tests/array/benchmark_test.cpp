// SPDX-License-Identifier: MIT
/// \file
/// Timing: that its fields agree with each other and with what was called.  No speed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "../../src/array/benchmark.h"
#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/kernels.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/log_capture.h"

namespace gaia::test {
namespace {

void check_consistent(const BenchmarkResult& result) {
  CHECK(result.repeats() == std::ssize(result.times));
  CHECK(result.min_time == *std::min_element(result.times.begin(), result.times.end()));
  CHECK(result.max_time == *std::max_element(result.times.begin(), result.times.end()));
  const double sum = std::accumulate(result.times.begin(), result.times.end(), 0.0);
  CHECK(result.total_time == Approx(sum));
  CHECK(result.mean_time == Approx(sum / static_cast<double>(result.repeats())));
  CHECK(result.min_time >= 0.0);
  CHECK(result.min_time <= result.lower_quartile);
  CHECK(result.lower_quartile <= result.median_time);
  CHECK(result.median_time <= result.upper_quartile);
  CHECK(result.upper_quartile <= result.max_time);
  CHECK(result.std_time >= 0.0);
  CHECK(result.spread() == result.upper_quartile - result.lower_quartile);
}

TEST_CASE("Quantiles are NumPy's") {
  const BenchmarkResult result = summarize_times({4.0, 1.0, 3.0, 2.0});
  CHECK(result.times == std::vector<double>{4.0, 1.0, 3.0, 2.0});
  CHECK(result.median_time == 2.5);
  CHECK(result.lower_quartile == 1.75);
  CHECK(result.upper_quartile == 3.25);
  CHECK(result.mean_time == 2.5);
  CHECK(result.std_time == Approx(std::sqrt(1.25)));
  CHECK(result.total_time == 10.0);
  check_consistent(result);
  const BenchmarkResult one = summarize_times({0.1});
  CHECK(one.median_time == 0.1);
  CHECK(one.std_time == 0.0);
  check_consistent(one);
  CHECK_THROWS_WITH_TEXT(summarize_times({}), ArgumentError, "at least one time");
}

DEVICE_TEST_CASE("A function is called warmup plus repeats times, on the device that is current") {
  int calls = 0;
  const BenchmarkResult result = benchmark_device(
      [&] {
        ++calls;
        return ones({2});
      },
      {.warmup = 3, .repeats = 5});
  CHECK(calls == 8);
  CHECK(result.repeats() == 5);
  CHECK(result.device == current_device());
  check_consistent(result);
}

TEST_CASE("A time holds the whole call, and not what was called before it") {
  int calls = 0;
  const BenchmarkResult result = benchmark_device(
      [&] {
        if (calls++ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      },
      {.warmup = 1, .repeats = 3});
  CHECK(result.min_time >= 2e-3);
}

TEST_CASE("A limit of time ends a measurement after at least one call") {
  int calls = 0;
  const auto slow = [&] {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  CHECK(benchmark_device(slow, {.warmup = 1000, .repeats = 1000, .max_seconds = 1e-3}).repeats() ==
        1);
  CHECK(calls == 2);
}

TEST_CASE("Options that make no sense are refused, and errors of the function come through") {
  const auto nothing = [] {};
  for (const BenchmarkOptions& options :
       {BenchmarkOptions{.warmup = -1}, BenchmarkOptions{.repeats = 0},
        BenchmarkOptions{.max_seconds = -1.0}, BenchmarkOptions{.max_seconds = std::nan("")}}) {
    CHECK_THROWS_WITH_TEXT(benchmark_device(nothing, options), ArgumentError,
                           "[benchmark] expected warmup >= 0");
  }
  CHECK_THROWS_AS(benchmark_device([] { throw DataError("no"); }), DataError);
}

TEST_CASE("Every fused kernel of the registry can be timed by its name") {
  for (const KernelInfo& kernel : kernel_registry()) {
    if (!kernel.is_fused) continue;
    const std::vector<std::string> names = benchmark_names();
    CHECK(std::find(names.begin(), names.end(), kernel.name) != names.end());
  }
  const BenchmarkOptions once{.warmup = 1, .repeats = 2};
  const Array x = ones({3, 2});  // on the CPU: benchmark brings it where it measures
  const Array weights = ones({2, 2});
  const Array row = ones({2});
  const Array stats = ones({3, 1});
  const Array lse = ones({3});
  const std::vector<std::pair<std::string, std::vector<Array>>> calls = {
      {"gelu", {x}},
      {"gelu_backward", {x, x, x}},
      {"linear_gelu", {x, weights}},
      {"linear_gelu", {x, weights, row}},
      {"linear_gelu_backward", {x, x, weights, x}},
      {"layer_norm", {x}},
      {"layer_norm", {x, row, row}},
      {"layer_norm_backward", {x, x, stats, stats}},
      {"layer_norm_backward", {x, x, stats, stats, row}},
      {"attention", {x, x, x}},
      {"attention_backward", {x, x, x, x, x, lse, lse}},
  };
  for (const auto& [name, args] : calls) {
    INFO(name << " of " << args.size());
    reset_kernel_registry();
    const BenchmarkResult result = benchmark(name, args, once);
    CHECK(result.repeats() == 2);
    for (const KernelInfo& kernel : kernel_registry()) {
      if (kernel.is_fused) CHECK(kernel.launches == (kernel.name == name ? 3 : 0));
    }
    const FakeDevice fake;
    const GPUContext scope(fake.device());
    CHECK(benchmark(name, args, once).device == fake.device());
  }
}

TEST_CASE("A kernel that there is not, arguments that it does not take and fallbacks are errors") {
  const Array x = ones({3, 2});
  CHECK_THROWS_WITH_TEXT(benchmark("layernorm", {x}), ArgumentError,
                         "unknown kernel 'layernorm' (did you mean 'layer_norm'?); known: gelu");
  CHECK_THROWS_WITH_TEXT(benchmark("attention", {x}), ArgumentError,
                         "attention takes 3 arrays, got 1");
  CHECK_THROWS_WITH_TEXT(benchmark("linear_gelu", {x}), ArgumentError,
                         "linear_gelu takes 2 to 3 arrays, got 1");
  const Array half = ones({3, 2}, DType::bfloat16);
  CHECK_THROWS_WITH_TEXT(benchmark("attention", {half, half, half}), DeviceError, "bfloat16");
  CHECK_FALSE(strict_kernels());
}

}  // namespace
}  // namespace gaia::test
