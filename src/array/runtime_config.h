// SPDX-License-Identifier: MIT
/// \file
/// How this process computes, as one object of settings: threads, device, memory, copies between
/// devices, retries and telemetry.
///
///     {
///       const RuntimeScope scope({.threads = 4, .memory_limit = 2'000'000'000});
///       ...                           // computes so
///     }                               // and as before from here on
///
/// What is not set stays as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device.h"

namespace gaia {

/// Files in which runs tell how far they are; an empty name is no file.
struct TelemetryConfig {
  std::string file = {};     ///< JSON, a line each time, added to what the file holds.
  std::string metrics = {};  ///< Prometheus's text format, replaced as a whole each time.
  /// Time from one line to the next, at least; not set: a second.
  std::optional<double> seconds = {};

  bool is_on() const { return !file.empty() || !metrics.empty(); }
  friend bool operator==(const TelemetryConfig&, const TelemetryConfig&) = default;
};

struct RuntimeConfig {
  std::optional<std::int64_t> threads = {};       ///< Number of threads of the process, from 1.
  std::string device = {};                        ///< Name of the thread's device; empty: as it is.
  std::optional<std::int64_t> memory_limit = {};  ///< Bytes of arrays on that device; 0: any.
  std::optional<TransferPolicy> transfer_policy = {};  ///< Policy of the thread.
  /// Bytes below which work stays on the CPU while gaia chooses the device (placement.h).
  std::optional<std::int64_t> offload_threshold = {};
  /// How often a member of a sweep or a search is run again after it died by a signal or ran out of
  /// memory.
  std::optional<std::int64_t> retries = {};
  std::optional<TelemetryConfig> telemetry = {};  ///< Telemetry of runs.

  friend bool operator==(const RuntimeConfig&, const RuntimeConfig&) = default;
};

/// What is set in `over`, of telemetry file by file, and elsewhere what `under` sets.
RuntimeConfig merged(const RuntimeConfig& over, const RuntimeConfig& under);

/// \throws ArgumentError for a value that cannot be, naming the field, what was expected and what
///         came.  Whether the device can be used is not asked.
void check(const RuntimeConfig& config);

/// Settings as they are now: of the calling thread its device and its policy, of that device the
/// limit, and the rest of the process.  All of them are set.
RuntimeConfig runtime_config();

/// Sets what `config` sets, until it is set again: device and transfer policy for the calling
/// thread, the limit for that device, the rest for the process.
/// \throws ArgumentError as check does, DeviceError for a device that cannot be used; then nothing
///         has changed.
void apply(const RuntimeConfig& config);

/// Applies settings for a scope, on one thread, and on any exit from it restores those of them that
/// it has changed.  Scopes nest, last in first out.
class RuntimeScope {
 public:
  /// \throws as apply does.
  explicit RuntimeScope(const RuntimeConfig& config);
  ~RuntimeScope();
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;

 private:
  RuntimeConfig before_;
  Device limited_;  // whose limit that was
};

std::string to_string(TransferPolicy policy);
/// "allow", "warn_once" or "forbid".  \throws ArgumentError for any other name.
TransferPolicy transfer_policy_from_name(const std::string& name);

}  // namespace gaia
