// SPDX-License-Identifier: MIT
#include "ceilings.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>

#include "../src/core/parallel.h"
#include "ceiling_kernels.h"

namespace gaia::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds from the first thread's start to the last one's end of work(thread).
double time_on_threads(int threads, const std::function<void(int)>& work) {
  std::barrier<> together(threads);
  std::vector<Clock::time_point> begin(static_cast<std::size_t>(threads));
  std::vector<Clock::time_point> end(begin.size());
  {
    std::vector<std::jthread> workers;
    for (int t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        const auto mine = static_cast<std::size_t>(t);
        together.arrive_and_wait();
        begin[mine] = Clock::now();
        work(t);
        end[mine] = Clock::now();
      });
    }
  }
  return std::chrono::duration<double>(*std::max_element(end.begin(), end.end()) -
                                       *std::min_element(begin.begin(), begin.end()))
      .count();
}

Ceiling measure_fma(const char* name, double (*kernel)(std::int64_t, double*), int threads,
                    bool quick) {
  // Rounds for about 20 ms.
  double sum = 0.0;
  std::int64_t rounds = 1000;
  const double wanted = quick ? 1e-4 : 2e-2;
  while (time_on_threads(1, [&](int) { kernel(rounds, &sum); }) < wanted) rounds *= 2;
  Ceiling ceiling{.name = name, .threads = threads};
  std::vector<double> sums(static_cast<std::size_t>(threads));
  std::vector<double> flops(sums.size());
  for (int repeat = 0; repeat < (quick ? 3 : 15); ++repeat) {
    ceiling.seconds.push_back(time_on_threads(threads, [&](int t) {
      const auto mine = static_cast<std::size_t>(t);
      flops[mine] = kernel(rounds, &sums[mine]);
    }));
  }
  for (const double one : flops) ceiling.work += one;
  return ceiling;
}

struct Free {
  void operator()(double* p) const { std::free(p); }
};
using Numbers = std::unique_ptr<double, Free>;

Numbers allocate(std::int64_t n) {
  auto* p =
      static_cast<double*>(std::aligned_alloc(64, static_cast<std::size_t>(n) * sizeof(double)));
  if (p == nullptr) throw std::bad_alloc();
  return Numbers(p);
}

std::vector<Ceiling> measure_streams(int threads, bool quick) {
  // STREAM asks for arrays of four times the caches.
  const double bytes = quick ? 1 << 20 : std::clamp(4.0 * largest_cache(), 64e6, 1e9);
  constexpr std::int64_t block = 4096;
  const std::int64_t slice =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / 8.0) / threads / block) * block;
  const std::int64_t n = slice * threads;
  const Numbers x = allocate(n);
  const Numbers y = allocate(n);
  const Numbers z = allocate(n);
  // Each thread touches its part first, so that it lies near.
  time_on_threads(threads, [&](int t) {
    for (Numbers const* array : {&x, &y, &z}) std::fill_n(array->get() + t * slice, slice, 1.0);
  });
  const double array_bytes = static_cast<double>(n) * sizeof(double);
  const auto measure = [&](const char* name, int arrays, const auto& kernel) {
    Ceiling ceiling{.name = name, .threads = threads, .work = arrays * array_bytes};
    for (int repeat = 0; repeat < (quick ? 3 : 10); ++repeat) {
      ceiling.seconds.push_back(time_on_threads(threads, [&](int t) { kernel(t * slice); }));
    }
    return ceiling;
  };
  const auto copy = GAIA_VECTOR_KERNEL(copy);
  const auto copy_streaming = GAIA_VECTOR_KERNEL(copy_streaming);
  const auto triad = GAIA_VECTOR_KERNEL(triad);
  const auto triad_streaming = GAIA_VECTOR_KERNEL(triad_streaming);
  return {
      measure("ceiling/copy", 2, [&](std::int64_t i) { copy(y.get() + i, x.get() + i, slice); }),
      measure("ceiling/copy_streaming", 2,
              [&](std::int64_t i) { copy_streaming(y.get() + i, x.get() + i, slice); }),
      measure("ceiling/triad", 3,
              [&](std::int64_t i) { triad(y.get() + i, x.get() + i, z.get() + i, slice); }),
      measure(
          "ceiling/triad_streaming", 3,
          [&](std::int64_t i) { triad_streaming(y.get() + i, x.get() + i, z.get() + i, slice); }),
  };
}

}  // namespace

double fma_rate_now(DType dtype) {
  const auto kernel = dtype == DType::float64 ? GAIA_VECTOR_KERNEL(multiply_adds_double)
                                              : GAIA_VECTOR_KERNEL(multiply_adds_float);
  constexpr std::int64_t rounds = 15000;  // some 50 us
  std::vector<double> rates(static_cast<std::size_t>(num_threads()));
  parallel_for(std::ssize(rates), [&](std::int64_t i) {
    double sum = 0.0;
    kernel(rounds, &sum);  // another kind of load takes a moment to reach its pace
    const Clock::time_point begin = Clock::now();
    const double flops = kernel(3 * rounds, &sum);
    rates[static_cast<std::size_t>(i)] =
        flops / std::chrono::duration<double>(Clock::now() - begin).count();
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

double largest_cache() {
  // Linux is asked, and not sysconf: on a machine within a machine sysconf counts all caches of the
  // processor, of which one is at hand.
  double bytes = 0.0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                       "/size");
    double size = 0.0;
    char unit = '\0';
    if (!(file >> size)) continue;
    file >> unit;
    bytes = std::max(bytes, size * (unit == 'M' ? 1048576.0 : unit == 'K' ? 1024.0 : 1.0));
  }
  return bytes > 0.0 ? bytes : 32.0 * 1024 * 1024;
}

std::vector<Ceiling> measure_ceilings(int threads, bool quick) {
  std::vector<Ceiling> found = {
      measure_fma("ceiling/fma/float32", GAIA_VECTOR_KERNEL(multiply_adds_float), threads, quick),
      measure_fma("ceiling/fma/float64", GAIA_VECTOR_KERNEL(multiply_adds_double), threads, quick)};
  for (Ceiling& one : measure_streams(threads, quick)) found.push_back(std::move(one));
  return found;
}

}  // namespace gaia::bench
