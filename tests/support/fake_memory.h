// SPDX-License-Identifier: MIT
/// \file
/// Memory of the fake device.  The addresses it gives out mean nothing to the host, which crashes
/// on touching one; fresh memory is all NaN (-1 as an integer); what is used or released must have
/// been given out.  What was used is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "../../src/array/backend.h"
#include "fake_checks.h"

namespace gaia::test::fake {

class Memory {
 public:
  /// `host` really holds the numbers.
  explicit Memory(Backend& host) : host_(host) {}

  /// How often a view was computed with, or numbers came from the host.
  std::int64_t uses() const { return uses_; }
  void count_use() { ++uses_; }

  void* allocate(std::int64_t bytes) {
    void* const on_host = host_.allocate(bytes);
    std::memset(on_host, 0xff, static_cast<std::size_t>(bytes));
    const std::lock_guard lock(mutex_);
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(on_host) + kApart;
    blocks_[address] = bytes;
    return reinterpret_cast<void*>(address);
  }
  void release(void* data, std::int64_t bytes) noexcept {
    {
      const std::lock_guard lock(mutex_);
      const auto block = blocks_.find(reinterpret_cast<std::uintptr_t>(data));
      if (block == blocks_.end() || block->second != bytes) {
        std::fputs("[fake device] releases memory that it did not give out\n", stderr);
        std::abort();
      }
      blocks_.erase(block);
    }
    host_.release(host_address(data), bytes);
  }

  static void* host_address(const void* data) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data) - kApart);
  }

  bool is_mine(Range range) const {
    const std::lock_guard lock(mutex_);
    auto block = blocks_.upper_bound(range.first);
    if (block == blocks_.begin()) return false;
    --block;
    return range.end <= block->first + static_cast<std::uintptr_t>(block->second);
  }
  bool is_mine(const void* data, std::int64_t bytes) const {
    const auto start = reinterpret_cast<std::uintptr_t>(data);
    return is_mine(Range{start, start + static_cast<std::uintptr_t>(bytes)});
  }

  /// The view as the host sees it.
  View on_host(const View& view) {
    count_use();
    View host = view;
    if (view.count() > 0) check(is_mine(range_of(view)), "a view lies outside my memory");
    host.data = view.data == nullptr ? nullptr : host_address(view.data);
    return host;
  }

 private:
  /// No address of a process has this bit (and no hardware ignores it).
  static constexpr std::uintptr_t kApart = std::uintptr_t(1) << 54;

  Backend& host_;
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, std::int64_t> blocks_;  // address and bytes
  std::atomic<std::int64_t> uses_{0};
};

}  // namespace gaia::test::fake
