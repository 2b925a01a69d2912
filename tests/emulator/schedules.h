// SPDX-License-Identifier: MIT
/// \file
/// A test under every order in which threads may run.
#pragma once

#include <utility>

#include "machine.h"

namespace gaia::test {

/// Runs test(name) under each schedule, and goes back to the first one.
template <class Test>
void for_each_schedule(const Test& test) {
  using emulator::Schedule;
  const std::pair<Schedule, const char*> all[] = {{Schedule::forward, "forward"},
                                                  {Schedule::backward, "backward"},
                                                  {Schedule::first_warp_ahead, "first warp ahead"},
                                                  {Schedule::last_warp_ahead, "last warp ahead"},
                                                  {Schedule::shuffled, "shuffled"}};
  for (const auto& [schedule, name] : all) {
    emulator::set_schedule(schedule);
    test(name);
  }
  emulator::set_schedule(Schedule::forward);
}

}  // namespace gaia::test
