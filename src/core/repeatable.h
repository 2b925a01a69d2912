// SPDX-License-Identifier: MIT
/// \file
/// Work that is done again and has to come out as it did the first time.
///
///     RunLog log;
///     {
///       const FirstRun scope(log);
///       work();                      // next_stream() gives streams as always, and log keeps them
///     }
///     {
///       const Rerun scope(log);
///       work();                      // next_stream() gives the same ones, and uses none up
///     }
///
/// Whatever a piece of work takes that is another one every time goes through `repeatable`.
#pragma once

#include <any>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace gaia {

/// What a piece of work took, in order.
struct RunLog {
  std::vector<std::any> taken = {};
};

/// The scope in which the calling thread does some work for the first time or again; scopes nest.
class RunScope {
 public:
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 protected:
  RunScope(RunLog* writes, const RunLog* reads);
  ~RunScope();

  std::size_t position_ = 0;  ///< Position of what is read next.
  RunLog* writes_;            ///< Null in a rerun.
  const RunLog* reads_;       ///< Null in a first run.

 private:
  friend std::any repeatable_any(const std::function<std::any()>& make);
  friend bool in_rerun();

  RunScope* outer_;
};

/// While one lives, `log` keeps what this thread takes by `repeatable`.
class FirstRun : public RunScope {
 public:
  explicit FirstRun(RunLog& log) : RunScope(&log, nullptr) {}
};

/// While one lives, this thread takes what is in `log`, which outlives it.
class Rerun : public RunScope {
 public:
  explicit Rerun(const RunLog& log) : RunScope(nullptr, &log) {}
  /// Whether everything has been taken.
  bool is_complete() const { return position_ == reads_->taken.size(); }
};

/// Whether this thread is in a first run or a rerun.
bool in_repeatable_work();
/// Whether it is in a rerun.
bool in_rerun();

/// Result that `make` built the first time, or builds where nothing is done again.
/// \throws ArgumentError where a rerun takes more than the first run did.
std::any repeatable_any(const std::function<std::any()>& make);

/// \throws ArgumentError as well where the first run took something else here.
void check_repeats(bool is_same);

/// The same for one type; costs nothing where no work is repeatable.
template <class Make>
auto repeatable(const Make& make) {
  using Value = decltype(make());
  if (!in_repeatable_work()) return make();
  std::any value = repeatable_any([&] { return std::any(make()); });
  auto* const typed = std::any_cast<Value>(&value);
  check_repeats(typed != nullptr);
  return std::move(*typed);
}

}  // namespace gaia
