// SPDX-License-Identifier: MIT
#include "runtime_config.h"

#include <mutex>
#include <utility>

#include "../core/message.h"
#include "../core/parallel.h"
#include "placement.h"

namespace gaia {
namespace {

constexpr std::int64_t kMostThreads = 1024;

/// What nothing else keeps.
struct ProcessSettings {
  std::mutex mutex;
  std::int64_t retries = 0;
  TelemetryConfig telemetry;
};

ProcessSettings& process_settings() {
  static ProcessSettings& instance = *new ProcessSettings;
  return instance;
}

void check_range(const char* field, const std::optional<std::int64_t>& value, std::int64_t least,
                 std::int64_t most, const char* expected) {
  if (!value || (*value >= least && *value <= most)) return;
  fail<ArgumentError>("[RuntimeConfig] {}: expected {}, got {}", field, expected, *value);
}

/// A new pool only where the number is another.
void set_threads(std::int64_t threads) {
  if (threads != num_threads()) set_num_threads(static_cast<int>(threads));
}

/// Those of `now` that `config` sets.
RuntimeConfig as_set_in(const RuntimeConfig& config, const RuntimeConfig& now) {
  RuntimeConfig some;
  if (config.threads) some.threads = now.threads;
  if (!config.device.empty()) some.device = now.device;
  if (config.transfer_policy) some.transfer_policy = now.transfer_policy;
  if (config.offload_threshold) some.offload_threshold = now.offload_threshold;
  if (config.retries) some.retries = now.retries;
  if (config.telemetry) some.telemetry = now.telemetry;
  return some;
}

}  // namespace

RuntimeConfig merged(const RuntimeConfig& over, const RuntimeConfig& under) {
  RuntimeConfig both = under;
  if (over.threads) both.threads = over.threads;
  if (!over.device.empty()) both.device = over.device;
  if (over.memory_limit) both.memory_limit = over.memory_limit;
  if (over.transfer_policy) both.transfer_policy = over.transfer_policy;
  if (over.offload_threshold) both.offload_threshold = over.offload_threshold;
  if (over.retries) both.retries = over.retries;
  if (over.telemetry) {
    TelemetryConfig telemetry = under.telemetry.value_or(TelemetryConfig{});
    if (!over.telemetry->file.empty()) telemetry.file = over.telemetry->file;
    if (!over.telemetry->metrics.empty()) telemetry.metrics = over.telemetry->metrics;
    if (over.telemetry->seconds) telemetry.seconds = over.telemetry->seconds;
    both.telemetry = telemetry;
  }
  return both;
}

void check(const RuntimeConfig& config) {
  constexpr std::int64_t any = std::int64_t{1} << 62;
  check_range("threads", config.threads, 1, kMostThreads, "1 to 1024 threads");
  check_range("memory_limit", config.memory_limit, 0, any, "a number of bytes, or 0 for no limit");
  check_range("offload_threshold", config.offload_threshold, 0, any, "a number of bytes");
  check_range("retries", config.retries, 0, 1000, "0 to 1000 retries");
  if (config.telemetry && !(config.telemetry->seconds.value_or(0.0) >= 0.0)) {
    fail<ArgumentError>(
        "[RuntimeConfig] telemetry.seconds: expected a number that is at least 0, "
        "got {}",
        *config.telemetry->seconds);
  }
}

RuntimeConfig runtime_config() {
  RuntimeConfig now{.threads = num_threads(),
                    .device = to_string(current_device()),
                    .memory_limit = memory_stats().limit,
                    .transfer_policy = transfer_policy(),
                    .offload_threshold = offload_threshold()};
  ProcessSettings& process = process_settings();
  const std::lock_guard lock(process.mutex);
  now.retries = process.retries;
  now.telemetry = process.telemetry;
  return now;
}

void apply(const RuntimeConfig& config) {
  check(config);
  // What can fail comes first.
  const Device before = current_device();
  if (!config.device.empty()) set_device(config.device);
  try {
    if (config.threads) set_threads(*config.threads);
  } catch (...) {  // from inside a parallel task
    set_device(before);
    throw;
  }
  if (config.memory_limit) set_memory_limit(*config.memory_limit);
  if (config.transfer_policy) set_transfer_policy(*config.transfer_policy);
  if (config.offload_threshold) set_offload_threshold(*config.offload_threshold);
  ProcessSettings& process = process_settings();
  const std::lock_guard lock(process.mutex);
  if (config.retries) process.retries = *config.retries;
  if (config.telemetry) process.telemetry = *config.telemetry;
}

RuntimeScope::RuntimeScope(const RuntimeConfig& config)
    : before_(as_set_in(config, runtime_config())) {
  limited_ = config.device.empty() ? current_device() : Device::from_name(config.device);
  if (config.memory_limit) before_.memory_limit = memory_stats(limited_).limit;
  apply(config);
}

RuntimeScope::~RuntimeScope() {
  try {
    if (before_.memory_limit) set_memory_limit(*std::exchange(before_.memory_limit, {}), limited_);
    apply(before_);
  } catch (const Error&) {  // threads cannot be set from inside a parallel task; nor could they be
  }
}

std::string to_string(TransferPolicy policy) {
  switch (policy) {
    case TransferPolicy::allow:
      return "allow";
    case TransferPolicy::warn_once:
      return "warn_once";
    case TransferPolicy::forbid:
      return "forbid";
  }
  return "allow";
}

TransferPolicy transfer_policy_from_name(const std::string& name) {
  for (const TransferPolicy policy :
       {TransferPolicy::allow, TransferPolicy::warn_once, TransferPolicy::forbid}) {
    if (name == to_string(policy)) return policy;
  }
  fail<ArgumentError>("[transfer_policy] unknown policy '{}'; known: allow, warn_once, forbid",
                      name);
}

}  // namespace gaia
