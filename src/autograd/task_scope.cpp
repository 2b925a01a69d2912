// SPDX-License-Identifier: MIT
#include "task_scope.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "../core/message.h"
#include "../core/parallel.h"
#include "thread_settings.hpp"

namespace gaia {

class TaskScope::State {
 public:
  explicit State(const ParallelMapOptions& options)
      : workers_(static_cast<std::size_t>(workers_of(options, "TaskScope"))) {}

  ~State() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    fed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void add(std::function<void()> task) {
    std::unique_lock lock(mutex_);
    if (is_cancelled_) return;
    waiting_.push_back({count_++, std::move(task)});
    if (idle_ < waiting_.size() && threads_.size() < workers_) {
      try {
        threads_.emplace_back([this] { serve(); });
      } catch (const std::system_error&) {
        // The system grants no more threads; those there are do all the work.
        if (threads_.empty()) run_one(lock);
      }
    }
    fed_.notify_one();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return waiting_.empty() && running_ == 0; });
    add_transfer_stats(std::exchange(copies_, {}));
  }

  void throw_first() {
    std::unique_lock lock(mutex_);
    const std::exception_ptr error = std::exchange(error_, nullptr);
    lock.unlock();
    if (error) std::rethrow_exception(error);
  }

  void cancel() {
    std::deque<Task> dropped;  // ends outside the lock, as what tasks hold may do anything
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    dropped.swap(waiting_);
    if (running_ == 0) ended_.notify_all();
  }

  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return is_cancelled_;
  }

 private:
  struct Task {
    std::int64_t number = 0;
    std::function<void()> call;
  };

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      fed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      run_one(lock);
    }
  }

  void run_one(std::unique_lock<std::mutex>& lock) {
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    TransferStats copies;
    std::exception_ptr error;
    try {
      const ThreadSettingsScope scope(settings_);
      try {
        task.call();
      } catch (...) {
        error = std::current_exception();
      }
      copies = transfer_stats();
    } catch (...) {
      error = std::current_exception();
    }
    task.call = nullptr;  // what it holds ends before it is reported that it has ended
    lock.lock();
    copies_.implicit_copies += copies.implicit_copies;
    copies_.explicit_copies += copies.explicit_copies;
    copies_.bytes += copies.bytes;
    if (error && (!error_ || task.number < error_task_)) {
      error_ = error;
      error_task_ = task.number;
    }
    if (--running_ == 0 && waiting_.empty()) ended_.notify_all();
  }

  const ThreadSettings settings_;
  const std::size_t workers_;
  mutable std::mutex mutex_;  // all below change under it
  std::condition_variable fed_;
  std::condition_variable ended_;
  std::deque<Task> waiting_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;  // threads that wait for a task
  std::int64_t running_ = 0;
  std::int64_t count_ = 0;
  TransferStats copies_;
  std::exception_ptr error_;
  std::int64_t error_task_ = 0;
  bool is_cancelled_ = false;
  bool ends_ = false;
};

TaskScope::TaskScope(const ParallelMapOptions& options)
    : state_(std::make_unique<State>(options)), exceptions_(std::uncaught_exceptions()) {}

TaskScope::~TaskScope() {
  if (std::uncaught_exceptions() > exceptions_) state_->cancel();
  state_->wait();
}

void TaskScope::add(std::function<void()> task) { state_->add(std::move(task)); }

void TaskScope::wait_all() {
  state_->wait();
  state_->throw_first();
}

void TaskScope::cancel() { state_->cancel(); }

bool TaskScope::is_cancelled() const { return state_->is_cancelled(); }

}  // namespace gaia
