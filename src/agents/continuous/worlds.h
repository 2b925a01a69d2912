// SPDX-License-Identifier: MIT
/// \file
/// Worlds of continuous observations and actions: a pendulum, a mass that is pushed, a car between
/// two hills.
#pragma once

#include <cstdint>
#include <vector>

#include "../../core/random.h"
#include "world.h"

namespace gaia::agents {

/// A pendulum that has to be swung up, with a motor too weak to lift it.  With the angle q from the
/// upright, in radians, and its speed v, in radians per second,
///
///     v <- clip(v + (3 g / (2 l) sin q + 3 / (m l^2) u) dt, -8, 8), then q <- q + v dt
///     reward = -(q^2 + 0.1 v^2 + 0.001 u^2), of q in [-pi, pi) and v before the step
///
/// - observations: cos q, sin q, v;  action: torque u within [-2, 2] N m.
///
/// Gymnasium's Pendulum-v1 (Farama Foundation), in float64.
struct PendulumOptions {
  double gravity = 10.0;  ///< g, m/s^2.
  double mass = 1.0;      ///< m, kg.
  double length = 1.0;    ///< l, m.
  double time_step = 0.05;
  double max_speed = 8.0;
  double max_torque = 2.0;
  /// The beginning is drawn evenly from angles and speeds up to these, of either sign.
  double start_angle = 3.14159265358979323846;
  double start_speed = 1.0;
  std::int64_t max_steps = 200;
  RandomStream random = next_stream();
};
ContinuousWorld pendulum(const PendulumOptions& options = {});

/// A mass on a line or in a plane that a force moves and friction slows down.  For each axis
///
///     v <- v + (u / m - c v) dt, then x <- x + v dt;  reward = -(sum of x^2 + 0.1 u^2)
///
/// with x after the step, and
///
/// - observations: the positions x, then the speeds v;  actions: a force for each axis, in [-1, 1].
struct PointMassOptions {
  std::int64_t dimensions = 1;  ///< 1 or 2.
  double mass = 1.0;            ///< m, kg.
  double damping = 0.1;         ///< c, 1/s; c dt is below 1.
  double time_step = 0.1;       ///< dt, s.
  double max_force = 1.0;       ///< N.
  double start = 1.0;           ///< Positions are drawn evenly from [-start, start], at rest.
  std::int64_t max_steps = 100;
  RandomStream random = next_stream();
};
ContinuousWorld point_mass(const PointMassOptions& options = {});

/// A car in a valley whose motor is too weak to climb the hill to the right at once: it has to
/// swing up on both sides.
///
///     v <- clip(v + 0.0015 u - 0.0025 cos(3 x), -0.07, 0.07), then x <- clip(x + v, -1.2, 0.6)
///
/// and v is 0 at the left end.  The goal is x >= 0.45 with v >= 0, where the episode ends.
/// reward = (100 at the goal) - 0.1 u^2, with u as it was given.
///
/// - observations: x, v;  action: u, cut to [-1, 1].
///
/// Gymnasium's MountainCarContinuous-v0 (Farama Foundation; Moore 1990, "Efficient memory-based
/// learning for robot control", thesis, Cambridge), which rounds x and v to float32 after each step
/// where this is in float64.
struct MountainCarOptions {
  double power = 0.0015;
  double goal = 0.45;
  double goal_speed = 0.0;
  double start_low = -0.6, start_high = -0.4;  ///< x at the beginning, at rest.
  std::int64_t max_steps = 999;
  RandomStream random = next_stream();
};
ContinuousWorld mountain_car(const MountainCarOptions& options = {});

}  // namespace gaia::agents
