// SPDX-License-Identifier: MIT
#include "environments.h"

namespace gaia::agents {
namespace {

/// The options with the random numbers and the length of an episode that they are made for.
template <class Options>
Options placed(Options options, RandomStream random, std::int64_t max_steps) {
  options.random = random;
  options.max_steps = max_steps;
  return options;
}

}  // namespace

void PendulumEnvironment::keys(ConfigVisitor& v) {
  v.number({"gravity", "in m/s^2"}, options.gravity, kNotNegative);
  v.number({"mass", "in kg"}, options.mass, kPositive);
  v.number({"length", "in m"}, options.length, kPositive);
  v.number({"time_step", "in s"}, options.time_step, kPositive);
  v.number({"max_speed", "in radians per second"}, options.max_speed, kPositive);
  v.number({"max_torque", "in N m"}, options.max_torque, kPositive);
  v.number({"start_angle", "an episode begins at angles up to this, from the upright, in radians"},
           options.start_angle, kNotNegative);
  v.number({"start_speed", "and at speeds up to this, in radians per second"}, options.start_speed,
           kNotNegative);
}

ContinuousWorld PendulumEnvironment::make_continuous(RandomStream random,
                                                     std::int64_t max_steps) const {
  return pendulum(placed(options, random, max_steps));
}

void PointMassEnvironment::keys(ConfigVisitor& v) {
  v.integer({"dimensions", "on a line or in a plane"}, options.dimensions, {1, 2});
  v.number({"mass", "in kg"}, options.mass, kPositive);
  v.number({"damping", "in 1/s"}, options.damping, kNotNegative);
  v.number({"time_step", "in s"}, options.time_step, kPositive);
  v.number({"max_force", "in N"}, options.max_force, kPositive);
  v.number({"start", "an episode begins at positions up to this, at rest"}, options.start,
           kNotNegative);
}

ContinuousWorld PointMassEnvironment::make_continuous(RandomStream random,
                                                      std::int64_t max_steps) const {
  return point_mass(placed(options, random, max_steps));
}

void MountainCarEnvironment::keys(ConfigVisitor& v) {
  v.number({"power", "of the motor"}, options.power, kPositive);
  v.number({"goal", "position that is to be reached"}, options.goal, {-1.2, 0.6});
  v.number({"goal_speed", "with which it is to be reached at least"}, options.goal_speed,
           {-0.07, 0.07});
  v.number({"start_low", "least position at the beginning"}, options.start_low, {-1.2, 0.6});
  v.number({"start_high", "greatest position at the beginning"}, options.start_high, {-1.2, 0.6});
}

ContinuousWorld MountainCarEnvironment::make_continuous(RandomStream random,
                                                        std::int64_t max_steps) const {
  return mountain_car(placed(options, random, max_steps));
}

}  // namespace gaia::agents
