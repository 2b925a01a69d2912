// SPDX-License-Identifier: MIT
#include "../../src/core/parallel.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../src/core/error.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/wait_for.h"

namespace gaia {
namespace {

using namespace test;

/// GAIA_NUM_THREADS for a scope.
class ThreadsVariable {
 public:
  explicit ThreadsVariable(const char* value) {
    if (const char* before = std::getenv("GAIA_NUM_THREADS")) before_ = before;
    if (value == nullptr) {
      unsetenv("GAIA_NUM_THREADS");
    } else {
      setenv("GAIA_NUM_THREADS", value, 1);
    }
  }
  ~ThreadsVariable() {
    if (before_.empty()) {
      unsetenv("GAIA_NUM_THREADS");
    } else {
      setenv("GAIA_NUM_THREADS", before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

TEST_CASE("parallel_for runs every task once, for any number of tasks and threads") {
  for (const int threads : {1, 2, 5}) {
    const Threads scope(threads);
    CHECK(num_threads() == threads);
    for (const std::int64_t tasks : {0, 1, 2, 3, 7, 1000, 100000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      parallel_for(tasks, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      std::int64_t once = 0;
      for (const auto& count : runs) once += count == 1 ? 1 : 0;
      CHECK(once == tasks);
    }
  }
}

TEST_CASE("parallel_for of no tasks or fewer does nothing") {
  int calls = 0;
  for (const std::int64_t tasks : {0, -1, -1000000}) {
    parallel_for(tasks, [&](std::int64_t) { ++calls; });
  }
  CHECK(calls == 0);
}

TEST_CASE("Two threads work at the same time") {
  const Threads scope(2);
  std::atomic<int> present{0};
  std::atomic<bool> met{true};
  parallel_for(2, [&](std::int64_t) {
    ++present;
    if (!wait_for([&] { return present == 2; })) met = false;
  });
  CHECK(met);
}

std::atomic<bool> g_held{false};
std::atomic<bool> g_release{false};

void hold(int) {
  g_held = true;
  while (!g_release) usleep(1000);
}

/// The state of a thread of this process as the kernel tells it: S sleeps.
char state_of(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  const auto end = line.rfind(") ");
  return end == std::string::npos ? '?' : line[end + 2];
}

TEST_CASE("A worker that does not wake up is not waited for") {
  const Threads scope(2);
  std::atomic<int> present{0};
  const pthread_t caller = pthread_self();
  pthread_t worker = caller;
  pid_t worker_id = 0;
  parallel_for(2, [&](std::int64_t) {
    if (pthread_self() != caller) {
      worker = pthread_self();
      worker_id = gettid();
    }
    ++present;
    wait_for([&] { return present == 2; });
  });
  REQUIRE(worker_id != 0);
  REQUIRE(wait_for([&] { return state_of(worker_id) == 'S'; }));

  // Held in a handler it is as good as one that a busy machine gives no processor.
  struct sigaction holding {};
  struct sigaction before {};
  holding.sa_handler = hold;
  REQUIRE(sigaction(SIGUSR2, &holding, &before) == 0);
  g_held = g_release = false;
  REQUIRE(pthread_kill(worker, SIGUSR2) == 0);
  REQUIRE(wait_for([] { return g_held.load(); }));
  std::atomic<int> ran{0};
  auto call =
      std::async(std::launch::async, [&] { parallel_for(100, [&](std::int64_t) { ++ran; }); });
  const bool returned = call.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  g_release = true;
  call.get();
  CHECK(returned);
  CHECK(ran == 100);
  // It works again as soon as it is there.
  present = 0;
  std::atomic<bool> met{true};
  parallel_for(2, [&](std::int64_t) {
    ++present;
    if (!wait_for([&] { return present == 2; })) met = false;
  });
  CHECK(met);
  sigaction(SIGUSR2, &before, nullptr);
}

TEST_CASE("Bursts of small work, after pauses of all lengths, lose no task") {
  const int threads = GENERATE(2, 3, 9);  // the last has more than most machines have processors
  const Threads scope(threads);
  std::int64_t missing = 0;
  for (int round = 0; round < 300; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(round % 3 * 60));  // awake, or asleep
    for (int i = 0; i < 20; ++i) {
      std::atomic<std::int64_t> ran{0};
      const std::int64_t tasks = 2 + i % 4;
      parallel_for(tasks, [&](std::int64_t) { ++ran; });
      missing += tasks - ran;
    }
  }
  CHECK(missing == 0);
}

TEST_CASE("One thread means the calling thread") {
  const Threads scope(1);
  bool same = true;
  const auto caller = std::this_thread::get_id();
  parallel_for(100, [&](std::int64_t) { same = same && std::this_thread::get_id() == caller; });
  CHECK(same);
}

TEST_CASE("A task that throws does not keep the others from running") {
  for (const int threads : {1, 2, 5}) {
    const Threads scope(threads);
    std::atomic<int> ran{0};
    const auto task = [&](std::int64_t i) {
      ++ran;
      if (i == 17 || i == 60 || i == 999) throw std::runtime_error("task " + std::to_string(i));
    };
    CHECK_THROWS_WITH(parallel_for(1000, task), "task 17");
    CHECK(ran == 1000);
    // And the pool is as good as new.
    ran = 0;
    parallel_for(500, [&](std::int64_t) { ++ran; });
    CHECK(ran == 500);
  }
}

TEST_CASE("Of several exceptions that of the lowest task comes through, not the earliest") {
  const Threads scope(2);
  std::atomic<bool> thrown{false};
  const auto task = [&](std::int64_t i) {
    if (i == 1) {
      thrown = true;
      throw std::runtime_error("early");
    }
    wait_for([&] { return thrown.load(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    throw std::runtime_error("low");
  };
  CHECK_THROWS_WITH(parallel_for(2, task), "low");
}

TEST_CASE("Callers at the same time share the threads of the pool") {
  const Threads scope(3);
  std::atomic<int> waiting{0};
  std::atomic<bool> release{false};
  std::thread other([&] {
    parallel_for(2, [&](std::int64_t) {
      ++waiting;
      while (!release) std::this_thread::yield();
    });
  });
  CHECK(wait_for([&] { return waiting == 2; }));
  // Two of the three work for the other caller; the third has nothing to do and falls asleep.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::atomic<int> present{0};
  std::atomic<bool> met{true};
  parallel_for(2, [&](std::int64_t) {
    ++present;
    if (!wait_for([&] { return present == 2; })) met = false;
  });
  release = true;
  other.join();
  CHECK(met);
}

TEST_CASE("A child that is forked ends, and has threads of its own") {
  const Threads scope(3);
  std::atomic<int> ran{0};
  parallel_for(100, [&](std::int64_t) { ++ran; });
  CHECK(ran == 100);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // kills a child that hangs
    int code = 0;
#if !defined(__SANITIZE_THREAD__)  // which allows no threads after a fork
    std::atomic<int> present{0};
    parallel_for(2, [&](std::int64_t) {
      ++present;
      if (!wait_for([&] { return present == 2; })) code = 1;
    });
#endif
    std::exit(code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(status == 0);
  ran = 0;
  parallel_for(100, [&](std::int64_t) { ++ran; });
  CHECK(ran == 100);
}

TEST_CASE("A caller that finds all threads busy does its work alone") {
  const Threads scope(2);
  std::atomic<int> waiting{0};
  std::atomic<bool> release{false};
  std::atomic<bool> released{true};
  std::thread other([&] {
    parallel_for(2, [&](std::int64_t) {
      ++waiting;
      if (!wait_for([&] { return release.load(); })) released = false;
    });
  });
  CHECK(wait_for([&] { return waiting == 2; }));
  int ran = 0;
  const auto caller = std::this_thread::get_id();
  bool alone = true;
  parallel_for(100, [&](std::int64_t) {
    ++ran;
    alone = alone && std::this_thread::get_id() == caller;
  });
  release = true;
  other.join();
  CHECK(ran == 100);
  CHECK(alone);
  CHECK(released);
}

TEST_CASE("Exceptions of any type come through, with one task and when nested") {
  CHECK_THROWS_AS(parallel_for(1, [](std::int64_t) { throw ShapeError("[x] bad"); }), ShapeError);
  CHECK_THROWS_AS(parallel_for(9, [](std::int64_t) { throw 42; }), int);
  const auto outer = [](std::int64_t) {
    parallel_for(4, [](std::int64_t) { throw std::logic_error("inner"); });
  };
  CHECK_THROWS_WITH(parallel_for(4, outer), "inner");
}

TEST_CASE("Nested calls run in place") {
  for (const int threads : {1, 2, 5}) {
    const Threads scope(threads);
    std::atomic<std::int64_t> sum{0};
    std::atomic<bool> in_place{true};
    parallel_for(20, [&](std::int64_t i) {
      const auto mine = std::this_thread::get_id();
      parallel_for(30, [&](std::int64_t j) {
        sum += i * 30 + j;
        if (std::this_thread::get_id() != mine) in_place = false;
        parallel_for(2, [&](std::int64_t) { ++sum; });
      });
    });
    CHECK(sum == 600 * 599 / 2 + 1200);
    CHECK(in_place);
  }
}

TEST_CASE("Several threads may call parallel_for at once") {
  const Threads scope(3);
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&right] {
      for (int round = 0; round < 50; ++round) {
        std::atomic<std::int64_t> sum{0};
        parallel_for(100, [&](std::int64_t i) { sum += i; });
        if (sum == 4950) ++right;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(right == 200);
}

TEST_CASE("The number of threads may change while another thread computes") {
  const Threads scope(2);
  std::atomic<bool> stop{false};
  std::atomic<bool> right{true};
  std::thread worker([&] {
    while (!stop) {
      std::atomic<std::int64_t> sum{0};
      parallel_for(50, [&](std::int64_t i) { sum += i; });
      if (sum != 1225) right = false;
    }
  });
  for (int round = 0; round < 30; ++round) set_num_threads(1 + round % 4);
  stop = true;
  worker.join();
  CHECK(right);
}

TEST_CASE("set_num_threads refuses what makes no sense") {
  const int before = num_threads();
  CHECK_THROWS_AS(set_num_threads(-1), ArgumentError);
  CHECK_THROWS_WITH(set_num_threads(1025),
                    "[set_num_threads] expected 0 to 1024 threads, got 1025");
  CHECK(num_threads() == before);
}

TEST_CASE("set_num_threads refuses to be called from a task, wherever that runs") {
  for (const int threads : {1, 2}) {
    const Threads scope(threads);
    for (const std::int64_t tasks : {1, 4}) {
      const auto task = [](std::int64_t) { set_num_threads(3); };
      CHECK_THROWS_WITH(parallel_for(tasks, task),
                        Catch::Matchers::ContainsSubstring("[set_num_threads]"));
      CHECK(num_threads() == threads);
    }
  }
}

TEST_CASE("GAIA_NUM_THREADS sets the default, and nonsense in it does not") {
  const Threads restores(num_threads());
  const auto default_with = [](const char* value) {
    const ThreadsVariable variable(value);
    set_num_threads(0);
    return num_threads();
  };
  CHECK(default_with("3") == 3);
  CHECK(default_with("1024") == 1024);
  const int processors = default_with(nullptr);
  CHECK(processors >= 1);
  for (const char* nonsense : {"", "0", "-2", "1025", "99999999999", "3x", " 3", "three"}) {
    INFO("GAIA_NUM_THREADS=" << nonsense);
    CHECK(default_with(nonsense) == processors);
  }
}

TEST_CASE("Where the system grants no threads, the caller does all the work") {
  pthread_attr_t before;
  pthread_attr_t absurd;
  REQUIRE(pthread_getattr_default_np(&before) == 0);
  REQUIRE(pthread_attr_init(&absurd) == 0);
  // No address space has room for such a stack.
  if (pthread_attr_setstacksize(&absurd, std::size_t(1) << 48) != 0 ||
      pthread_setattr_default_np(&absurd) != 0) {
    GAIA_SKIP("this system does not let us forbid threads");
  }
  int ran = 0;
  {
    const Threads scope(4);
    parallel_for(100, [&](std::int64_t) { ++ran; });
  }
  CHECK(pthread_setattr_default_np(&before) == 0);
  CHECK(ran == 100);
}

}  // namespace
}  // namespace gaia
