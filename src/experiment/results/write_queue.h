// SPDX-License-Identifier: MIT
/// \file
/// Writes that a thread of their own does, in the order in which they were queued, while the thread
/// that queues them goes on computing.
///
/// libhdf5 serves one thread at a time: what calls it while writes wait must be one of them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gaia {

/// For one thread that queues and one that writes.
class WriteQueue {
 public:
  using Write = std::function<void()>;

  /// How many writes may wait behind the one that is being done.  What they hold is in memory.
  static constexpr std::size_t kMostWaiting = 1;

  /// Where it is not to overlap, or the system grants no thread, writes are done when they are
  /// pushed, by who pushes them.
  explicit WriteQueue(bool overlaps);
  /// Waits for the write that is being done; those that wait are dropped.
  ~WriteQueue();

  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  bool overlaps() const { return thread_.joinable(); }

  /// Queues a write, and waits while too many do.  What it refers to must stay as it is until it is
  /// done.  \throws what an earlier write has thrown; after that nothing is written any more.
  void push(Write write);

  /// Waits until everything is written.  \throws what a write has thrown.
  void drain();

  /// The same after a failure elsewhere: throws only what a write had thrown before this call,
  /// since the first error is the one to be told.
  void drain_after_failure();

 private:
  void serve();
  void throw_if_failed() const;

  std::mutex mutex_;                  // all below but the thread change under it
  std::condition_variable fed_;       // there is a write, or none will come
  std::condition_variable relieved_;  // a write is done
  std::deque<Write> waiting_;
  bool is_writing_ = false;
  bool ends_ = false;
  std::exception_ptr error_;  // the first
  std::thread thread_;
};

}  // namespace gaia
