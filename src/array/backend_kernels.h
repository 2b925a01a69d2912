// SPDX-License-Identifier: MIT
/// \file
/// Kernels that a program brings as text, as the Backend interface sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../core/kernel_source.h"
#include "../formulas/view.h"

namespace gaia {

/// Lengths along x, y and z.
struct KernelExtent {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
};

/// How many blocks, and how many threads in each.
struct KernelLaunch {
  KernelExtent grid = {};         ///< Blocks.
  KernelExtent block = {};        ///< Threads, 1024 at most.
  std::int64_t shared_bytes = 0;  ///< Dynamic shared memory of a block.
};

/// A kernel that is compiled for a device.
class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  /// Bytes of each parameter, where the device knows them.
  virtual std::optional<std::vector<std::size_t>> parameter_bytes() const = 0;
  /// Gives it to the calling thread's stream, after what was given to others to do with `arrays`.
  /// `arguments` point to one value for each parameter.
  virtual void launch(const KernelLaunch& shape, std::span<const View> arrays,
                      void** arguments) = 0;
};

}  // namespace gaia
