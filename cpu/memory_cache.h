// SPDX-License-Identifier: MIT
/// \file
/// Freed blocks of memory, kept for the next array.
///
/// Fresh pages cost more than what most operations do with them: the system has to find and clear
/// each at its first use.  So large blocks go to a reserve when they are freed, and from there to
/// arrays of about their size.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace gaia::cpu {

class MemoryCache {
 public:
  /// Keeps at most `most` bytes in reserve.
  explicit MemoryCache(std::int64_t most) : most_(most) {}
  ~MemoryCache() { trim(); }
  MemoryCache(const MemoryCache&) = delete;
  MemoryCache& operator=(const MemoryCache&) = delete;

  /// At least `bytes` bytes on a cache line's border, not set; null if there are none.
  void* allocate(std::int64_t bytes);
  /// Of a block that `allocate` gave for as many bytes.
  void release(void* data, std::int64_t bytes) noexcept;
  /// Gives the reserve back to the system.
  void trim() noexcept;
  /// Bytes in reserve.
  std::int64_t kept() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::vector<void*>> blocks_;  // by size
  std::int64_t kept_ = 0;
  std::int64_t most_;
};

}  // namespace gaia::cpu
