// SPDX-License-Identifier: MIT
#include "kernels.h"

#include <array>
#include <cstddef>
#include <mutex>

#include "../core/log.h"
#include "../core/message.h"
#include "backend.h"
#include "fused_operands.h"

namespace gaia {
namespace {

thread_local bool t_strict = false;

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
  return {all.kernels.begin(), all.kernels.end()};
}

void reset_kernel_registry() {
  KernelRegistry& all = kernels_known();
  const std::lock_guard lock(all.mutex);
  for (KernelInfo& kernel : all.kernels) kernel = {.name = kernel.name};
}

void set_strict_kernels(bool strict) { t_strict = strict; }
bool strict_kernels() { return t_strict; }

StrictKernels::StrictKernels() : before_(t_strict) { t_strict = true; }
StrictKernels::~StrictKernels() { t_strict = before_; }

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
