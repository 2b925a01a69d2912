// SPDX-License-Identifier: MIT
#include "memory_cache.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "../src/core/platform.h"

namespace gaia::cpu {
namespace {

constexpr std::int64_t kAlignment = 64;  // a cache line, and the widest vector

/// Smaller blocks are left to malloc, which is good at them.
constexpr std::int64_t kSmallestKept = 64 << 10;

/// From this size on blocks are laid out for pages of 2 MiB: there are fewer of them to clear and
/// to find.
constexpr std::int64_t kSmallestHuge = 4 << 20;
constexpr std::int64_t kHugePage = 2 << 20;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;  // it sees the use of freed memory only if that is really freed
#else
constexpr bool kKeeps = true;
#endif

/// Freed blocks of a thread that are too small for the reserve, for its next small arrays: malloc
/// takes its time over aligned ones.
///
/// No constructor or destructor, so that reaching them is one look-up and no question whether they
/// are there yet; and what is destroyed after them, arrays in static variables, may still ask.
class SmallBlocks {
 public:
  void* take(std::int64_t size) {
    if (size > kLargest) return nullptr;
    Bin& bin = bins_[size / kAlignment - 1];
    return bin.count > 0 ? bin.blocks[--bin.count] : nullptr;
  }
  bool keep(void* data, std::int64_t size) {
    if (size > kLargest || !is_open()) return false;
    Bin& bin = bins_[size / kAlignment - 1];
    if (bin.count == kBlocks) return false;
    bin.blocks[bin.count++] = data;
    return true;
  }
  /// Frees what is kept, and keeps nothing from then on.
  void close() {
    state_ = State::closed;
    for (Bin& bin : bins_) {
      while (bin.count > 0) std::free(bin.blocks[--bin.count]);
    }
  }

 private:
  static constexpr std::int64_t kLargest = 1024;
  static constexpr int kBlocks = 16;
  enum class State { fresh, open, closed };
  struct Bin {
    void* blocks[kBlocks];
    int count;
  };

  /// The first block of a thread has the thread clean up when it ends.
  bool is_open();

  Bin bins_[kLargest / kAlignment];
  State state_;
};
thread_local constinit SmallBlocks t_small_blocks = {};

bool SmallBlocks::is_open() {
  if (state_ == State::fresh) {
    struct Closer {
      ~Closer() { t_small_blocks.close(); }
    };
    thread_local Closer closer;
    static_cast<void>(closer);
    state_ = State::open;
  }
  return state_ == State::open;
}

/// Sizes are rounded up to one of eight between powers of two, so that blocks can be used again.
std::int64_t rounded(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 1));
  const std::uint64_t step =
      bytes < kSmallestKept ? static_cast<std::uint64_t>(kAlignment) : std::bit_floor(size) / 8;
  return static_cast<std::int64_t>((size + step - 1) / step * step);
}

/// A block of a rounded size from the system; null if there is none.
void* fresh(std::int64_t size) {
  const bool huge = size >= kSmallestHuge;
  const std::int64_t alignment = huge ? kHugePage : kAlignment;
  // Whole multiples of the alignment: more than glibc asks for, and what the sanitizers insist on.
  const std::int64_t whole = (size + alignment - 1) / alignment * alignment;
  void* const data =
      std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(whole));
  if (huge && data != nullptr) platform::prefer_large_pages(data, static_cast<std::size_t>(size));
  return data;
}

}  // namespace

void* MemoryCache::allocate(std::int64_t bytes, bool& is_fresh) {
  if (bytes > std::numeric_limits<std::int64_t>::max() / 2) return nullptr;
  const std::int64_t size = rounded(bytes);
  if constexpr (kKeeps) {
    if (void* const data = t_small_blocks.take(size)) return data;
  }
  if (size >= kSmallestKept) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(size);
    if (found != blocks_.end()) {
      void* const data = found->second.back().data;
      found->second.pop_back();
      if (found->second.empty()) blocks_.erase(found);
      kept_ -= size;
      return data;
    }
  }
  is_fresh = true;
  void* data = fresh(size);
  if (data == nullptr && kept() > 0) {
    trim();
    data = fresh(size);
  }
  return data;
}

void MemoryCache::release(void* data, std::int64_t bytes) noexcept {
  const std::int64_t size = rounded(bytes);
  if constexpr (kKeeps) {
    if (t_small_blocks.keep(data, size)) return;
  }
  if (kKeeps && size >= kSmallestKept && size <= most_) {
    const std::lock_guard lock(mutex_);
    try {
      blocks_[size].push_back({data, released_++});
      kept_ += size;
      while (kept_ > most_) drop_oldest();
      return;
    } catch (...) {  // no room for the list: the block goes back instead
      const auto bin = blocks_.find(size);
      if (bin != blocks_.end() && bin->second.empty()) blocks_.erase(bin);
    }
  }
  std::free(data);
}

void MemoryCache::drop_oldest() noexcept {
  auto oldest = blocks_.begin();
  for (auto bin = blocks_.begin(); bin != blocks_.end(); ++bin) {
    if (bin->second.front().number < oldest->second.front().number) oldest = bin;
  }
  std::free(oldest->second.front().data);
  oldest->second.erase(oldest->second.begin());
  kept_ -= oldest->first;
  if (oldest->second.empty()) blocks_.erase(oldest);
}

void MemoryCache::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [size, blocks] : blocks_) {
    for (const Block& block : blocks) std::free(block.data);
  }
  blocks_.clear();
  kept_ = 0;
}

std::int64_t MemoryCache::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

}  // namespace gaia::cpu
