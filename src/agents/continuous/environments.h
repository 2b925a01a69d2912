// SPDX-License-Identifier: MIT
/// \file
/// Worlds of real numbers as an experiment asks for them: by name and keys.
#pragma once

#include <cstdint>

#include "../../core/keys.h"
#include "worlds.h"

namespace gaia::agents {

/// environment: type: pendulum
struct PendulumEnvironment {
  static constexpr const char* name = "pendulum";
  PendulumOptions options = {.random = {}};
  void keys(ConfigVisitor& v);
  ContinuousWorld make_continuous(RandomStream random, std::int64_t max_steps) const;
};

/// environment: type: point_mass
struct PointMassEnvironment {
  static constexpr const char* name = "point_mass";
  PointMassOptions options = {.random = {}};
  void keys(ConfigVisitor& v);
  ContinuousWorld make_continuous(RandomStream random, std::int64_t max_steps) const;
};

/// environment: type: mountain_car
struct MountainCarEnvironment {
  static constexpr const char* name = "mountain_car";
  MountainCarOptions options = {.random = {}};
  void keys(ConfigVisitor& v);
  ContinuousWorld make_continuous(RandomStream random, std::int64_t max_steps) const;
};

}  // namespace gaia::agents
