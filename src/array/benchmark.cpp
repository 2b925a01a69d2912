// SPDX-License-Identifier: MIT
#include "benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include "../core/message.h"
#include "../core/names.h"
#include "apply.h"
#include "functions.h"
#include "fused.h"
#include "kernels.h"

namespace gaia {
namespace {

using Arrays = std::vector<Array>;
using Clock = std::chrono::steady_clock;

struct Kernel {
  const char* name;
  std::size_t fewest;
  std::size_t most;
  void (*call)(const Arrays& args);
};

/// Argument `index`, if it was given.
std::optional<Array> maybe(const Arrays& args, std::size_t index) {
  return index < args.size() ? std::optional(args[index]) : std::nullopt;
}

constexpr std::array<Kernel, 8> kKernels = {{
    {"gelu", 1, 1, [](const Arrays& a) { gelu(a[0]); }},
    {"gelu_backward", 3, 3, [](const Arrays& a) { unary_gradient(GeluTanh{}, a[1], a[2], a[0]); }},
    {"linear_gelu", 2, 3, [](const Arrays& a) { linear_gelu(a[0], a[1], maybe(a, 2)); }},
    {"linear_gelu_backward", 4, 4,
     [](const Arrays& a) { linear_gelu_backward(a[0], a[1], a[2], a[3]); }},
    {"layer_norm", 1, 3, [](const Arrays& a) { layer_norm(a[0], maybe(a, 1), maybe(a, 2)); }},
    {"layer_norm_backward", 4, 5,
     [](const Arrays& a) { layer_norm_backward(a[0], a[1], maybe(a, 4), a[2], a[3]); }},
    {"attention", 3, 3, [](const Arrays& a) { attention(a[0], a[1], a[2]); }},
    {"attention_backward", 7, 7,
     [](const Arrays& a) { attention_backward(a[0], a[1], a[2], a[3], {a[4], a[5], a[6]}); }},
}};

const Kernel& kernel_named(const std::string& name) {
  const auto found = std::find_if(kKernels.begin(), kKernels.end(),
                                  [&](const Kernel& kernel) { return name == kernel.name; });
  if (found == kKernels.end()) {
    const std::vector<std::string> names = benchmark_names();
    fail<ArgumentError>("[benchmark] unknown kernel '{}'{}; known: {}", name,
                        did_you_mean(name, names), join(names));
  }
  return *found;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The time below which a fraction of the sorted times lies, linear between two of them.
double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void check(const BenchmarkOptions& options) {
  if (options.warmup < 0 || options.repeats < 1 || !(options.max_seconds >= 0.0)) {
    fail<ArgumentError>(
        "[benchmark] expected warmup >= 0, repeats >= 1 and max_seconds >= 0, got warmup {}, "
        "repeats {}, max_seconds {}",
        options.warmup, options.repeats, std::to_string(options.max_seconds));
  }
}

}  // namespace

BenchmarkResult summarize_times(std::vector<double> times, Device device) {
  if (times.empty()) throw ArgumentError("[summarize_times] expected at least one time, got none");
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  BenchmarkResult result;
  result.device = device;
  result.total_time = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  result.min_time = sorted.front();
  result.max_time = sorted.back();
  // Rounding must not carry a mean out of its range.
  result.mean_time = std::clamp(result.total_time / count, sorted.front(), sorted.back());
  double squares = 0.0;
  for (const double time : sorted) squares += (time - result.mean_time) * (time - result.mean_time);
  result.std_time = std::sqrt(squares / count);
  result.median_time = quantile(sorted, 0.5);
  result.lower_quartile = quantile(sorted, 0.25);
  result.upper_quartile = quantile(sorted, 0.75);
  result.times = std::move(times);
  return result;
}

BenchmarkResult benchmark_device(const std::function<void()>& f, const BenchmarkOptions& options) {
  check(options);
  const Clock::time_point begin = Clock::now();
  const auto spent = [&] {
    return options.max_seconds > 0.0 && seconds_since(begin) >= options.max_seconds;
  };
  for (std::int64_t i = 0; i < options.warmup && !spent(); ++i) f();
  std::vector<double> times;
  do {
    synchronize();
    const Clock::time_point start = Clock::now();
    f();
    synchronize();
    times.push_back(seconds_since(start));
  } while (std::ssize(times) < options.repeats && !spent());
  return summarize_times(std::move(times));
}

BenchmarkResult benchmark(const std::string& name, const std::vector<Array>& args,
                          const BenchmarkOptions& options) {
  const Kernel& kernel = kernel_named(name);
  if (args.size() < kernel.fewest || args.size() > kernel.most) {
    const std::string range = kernel.fewest == kernel.most
                                  ? std::to_string(kernel.fewest)
                                  : message("{} to {}", kernel.fewest, kernel.most);
    fail<ArgumentError>("[benchmark] {} takes {} arrays, got {}", name, range, args.size());
  }
  Arrays here;
  for (const Array& arg : args) here.push_back(arg.to(current_device()));
  const StrictKernels strict;
  return benchmark_device([&] { kernel.call(here); }, options);
}

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const Kernel& kernel : kKernels) names.emplace_back(kernel.name);
  return names;
}

}  // namespace gaia
