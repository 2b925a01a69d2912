// SPDX-License-Identifier: MIT
#include "parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "message.h"
#include "parallel_habits.h"
#include "platform.h"

namespace gaia {
namespace {

constexpr int kMaxThreads = 1024;

/// How long threads of the pool stay awake for what may come next.  To wake one costs more than
/// small operations take, and they come in rows.
constexpr std::chrono::microseconds kAwake(100);

thread_local bool t_inside_task = false;  // whether the thread is in a task of the pool
thread_local int t_depth = 0;             // calls of parallel_for that this thread is in

int default_threads() {
  if (const char* text = std::getenv("GAIA_NUM_THREADS")) {
    const std::string_view view(text);
    int value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error == std::errc() && end == view.data() + view.size() && value >= 1 &&
        value <= kMaxThreads) {
      return value;
    }
  }
  return std::min(platform::usable_processors(), kMaxThreads);
}

/// One call of parallel_for: the workers draw task numbers from `next` until none is left.
struct Job {
  std::int64_t tasks = 0;
  const ParallelTask* task = nullptr;
  std::atomic<std::int64_t> next{0};
  std::int64_t helpers = 0;     // workers of the pool that it has tasks for
  std::atomic<int> workers{0};  // workers that are in it; changes under the pool's mutex
  std::mutex error_mutex;
  std::exception_ptr error;
  std::int64_t error_task = 0;

  bool has_tasks() const { return next.load(std::memory_order_relaxed) < tasks; }

  void work() {
    t_inside_task = true;
    for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) {
      try {
        (*task)(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error || i < error_task) {
          error = std::current_exception();
          error_task = i;
        }
      }
    }
    t_inside_task = false;
  }
};

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits for `condition` without falling asleep, for kAwake at most; others that wait for the
/// processor go first.
template <class Condition>
void stay_awake_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kAwake;
  do {
    for (int i = 0; i < 64; ++i) {
      if (condition()) return;
      pause_processor();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
}

class Pool {
 public:
  explicit Pool(int threads) : stays_awake_(threads <= platform::usable_processors()) {
    workers_.reserve(static_cast<std::size_t>(threads - 1));
    jobs_.reserve(16);
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { serve(); });
    } catch (const std::exception&) {
      // The system grants no more threads, or memory for them; those there are do all the work,
      // with the same results.
    }
  }

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      ++generation_;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Waits for the workers that joined in, not for those that did not wake up in time: on a busy
  /// machine that can take them many times as long as the work.  Of several jobs at once the
  /// workers take the earliest, then the next, and each caller works on its own.
  void run(Job& job) {
    job.helpers = std::min<std::int64_t>(std::ssize(workers_), job.tasks - 1);
    std::int64_t missing = 0;
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
      ++generation_;
      missing = std::min(wanted() - idle(), asleep_);
    }
    for (std::int64_t i = 0; i < missing; ++i) wake_.notify_one();
    job.work();
    std::unique_lock lock(mutex_);
    std::erase(jobs_, &job);  // no task is left to draw
    if (job.workers > 0 && stays_awake_) {
      lock.unlock();
      stay_awake_until([&job] { return job.workers == 0; });
      lock.lock();
    }
    idle_.wait(lock, [&job] { return job.workers == 0; });
  }

 private:
  void serve() {
    for (std::uint64_t seen = 0;;) {
      if (stays_awake_) stay_awake_until([&] { return generation_ != seen; });
      std::unique_lock lock(mutex_);
      if (generation_ == seen) {
        ++asleep_;
        wake_.wait(lock, [&] { return generation_ != seen; });
        --asleep_;
      }
      if (stop_) return;
      seen = generation_;
      while (Job* const job = earliest_with_tasks()) {
        ++job->workers;
        ++busy_;
        lock.unlock();
        job->work();
        lock.lock();
        --busy_;
        if (--job->workers == 0) idle_.notify_all();
      }
    }
  }

  Job* earliest_with_tasks() const {
    const auto found =
        std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->has_tasks(); });
    return found == jobs_.end() ? nullptr : *found;
  }

  /// Workers that the jobs have tasks for beside those already in them.
  std::int64_t wanted() const {
    std::int64_t sum = 0;
    for (const Job* job : jobs_) {
      if (job->has_tasks()) sum += std::max<std::int64_t>(0, job->helpers - job->workers);
    }
    return sum;
  }

  /// Workers that look for a job by themselves, now or in a moment.
  std::int64_t idle() const { return std::ssize(workers_) - asleep_ - busy_; }

  std::vector<std::thread> workers_;
  std::mutex mutex_;  // all below change under it
  std::condition_variable wake_;
  std::condition_variable idle_;              // a job has no workers any more
  std::vector<Job*> jobs_;                    // jobs of the callers that are here, in their order
  std::atomic<std::uint64_t> generation_{0};  // number of the newest job; the end counts too
  std::int64_t asleep_ = 0;
  std::int64_t busy_ = 0;  // in a job
  bool stop_ = false;
  const bool stays_awake_;  // whether every thread has a processor
};

