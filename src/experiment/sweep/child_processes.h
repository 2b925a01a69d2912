// SPDX-License-Identifier: MIT
/// \file
/// Commands that run side by side, each a process of its own, so that none can take another down.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gaia {

/// A child that has ended.
struct EndedChild {
  std::int64_t id = 0;  ///< Number that was passed to `start`.
  int code = 0;         ///< Exit code; of one that was killed, 128 + signal.
  int signal = 0;       ///< Signal that killed it, or 0.
  double seconds = 0.0;
  /// Largest memory of it, or of a process that it had started; not less than what this process
  /// held when it was started, which Linux counts in.
  double peak_bytes = 0.0;
  std::string errors;  ///< What it wrote to stderr, the end of it if that is long.
};

/// "killed by signal 9 (Killed), as where memory runs out": of an exit code of 128 + signal; empty
/// of others.
std::string signal_text(int code);

class ChildProcesses {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  ChildProcesses() = default;
  /// Kills those that still run.
  ~ChildProcesses();

  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;

  /// Starts a command, its program first, with `environment` added to our own.  It is in a process
  /// group of its own, so that Ctrl-C reaches it only through us; reads nothing, and writes what it
  /// writes to stdout to ours.  \throws Error where it cannot be started.
  void start(std::int64_t id, const std::vector<std::string>& command,
             const Environment& environment = {});

  std::size_t running() const { return children_.size(); }

  /// Bytes of memory that a child has now; 0 where the system does not tell.
  double bytes_of(std::int64_t id) const;

  /// Waits until a child ends, a signal comes, or the time is over; gives those that have ended.
  std::vector<EndedChild> wait(std::chrono::milliseconds at_most);

  /// Sends a signal to all that run, and to what they have started.
  void signal_all(int signal) const;

 private:
  struct Child {
    std::int64_t id;
    int process;
    int errors;  ///< Reading end of its stderr.
    std::string text;
    std::chrono::steady_clock::time_point start;
    bool is_silent = false;  ///< Its stderr is closed: it is about to end.
  };

  static void read_errors(Child& child);
  static bool has_ended(Child& child, EndedChild& ended);

  std::vector<Child> children_;
};

/// For a program that may have been started by `start`: asks the system to stop it with SIGTERM
/// when the one that started it dies.
void end_with_parent();

}  // namespace gaia
