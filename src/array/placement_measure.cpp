// SPDX-License-Identifier: MIT
/// \file
/// Measures how fast a device is: each kind of work at sizes that grow until a call takes too long.
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "../core/error.h"
#include "array.h"
#include "backend.h"
#include "benchmark.h"
#include "create.h"
#include "functions.h"
#include "linear.h"
#include "ops.h"
#include "placement_rates.h"
#include "precision.h"

namespace gaia {
namespace {

constexpr std::int64_t kTicks = 64;  // of one call
constexpr double kTimesFree = 8.0;   // free memory over what a size takes

/// One size of one kind of work.
struct Size {
  double amount;
  double bytes;  ///< Of its arrays.
};

class Meter {
 public:
  Meter(Device device, const MeasureOptions& options)
      : options_(options),
        free_bytes_(static_cast<double>(
            std::min(device_info(device).free_memory, device_info(Device::cpu()).free_memory))) {}

  /// A curve over sizes n: `size_of(n)` says what it is, `prepare(n)` makes its arrays and returns
  /// the call; a point is `point(seconds per call)`.
  template <class SizeOf, class Prepare, class PointOf>
  CostCurve curve(std::span<const std::int64_t> sizes, const SizeOf& size_of,
                  const Prepare& prepare, const PointOf& point_of) const {
    CostCurve curve;
    Size last{};
    double last_call = 0.0;
    for (const std::int64_t n : sizes) {
      const Size size = size_of(n);
      const bool first = curve.points.empty();
      if (!first && last_call * size.amount / last.amount > options_.longest_call) break;
      if (!first && size.bytes * kTimesFree > free_bytes_) break;
      const double call = seconds_per_call(prepare(n));
      // A larger amount never takes less time; where it seems to, that is noise.
      const double least = first ? 1e-12 : curve.points.back().seconds;
      curve.points.push_back({size.amount, std::max(point_of(call), least)});
      last = size;
      last_call = call;
    }
    return curve;
  }
  template <class SizeOf, class Prepare>
  CostCurve curve(std::span<const std::int64_t> sizes, const SizeOf& size_of,
                  const Prepare& prepare) const {
    return curve(sizes, size_of, prepare, [](double seconds) { return seconds; });
  }

 private:
  /// Median, of calls one behind the other without waiting in between, as a program makes them.
  double seconds_per_call(const std::function<void()>& call) const {
    call();  // kernels are loaded and memory is taken
    const double one = benchmark_device(call, {.warmup = 0, .repeats = 1}).median_time;
    const auto calls =
        static_cast<std::int64_t>(std::clamp(options_.together / std::max(one, 1e-9), 1.0, 1000.0));
    const BenchmarkResult result = benchmark_device(
        [&] {
          for (std::int64_t i = 0; i < calls; ++i) call();
        },
        {.warmup = 0, .repeats = options_.repeats, .max_seconds = 2.0 * options_.longest_call});
    return result.median_time / static_cast<double>(calls);
  }

