// SPDX-License-Identifier: MIT
#include "../../src/core/work_queue.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "../support/catch.h"
#include "../support/wait_for.h"

using namespace gaia;
using gaia::test::wait_for;

namespace {

/// A write that is held until it is let go.
struct Gate {
  std::atomic<bool> reached{false};
  std::atomic<bool> open{false};

  WorkQueue::Work write(const std::function<void()>& then = [] {}) {
    return [this, then] {
      reached = true;
      wait_for([this] { return open.load(); });
      then();
    };
  }
};

WorkQueue::Work failing(const char* message) {
  return [message] { throw std::runtime_error(message); };
}

}  // namespace

TEST_CASE("writes are done in order, by one thread that is another, and all of them by drain") {
  WorkQueue queue(true);
  REQUIRE(queue.overlaps());
  std::vector<int> done;
  std::vector<std::thread::id> threads;
  for (int i = 0; i < 100; ++i) {
    queue.push([&, i] {
      done.push_back(i);
      threads.push_back(std::this_thread::get_id());
    });
    if (i == 50) {
      queue.drain();
      CHECK(done.size() == 51);
    }
  }
  queue.drain();
  REQUIRE(done.size() == 100);
  for (int i = 0; i < 100; ++i) {
    CHECK(done[static_cast<std::size_t>(i)] == i);
    CHECK(threads[static_cast<std::size_t>(i)] == threads.front());
  }
  CHECK(threads.front() != std::this_thread::get_id());
}

TEST_CASE("who pushes goes on while one writes, but waits where too much would be in memory") {
  WorkQueue queue(true);
  Gate gate;
  std::atomic<int> pushed{0};
  const auto held = std::make_shared<int>(0);
  auto pushing = std::async(std::launch::async, [&] {
    queue.push(gate.write());
    for (int i = 0; i < 5; ++i) {
      ++pushed;
      queue.push([held] {});
    }
  });
  const int most = 1 + static_cast<int>(WorkQueue::kMostWaiting);
  CHECK(wait_for([&] { return gate.reached && pushed == most; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(pushed == most);
  gate.open = true;
  pushing.get();
  queue.drain();
  CHECK(pushed == 5);
  CHECK(held.use_count() == 1);
}

TEST_CASE("the first error of a write is told by the next push and by drain, and ends writing") {
  WorkQueue queue(true);
  Gate gate;
  std::atomic<int> later{0};
  queue.push(gate.write(failing("disk full")));
  CHECK(wait_for([&] { return gate.reached.load(); }));
  queue.push([&] { ++later; });
  // The thread that waits for room gets the error too.
  auto waiting = std::async(std::launch::async, [&] { queue.push([&] { ++later; }); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open = true;
  CHECK_THROWS_WITH(waiting.get(), "disk full");
  CHECK_THROWS_WITH(queue.push([&] { ++later; }), "disk full");
  CHECK_THROWS_WITH(queue.drain(), "disk full");
  CHECK(later == 0);
}

TEST_CASE(
    "after a failure elsewhere all is written, and only an earlier error of a write is told") {
  {
    WorkQueue queue(true);
    Gate gate;
    std::atomic<int> later{0};
    queue.push(gate.write());
    queue.push([&] { ++later; });
    auto draining = std::async(std::launch::async, [&] { queue.drain_after_failure(); });
    gate.open = true;
    draining.get();
    CHECK(later == 1);
  }
  {
    WorkQueue queue(true);
    Gate gate;
    queue.push(gate.write([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      throw std::runtime_error("later");
    }));
    gate.open = true;
    CHECK_NOTHROW(queue.drain_after_failure());
  }
  {
    WorkQueue queue(true);
    queue.push(failing("earlier"));
    CHECK_THROWS_WITH(queue.drain(), "earlier");
    CHECK_THROWS_WITH(queue.drain_after_failure(), "earlier");
  }
}

TEST_CASE("a queue that goes waits for the write in progress and drops the others") {
  Gate gate;
  std::atomic<int> done{0};
  std::thread opening;
  {
    WorkQueue queue(true);
    queue.push(gate.write([&] { ++done; }));
    CHECK(wait_for([&] { return gate.reached.load(); }));
    queue.push([&] { done += 100; });
    opening = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      gate.open = true;
    });
  }
  CHECK(done == 1);
  opening.join();
}

TEST_CASE("where nothing is to overlap, writes are done at once by who pushes them") {
  WorkQueue queue(false);
  CHECK_FALSE(queue.overlaps());
  std::thread::id thread;
  queue.push([&] { thread = std::this_thread::get_id(); });
  CHECK(thread == std::this_thread::get_id());
  queue.drain();
  CHECK_THROWS_WITH(queue.push(failing("disk full")), "disk full");
  bool later = false;
  CHECK_THROWS_WITH(queue.push([&] { later = true; }), "disk full");
  CHECK_THROWS_WITH(queue.drain(), "disk full");
  CHECK_THROWS_WITH(queue.drain_after_failure(), "disk full");
  CHECK_FALSE(later);
}
