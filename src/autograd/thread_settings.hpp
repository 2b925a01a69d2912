// SPDX-License-Identifier: MIT
/// \file
/// What a thread sets for itself, handed on to threads that work for it.  Not installed.
#pragma once

#include <optional>

#include "../array/device.h"
#include "../array/kernels.h"
#include "../array/precision.h"
#include "../array/transfer.h"
#include "grad_mode.h"
#include "trace_guard.h"

namespace gaia {

struct ParallelMapOptions;

/// How many items these options have worked on at a time.
/// \throws ArgumentError, in the name of `function`, unless workers is 0 to 1024.
int workers_of(const ParallelMapOptions& options, const char* function);

/// Threads that work at a time on a GPU: enough to fill the gaps that one stream leaves; each costs
/// a thread of the host.
inline constexpr int kGpuWorkers = 4;

/// The settings of the thread that makes one.
struct ThreadSettings {
  Device device = current_device();
  TransferPolicy policy = transfer_policy();
  bool strict = strict_kernels();
  bool grad = grad_enabled();
  bool traces = traces_writable();
  MatmulPrecision precision = matmul_precision();
};

/// Puts settings in force on this thread, and counts the copies that are made.
class ThreadSettingsScope {
 public:
  explicit ThreadSettingsScope(const ThreadSettings& settings)
      : device_(settings.device), precision_(settings.precision), traces_(settings.traces) {
    if (settings.grad) {
      enabled_.emplace();
    } else {
      disabled_.emplace();
    }
    set_transfer_policy(settings.policy);
    set_strict_kernels(settings.strict);
    reset_transfer_stats();
  }
  ~ThreadSettingsScope() {
    reset_transfer_stats();
    add_transfer_stats(stats_before_);
    set_strict_kernels(before_.strict);
    set_transfer_policy(before_.policy);
  }
  ThreadSettingsScope(const ThreadSettingsScope&) = delete;
  ThreadSettingsScope& operator=(const ThreadSettingsScope&) = delete;

 private:
  ThreadSettings before_;
  TransferStats stats_before_ = transfer_stats();
  GPUContext device_;
  MatmulPrecisionScope precision_;
  TraceState traces_;
  std::optional<EnableGrad> enabled_;
  std::optional<NoGrad> disabled_;
};

}  // namespace gaia
