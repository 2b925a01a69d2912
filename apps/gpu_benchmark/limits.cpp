// SPDX-License-Identifier: MIT
/// \file
/// What a device can do at most, and what follows from it and from sweeps.
#include <algorithm>
#include <map>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "measure.h"

namespace gaia::bench {
namespace {

/// The shortest of some calls: a limit is what can be reached.
double shortest(const std::function<void()>& f, const Effort& effort) {
  return benchmark_device(f, {.warmup = effort.warmup,
                              .repeats = std::max<std::int64_t>(effort.repeats, 5),
                              .max_seconds = effort.max_seconds})
      .min_time;
}

/// The first size of a sweep from which on it always wins.
template <class Wins>
std::optional<std::int64_t> wins_from(const std::map<std::int64_t, const Row*>& sizes, Wins wins) {
  std::optional<std::int64_t> from;
  for (const auto& [size, row] : sizes) {
    if (!wins(*row)) {
      from.reset();
    } else if (!from) {
      from = size;
    }
  }
  return from;
}

}  // namespace

Limits measure_limits(Device device, const Effort& effort) {
  Limits limits;
  limits.device = device;
  const GPUContext scope(device);
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      limits.problem += (limits.problem.empty() ? "" : "; ") + std::string(error.what());
    }
  };
  guarded([&] {
    const Array one = ones({1});
    limits.call_seconds = shortest([&] { one + one; }, effort);
  });
  guarded([&] {
    // Far beyond every cache.
    const std::int64_t n = std::int64_t(1) << (effort.quick ? 18 : device.is_cpu() ? 25 : 28);
    const Array x = ones({n});
    const Array y = zeros({n});
    const double bytes = static_cast<double>(x.bytes());
    limits.copy_rate = 2.0 * bytes / shortest([&] { y.assign(x); }, effort);
    if (!device.is_cpu()) {
      const Array host = x.slice(0, 0, n / 4).to(Device::cpu());
      const double part = static_cast<double>(host.bytes());
      limits.upload_rate = part / shortest([&] { host.to(device); }, effort);
      const Array there = host.to(device);
      limits.download_rate = part / shortest([&] { there.to(Device::cpu()); }, effort);
    }
  });
  guarded([&] {
    const std::int64_t n = effort.quick ? 128 : device.is_cpu() ? 1024 : 8192;
    const Array a = normal_input({n, n}, 1);
    const Array b = normal_input({n, n}, 2);
    const double operations = 2.0 * static_cast<double>(n * n) * static_cast<double>(n);
    limits.matmul_rate = operations / shortest([&] { matmul(a, b); }, effort);
  });
  return limits;
}

bool is_compute_bound(const Case& one, const Limits& limits) {
  if (limits.copy_rate <= 0.0 || limits.matmul_rate <= 0.0) return one.flops > 10.0 * one.bytes;
  return one.flops / limits.matmul_rate > one.bytes / limits.copy_rate;
}

std::optional<double> share_of_limit(const Case& one, double seconds, const Limits& limits) {
  const bool needs_memory = one.bytes > 0.0;
  const bool needs_products = one.flops > 0.0;
  if ((!needs_memory && !needs_products) || (needs_memory && limits.copy_rate <= 0.0) ||
      (needs_products && limits.matmul_rate <= 0.0)) {
    return {};
  }
  const double memory = needs_memory ? one.bytes / limits.copy_rate : 0.0;
  const double products = needs_products ? one.flops / limits.matmul_rate : 0.0;
  return std::max(memory, products) / seconds;
}

std::vector<Crossover> find_crossovers(const std::vector<Row>& rows) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::int64_t, const Row*>> sweeps;
  for (const Row& row : rows) {
    const std::string& name = row.what.sweep;
    if (name.empty() || !row.speedup()) continue;
    if (!sweeps.contains(name)) order.push_back(name);
    sweeps[name][row.what.size] = &row;
  }
  std::vector<Crossover> result;
  for (const std::string& name : order) {
    const auto& sizes = sweeps[name];
    result.push_back({.sweep = name,
                      .smallest = sizes.begin()->first,
                      .largest = sizes.rbegin()->first,
                      .from = wins_from(sizes, [](const Row& row) { return *row.speedup() > 1.0; }),
                      .from_with_transfers = wins_from(sizes, [](const Row& row) {
                        return *row.speedup_with_transfers() > 1.0;
                      })});
  }
  return result;
}

}  // namespace gaia::bench
