// SPDX-License-Identifier: MIT
#include "parallel_map.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "../core/message.h"
#include "../core/parallel.h"
#include "../core/repeatable.h"
#include "thread_settings.hpp"

namespace gaia {
namespace {

thread_local bool t_inside_item = false;

/// One call: workers draw items in ascending order, so that below an item that was drawn all were.
class Items {
 public:
  Items(std::int64_t count, const std::function<void(std::int64_t)>& item)
      : count_(count), item_(item) {}

  /// Works on items until none is left or one has thrown.
  void work() {
    const bool was_inside = std::exchange(t_inside_item, true);
    while (!failed_.load(std::memory_order_relaxed)) {
      const std::int64_t i = next_.fetch_add(1, std::memory_order_relaxed);
      if (i >= count_) break;
      run(i);
    }
    t_inside_item = was_inside;
  }

  /// When all workers are through: counts their copies here, and throws what was caught.
  void finish() {
    add_transfer_stats(copies_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void run(std::int64_t i) {
    TransferStats copies;
    std::exception_ptr error;
    try {
      const ThreadSettingsScope scope(settings_);
      try {
        item_(i);
      } catch (...) {
        error = std::current_exception();
      }
      copies = transfer_stats();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    copies_.implicit_copies += copies.implicit_copies;
    copies_.explicit_copies += copies.explicit_copies;
    copies_.bytes += copies.bytes;
    if (!error) return;
    failed_.store(true, std::memory_order_relaxed);
    if (!error_ || i < error_item_) {
      error_ = error;
      error_item_ = i;
    }
  }

  const ThreadSettings settings_;
  const std::int64_t count_;
  const std::function<void(std::int64_t)>& item_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  TransferStats copies_;
  std::exception_ptr error_;
  std::int64_t error_item_ = 0;
};

/// Threads of their own, since those of the pool are for the CPU's operations within f.
void work_with_threads(Items& items, int workers) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(workers - 1));
  try {
    for (int i = 1; i < workers; ++i) threads.emplace_back([&items] { items.work(); });
  } catch (const std::system_error&) {
    // The system grants no more threads; those there are do all the work.
  }
  items.work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int workers_of(const ParallelMapOptions& options, const char* function) {
  constexpr int kMostWorkers = 1024;
  if (options.workers < 0 || options.workers > kMostWorkers) {
    fail<ArgumentError>("[{}] expected 0 to {} workers, got {}", function, kMostWorkers,
                        options.workers);
  }
  if (options.workers > 0) return options.workers;
  return current_device().is_cpu() ? num_threads() : kGpuWorkers;
}

void parallel_items(std::int64_t count, const std::function<void(std::int64_t)>& item,
                    const ParallelMapOptions& options) {
  const std::int64_t most = workers_of(options, "parallel_map");
  if (count <= 0) return;
  const bool on_cpu = current_device().is_cpu();
  const std::int64_t workers = std::min(count, most);
  Items items(count, item);
  if (workers == 1 || t_inside_item || inside_parallel_task() || in_repeatable_work()) {
    items.work();
  } else if (on_cpu) {
    parallel_for(workers, [&](std::int64_t) { items.work(); });
  } else {
    work_with_threads(items, static_cast<int>(workers));
  }
  items.finish();
}

}  // namespace gaia
