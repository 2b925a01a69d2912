// SPDX-License-Identifier: MIT
/// \file
/// How the map of a connection from above learns, as the text of a rule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "top_down_options.h"

namespace gaia {

/// A rule of a layer whose input is s and whose answer is td, its drive.
struct TopDownRule {
  EquationRule rule;
  /// Memories of the text that nothing carries from tick to tick.
  std::vector<std::string> passing = {};
  bool reads_drive = false;  ///< Whether it reads z where it learns, be it for what a gain wants.
};

/// Arrays under these names are passed (EquationSignalSource::is_handed_over).
inline constexpr const char* kDriveSignal = "(drive)";
inline constexpr const char* kAnswerSignal = "(answer)";

/// The rule of V under a layer of this activation.  `answer_is_given`: the answer is passed,
/// since the layer's own text makes it; else it follows from td here.
/// \throws ArgumentError for a text that cannot be it.
TopDownRule top_down_rule(const TopDownOptions& options, Activation activation,
                          bool answer_is_given);

}  // namespace gaia
