// SPDX-License-Identifier: MIT
/// \file
/// The control of the map from above: the same hierarchy, whose levels hear each other by random
/// maps.
#pragma once

#include "talk_control.h"

namespace gaia {

/// Learns as the run does, with td = R s / (2 |s|), R normal and fixed.
class RandomMapControl final : public TalkControl {
 public:
  static constexpr const char* kName = "random_map";
  static constexpr const char* kTitle = kRandomMap;
  static constexpr bool kStandsAlone = true;
  static std::string why_left_out(const ControlSetup& setup, const ReadoutConfig& readout);

  explicit RandomMapControl(const ControlSetup& setup)
      : TalkControl(setup, TopDownMode::random_map) {}

  std::string name() const override { return kName; }
};

}  // namespace gaia
