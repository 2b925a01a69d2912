// SPDX-License-Identifier: MIT
/// \file
/// What there is of a member's results before it is run, or after.
#pragma once

#include <string>

#include "config.h"

namespace gaia {

enum class MemberState {
  missing,     ///< Nothing.
  complete,    ///< A result of this very configuration.
  unfinished,  ///< A partial result of this configuration: interrupted, failed, killed or running.
  replacing,   ///< The same, while the result in its place is still one of another configuration.
  torn,        ///< A partial result that cannot be read: killed while it was laid out.
  damaged,     ///< A result that cannot be read.
  other,       ///< A result, or a partial one, of another configuration.
};

/// Of the member whose resolved configuration this is, output.path included.
MemberState state_of_member(const ExperimentConfig& config);

/// Whether two resolved configurations, as YAML, describe the same run; where it is stored does not
/// count, nor does a key that was not known yet when the first was written.
bool is_same_run(const std::string& stored, const ExperimentConfig& config);

}  // namespace gaia
