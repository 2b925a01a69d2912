// SPDX-License-Identifier: MIT
#include "../../src/autograd/par_iter.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "../../src/array/create.h"
#include "../../src/array/reductions.h"
#include "../../src/core/parallel.h"
#include "../support/catch.h"
#include "../support/devices.h"

namespace gaia::test {
namespace {

constexpr std::array<int, 4> kWorkers = {1, 2, 7, 0};

std::vector<int> up_to(int count) {
  std::vector<int> items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);
  return items;
}

/// Threads of the pool, as many as a test wants.
struct PoolOf {
  explicit PoolOf(int threads) { set_num_threads(threads); }
  ~PoolOf() { set_num_threads(0); }
};

TEST_CASE("par_iter maps, filters and flattens in order, whatever the workers") {
  const PoolOf pool(4);
  for (const int count : {0, 1, 23, 3000}) {
    std::vector<std::string> expected;
    for (int i = 0; i < count; ++i) {
      if (i * i % 3 == 0) continue;
      for (int k = 0; k < i % 4; ++k)
        expected.push_back(std::to_string(i * i) + "/" + std::to_string(k));
    }
    for (const int workers : kWorkers) {
      const auto words = [](int square) {
        std::vector<std::string> made;
        for (int k = 0; k < std::lround(std::sqrt(square)) % 4; ++k) {
          made.push_back(std::to_string(square) + "/" + std::to_string(k));
        }
        return made;
      };
      CHECK(par_iter(up_to(count), {.workers = workers})
                .map([](int i) { return i * i; })
                .filter([](int square) { return square % 3 != 0; })
                .flat_map(words)
                .collect() == expected);
    }
  }
}

TEST_CASE("par_iter zips, numbers, takes and cuts, before and behind a filter") {
  const std::vector<double> halves = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0};
  const auto is_even = [](int i) { return i % 2 == 0; };
  using Pair = std::pair<int, double>;
  CHECK(par_iter(up_to(3)).zip(halves).collect() ==
        std::vector<Pair>{{0, 0.0}, {1, 0.5}, {2, 1.0}});
  CHECK(par_iter(up_to(9))
            .filter(is_even)
            .zip(par_iter(halves).map([](double x) { return -x; }))
            .collect() == std::vector<Pair>{{0, 0.0}, {2, -0.5}, {4, -1.0}, {6, -1.5}, {8, -2.0}});
  using Numbered = std::pair<std::int64_t, int>;
  CHECK(par_iter(up_to(6)).filter(is_even).enumerate().collect() ==
        std::vector<Numbered>{{0, 0}, {1, 2}, {2, 4}});
  CHECK(par_iter(std::vector<char>{'a', 'b'})
            .enumerate()
            .map([](const auto& one) {
              return std::string(static_cast<std::size_t>(one.first + 1), one.second);
            })
            .collect() == std::vector<std::string>{"a", "bb"});
  std::atomic<int> calls{0};
  CHECK(par_iter(up_to(100))
            .map([&](int i) {
              ++calls;
              return i;
            })
            .take(3)
            .collect() == up_to(3));
  CHECK(calls == 3);
  CHECK(par_iter(up_to(9)).filter(is_even).take(2).collect() == std::vector<int>{0, 2});
  CHECK(par_iter(up_to(2)).take(5).collect() == up_to(2));
  CHECK(par_iter(up_to(5)).chunk(2).collect() ==
        std::vector<std::vector<int>>{{0, 1}, {2, 3}, {4}});
  CHECK(par_iter(up_to(9)).filter(is_even).chunk(3).collect() ==
        std::vector<std::vector<int>>{{0, 2, 4}, {6, 8}});
  CHECK(par_iter(up_to(3)).map(is_even).collect() == std::vector<bool>{true, false, true});
  std::vector<bool> flags = {true, false};
  CHECK(par_iter(flags).collect() == flags);
  CHECK_THROWS_WITH_TEXT(par_iter(halves).take(-1), ArgumentError, "at least 0");
  CHECK_THROWS_WITH_TEXT(par_iter(halves).chunk(0), ArgumentError, "at least 1");
  CHECK_THROWS_WITH_TEXT(par_iter(halves, {.workers = 2000}).collect(), ArgumentError,
                         "0 to 1024 workers, got 2000");
}

