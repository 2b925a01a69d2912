// SPDX-License-Identifier: MIT
/// \file
/// What a person sees of the members of a sweep or a search: a line for each member that has ended,
/// or a bar, and what failed.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "../../src/experiment/run/progress.h"
#include "../../src/experiment/sweep/member_run.h"
#include "../../src/experiment/sweep/sweep.h"

namespace gaia::app {

class MemberDisplay {
 public:
  MemberDisplay(const Members& members, ProgressMode mode, std::FILE* stream)
      : members_(members), mode_(mode), stream_(stream) {}

  void show(const MemberProgress& progress);
  void finish();

 private:
  void write(const std::string& text);

  const Members& members_;
  ProgressMode mode_;
  std::FILE* stream_;
  std::string bar_;
};

/// How the members that were run here ended.
struct MembersEnd {
  std::int64_t done = 0;  ///< Here or elsewhere.
  std::int64_t failed = 0;
  std::int64_t left = 0;  ///< Interrupted, or not begun.
  bool interrupted = false;
};

MembersEnd end_of(const std::vector<MemberResult>& results);

/// What is about to run.
std::string opening_text(const Sweep& sweep, const Shard& shard, std::int64_t complete,
                         std::int64_t members, std::int64_t jobs, int threads);

/// A table of the members that failed, and why; empty where none did.
std::string failures_text(const Members& members, const std::vector<MemberResult>& results);

std::string closing_text(const Members& members, const MembersEnd& end, std::int64_t skipped);

}  // namespace gaia::app
