// SPDX-License-Identifier: MIT
#include "worlds.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "../../core/message.h"

namespace gaia::agents {
namespace {

void need_positive(double value, const std::string& key) {
  require(value > 0 && std::isfinite(value), "[{}] expected a finite number above 0, got {}", key,
          value);
}

// Bounds and forces in the valley of the mountain car.
constexpr double kLeftEnd = -1.2, kRightEnd = 0.6, kMaxSpeed = 0.07, kGravity = 0.0025;

/// The same angle in [-pi, pi).
double within_half_turn(double angle) {
  double rest = std::fmod(angle + std::numbers::pi, 2 * std::numbers::pi);
  if (rest < 0) rest += 2 * std::numbers::pi;
  return rest - std::numbers::pi;
}

}  // namespace

ContinuousWorld pendulum(const PendulumOptions& options) {
  need_positive(options.gravity, "pendulum.gravity");
  need_positive(options.mass, "pendulum.mass");
  need_positive(options.length, "pendulum.length");
  need_positive(options.time_step, "pendulum.time_step");
  need_positive(options.max_speed, "pendulum.max_speed");
  need_positive(options.max_torque, "pendulum.max_torque");
  require(options.start_angle >= 0, "[pendulum.start_angle] expected 0 or more, got {}",
          options.start_angle);
  require(options.start_speed >= 0, "[pendulum.start_speed] expected 0 or more, got {}",
          options.start_speed);
  ContinuousDynamics dynamics{
      .name = "pendulum",
      .observation_names = {"cos(angle)", "sin(angle)", "speed"},
      .action_names = {"torque"},
      .action_low = {-options.max_torque},
      .action_high = {options.max_torque},
      .start_low = {-options.start_angle, -options.start_speed},
      .start_high = {options.start_angle, options.start_speed},
      .change = {},
      .observe = {},
      .max_steps = options.max_steps,
  };
  dynamics.change = [options](std::span<double> variables, std::span<const double> action) {
    double& angle = variables[0];
    double& speed = variables[1];
    const double dt = options.time_step, length = options.length, mass = options.mass;
    const double torque = std::clamp(action[0], -options.max_torque, options.max_torque);
    const double from_upright = within_half_turn(angle);
    const double cost =
        from_upright * from_upright + 0.1 * (speed * speed) + 0.001 * (torque * torque);
    speed += (3 * options.gravity / (2 * length) * std::sin(angle) +
              3.0 / (mass * (length * length)) * torque) *
             dt;
    speed = std::clamp(speed, -options.max_speed, options.max_speed);
    angle += speed * dt;
    return ContinuousDynamics::Change{.reward = -cost};
  };
  dynamics.observe = [](std::span<const double> variables) {
    return std::vector{std::cos(variables[0]), std::sin(variables[0]), variables[1]};
  };
  return {std::move(dynamics), options.random};
}

ContinuousWorld point_mass(const PointMassOptions& options) {
  require(options.dimensions == 1 || options.dimensions == 2,
          "[point_mass.dimensions] expected 1 or 2, got {}",
          static_cast<double>(options.dimensions));
  need_positive(options.mass, "point_mass.mass");
  need_positive(options.time_step, "point_mass.time_step");
  need_positive(options.max_force, "point_mass.max_force");
  require(options.damping >= 0 && options.damping * options.time_step < 1,
          "[point_mass.damping] expected 0 or more, and below 1 / time_step, got {}",
          options.damping);
  require(options.start >= 0, "[point_mass.start] expected 0 or more, got {}", options.start);
  const auto n = static_cast<std::size_t>(options.dimensions);
  const std::vector<std::string> axes =
      n == 1 ? std::vector<std::string>{""} : std::vector<std::string>{" x", " y"};
  ContinuousDynamics dynamics{
      .name = "point_mass",
      .observation_names = {},
      .action_names = {},
      .action_low = std::vector(n, -options.max_force),
      .action_high = std::vector(n, options.max_force),
      .start_low = std::vector(2 * n, 0.0),
      .start_high = std::vector(2 * n, 0.0),
      .change = {},
      .observe = {},
      .max_steps = options.max_steps,
  };
  for (const char* what : {"position", "speed"}) {
    for (const std::string& axis : axes) dynamics.observation_names.push_back(what + axis);
  }
  for (std::size_t a = 0; a < n; ++a) {
    dynamics.action_names.push_back("force" + axes[a]);
    dynamics.start_low[a] = -options.start;
    dynamics.start_high[a] = options.start;
  }
  dynamics.change = [options, n](std::span<double> variables, std::span<const double> action) {
    double cost = 0.0;
    for (std::size_t a = 0; a < n; ++a) {
      double& position = variables[a];
      double& speed = variables[n + a];
      const double force = std::clamp(action[a], -options.max_force, options.max_force);
      speed += (force / options.mass - options.damping * speed) * options.time_step;
      position += speed * options.time_step;
      cost += position * position + 0.1 * (force * force);
    }
    return ContinuousDynamics::Change{.reward = -cost};
  };
  dynamics.observe = [](std::span<const double> variables) {
    return std::vector(variables.begin(), variables.end());
  };
  return {std::move(dynamics), options.random};
}

ContinuousWorld mountain_car(const MountainCarOptions& options) {
  need_positive(options.power, "mountain_car.power");
  require(options.goal > kLeftEnd && options.goal <= kRightEnd,
          "[mountain_car.goal] expected a position above -1.2, up to 0.6, got {}", options.goal);
  require(options.start_low >= kLeftEnd && options.start_low <= options.start_high,
          "[mountain_car.start_low] expected a position from -1.2 on, up to start_high, got {}",
          options.start_low);
  require(options.start_high <= kRightEnd,
          "[mountain_car.start_high] expected a position up to 0.6, got {}", options.start_high);
  ContinuousDynamics dynamics{
      .name = "mountain_car",
      .observation_names = {"position", "speed"},
      .action_names = {"force"},
      .action_low = {-1.0},
      .action_high = {1.0},
      .start_low = {options.start_low, 0.0},
      .start_high = {options.start_high, 0.0},
      .change = {},
      .observe = {},
      .max_steps = options.max_steps,
  };
  dynamics.change = [options](std::span<double> variables, std::span<const double> action) {
    double& position = variables[0];
    double& speed = variables[1];
    const double force = std::clamp(action[0], -1.0, 1.0);
    speed += force * options.power - kGravity * std::cos(3 * position);
    speed = std::clamp(speed, -kMaxSpeed, kMaxSpeed);
    position = std::clamp(position + speed, kLeftEnd, kRightEnd);
    if (position == kLeftEnd && speed < 0) speed = 0.0;
    const bool is_there = position >= options.goal && speed >= options.goal_speed;
    return ContinuousDynamics::Change{
        .reward = (is_there ? 100.0 : 0.0) - action[0] * action[0] * 0.1, .is_terminal = is_there};
  };
  dynamics.observe = [](std::span<const double> variables) {
    return std::vector(variables.begin(), variables.end());
  };
  return {std::move(dynamics), options.random};
}

}  // namespace gaia::agents
