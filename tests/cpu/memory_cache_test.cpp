// SPDX-License-Identifier: MIT
#include "../../cpu/memory_cache.h"

#include <cstdint>
#include <limits>
#include <thread>

#include "../../src/array/create.h"
#include "../support/catch.h"

using namespace gaia;
using gaia::cpu::MemoryCache;

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("A freed block goes to the next array of about its size") {
  MemoryCache cache(1 << 20);
  void* const first = cache.allocate(100'000);
  REQUIRE(first != nullptr);
  cache.release(first, 100'000);
  CHECK(cache.kept() >= 100'000);
  CHECK(cache.allocate(99'000) == first);
  CHECK(cache.kept() == 0);
  cache.release(first, 99'000);
  void* const larger = cache.allocate(200'000);
  CHECK(larger != first);
  cache.release(larger, 200'000);
  cache.trim();
  CHECK(cache.kept() == 0);
}

TEST_CASE("Small blocks stay with the thread that freed them") {
  MemoryCache cache(1 << 20);
  void* const first = cache.allocate(100);
  cache.release(first, 100);
  CHECK(cache.kept() == 0);
  CHECK(cache.allocate(128) == first);
  std::thread([&] { cache.release(first, 128); }).join();  // and end with it
  void* many[40];
  for (void*& block : many) block = cache.allocate(64);
  for (void* const block : many) cache.release(block, 64);
}

TEST_CASE("The reserve does not grow past its limit") {
  MemoryCache cache(1 << 20);
  void* blocks[20];
  for (void*& block : blocks) block = cache.allocate(100'000);
  for (void* const block : blocks) cache.release(block, 100'000);
  CHECK(cache.kept() > 0);
  CHECK(cache.kept() <= 1 << 20);
}

TEST_CASE("A full reserve gives up what has lain there longest") {
  MemoryCache cache(1 << 20);
  void* const first = cache.allocate(400'000);
  void* const second = cache.allocate(500'000);
  void* const third = cache.allocate(300'000);
  void* const fourth = cache.allocate(1'500'000);
  cache.release(first, 400'000);
  cache.release(second, 500'000);
  cache.release(third, 300'000);     // no room for all three
  cache.release(fourth, 1'500'000);  // nor ever for this
  const std::int64_t kept = cache.kept();
  CHECK(kept <= 1 << 20);
  CHECK(kept >= 800'000);
  CHECK(cache.allocate(500'000) == second);
  CHECK(cache.allocate(300'000) == third);
  CHECK(cache.kept() == 0);
  cache.release(second, 500'000);
  cache.release(third, 300'000);
}

TEST_CASE("Memory in reserve is told, and given back by trim_memory") {
  const GPUContext scope(Device::cpu());
  trim_memory();
  const std::int64_t before = memory_stats().reserved;
  { const Array x = zeros({1'000'000}); }
  CHECK(memory_stats().reserved >= before + 4'000'000);
  trim_memory();
  CHECK(memory_stats().reserved == before);
}
#endif

TEST_CASE("Blocks are aligned, whatever their size, and what cannot be had is null") {
  MemoryCache cache(1 << 20);
  for (const std::int64_t bytes : {0, 1, 63, 65, 4097, 65'535, 65'537, 1'000'003}) {
    void* const block = cache.allocate(bytes);
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
    cache.release(block, bytes);
  }
  CHECK(cache.allocate(std::numeric_limits<std::int64_t>::max()) == nullptr);
}
