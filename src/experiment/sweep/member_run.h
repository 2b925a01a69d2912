// SPDX-License-Identifier: MIT
/// \file
/// Runs the members of a sweep or a search side by side in processes, each in one of its own or
/// several of one structure together: one that dies, diverges or runs out of memory harms no other.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../run/needs.h"
#include "child_processes.h"
#include "members.h"
#include "shard.h"

namespace gaia {

/// What became of a member.
enum class MemberOutcome {
  done,         ///< Run here.
  elsewhere,    ///< Another process has run it meanwhile.
  failed,       ///< Ended with an error, or was killed.
  interrupted,  ///< Asked to stop; what it had is stored.
  not_begun,    ///< The sweep was interrupted before.
};

struct MemberResult {
  std::int64_t member = 0;
  MemberOutcome outcome = MemberOutcome::not_begun;
  int code = 0;         ///< Exit code of its process; 128 + signal of one that was killed.
  std::string message;  ///< What it wrote to stderr.
  double seconds = 0.0;
  std::int64_t retries = 0;  ///< How often it was tried again.
};

/// How far a sweep is.
struct MemberProgress {
  std::int64_t ended = 0;  ///< Members that have ended, here or elsewhere.
  std::int64_t members = 0;
  std::int64_t running = 0;
  std::int64_t failed = 0;
  double seconds = 0.0;
  /// For the members that are left, as members that have ended took by their work; 0 before.
  double seconds_left = 0.0;
  const MemberResult* result = nullptr;  ///< Result of a member that has just ended; else null.
};

struct MemberRunOptions {
  std::int64_t jobs = 1;  ///< How many processes run at a time, before it is known what they take.
  std::int64_t most_jobs = 0;  ///< The same once one has ended; 0: `jobs`.
  /// What is foretold of a member.  From it and from what members take that have ended, which is
  /// the peak of a process, it follows what others will take; and times likewise.  Nothing: all are
  /// alike.
  std::function<Needs(std::int64_t member)> needs = {};
  /// Bytes that the processes may take together.  One begins only where it fits beside those that
  /// run, as far as is known of each; alone it begins in any case.  0: they are not counted.
  double memory_bytes = 0.0;
  /// How often a member is tried again that died by a signal, or ended for want of memory; after
  /// that by itself, without others beside it.
  std::int64_t retries = 0;
  /// When it was begun to look which members are to be run: others may have run some since.
  std::filesystem::file_time_type chosen = std::filesystem::file_time_type::clock::now();
  /// The command that runs one member; its number is appended, then its `arguments`.  It exits with
  /// `done_code`, or with `interrupted_code` when SIGTERM has stopped it, or with `locked_code` if
  /// another process runs that member; any other code, and a signal, mean that it failed, with
  /// `diverged_code` by NaN or infinity.
  std::vector<std::string> command = {};
  std::function<std::vector<std::string>(const std::vector<std::int64_t>& members)> arguments = {};
  /// How many members, of one structure, a process runs together: their numbers are appended as
  /// 3,4,5.  Whatever it exits with, members that are neither complete then nor diverged are run
  /// again by themselves.
  std::int64_t together = 1;
  int done_code = 0;
  int interrupted_code = 75;
  int locked_code = 7;
  int diverged_code = 8;
  int out_of_memory_code = 5;
  /// What to add to the environment of the processes in place 0, 1 ... `jobs` - 1; may be shorter.
  std::vector<ChildProcesses::Environment> environments = {};
  std::optional<double> max_seconds = {};
  /// Counts the signals: the first asks the members to stop, the second kills them.
  const std::atomic<int>* signals = nullptr;
  /// Set to ask the members that run to store their states (SIGUSR1); taken by that.
  std::atomic<bool>* checkpoint = nullptr;
  std::function<void(const MemberProgress&)> on_progress = {};
};

/// Runs `members`, in this order; where what is left will take minutes, as soon as that is known,
/// those first that have the most work, so that none is left at the end that others could have run
/// beside.  One that another process holds is waited for, and run if that
/// process dies before it is complete.  One result for each, in their order.
std::vector<MemberResult> run_members(const Members& all, const std::vector<std::int64_t>& members,
                                      const MemberRunOptions& options);

}  // namespace gaia
