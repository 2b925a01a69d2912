// SPDX-License-Identifier: MIT
/// \file
/// Memory of arrays: that it is counted, given back, and that its end is an error and not a crash.
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/device.h"
#include "../../src/array/ops.h"
#include "../support/catch.h"
#include "../support/devices.h"

namespace gaia::test {
namespace {

/// Bytes and arrays since a moment.
struct Since {
  MemoryStats before = memory_stats();
  std::int64_t used() const { return memory_stats().used - before.used; }
  std::int64_t peak() const { return memory_stats().peak - before.used; }
  std::int64_t arrays() const { return memory_stats().arrays - before.arrays; }
};

DEVICE_TEST_CASE("Memory is counted while an array or a view of it lives") {
  const Since since;
  {
    Array view;
    {
      const Array x = zeros({10, 100});
      CHECK(since.used() == 4000);
      CHECK(since.arrays() == 1);
      const Array handle = x;
      view = x[3].slice(0, 0, 2);
      CHECK(since.used() == 4000);
      CHECK(since.arrays() == 1);
    }
    CHECK(since.used() == 4000);  // the view keeps it
    const Array other = zeros({5}, DType::float64);
    CHECK(since.used() == 4040);
    CHECK(since.arrays() == 2);
  }
  CHECK(since.used() == 0);
  CHECK(since.arrays() == 0);
  CHECK(memory_stats().reserved >= memory_stats().used);
}

DEVICE_TEST_CASE("The peak remembers the most that was used, until it is reset") {
  reset_peak_memory();
  const Since since;
  CHECK(since.peak() == 0);
  { const Array x = zeros({1000}); }
  CHECK(since.peak() == 4000);
  { const Array x = zeros({100}); }
  CHECK(since.peak() == 4000);
  const Array kept = zeros({10});
  reset_peak_memory();
  CHECK(since.peak() == 40);
  { const Array sum = zeros({1000}) + 1.0f; }  // both terms and the sum, at once
  CHECK(since.peak() == 40 + 8000 + 4);
  trim_memory();
  CHECK(since.used() == 40);
}

DEVICE_TEST_CASE("Allocations are counted, and those of them that memory in reserve serves") {
  trim_memory();
  const MemoryStats before = memory_stats();
  { const Array first = Array::uninitialized({300'000}, DType::float32); }
  CHECK(memory_stats().allocations == before.allocations + 1);
  const std::int64_t hits = memory_stats().hits;
  CHECK(hits == before.hits);
  { const Array second = Array::uninitialized({300'000}, DType::float32); }
  CHECK(memory_stats().allocations == before.allocations + 2);
#if !defined(__SANITIZE_ADDRESS__)  // under which nothing is kept
  CHECK(memory_stats().hits == hits + 1);
#endif
  trim_memory();
  const Array third = Array::uninitialized({300'000}, DType::float32);
  CHECK(memory_stats().hits <= hits + 1);
  CHECK(memory_stats().arrays == before.arrays + 1);
  CHECK(sum(ones({2})).item() == 2.0);
}

TEST_CASE("Elements lie at addresses fit for any vector") {
  std::vector<Array> arrays;
  for (const std::int64_t size : {0, 1, 3, 17, 1000, 12345}) {
    arrays.push_back(Array::uninitialized({size}, DType::boolean));
    CHECK(reinterpret_cast<std::uintptr_t>(arrays.back().view().data) % 64 == 0);
  }
}

DEVICE_TEST_CASE("Sizes that no machine has give OutOfMemory and leave the statistics right") {
  const Since since;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t before = memory_stats().peak;
  for (const std::int64_t size :
       {most, most - 1, most - 62, most - 63, most - 64, most / 2, std::int64_t(1) << 56}) {
    CHECK_THROWS_AS(Array::uninitialized({size}, DType::boolean), OutOfMemory);
  }
  CHECK_THROWS_AS(Array::uninitialized({1 << 20, 1 << 20, 1 << 18}, DType::float32), OutOfMemory);
  CHECK_THROWS_AS(ones({1}).broadcast_to({std::int64_t(1) << 58}).copy(), OutOfMemory);
  CHECK_THROWS_AS(ones({std::int64_t(1) << 20, 1}) + ones({1, std::int64_t(1) << 36}), OutOfMemory);
  CHECK(since.used() == 0);
  CHECK(since.arrays() == 0);
  CHECK(memory_stats().peak - before < (std::int64_t(1) << 40));
  CHECK(sum(ones({10})).item() == 10.0);  // and work goes on
}

TEST_CASE("OutOfMemory says how much was asked for, is used and is free") {
  const Array kept = zeros({25});
  const std::string used = std::to_string(memory_stats().used);
  const std::string peak = std::to_string(memory_stats().peak);
  CHECK_THROWS_WITH_TEXT(zeros({std::int64_t(1) << 58}), OutOfMemory,
                         "[array] 1152921504606846976 bytes are not to be had on the CPU: " + used +
                             " in use by arrays (at most " + peak + " so far), " + used +
                             " reserved, ");
  CHECK_THROWS_WITH_TEXT(zeros({std::int64_t(1) << 58}), OutOfMemory,
                         " free of " + std::to_string(memory_stats().total) +
                             "; use smaller blocks, float32, record less");
}

DEVICE_TEST_CASE("A limit is kept on every device, and work goes on below it") {
  const Since since;
  const Array kept = zeros({25});
  const std::int64_t used = memory_stats().used;
  set_memory_limit(used + 1000);
  CHECK(memory_stats().limit == used + 1000);
  CHECK(zeros({250}).size() == 250);
  CHECK_THROWS_WITH_TEXT(zeros({251}), OutOfMemory, "[array] 1004 bytes are not to be had on ");
  CHECK_THROWS_WITH_TEXT(zeros({251}), OutOfMemory,
                         " of " + std::to_string(used + 1000) + " that set_memory_limit allows, ");
  CHECK_THROWS_WITH_TEXT(zeros({251}), OutOfMemory, "; raise the limit, or use smaller blocks");
  CHECK(memory_stats().used == used);
  CHECK(since.arrays() == 1);
  CHECK(zeros({250}).size() == 250);
  set_memory_limit(1);  // what is there stays
  CHECK(kept.to_vector<float>() == std::vector<float>(25, 0.0f));
  CHECK_THROWS_AS(zeros({1}), OutOfMemory);
  CHECK(Array::uninitialized({0}, DType::float32).size() == 0);
  set_memory_limit(0);
  CHECK(memory_stats().limit == 0);
  CHECK(zeros({251}).size() == 251);
}

TEST_CASE("A limit that is none is refused") {
  CHECK_THROWS_WITH(set_memory_limit(-1),
                    "[set_memory_limit] expected a number of bytes, or 0 for no limit; got -1");
  CHECK(memory_stats().limit == 0);
}

TEST_CASE("A limit holds for all threads together") {
  const std::int64_t used = memory_stats().used;
  set_memory_limit(used + 4000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 300; ++i) {
        try {
          const Array x = Array::uninitialized({400}, DType::float32);
        } catch (const OutOfMemory&) {
        }
      }
    });
  }
  reset_peak_memory();
  for (std::thread& thread : threads) thread.join();
  CHECK(memory_stats().peak <= used + 4000);
  CHECK(memory_stats().used == used);
  set_memory_limit(0);
}

DEVICE_TEST_CASE("Statistics know the whole device") {
  const Array kept = zeros({10});
  const MemoryStats stats = memory_stats();
  CHECK(stats.total > 0);
  CHECK(stats.free > 0);
  CHECK(stats.free <= stats.total);
  CHECK(stats.limit == 0);
}

TEST_CASE("Devices count their memory apart") {
  const FakeDevice fake;
  const Since on_cpu;
  const Array there = zeros({100}).to(fake.device());
  CHECK(on_cpu.used() == 0);
  CHECK(memory_stats(fake.device()).used == 400);
  CHECK(memory_stats(fake.device()).arrays == 1);
}

TEST_CASE("Threads may make and drop arrays at the same time") {
  const Since since;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 500; ++i) {
        const Array x = zeros({i % 7, 10});
        const Array y = x.copy();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(since.used() == 0);
  CHECK(since.arrays() == 0);
  CHECK(since.peak() >= 0);
}

TEST_CASE("Copies of one array may be dropped by several threads") {
  const Since since;
  {
    std::vector<std::thread> threads;
    const Array x = ones({1000});
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([mine = x] {
        for (int i = 0; i < 200; ++i) {
          const Array view = mine.slice(0, i, i + 10);
          const Array copy = view;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(since.arrays() == 0);
}

}  // namespace
}  // namespace gaia::test