  MeasureOptions options_;
  double free_bytes_;
};

/// Small numbers, with which nothing grows or dies out.
Array numbers(const Shape& shape, DType dtype, double deviation, std::uint64_t stream) {
  return random_normal(shape, 0.0, deviation, dtype, RandomStream{1, stream});
}

double square(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n); }

CostCurve measure_products(const Meter& meter, DType dtype) {
  constexpr std::int64_t sizes[] = {16, 64, 256, 1024, 4096};
  return meter.curve(
      sizes,
      [&](std::int64_t n) {
        return Size{2.0 * square(n) * static_cast<double>(n),
                    3.0 * square(n) * static_cast<double>(size_of(dtype))};
      },
      [&](std::int64_t n) {
        return [a = numbers({n, n}, dtype, 1.0, 1), b = numbers({n, n}, dtype, 1.0, 2)] {
          matmul(a, b);
        };
      });
}

/// A layer of n neurons with n inputs; what a call takes beside its ticks is launching.
CostCurve measure_ticks(const Meter& meter, TickKind kind, DType dtype, double launch) {
  constexpr std::int64_t sizes[] = {16, 64, 256, 1024};
  const auto prepare = [&](std::int64_t n) {
    const double scale = 1.0 / std::sqrt(static_cast<double>(n));
    return [kind, x = numbers({1, kTicks, n}, dtype, 0.3, 3),
            w = numbers({n, n}, dtype, 0.3 * scale, 4), y = empty({1, kTicks, n}, dtype),
            memory = ones({1, n}, dtype)] {
      Backend& on = backend(current_device());
      if (kind == TickKind::recurrent) {
        on.recurrent({.leak = 0.5,
                      .drive = x.view(),
                      .recurrent = w.view(),
                      .state = memory.view(),
                      .outputs = y.view()});
        return;
      }
      const PlasticBlock block{
          .control = {}, .samples = x.view(), .weights = w.view(), .outputs = y.view()};
      if (kind == TickKind::coupled) {
        on.coupled({{block}, SangerRule{.learning_rate = 1e-4}});
        return;
      }
      const Executor executor =
          kind == TickKind::stepwise ? Executor::stepwise : Executor::chunkwise;
      const PlasticRun run{
          {block}, OjaRule{.learning_rate = 1e-4}, memory.squeeze({0}).view(), executor};
      on.plastic({&run, 1});
    };
  };
  return meter.curve(
      sizes,
      [&](std::int64_t n) {
        return Size{square(n), (square(n) + 2.0 * static_cast<double>(n * kTicks)) *
                                   static_cast<double>(size_of(dtype))};
      },
      prepare,
      [&](double seconds) {
        return std::max(seconds - launch, 0.1 * seconds) / static_cast<double>(kTicks);
      });
}

Rates::OfType measure_type(const Meter& meter, DType dtype, double launch) {
  return {.products = measure_products(meter, dtype),
          .chunkwise = measure_ticks(meter, TickKind::chunkwise, dtype, launch),
          .stepwise = measure_ticks(meter, TickKind::stepwise, dtype, launch),
          .coupled = measure_ticks(meter, TickKind::coupled, dtype, launch),
          .recurrent = measure_ticks(meter, TickKind::recurrent, dtype, launch)};
}

CostCurve measure_passes(const Meter& meter) {
  constexpr std::int64_t sizes[] = {64, 1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 24};
  const auto size = [](std::int64_t n) {
    const double bytes = 2.0 * 4.0 * static_cast<double>(n);
    return Size{bytes, bytes};
  };
  return meter.curve(sizes, size, [](std::int64_t n) { return [x = ones({n})] { negative(x); }; });
}

/// By the backend itself: these copies are no program's.
CostCurve measure_transfers(const Meter& meter, Device device, bool up) {
  constexpr std::int64_t sizes[] = {4, 1 << 12, 1 << 18, 1 << 22, 1 << 26, 1 << 28};
  const auto size = [](std::int64_t n) {
    return Size{static_cast<double>(n), static_cast<double>(n)};
  };
  return meter.curve(sizes, size, [&](std::int64_t n) {
    std::vector<char> host(static_cast<std::size_t>(n), 1);
    return [device, up, host = std::move(host), there = ones({n / 4})]() mutable {
      const auto bytes = static_cast<std::int64_t>(host.size());
      if (up) {
        backend(device).upload(host.data(), there.view().data, bytes);
      } else {
        backend(device).download(there.view().data, host.data(), bytes);
      }
    };
  });
}

}  // namespace

Rates measure_rates(Device device, const MeasureOptions& options) {
  const GPUContext scope(device);
  // Whoever asks first, the rates are kept for everyone.
  const MatmulPrecisionScope in_full(MatmulPrecision::full);
  const Meter meter(device, options);
  Rates rates;
  rates.passes = measure_passes(meter);
  if (!device.is_cpu()) {
    rates.upload = measure_transfers(meter, device, true);
    rates.download = measure_transfers(meter, device, false);
  }
  const double launch = rates.launch_seconds();
  rates.float32 = measure_type(meter, DType::float32, launch);
  rates.float64 = measure_type(meter, DType::float64, launch);
  // What the pool of a device holds of it is no use to anyone.
  if (!device.is_cpu()) trim_memory(device);
  return rates;
}

}  // namespace gaia
