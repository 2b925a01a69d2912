// SPDX-License-Identifier: MIT
/// \file
/// The control of what comes from above: the same hierarchy, in which no level hears another.
#pragma once

#include "talk_control.h"

namespace gaia {

/// Learns as the run does, with td = 0; the maps from above stay as they are.
class SilentControl final : public TalkControl {
 public:
  static constexpr const char* kName = "silent";
  static constexpr const char* kTitle = kSilentLevels;
  static constexpr bool kStandsAlone = true;
  static std::string why_left_out(const ControlSetup& /*setup*/, const ReadoutConfig& /*readout*/) {
    return {};
  }

  explicit SilentControl(const ControlSetup& setup) : TalkControl(setup, TopDownMode::silent) {}

  std::string name() const override { return kName; }
};

}  // namespace gaia
