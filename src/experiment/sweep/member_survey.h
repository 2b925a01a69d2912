// SPDX-License-Identifier: MIT
/// \file
/// A look at the members of a sweep or a search before any of them runs: what there is of them, and
/// what they will need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../run/needs.h"
#include "member_state.h"
#include "sweep.h"

namespace gaia {

struct MemberSurvey {
  std::int64_t first = 0;  ///< The member that `states` begins with.
  std::vector<MemberState> states;
  std::string first_change;   ///< Text of MemberStates::first_change.
  std::vector<Needs> needs;   ///< Needs of each, as `states`.
  double memory_bytes = 0.0;  ///< Memory of the largest member, without the program itself.
  std::int64_t largest = 0;   ///< Number of that member.
  double disk_bytes = 0.0;    ///< Size of all results files but networks', before compression.
  double seconds = 0.0;       ///< Time of all members, one after the other; 0 where none was tried.
  std::vector<std::string> warnings;
  RuntimeConfig runtime;     ///< `runtime` of the first member.
  bool names_gpu = false;    ///< Whether a member asks for a GPU by its number, "cuda:1".
  bool may_use_gpu = false;  ///< Whether one may run on a GPU.

  std::int64_t count(MemberState state) const;
  MemberState state_of(std::int64_t member) const {
    return states[static_cast<std::size_t>(member - first)];
  }
  const Needs& needs_of(std::int64_t member) const {
    return needs[static_cast<std::size_t>(member - first)];
  }
};

/// Checks every member from number `first` on.  With `trial`, the first of them processes its first
/// samples to see how fast it is; the time of the others follows from their sizes, and of networks
/// is not reported. \throws ConfigError with all that is wrong with any member.
MemberSurvey survey_members(const Members& members, bool trial, std::int64_t first = 0);

/// What `gaia check` says of a sweep that can run.
std::string survey_text(const Sweep& sweep, const MemberSurvey& survey);

}  // namespace gaia
