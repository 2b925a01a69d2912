// SPDX-License-Identifier: MIT
/// \file
/// A block of memory on a device, given back when the last array that uses it is gone.
#pragma once

#include <cstdint>

#include "device.h"

namespace gaia {

class Storage {
 public:
  /// \throws OutOfMemory, or DeviceError if the device cannot be used.
  Storage(Device device, std::int64_t bytes);
  ~Storage();

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device device() const { return device_; }
  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  Device device_;
  std::int64_t bytes_;
  void* data_;
};

}  // namespace gaia
