// SPDX-License-Identifier: MIT
/// \file
/// Numbers that several processes exchange from GPU to GPU, without the host's memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "device.h"

namespace gaia {

/// One process's part in it.
class DeviceExchange {
 public:
  DeviceExchange() = default;
  virtual ~DeviceExchange() = default;
  DeviceExchange(const DeviceExchange&) = delete;
  DeviceExchange& operator=(const DeviceExchange&) = delete;

  /// What every process has in `mine`, `bytes` bytes, one behind the other in the order of their
  /// ranks.  Both lie on the device.  Called by all processes; returns when it is done.
  virtual void all_gather(const void* mine, void* all, std::size_t bytes) = 0;
};

/// Names an exchange; created by one process and given to all.
using ExchangeId = std::array<char, 128>;

/// Why there is none; empty if gaia was built with CUDA and NCCL can be opened.
std::string why_no_device_exchange();

/// \throws DeviceError where there is none.
ExchangeId new_exchange_id();

/// Joins the exchange `id` as number `rank` of `size`, with a device that no other has.  Returns
/// when all have joined.  \throws DeviceError where NCCL refuses.
std::unique_ptr<DeviceExchange> join_device_exchange(const ExchangeId& id, Device device, int rank,
                                                     int size);

}  // namespace gaia