TEST_CASE("par_iter folds and reduces to the same bits for any number of workers") {
  const PoolOf pool(7);
  std::vector<double> numbers;
  for (int i = 0; i < 5000; ++i) numbers.push_back(std::sin(i) / (1.0 + i % 13));
  const auto add = [](double a, double b) { return a + b; };
  const double in_order = std::accumulate(numbers.begin(), numbers.end(), 0.25);
  // Blocks of 5 and 4 neighbours: the first 5000 % 1024 have one more.
  double in_blocks = 0.0;
  for (std::size_t block = 0, i = 0; block < 1024; ++block) {
    double part = numbers[i++];
    for (int k = 1; k < (block < 5000 % 1024 ? 5 : 4); ++k) part += numbers[i++];
    in_blocks = block == 0 ? part : in_blocks + part;
  }
  CHECK(in_blocks != in_order - 0.25);  // or the test could not tell one order from another
  for (const int workers : {1, 2, 7}) {
    const ParallelMapOptions options{.workers = workers};
    CHECK(par_iter(numbers, options).fold(0.25, add) == in_order);
    CHECK(par_iter(numbers, options).reduce(add) == in_blocks);
    CHECK(par_iter(numbers, options).fold(0.0, add, add) == in_blocks);
    const auto counted = [](std::int64_t count, double) { return count + 1; };
    CHECK(par_iter(numbers, options).fold(std::int64_t{0}, counted, std::plus<>()) == 5000);
    const auto join = [](std::string a, const std::string& b) { return std::move(a) + b; };
    CHECK(par_iter(up_to(12), options)
              .map([](int i) { return std::to_string(i); })
              .filter([](const std::string& text) { return text != "5"; })
              .reduce(join) ==
          "012346789"
          "1011");
  }
  CHECK_FALSE(par_iter(std::vector<double>()).reduce(add));
  CHECK_FALSE(par_iter(numbers).filter([](double) { return false; }).reduce(add));
  CHECK(par_iter(std::vector<double>()).fold(3.0, add, add) == 3.0);
}

TEST_CASE("par_iter takes what can only be moved, and refers to variables") {
  std::vector<std::unique_ptr<int>> owned =
      par_iter(up_to(40)).map([](int i) { return std::make_unique<int>(i); }).collect();
  par_iter(owned).for_each([](const std::unique_ptr<int>& one) { *one += 1; });
  int sum = 0;
  for (const auto& one : owned) sum += *one;
  CHECK(sum == 40 * 39 / 2 + 40);
  const auto largest = par_iter(up_to(40))
                           .map([](int i) { return std::make_unique<int>(i); })
                           .reduce([](std::unique_ptr<int> a, std::unique_ptr<int> b) {
                             return *a > *b ? std::move(a) : std::move(b);
                           });
  CHECK(**largest == 39);
}

TEST_CASE("par_iter throws what the lowest item throws, whatever the workers") {
  const PoolOf pool(4);
  for (const int workers : kWorkers) {
    std::atomic<int> running{0};
    const auto fails = [&](int i) {
      ++running;
      std::this_thread::sleep_for(std::chrono::microseconds(i % 7 == 3 ? 0 : 200));
      --running;
      if (i % 7 == 3) throw std::runtime_error("item " + std::to_string(i));
      return i;
    };
    CHECK_THROWS_WITH(par_iter(up_to(60), {.workers = workers}).map(fails).collect(), "item 3");
    CHECK(running == 0);
  }
}

DEVICE_TEST_CASE("par_iter works on each device with the caller's settings, also within another") {
  const auto grams =
      par_iter(up_to(5), {.workers = 3})
          .map([](int i) {
            const std::vector<double> inner =
                par_iter(up_to(i + 1))
                    .map([](int k) { return sum(full({3}, k, DType::float64)).item(); })
                    .collect();
            return sum(
                full({2, 2}, std::accumulate(inner.begin(), inner.end(), 0.0), DType::float64));
          })
          .collect();
  for (int i = 0; i < 5; ++i) {
    CHECK(grams[static_cast<std::size_t>(i)].device() == current_device());
    CHECK(grams[static_cast<std::size_t>(i)].item() == 4.0 * 3.0 * (i * (i + 1) / 2));
  }
}

}  // namespace
}  // namespace gaia::test
