// SPDX-License-Identifier: MIT
/// \file
/// How long operations take on a device.
///
///     GPUContext scope("cuda");
///     const BenchmarkResult result = benchmark_device([&] { return matmul(a, b); });
///     std::printf("%s: %.3f ms\n", to_string(result.device).c_str(), result.median_time * 1e3);
///
/// Every call is timed on its own, by the steady clock, from an idle device until the device is
/// idle again: what is measured is the time after which the result is there, launching included.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "array.h"
#include "device.h"

namespace gaia {

struct BenchmarkOptions {
  std::int64_t warmup = 10;    ///< Calls before the clock starts.
  std::int64_t repeats = 100;  ///< Calls that are timed.
  /// Once warm-up and repeats have taken as long as this, no further call is made, except that one
  /// is always timed; 0: no limit.
  double max_seconds = 0.0;
};

/// Times of single calls, in seconds.
struct BenchmarkResult {
  Device device;              ///< Device on which the calls ran.
  std::vector<double> times;  ///< One per call, in their order.
  double mean_time = 0.0;
  double std_time = 0.0;  ///< sqrt(mean((t - mean)^2)).
  double min_time = 0.0;
  double max_time = 0.0;
  double total_time = 0.0;  ///< Their sum.
  double median_time = 0.0;
  double lower_quartile = 0.0;  ///< A quarter of the times lies below; interpolated, as by NumPy.
  double upper_quartile = 0.0;

  /// Number of calls that were timed.
  std::int64_t repeats() const { return static_cast<std::int64_t>(times.size()); }
  /// The interquartile range: the width of the middle half.
  double spread() const { return upper_quartile - lower_quartile; }
};

/// The fields from the times.  \throws ArgumentError if there are none.
BenchmarkResult summarize_times(std::vector<double> times, Device device = current_device());

/// Calls `f`, whose result is dropped, on the current device.
/// \throws ArgumentError for negative options or no repeats, and whatever `f` throws.
BenchmarkResult benchmark_device(const std::function<void()>& f,
                                 const BenchmarkOptions& options = {});

/// Times a kernel of the registry (`kernels.h`) on the current device, to which the
/// arguments are copied before the clock starts:
///
///     gelu                  x
///     gelu_backward         dy, x, y
///     linear_gelu           x, weights[, bias]
///     linear_gelu_backward  dy, x, weights, z
///     layer_norm            x[, weight[, bias]]
///     layer_norm_backward   dy, x, mean, rstd[, weight]
///     attention             q, k, v
///     attention_backward    dy, q, k, v, y, largest, sum
///
/// \throws ArgumentError for a kernel that there is not or a number of arguments that it does not
///         take, DeviceError where only the unfused composition could run, and what the
///         operation throws.
BenchmarkResult benchmark(const std::string& name, const std::vector<Array>& args,
                          const BenchmarkOptions& options = {});

/// The names that `benchmark` takes.
std::vector<std::string> benchmark_names();

}  // namespace gaia
