// SPDX-License-Identifier: MIT
/// \file
/// data.drift: how the rows of a series change while they are read.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace gaia {

/// Channels that a drift is of, by name or index, and the share of them that it changes.
struct DriftChannels {
  std::vector<std::string> channels = {};  ///< Empty: all.
  double share = 1.0;

  friend bool operator==(const DriftChannels&, const DriftChannels&) = default;
};

/// Channels exchange their wires, two at a time.
struct SwapDrift {
  static constexpr const char* name = "swap";
  DriftChannels of;

  friend bool operator==(const SwapDrift&, const SwapDrift&) = default;
};

/// Pairs of channels turn.
struct TurnDrift {
  static constexpr const char* name = "turn";
  std::vector<std::string> axes = {};  ///< First and second channel of each pair.
  double angle = 90.0;                 ///< Degrees.

  friend bool operator==(const TurnDrift&, const TurnDrift&) = default;
};

/// Channels are multiplied by what moves away from 1.
struct GainDrift {
  static constexpr const char* name = "gain";
  DriftChannels of;
  double deviation = 0.5;

  friend bool operator==(const GainDrift&, const GainDrift&) = default;
};

/// To channels is added what moves away from 0.
struct OffsetDrift {
  static constexpr const char* name = "offset";
  DriftChannels of;
  double deviation = 1.0;

  friend bool operator==(const OffsetDrift&, const OffsetDrift&) = default;
};

/// Channels get noise that grows.
struct NoiseDrift {
  static constexpr const char* name = "noise";
  DriftChannels of;
  double deviation = 1.0;

  friend bool operator==(const NoiseDrift&, const NoiseDrift&) = default;
};

/// Channels become 0, one after the other.
struct LoseDrift {
  static constexpr const char* name = "lose";
  DriftChannels of;

  friend bool operator==(const LoseDrift&, const LoseDrift&) = default;
};

struct DriftConfig {
  std::variant<SwapDrift, TurnDrift, GainDrift, OffsetDrift, NoiseDrift, LoseDrift> kind;
  std::int64_t from = 0;  ///< Steps of all epochs, between which it happens.
  std::int64_t to = 0;

  friend bool operator==(const DriftConfig&, const DriftConfig&) = default;
};

}  // namespace gaia
