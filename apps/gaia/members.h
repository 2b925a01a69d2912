// SPDX-License-Identifier: MIT
/// \file
/// What `gaia sweep` and `gaia search` share: a member in this process, many members each in a
/// process of its own, and what may not be replaced.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../src/experiment/sweep/child_processes.h"
#include "../../src/experiment/sweep/member_run.h"
#include "../../src/experiment/sweep/member_survey.h"
#include "../../src/experiment/sweep/member_telemetry.h"
#include "execution.h"

namespace gaia::app {

struct MembersArguments {
  std::string file;
  Overrides overrides;
  std::int64_t jobs = 1;
  std::optional<std::string> shard;
  std::vector<std::int64_t> members;  ///< Members that this process runs; empty: others run all.
  bool overwrite = false;
  ExecutionArguments execution;
};

/// Options of which some exclude each other; others that run nothing are to exclude them too.
struct MembersOptions {
  CLI::Option* jobs;
  CLI::Option* shard;
  CLI::Option* member;
  CLI::Option* overwrite;
};

/// The options of both verbs; `shard_help` says what a shard takes.
MembersOptions add_members_options(CLI::App& verb, MembersArguments& arguments,
                                   const std::string& shard_help);

/// The command as it was given, but for how members are dealt out and reported.
std::vector<std::string> command_of(const char* verb, const MembersArguments& arguments);

/// The members that the arguments name, in this process.  One is begun, gone on with, or nothing is
/// done where it is complete.  Of several those are run together that nothing stands in the way of,
/// and what became of them is in their files.
int run_members_here(const Members& members, const MembersArguments& arguments,
                     const std::string& command_line);

/// \throws OutputError where a result that was looked at would be lost.
void refuse_others(const Members& members, const MemberSurvey& survey);

/// How many run at a time, and with what.
struct Places {
  std::int64_t jobs = 1;
  std::int64_t most_jobs = 0;  ///< Once it is known what members take; 0: `jobs`.
  std::int64_t together = 1;   ///< Members that a process has room for.
  int threads = 1;
  std::vector<ChildProcesses::Environment> environments;
};

/// For so many members, by what they need and what there is.
Places places_for(const MembersArguments& arguments, const MemberSurvey& survey,
                  std::int64_t members);

/// Files that the program which starts members tells of them in.
TelemetryConfig telemetry_of(const MembersArguments& arguments, const MemberSurvey& survey);

/// Options under which members run as `gaia VERB FILE ... --member N`; `survey` is to stay as long
/// as they are used.  From here on signals ask them to stop, or to store their states.
MemberRunOptions member_run_options(const char* verb, const MembersArguments& arguments,
                                    const Places& places, const MemberSurvey& survey);

}  // namespace gaia::app
