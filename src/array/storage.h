// SPDX-License-Identifier: MIT
/// \file
/// A block of memory on a device, given back when the last array that uses it is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "device.h"

namespace gaia {

class Storage {
 public:
  /// \throws OutOfMemory, or DeviceError if the device cannot be used.
  Storage(Device device, std::int64_t bytes);
  /// Memory of someone else's, which `owner` keeps alive and which is not given back here.
  Storage(Device device, void* data, std::int64_t bytes, std::shared_ptr<const void> owner);
  ~Storage();

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device device() const { return device_; }
  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

  /// How often the elements have been changed since they were created.
  std::int64_t version() const { return version_.load(std::memory_order_relaxed); }
  void count_change() { version_.fetch_add(1, std::memory_order_relaxed); }

 private:
  Device device_;
  std::int64_t bytes_;
  void* data_;
  bool is_borrowed_ = false;
  std::shared_ptr<const void> owner_;  // owner of memory that is borrowed
  std::atomic<std::int64_t> version_{0};
};

}  // namespace gaia
