// SPDX-License-Identifier: MIT
/// \file
/// Which fused kernels there are, how often they ran, and how often something else had to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gaia {

struct KernelInfo {
  std::string name;                ///< That of the operation: "attention", "attention_backward".
  std::int64_t launches = 0;       ///< How often the fused kernel ran.
  std::int64_t fallbacks = 0;      ///< How often the unfused composition ran instead.
  std::string last_fallback = {};  ///< Why it did the last time; empty if it never did.
};

/// Every fused kernel, with the counts of the whole process since it began or
/// `reset_kernel_registry`.
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
