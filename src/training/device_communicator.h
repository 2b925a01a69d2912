// SPDX-License-Identifier: MIT
/// \file
/// Processes whose GPUs exchange arrays among themselves, by NCCL.
#pragma once

#include <cstdlib>
#include <memory>

#include "../array/device_exchange.h"
#include "communicator.h"

namespace gaia {

/// Arrays of `device` go from GPU to GPU, all else as `host` does it.
class DeviceCommunicator final : public Communicator {
 public:
  DeviceCommunicator(Communicator& host, Device device, std::unique_ptr<DeviceExchange> exchange)
      : host_(host), device_(device), exchange_(std::move(exchange)) {}

  int rank() const override { return host_.rank(); }
  int size() const override { return host_.size(); }
  void all_gather(const void* mine, void* all, std::size_t bytes) override {
    host_.all_gather(mine, all, bytes);
  }
  Array all_gather(const Array& mine) override;
  [[noreturn]] void abort(int code) override {
    host_.abort(code);
    std::_Exit(code);  // g++ does not believe that the call does not return
  }

 private:
  Communicator& host_;
  Device device_;
  std::unique_ptr<DeviceExchange> exchange_;
};

/// The processes of `host` with such an exchange; null where it cannot be, so that `host` does it:
/// on a CPU, without NCCL in one of them, or where two share a GPU.  Called by all processes.
std::unique_ptr<Communicator> over_devices(Communicator* host, Device device);

}  // namespace gaia
