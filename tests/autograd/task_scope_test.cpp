// SPDX-License-Identifier: MIT
#include "../../src/autograd/task_scope.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/reductions.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/wait_for.h"

namespace gaia::test {
namespace {

TEST_CASE("tasks of a scope run at the same time and give back what they return") {
  TaskScope scope({.workers = 5});
  std::atomic<int> here{0};
  std::vector<std::future<int>> answers;
  for (int i = 0; i < 5; ++i) {
    answers.push_back(scope.spawn([&, i] {
      ++here;
      return wait_for([&] { return here == 5; }) ? i * i : -1;  // each waits for all others
    }));
  }
  scope.wait_all();
  for (int i = 0; i < 5; ++i) CHECK(answers[static_cast<std::size_t>(i)].get() == i * i);
  std::vector<int> order;
  TaskScope one({.workers = 1});
  for (int i = 0; i < 20; ++i) one.spawn([&order, i] { order.push_back(i); });
  one.wait_all();
  for (int i = 0; i < 20; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
  CHECK_THROWS_WITH(TaskScope({.workers = -1}), "[TaskScope] expected 0 to 1024 workers, got -1");
}

TEST_CASE("a scope tells the exception of the task that was spawned first, and ends the others") {
  TaskScope scope({.workers = 4});
  std::atomic<int> ended{0};
  std::future<void> first;
  for (int i = 0; i < 12; ++i) {
    std::future<void> future = scope.spawn([&ended, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(i == 3 ? 5 : 1));
      ++ended;
      if (i >= 3) throw std::runtime_error("task " + std::to_string(i));
    });
    if (i == 3) first = std::move(future);
  }
  CHECK_THROWS_WITH(scope.wait_all(), "task 3");
  CHECK(ended == 12);
  CHECK_THROWS_WITH(first.get(), "task 3");
  scope.wait_all();  // once is enough
}

TEST_CASE("the end of a scope waits for tasks, and an exception leaves out those not begun") {
  std::atomic<int> done{0};
  {
    TaskScope scope({.workers = 2});
    for (int i = 0; i < 6; ++i) {
      scope.spawn([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++done;
      });
    }
  }
  CHECK(done == 6);
  std::future<void> left_out;
  try {
    TaskScope scope({.workers = 1});
    std::atomic<bool> begun{false};
    scope.spawn([&] {
      begun = true;
      wait_for([&] { return scope.is_cancelled(); });
      ++done;
    });
    left_out = scope.spawn([&] { ++done; });
    wait_for([&] { return begun.load(); });
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  CHECK(done == 7);
  CHECK_THROWS_AS(left_out.get(), std::future_error);
}

DEVICE_TEST_CASE("tasks may spawn others, and have the device and settings of who made the scope") {
  const NoGrad off;
  reset_transfer_stats();
  TaskScope scope({.workers = 3});
  std::vector<std::future<std::future<double>>> outer;
  for (int i = 0; i < 4; ++i) {
    outer.push_back(scope.spawn([&scope, i] {
      return scope.spawn([i] {
        const Array x = full({3}, i, DType::float64);
        return grad_enabled() || x.device() != current_device() ? -1.0 : sum(x).item();
      });
    }));
  }
  scope.wait_all();
  for (int i = 0; i < 4; ++i) CHECK(outer[static_cast<std::size_t>(i)].get().get() == 3.0 * i);
  const bool copies = !current_device().is_cpu();  // of the sums
  CHECK((transfer_stats().bytes > 0) == copies);
}

}  // namespace
}  // namespace gaia::test
