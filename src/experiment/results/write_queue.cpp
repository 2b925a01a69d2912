// SPDX-License-Identifier: MIT
#include "write_queue.h"

#include <system_error>
#include <utility>

namespace gaia {

WriteQueue::WriteQueue(bool overlaps) {
  if (!overlaps) return;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // No more threads: it is written in between, with the same results.
  }
}

WriteQueue::~WriteQueue() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    ends_ = true;
  }
  fed_.notify_one();
  thread_.join();
}

void WriteQueue::throw_if_failed() const {
  if (error_) std::rethrow_exception(error_);
}

void WriteQueue::push(Write write) {
  std::unique_lock lock(mutex_);
  throw_if_failed();
  if (!overlaps()) {
    try {
      write();
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
    return;
  }
  relieved_.wait(lock, [this] { return error_ || waiting_.size() < kMostWaiting; });
  throw_if_failed();
  waiting_.push_back(std::move(write));
  fed_.notify_one();
}

void WriteQueue::drain() {
  std::unique_lock lock(mutex_);
  relieved_.wait(lock, [this] { return waiting_.empty() && !is_writing_; });
  throw_if_failed();
}

void WriteQueue::drain_after_failure() {
  std::unique_lock lock(mutex_);
  const std::exception_ptr earlier = error_;
  relieved_.wait(lock, [this] { return waiting_.empty() && !is_writing_; });
  if (earlier) std::rethrow_exception(earlier);
}

void WriteQueue::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    fed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Write write = std::move(waiting_.front());
    waiting_.pop_front();
    is_writing_ = true;
    lock.unlock();
    relieved_.notify_one();  // there is room for the next
    std::exception_ptr error;
    try {
      write();
    } catch (...) {
      error = std::current_exception();
    }
    write = nullptr;  // what it held is free before another takes its place
    lock.lock();
    is_writing_ = false;
    if (error) {
      error_ = error;
      waiting_.clear();
    }
    relieved_.notify_one();
  }
}

}  // namespace gaia
