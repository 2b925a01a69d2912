// SPDX-License-Identifier: MIT
/// \file
/// Stands in for CUDA in a build that has no CUDA backend.
#include "../src/array/backend.h"
#include "../src/array/device_exchange.h"
#include "../src/core/error.h"

namespace gaia {

CudaDevices find_cuda_devices() { return {0, "this build of gaia has no CUDA backend", nullptr}; }

std::string why_no_device_exchange() { return "this build of gaia has no CUDA backend"; }

ExchangeId new_exchange_id() { throw DeviceError("[exchange] " + why_no_device_exchange()); }

std::unique_ptr<DeviceExchange> join_device_exchange(const ExchangeId&, Device, int, int) {
  throw DeviceError("[exchange] " + why_no_device_exchange());
}

}  // namespace gaia
