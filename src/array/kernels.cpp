// SPDX-License-Identifier: MIT
#include "kernels.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "../core/log.h"
#include "../core/message.h"
#include "backend.h"
#include "fused_operands.h"
#include "kernel_families.h"

namespace gaia {
namespace {

thread_local bool t_strict = false;

constexpr std::size_t kFamilies = kKernelFamilies.size();

/// Calls that one thread has made, which it alone changes.
using ThreadCalls = std::array<std::atomic<std::int64_t>, kFamilies>;

/// Calls of all threads.
struct AllCalls {
  std::mutex mutex;
  std::vector<const ThreadCalls*> threads;  // threads that live
  std::array<std::int64_t, kFamilies> ended =
      {};  // counts of threads that have ended, less those at reset

  std::array<std::int64_t, kFamilies> sums() const {
    std::array<std::int64_t, kFamilies> all = ended;
    for (const ThreadCalls* thread : threads) {
      for (std::size_t i = 0; i < kFamilies; ++i)
        all[i] += (*thread)[i].load(std::memory_order_relaxed);
    }
    return all;
  }
};

AllCalls& all_calls() {
  static AllCalls& instance = *new AllCalls;
  return instance;
}

struct CountedThread {
  ThreadCalls calls = {};

  CountedThread() {
    AllCalls& all = all_calls();
    const std::lock_guard lock(all.mutex);
    all.threads.push_back(&calls);
  }
  ~CountedThread() {
    AllCalls& all = all_calls();
    const std::lock_guard lock(all.mutex);
    std::erase(all.threads, &calls);
    for (std::size_t i = 0; i < kFamilies; ++i) all.ended[i] += calls[i].load();
  }
  CountedThread(const CountedThread&) = delete;
  CountedThread& operator=(const CountedThread&) = delete;
};

/// In the order of FusedKernel.
struct KernelRegistry {
  std::mutex mutex;
  std::array<KernelInfo, 8> kernels = {{{.name = "gelu"},
                                        {.name = "gelu_backward"},
                                        {.name = "linear_gelu"},
                                        {.name = "linear_gelu_backward"},
                                        {.name = "layer_norm"},
                                        {.name = "layer_norm_backward"},
                                        {.name = "attention"},
                                        {.name = "attention_backward"}}};
};

KernelRegistry& kernels_known() {
  static KernelRegistry& instance = *new KernelRegistry;
  return instance;
}

}  // namespace

std::vector<KernelInfo> kernel_registry() {
  KernelRegistry& all = kernels_known();
  const std::lock_guard lock(all.mutex);
  std::vector<KernelInfo> kernels(all.kernels.begin(), all.kernels.end());
  AllCalls& calls = all_calls();
  const std::lock_guard counting(calls.mutex);
  const auto sums = calls.sums();
  for (std::size_t i = 0; i < kFamilies; ++i) {
    kernels.push_back({.name = kKernelFamilies[i], .is_fused = false, .launches = sums[i]});
  }
  return kernels;
}

void reset_kernel_registry() {
  KernelRegistry& all = kernels_known();
  const std::lock_guard lock(all.mutex);
  for (KernelInfo& kernel : all.kernels) kernel = {.name = kernel.name};
  AllCalls& calls = all_calls();
  const std::lock_guard counting(calls.mutex);
  const auto sums = calls.sums();
  for (std::size_t i = 0; i < kFamilies; ++i) calls.ended[i] -= sums[i];
}

void set_strict_kernels(bool strict) { t_strict = strict; }
bool strict_kernels() { return t_strict; }

StrictKernels::StrictKernels() : before_(t_strict) { t_strict = true; }
StrictKernels::~StrictKernels() { t_strict = before_; }

void count_call(KernelFamily family) {
  thread_local CountedThread thread;
  std::atomic<std::int64_t>& calls = thread.calls[static_cast<std::size_t>(family)];
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void count_launch(FusedKernel kernel) {
  KernelRegistry& all = kernels_known();
  const std::lock_guard lock(all.mutex);
  ++all.kernels[static_cast<std::size_t>(kernel)].launches;
}

bool runs_fused(FusedKernel kernel, DType dtype) {
  const Device here = current_device();
  const std::string why_not = backend(here).why_not_fused(kernel, dtype);
  KernelRegistry& all = kernels_known();
  std::string name;
  {
    const std::lock_guard lock(all.mutex);
    KernelInfo& info = all.kernels[static_cast<std::size_t>(kernel)];
    if (why_not.empty()) {
      ++info.launches;
      return true;
    }
    name = info.name;
    if (!t_strict) {
      ++info.fallbacks;
      info.last_fallback = why_not;
    }
  }
  const std::string what = message("[{}] the fused kernel of {} {}", name, here, why_not);
  if (t_strict) {
    throw DeviceError(what +
                      ", and set_strict_kernels forbids the unfused composition; cast with "
                      "astype, or allow it");
  }
  log_once(LogLevel::warning, "fused kernel " + name,
           what +
               "; the unfused composition answers (further ones are only counted: "
               "kernel_registry)");
  return false;
}

}  // namespace gaia
