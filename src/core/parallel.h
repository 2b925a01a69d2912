// SPDX-License-Identifier: MIT
/// \file
/// One pool of threads for the whole process.
///
/// Work is cut into tasks whose borders depend on the problem alone, never on the number of
/// threads, so that results are the same for any number of them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace gaia {

/// Number of threads that work on one operation, at least 1.  Default: GAIA_NUM_THREADS if that is
/// set, else the number of processors this process may use.
int num_threads();

/// Sets the number of threads; 0 restores the default.
/// \throws ArgumentError if `threads` is negative or above 1024, or from inside `parallel_for`.
void set_num_threads(int threads);

/// Function that parallel_for calls, held by its caller: without the memory that std::function
/// takes for itself, which costs more than small work does.
class ParallelTask {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, ParallelTask>>>
  ParallelTask(const F& function)
      : function_(&function),
        call_([](const void* f, std::int64_t number) { (*static_cast<const F*>(f))(number); }) {}

  void operator()(std::int64_t number) const { call_(function_, number); }

  /// The same for all calls from one place of the source.
  std::uintptr_t kind() const { return reinterpret_cast<std::uintptr_t>(call_); }

 private:
  const void* function_;
  void (*call_)(const void* function, std::int64_t number);
};

/// Calls task(i) for i in [0, tasks), in any order and on any thread of the pool, and returns when
/// all are done.  Called from inside a task, or with one task or one thread, it runs in place.  A
/// task that throws does not keep the others from running; then the exception of the lowest task
/// number is thrown again here.
void parallel_for(std::int64_t tasks, ParallelTask task);

/// Whether the calling thread is inside a task of the pool, where further parallel work runs in
/// place.
bool inside_parallel_task();

}  // namespace gaia
