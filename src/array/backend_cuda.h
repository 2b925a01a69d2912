// SPDX-License-Identifier: MIT
/// \file
/// The CUDA devices of another machine, for tests.
#pragma once

#include <memory>

#include "backend.h"

namespace gaia {

class CudaMachine;

/// Puts other CUDA devices in place of what this machine has, for a scope.  Arrays on them must be
/// gone before it ends.  Not while another thread computes.
class OtherCudaDevices {
 public:
  explicit OtherCudaDevices(CudaDevices devices);
  ~OtherCudaDevices();
  OtherCudaDevices(const OtherCudaDevices&) = delete;
  OtherCudaDevices& operator=(const OtherCudaDevices&) = delete;

 private:
  std::unique_ptr<CudaMachine> mine_;
  CudaMachine* before_;
};

}  // namespace gaia
