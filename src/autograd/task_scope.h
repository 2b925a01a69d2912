// SPDX-License-Identifier: MIT
/// \file
/// Tasks that run beside each other and end before their scope does.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "parallel_map.h"

namespace gaia {

/// A place from which tasks are started and to which they come back:
///
///     TaskScope scope;
///     std::future<Array> gram = scope.spawn([&] { return matmul(x.transpose(), x); });
///     scope.spawn([&] { write(x); });
///     scope.wait_all();
///
/// Tasks begin in the order in which they were spawned, on threads of the scope, with the device
/// and the settings of the thread that created it.  Within a task operations use the pool.  A task
/// may spawn others, but not wait for all.
class TaskScope {
 public:
  /// `options.workers` run at a time at most; 0: as `parallel_map` has it.
  /// \throws ArgumentError unless workers is 0 to 1024.
  explicit TaskScope(const ParallelMapOptions& options = {});
  /// Waits for the tasks.  Where an exception leaves the scope, those not begun are left out.
  ~TaskScope();
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;

  /// Has f() called soon.  What it returns or throws is the future's; one that nobody asks for is
  /// reported by `wait_all` all the same.  The future of a task that is left out throws
  /// std::future_error.
  template <class F>
  auto spawn(F f) -> std::future<std::invoke_result_t<F&>> {
    using Answer = std::invoke_result_t<F&>;
    const auto promise = std::make_shared<std::promise<Answer>>();
    std::future<Answer> future = promise->get_future();
    const auto task = std::make_shared<F>(std::move(f));
    add([promise, task] {
      try {
        if constexpr (std::is_void_v<Answer>) {
          std::invoke(*task);
          promise->set_value();
        } else {
          promise->set_value(std::invoke(*task));
        }
      } catch (...) {
        promise->set_exception(std::current_exception());
        throw;
      }
    });
    return future;
  }

  /// Waits until all tasks have ended, then throws what the one spawned first of those that threw
  /// has thrown, once.  Copies of tasks count in the `transfer_stats` of the thread that waits.
  void wait_all();

  /// Leaves out the tasks that have not begun.
  void cancel();
  /// Whether `cancel` was called, which long tasks may ask.
  bool is_cancelled() const;

 private:
  class State;

  void add(std::function<void()> task);

  std::unique_ptr<State> state_;
  int exceptions_;  // on their way when the scope began
};

}  // namespace gaia
