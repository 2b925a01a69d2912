// SPDX-License-Identifier: MIT
#include "work_queue.h"

#include <system_error>
#include <utility>

namespace gaia {

WorkQueue::WorkQueue(bool overlaps) {
  if (!overlaps) return;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // No more threads: it is done in between, with the same results.
  }
}

WorkQueue::~WorkQueue() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    ends_ = true;
  }
  fed_.notify_one();
  thread_.join();
}

void WorkQueue::throw_if_failed() const {
  if (error_) std::rethrow_exception(error_);
}

void WorkQueue::push(Work work) {
  std::unique_lock lock(mutex_);
  throw_if_failed();
  if (!overlaps()) {
    try {
      work();
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
    return;
  }
  relieved_.wait(lock, [this] { return error_ || waiting_.size() < kMostWaiting; });
  throw_if_failed();
  waiting_.push_back(std::move(work));
  fed_.notify_one();
}

void WorkQueue::drain() {
  std::unique_lock lock(mutex_);
  relieved_.wait(lock, [this] { return waiting_.empty() && !is_working_; });
  throw_if_failed();
}

void WorkQueue::drain_after_failure() {
  std::unique_lock lock(mutex_);
  const std::exception_ptr earlier = error_;
  relieved_.wait(lock, [this] { return waiting_.empty() && !is_working_; });
  if (earlier) std::rethrow_exception(earlier);
}

void WorkQueue::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    fed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Work work = std::move(waiting_.front());
    waiting_.pop_front();
    is_working_ = true;
    lock.unlock();
    relieved_.notify_one();  // there is room for the next
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    work = nullptr;  // what it held is free before another takes its place
    lock.lock();
    is_working_ = false;
    if (error) {
      error_ = error;
      waiting_.clear();
    }
    relieved_.notify_one();
  }
}

}  // namespace gaia
