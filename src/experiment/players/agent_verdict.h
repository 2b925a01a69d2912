// SPDX-License-Identifier: MIT
/// \file
/// Worth of the returns of an agent compared with those of its controls.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../config/config_writer.h"

namespace gaia {

/// Mean of some returns.
struct ReturnScore {
  std::int64_t episodes = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = 0.0;  ///< Standard deviation over episodes; 0 of one.

  /// Standard error of the mean.
  double standard_error() const;
};

/// Score of the returns from index `first` on.
ReturnScore return_score(const std::vector<double>& returns, std::int64_t first);

/// An agent compared with one of its controls.
struct ControlReturns {
  std::string name;
  ReturnScore score;
};

struct AgentVerdict {
  bool learns = false;
  /// The first episode that counts: 0, or, of an agent that learns, the first of the second half.
  std::int64_t first_episode = 0;
  ReturnScore agent;
  std::vector<ControlReturns> controls;
  bool is_bad = false;  ///< A control is as good.
  std::string text;     ///< A sentence; empty where nothing can be reported.
};

/// `units` of the returns: "nat".  Every control has the returns of as many episodes as the agent,
/// or of fewer, where it has not run to the end: it is then left out.
AgentVerdict agent_verdict(bool learns, std::int64_t episodes, const std::vector<double>& returns,
                           const std::vector<std::pair<std::string, std::vector<double>>>& controls,
                           const std::string& units);

/// Attributes of a score, for results: judged_episodes, mean_return, standard_deviation.
Attributes score_attributes(const ReturnScore& score);

}  // namespace gaia
