// SPDX-License-Identifier: MIT
/// \file
/// How the backends count the memory that arrays hold, and what they say when there is no more.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "device.h"

namespace gaia {

/// The allocations of one device, by any number of threads.
class MemoryCount {
 public:
  /// Bytes that are spoken for while memory for them is looked for; given up at the end of the
  /// scope, unless it was found.  Where there is a limit, they count as used meanwhile.
  class Claim {
   public:
    Claim(MemoryCount& count, std::int64_t bytes);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    /// Whether these bytes keep to the limit; asks again if they did not before.
    bool is_granted();
    /// They are used from here on.
    void keep();

   private:
    MemoryCount& count_;
    std::int64_t bytes_;
    std::int64_t used_ = -1;  // in all with these, once they are counted
  };

  /// An allocation that was kept is gone.
  void give_back(std::int64_t bytes) noexcept;

  /// An allocation that was kept took memory that was not there in reserve.
  void note_miss() { ++misses_; }

  std::int64_t used() const { return used_; }
  /// 0: none.
  void set_limit(std::int64_t bytes) { limit_ = bytes; }
  void reset_peak() { peak_ = used_.load(); }

  /// used, peak, arrays, limit, allocations and hits.
  MemoryStats stats() const;

 private:
  std::atomic<std::int64_t> used_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> allocations_{0};
  std::atomic<std::int64_t> releases_{0};
  std::atomic<std::int64_t> misses_{0};  // the rare ones, so that no other costs anything more
  std::atomic<std::int64_t> limit_{0};
};

/// What OutOfMemory says when `bytes` bytes cannot be had on `device`, whose memory is as `stats`.
std::string out_of_memory_text(Device device, std::int64_t bytes, const MemoryStats& stats);

}  // namespace gaia