std::mutex g_pool_mutex;       // mutex of the pointer; never held while work is done
std::shared_ptr<Pool> g_pool;  // goes when the last caller that uses it is through
std::atomic<int> g_threads{0};
ParallelHabits g_habits;

/// In a child that was forked: the threads of the pool are the parent's, and ending them, as the
/// end of the program does, would wait for ever.  So the pool is left as it is, and the child makes
/// one of its own.
void leave_pool_to_parent() {
  alignas(std::shared_ptr<Pool>) static std::byte place[sizeof g_pool];
  new (place) std::shared_ptr<Pool>(std::move(g_pool));
  g_pool_mutex.unlock();
}

/// The pool of this process.
std::shared_ptr<Pool> pool() {
  const std::lock_guard lock(g_pool_mutex);
  if (!g_pool) {
    static const int watches_forks = pthread_atfork(
        [] { g_pool_mutex.lock(); }, [] { g_pool_mutex.unlock(); }, leave_pool_to_parent);
    (void)watches_forks;
    g_pool = std::make_shared<Pool>(num_threads());
  }
  return g_pool;
}

/// Runs all tasks, whatever they throw, as the pool does.
void run_in_place(std::int64_t tasks, ParallelTask task) {
  std::exception_ptr error;
  for (std::int64_t i = 0; i < tasks; ++i) {
    try {
      task(i);
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

void run_together(std::int64_t tasks, const ParallelTask& task) {
  Job job;
  job.tasks = tasks;
  job.task = &task;
  pool()->run(job);
  if (job.error) std::rethrow_exception(job.error);
}

struct Depth {
  Depth() { ++t_depth; }
  ~Depth() { --t_depth; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
};

}  // namespace

int num_threads() {
  int threads = g_threads.load();
  if (threads == 0) {
    const int wanted = default_threads();
    if (g_threads.compare_exchange_strong(threads, wanted)) return wanted;
  }
  return threads;
}

void set_num_threads(int threads) {
  if (threads < 0 || threads > kMaxThreads) {
    fail<ArgumentError>("[set_num_threads] expected 0 to {} threads, got {}", kMaxThreads, threads);
  }
  if (t_inside_task || t_depth > 0) {
    throw ArgumentError("[set_num_threads] cannot be called from inside a parallel task");
  }
  std::shared_ptr<Pool> before;  // ends, if nobody uses it, when the mutex is free again
  const std::lock_guard lock(g_pool_mutex);
  before.swap(g_pool);
  g_threads = threads == 0 ? default_threads() : threads;
}

void parallel_for(std::int64_t tasks, ParallelTask task) {
  if (tasks <= 0) return;
  const Depth inside;
  if (tasks == 1 || t_inside_task || num_threads() == 1) return run_in_place(tasks, task);
  ParallelHabit& habit = g_habits.of(task.kind(), tasks);
  const ParallelHabit::Choice choice = habit.choose();
  const auto start = std::chrono::steady_clock::now();
  if (choice.way == ParallelHabit::Way::alone) {
    run_in_place(tasks, task);
  } else {
    run_together(tasks, task);
  }
  if (!choice.is_measured) return;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  habit.learn(choice.way, taken.count());
}

bool inside_parallel_task() { return t_inside_task; }

}  // namespace gaia
