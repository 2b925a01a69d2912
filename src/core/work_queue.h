// SPDX-License-Identifier: MIT
/// \file
/// Work, as reading and writing, that a thread of its own does, in the order in which it was
/// queued, while the thread that queues it goes on computing.
///
/// libhdf5 serves one thread at a time: what calls it while work waits must be part of that.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gaia {

/// For one thread that queues and one that works.
class WorkQueue {
 public:
  using Work = std::function<void()>;

  /// How much work may wait behind what is being done.  What it holds is in memory.
  static constexpr std::size_t kMostWaiting = 1;

  /// Where it is not to overlap, or the system grants no thread, work is done when it is pushed, by
  /// who pushes it.
  explicit WorkQueue(bool overlaps);
  /// Waits for the work that is being done; what waits is dropped.
  ~WorkQueue();

  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  bool overlaps() const { return thread_.joinable(); }

  /// Queues work, and waits while too much does.  What it refers to must stay as it is until it is
  /// done.  \throws what earlier work has thrown; after that nothing is done any more.
  void push(Work work);

  /// Waits until everything is done.  \throws what work has thrown.
  void drain();

  /// The same after a failure elsewhere: throws only what work had thrown before this call,
  /// since the first error is the one to be reported.
  void drain_after_failure();

 private:
  void serve();
  void throw_if_failed() const;

  std::mutex mutex_;                  // all below but the thread change under it
  std::condition_variable fed_;       // there is work, or none will come
  std::condition_variable relieved_;  // some is done
  std::deque<Work> waiting_;
  bool is_working_ = false;
  bool ends_ = false;
  std::exception_ptr error_;  // the first
  std::thread thread_;
};

}  // namespace gaia
