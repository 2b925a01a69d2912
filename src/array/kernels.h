// SPDX-License-Identifier: MIT
/// \file
/// Which kernels there are, how often they ran, and how often something else had to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia {

struct KernelInfo {
  /// Name of a fused operation, "attention", "attention_backward", or of a family of kernels:
  /// "elementwise", "matmul", "plastic", "equations".
  std::string name;
  bool is_fused = true;       ///< Whether it is one operation; a family has no unfused composition.
  std::int64_t launches = 0;  ///< How often it ran; what is part of another operation counts too.
  std::int64_t fallbacks = 0;      ///< How often the unfused composition ran instead.
  std::string last_fallback = {};  ///< Why it did the last time; empty if it never did.
};

/// Every fused kernel, and behind them every family of kernels, with the counts of the whole
/// process since it began or `reset_kernel_registry`.
std::vector<KernelInfo> kernel_registry();

/// Sets all counts to 0.
void reset_kernel_registry();

/// Whether a fallback is an error on this thread.  Default: no; it is counted, and logged the first
/// time a kernel needs it.
void set_strict_kernels(bool strict);
bool strict_kernels();

/// Makes fallbacks errors for a scope, on this thread; restores what was before on any exit.
class StrictKernels {
 public:
  StrictKernels();
  ~StrictKernels();
  StrictKernels(const StrictKernels&) = delete;
  StrictKernels& operator=(const StrictKernels&) = delete;

 private:
  bool before_;
};

}  // namespace gaia
