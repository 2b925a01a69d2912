// SPDX-License-Identifier: MIT
/// \file
/// Freed blocks of memory, kept for the next array.
///
/// Fresh pages cost more than what most operations do with them: the system has to find and clear
/// each at its first use.  So large blocks go to a reserve when they are freed, and from there to
/// arrays of about their size.  Where the reserve is full, those leave it that have lain there
/// longest: what a program works with now is what it asks for next.
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
  void* allocate(std::int64_t bytes) {
    bool is_fresh = false;
    return allocate(bytes, is_fresh);
  }
  /// `is_fresh` is set where it comes from the system.
  void* allocate(std::int64_t bytes, bool& is_fresh);
  /// Takes back a block that `allocate` gave for as many bytes.
  void release(void* data, std::int64_t bytes) noexcept;
  /// Gives the reserve back to the system.
  void trim() noexcept;
  /// Bytes in reserve.
  std::int64_t kept() const;

 private:
  struct Block {
    void* data;
    std::uint64_t number;  // counts releases
  };

  /// Frees the block that was released first.  There is one.
  void drop_oldest() noexcept;

  mutable std::mutex mutex_;
  std::map<std::int64_t, std::vector<Block>> blocks_;  // by size, each in the order of release
  std::uint64_t released_ = 0;
  std::int64_t kept_ = 0;
  std::int64_t most_;
};

}  // namespace gaia::cpu
