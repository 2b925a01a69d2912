// SPDX-License-Identifier: MIT
#include "placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <span>

#include "../core/message.h"
#include "../core/text.h"
#include "benchmark.h"
#include "transfer.h"

namespace gaia {
namespace {

/// What a trial copies between devices is neither counted nor reported.
class UncountedTransfers {
 public:
  UncountedTransfers() {
    if (policy_ == TransferPolicy::warn_once) set_transfer_policy(TransferPolicy::allow);
  }
  ~UncountedTransfers() {
    reset_transfer_stats();
    add_transfer_stats(stats_);
    set_transfer_policy(policy_);
  }
  UncountedTransfers(const UncountedTransfers&) = delete;
  UncountedTransfers& operator=(const UncountedTransfers&) = delete;

 private:
  TransferPolicy policy_ = transfer_policy();
  TransferStats stats_ = transfer_stats();
};

/// What arrays of this process can still take there.
double free_bytes(const DeviceInfo& info) {
  const MemoryStats stats = memory_stats(info.device);
  std::int64_t free = info.free_memory + std::max<std::int64_t>(0, stats.reserved - stats.used);
  if (stats.limit > 0) free = std::min(free, stats.limit - stats.used);
  return static_cast<double>(std::max<std::int64_t>(0, free));
}

std::atomic<std::int64_t> g_offload_threshold{0};

std::string about(double seconds) { return "about " + time_text(seconds); }

void try_on(TriedDevice& one, const DeviceTrial& trial) {
  try {
    const GPUContext scope(one.device);
    one.time = trial.run();
    synchronize();
    if (!std::isfinite(one.time.seconds)) one.why_not = "its time cannot be told";
  } catch (const std::exception& error) {
    one.time = {};
    one.why_not = error.what();
  }
}

/// Whether it is known to be less than what is worth another device.
bool is_too_little(const DeviceTrial& trial) {
  return trial.memory_bytes > 0.0 && trial.memory_bytes < static_cast<double>(trial.least_bytes);
}

std::string too_little_text(const DeviceTrial& trial) {
  return fmt::format("needs about {}, below the offload threshold of {}",
                     bytes_text(trial.memory_bytes),
                     bytes_text(static_cast<double>(trial.least_bytes)));
}

/// Why `one` need not be tried, after `before`; empty if it is to be.
std::string why_not_try(const TriedDevice& one, std::span<const TriedDevice> before,
                        const DeviceTrial& trial) {
  if (!one.device.is_cpu() && is_too_little(trial)) return too_little_text(trial);
  if (trial.memory_bytes > one.free_bytes) {
    return fmt::format("too little memory: about {} needed, {} free",
                       bytes_text(trial.memory_bytes), bytes_text(one.free_bytes));
  }
  for (const TriedDevice& twin : before) {
    const bool is_alike = !twin.device.is_cpu() && twin.name == one.name && twin.why_not.empty();
    if (is_alike) return message("like {}", twin.device);
  }
  return {};
}

/// The device to take.
const TriedDevice* soonest(const std::vector<TriedDevice>& tried) {
  const TriedDevice* best = nullptr;
  for (const TriedDevice& one : tried) {
    if (!one.why_not.empty()) continue;
    if (best == nullptr || one.time.seconds < best->time.seconds) best = &one;
  }
  return best;
}

std::string reason_of(const Placement& placement) {
  std::string reason;
  for (const TriedDevice& one : placement.tried) {
    if (one.device == placement.device && one.why_not.empty()) reason = about(one.time.seconds);
  }
  for (const TriedDevice& one : placement.tried) {
    if (one.device == placement.device && one.why_not.empty()) continue;
    reason += reason.empty() ? "" : ", ";
    reason += one.why_not.empty()
                  ? fmt::format("on {} {}", to_string(one.device), about(one.time.seconds))
                  : fmt::format("not on {}: {}", to_string(one.device), one.why_not);
  }
  return reason;
}

}  // namespace

void set_offload_threshold(std::int64_t bytes) {
  if (bytes < 0) {
    fail<ArgumentError>("[set_offload_threshold] expected a number of bytes, or 0; got {}", bytes);
  }
  g_offload_threshold = bytes;
}

std::int64_t offload_threshold() { return g_offload_threshold; }

Placement place(const DeviceTrial& trial, bool even_alone) {
  Placement placement{.name = trial.name, .memory_bytes = trial.memory_bytes};
  for (const Device device : available_devices()) {
    const DeviceInfo info = device_info(device);
    placement.tried.push_back(
        {.device = device, .name = info.name, .free_bytes = free_bytes(info)});
  }
  std::vector<TriedDevice>& tried = placement.tried;
  const bool is_alone = tried.size() == 1;
  const bool stays = !is_alone && !even_alone && is_too_little(trial);
  if (stays) {
    for (std::size_t i = 1; i < tried.size(); ++i) tried[i].why_not = too_little_text(trial);
    placement.reason = too_little_text(trial);
    return placement;
  }
  if (!is_alone || even_alone) {
    const UncountedTransfers uncounted;
    for (std::size_t i = 0; i < tried.size(); ++i) {
      tried[i].why_not = why_not_try(tried[i], std::span(tried).first(i), trial);
      if (tried[i].why_not.empty()) try_on(tried[i], trial);
    }
  }
  if (const TriedDevice* best = soonest(tried)) placement.device = best->device;
  for (const TriedDevice& one : tried) {
    // What its pool holds of the trial is no use to anyone.
    if (!one.device.is_cpu() && !(one.device == placement.device)) trim_memory(one.device);
  }
  placement.reason = is_alone ? why_no_cuda() : reason_of(placement);
  return placement;
}

Placement fastest_device(const std::function<void()>& f, const FastestDeviceOptions& options) {
  if (!(options.calls > 0.0) || !(options.seconds > 0.0)) {
    throw ArgumentError(
        fmt::format("[fastest_device] expected calls and seconds above 0, got calls {} and "
                    "seconds {}",
                    options.calls, options.seconds));
  }
  std::exception_ptr first_error;
  const auto run = [&]() -> TrialTime {
    try {
      const BenchmarkResult calls =
          benchmark_device(f, {.warmup = 3, .repeats = 100, .max_seconds = options.seconds});
      return {.parts = {{fmt::format("a call (of {})", calls.repeats()), calls.median_time}},
              .seconds = options.calls * calls.median_time};
    } catch (...) {
      if (!first_error) first_error = std::current_exception();
      throw;
    }
  };
  const Placement placement =
      place({.name = options.name, .memory_bytes = options.memory_bytes, .run = run});
  if (first_error && soonest(placement.tried) == nullptr) std::rethrow_exception(first_error);
  return placement;
}

std::string Placement::summary() const { return message("{} ({})", device, reason); }

double Placement::seconds() const {
  for (const TriedDevice& one : tried) {
    if (one.device == device) return one.time.seconds;
  }
  return 0.0;
}

std::string Placement::explain() const {
  std::string text = fmt::format("trial   {}\n", printable(name));
  if (memory_bytes > 0.0) {
    text += fmt::format("memory  about {} needed\n", bytes_text(memory_bytes));
  }
  for (const TriedDevice& one : tried) {
    text += fmt::format("{:<8}{}, {} free", to_string(one.device), printable(one.name),
                        bytes_text(one.free_bytes));
    for (const TrialTime::Part& part : one.time.parts) {
      text += fmt::format("; {} in {}", part.name, time_text(part.seconds));
    }
    if (!one.time.parts.empty()) text += "; in all " + about(one.time.seconds);
    if (!one.why_not.empty()) text += "; not taken: " + printable(one.why_not);
    text += "\n";
  }
  return message("{}device  {}\n", text, summary());
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", seconds * 1e3);
  return duration_text(seconds);
}

}  // namespace gaia
