// SPDX-License-Identifier: MIT
/// \file
/// Long work beside Python: it computes in a thread of its own, while Python is asked for signals
/// and told how far the work is.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "../../src/core/parallel.h"

namespace gaia::python {

namespace nb = nanobind;

/// A number of threads for as long as a run goes on; 0 leaves it as it is.
class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()), is_changed_(count > 0) {
    if (is_changed_) set_num_threads(count);
  }
  ~Threads() {
    if (is_changed_) set_num_threads(before_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
  bool is_changed_;
};

/// A run in a thread of its own, while this one, which has the GIL now and then, asks Python for
/// signals and tells how far the run is.  What Python throws meanwhile, as Ctrl-C does, stops the
/// run after its block, and is thrown again when the run has stored its state.
class Watch {
 public:
  explicit Watch(nb::object on_progress) : on_progress_(std::move(on_progress)) {}

  const std::atomic<bool>* stop() const { return &stop_; }

  /// By the run: how far it is.  `text` is only asked for where it will be shown.
  void tell(double done, const std::function<std::string()>& text) {
    const auto now = std::chrono::steady_clock::now();
    if (on_progress_.is_none() || (done < 1.0 && now - told_ < kBetween)) return;
    told_ = now;
    std::string told = text();
    const std::lock_guard lock(mutex_);
    news_ = {std::move(told), done};
  }

  /// Runs `job` and returns what it does; \throws what it throws.
  template <class Job>
  auto run(const Job& job) {
    std::optional<std::invoke_result_t<Job>> result;
    std::exception_ptr error;
    {
      const nb::gil_scoped_release release;
      std::thread thread([&] {
        try {
          result.emplace(job());
        } catch (...) {
          error = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        is_over_ = true;
        changed_.notify_all();
      });
      std::unique_lock lock(mutex_);
      while (!changed_.wait_for(lock, kBetween, [&] { return is_over_; })) look(lock);
      look(lock);
      lock.unlock();
      thread.join();
    }
    if (error) std::rethrow_exception(error);
    return *std::move(result);
  }

  /// Throws what Python has thrown meanwhile, after `note` has seen the exception.
  template <class Note>
  void throw_if_any(const Note& note) {
    if (!error_) return;
    note(error_->value());
    throw nb::python_error(std::move(*std::exchange(error_, nullptr)));
  }
  void throw_if_any() {
    throw_if_any([](nb::handle /*error*/) {});
  }

 private:
  static constexpr auto kBetween = std::chrono::milliseconds(100);

  void look(std::unique_lock<std::mutex>& lock) {
    const auto news = std::exchange(news_, std::nullopt);
    lock.unlock();
    {
      const nb::gil_scoped_acquire gil;
      try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        if (news && !stop_) on_progress_(news->first, news->second);
      } catch (nb::python_error& error) {
        error_ = std::make_unique<nb::python_error>(std::move(error));
        stop_ = true;
      }
    }
    lock.lock();
  }

  nb::object on_progress_;
  std::atomic<bool> stop_{false};
  std::unique_ptr<nb::python_error> error_;
  std::chrono::steady_clock::time_point told_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::pair<std::string, double>> news_;
  bool is_over_ = false;
};

}  // namespace gaia::python
