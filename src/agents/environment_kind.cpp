// SPDX-License-Identifier: MIT
#include "environment_kind.h"

#include "continuous/environments.h"
#include "discrete/tables_world.h"

namespace gaia::agents {

KindList<EnvironmentKind>& EnvironmentKind::list() {
  static auto kinds =
      kinds_of<EnvironmentKind, TMazeOptions, BanditOptions, BernoulliBanditOptions, GridOptions,
               TablesOptions, PendulumEnvironment, PointMassEnvironment, MountainCarEnvironment>();
  return kinds;
}

}  // namespace gaia::agents
