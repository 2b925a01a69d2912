// SPDX-License-Identifier: MIT
#include "../../src/autograd/parallel_map.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include "../../src/array/create.h"
#include "../../src/array/kernels.h"
#include "../../src/array/ops.h"
#include "../../src/array/precision.h"
#include "../../src/array/reductions.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/autograd/ops.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/wait_for.h"

namespace gaia::test {
namespace {

std::vector<int> numbers(int count) {
  std::vector<int> items(static_cast<std::size_t>(count));
  std::iota(items.begin(), items.end(), 0);
  return items;
}

DEVICE_TEST_CASE("parallel_map answers in the order of the items, on each device") {
  for (const int workers : {0, 1, 2, 3, 50}) {
    const auto squares = parallel_map(
        numbers(23), [](int i) { return full({3}, i) * full({3}, i); }, {.workers = workers});
    REQUIRE(squares.size() == 23);
    for (int i = 0; i < 23; ++i) {
      const Array& square = squares[static_cast<std::size_t>(i)];
      CHECK(square.device() == current_device());
      CHECK(square.to_vector<double>() == std::vector<double>(3, i * i));
    }
  }
}

DEVICE_TEST_CASE("parallel_map works on arrays that the caller made, whatever the workers") {
  std::vector<Array> matrices;
  for (std::uint64_t i = 0; i < 9; ++i) {
    matrices.push_back(random_normal({7, 5}, 0.0, 1.0, DType::float64, {3, i}));
  }
  const auto gram = [](const Array& m) { return sum(matmul(m.transpose(), m)).item(); };
  std::vector<double> expected;
  for (const Array& m : matrices) expected.push_back(gram(m));
  for (const int workers : {1, 2, 4}) {
    CHECK(parallel_map(matrices, gram, {.workers = workers}) == expected);
  }
}

TEST_CASE("Items are worked on at the same time, on threads of the pool or on their own") {
  const FakeDevice fake;
  for (const Device device : {Device::cpu(), fake.device()}) {
    const GPUContext scope(device);
    const Threads threads(2);
    std::atomic<int> present{0};
    const auto met = parallel_map(numbers(2), [&](int) {
      ++present;
      return wait_for([&] { return present == 2; });
    });
    CHECK(met == std::vector<bool>{true, true});
  }
}

TEST_CASE("Never more items than workers are worked on at a time") {
  const FakeDevice fake;
  for (const Device device : {Device::cpu(), fake.device()}) {
    const GPUContext scope(device);
    const Threads threads(5);
    std::atomic<int> present{0};
    std::atomic<int> most{0};
    parallel_map(numbers(40),
                 [&](int) {
                   const int now = ++present;
                   int before = most;
                   while (now > before && !most.compare_exchange_weak(before, now)) {
                   }
                   std::this_thread::sleep_for(std::chrono::milliseconds(1));
                   --present;
                 },
                 {.workers = 3});
    CHECK(most >= 1);
    CHECK(most <= 3);
  }
}

TEST_CASE("Without items parallel_map answers nothing and calls nobody") {
  int calls = 0;
  CHECK(parallel_map(std::vector<int>(), [&](int) { return ++calls; }).empty());
  parallel_map(std::vector<int>(), [&](int) { ++calls; });
  CHECK(calls == 0);
}

TEST_CASE("Answers may be of any type") {
  const auto moved = parallel_map(numbers(10), [](int i) { return std::make_unique<int>(i); });
  for (int i = 0; i < 10; ++i) CHECK(*moved[static_cast<std::size_t>(i)] == i);

  struct NoDefault {
    explicit NoDefault(int v) : value(v) {}
    int value;
  };
  CHECK(parallel_map(numbers(4), [](int i) { return NoDefault(i); })[3].value == 3);

  // A reference that f answers becomes a copy; bool needs no array of its own bits.
  const std::vector<std::string> words = {"a", "bc"};
  CHECK(parallel_map(words, [](const std::string& w) -> const std::string& { return w; }) == words);
  CHECK(parallel_map(numbers(3), [](int i) { return i == 1; }) ==
        std::vector<bool>{false, true, false});
  int fixed[] = {4, 5};
  parallel_map(fixed, [](int& i) { ++i; });
  CHECK(fixed[0] == 5);
  CHECK(fixed[1] == 6);
}

TEST_CASE("The caller's settings go along, and what f changes of them ends with the item") {
  const FakeDevice fake;
  for (const Device device : {Device::cpu(), fake.device()}) {
    for (const int workers : {1, 3}) {
      const GPUContext scope(device);
      const Threads threads(3);
      const NoGrad no_grad;
      const StrictKernels strict;
      const MatmulPrecisionScope fast(MatmulPrecision::tf32);
      std::atomic<int> present{0};
      set_transfer_policy(TransferPolicy::forbid);
      const auto right = parallel_map(
          numbers(30),
          [&](int) {
            ++present;
            const bool met = wait_for([&] { return present >= workers; });  // on as many threads
            const bool as_caller = met && current_device() == device && !grad_enabled() &&
                                   strict_kernels() &&
                                   transfer_policy() == TransferPolicy::forbid &&
                                   matmul_precision() == MatmulPrecision::tf32;
            set_device("cpu");
            set_matmul_precision(MatmulPrecision::bfloat16);
            set_strict_kernels(false);
            set_transfer_policy(TransferPolicy::allow);
            return as_caller;
          },
          {.workers = workers});
      CHECK(right == std::vector<bool>(30, true));
      CHECK(current_device() == device);
      CHECK(strict_kernels());
      CHECK(matmul_precision() == MatmulPrecision::tf32);
      CHECK(transfer_policy() == TransferPolicy::forbid);
      set_transfer_policy(TransferPolicy::allow);
    }
  }
  CHECK(grad_enabled());
  const auto gradients = parallel_map(numbers(6), [](int i) {
    const EnableGrad enabled;
    Tensor x(full({2}, i), true);
    sum(x * x).backward();
    return x.grad();
  });
  for (int i = 0; i < 6; ++i) CHECK(gradients[static_cast<std::size_t>(i)].item({0}) == 2.0 * i);
}

TEST_CASE("Copies that items cause count as the caller's") {
  const FakeDevice fake;
  const Array on_cpu = ones({10});
  for (const int workers : {1, 3}) {
    const GPUContext scope(fake.device());
    reset_transfer_stats();
    on_cpu.to(fake.device());
    parallel_map(numbers(5), [&](int) { return on_cpu + on_cpu.to(fake.device()); },
                 {.workers = workers});
    CHECK(transfer_stats().implicit_copies == 5);
    CHECK(transfer_stats().explicit_copies == 6);
    CHECK(transfer_stats().bytes == 11 * on_cpu.bytes());
  }
  reset_transfer_stats();
}

TEST_CASE("The exception of the lowest item comes through, after all that were begun have ended") {
  const FakeDevice fake;
  for (const Device device : {Device::cpu(), fake.device()}) {
    const GPUContext scope(device);
    for (const int workers : {1, 2, 4}) {
      const Threads threads(4);
      std::atomic<int> begun{0};
      std::atomic<int> ended{0};
      const auto f = [&](int i) {
        ++begun;
        // The lower one is the later one.
        if (i == 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++ended;
        if (i >= 3) throw std::runtime_error("item " + std::to_string(i));
        return i;
      };
      CHECK_THROWS_WITH(parallel_map(numbers(200), f, {.workers = workers}), "item 3");
      CHECK(begun == ended);
      CHECK(begun >= 4);
      CHECK(begun < 200);  // the others were left out
      CHECK(current_device() == device);
      // And everything is as good as new.
      CHECK(parallel_map(numbers(50), [](int i) { return i; }) == numbers(50));
    }
  }
  CHECK_THROWS_AS(parallel_map(numbers(3), [](int) { throw 42; }), int);
}

TEST_CASE("parallel_map within parallel_map, and within a task of the pool, runs in place") {
  const FakeDevice fake;
  for (const Device device : {Device::cpu(), fake.device()}) {
    const GPUContext scope(device);
    const Threads threads(3);
    const auto sums = parallel_map(numbers(8), [&](int i) {
      const auto mine = std::this_thread::get_id();
      const auto inner = parallel_map(numbers(8), [&](int j) {
        if (std::this_thread::get_id() != mine) return -1000;
        return static_cast<int>(sum(full({4}, i * j)).item());
      });
      return std::accumulate(inner.begin(), inner.end(), 0);
    });
    for (int i = 0; i < 8; ++i) CHECK(sums[static_cast<std::size_t>(i)] == 4 * 28 * i);
  }
  std::atomic<int> total{0};
  std::atomic<bool> in_place{true};
  parallel_for(6, [&](std::int64_t) {
    const auto mine = std::this_thread::get_id();
    const GPUContext scope(fake.device());
    parallel_map(numbers(5), [&](int i) {
      total += i;
      if (std::this_thread::get_id() != mine) in_place = false;
    });
  });
  CHECK(total == 60);
  CHECK(in_place);
}

TEST_CASE("Two threads may call parallel_map at once") {
  const FakeDevice fake;
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (const Device device : {Device::cpu(), fake.device(), Device::cpu()}) {
    callers.emplace_back([&right, device] {
      const GPUContext scope(device);
      for (int round = 0; round < 20; ++round) {
        const auto answers =
            parallel_map(numbers(12), [](int i) { return sum(full({5}, i)).item(); });
        right += std::accumulate(answers.begin(), answers.end(), 0.0) == 5.0 * 66 ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(right == 60);
}

TEST_CASE("parallel_map refuses numbers of workers that make no sense") {
  const auto f = [](int i) { return i; };
  CHECK_THROWS_AS(parallel_map(numbers(2), f, {.workers = -1}), ArgumentError);
  CHECK_THROWS_WITH(parallel_map(numbers(2), f, {.workers = 1025}),
                    "[parallel_map] expected 0 to 1024 workers, got 1025");
}

}  // namespace
}  // namespace gaia::test
