// SPDX-License-Identifier: MIT
/// \file
/// A test under several orders in which threads may run.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "../support/long_tests.h"
#include "machine.h"
#include "queues.h"

namespace gaia::test {

/// Runs test(name) under two schedules, which together catch every planted bug: the first warp as
/// far ahead as it gets, and the last one with streams that are late.  In long tests under all
/// schedules, with streams as the environment says.  Goes back to the usual one.
template <class Test>
void for_each_schedule(const Test& test) {
  using emulator::Schedule;
  const std::pair<Schedule, const char*> all[] = {{Schedule::first_warp_ahead, "first warp ahead"},
                                                  {Schedule::last_warp_ahead, "last warp ahead"},
                                                  {Schedule::forward, "forward"},
                                                  {Schedule::backward, "backward"},
                                                  {Schedule::shuffled, "shuffled"}};
  for (const auto& [schedule, name] : std::span(all, few_or_many<std::size_t>(2, 5))) {
    emulator::set_schedule(schedule);
    std::optional<emulator::LateStreams> late;
    if (schedule == Schedule::last_warp_ahead && !long_tests()) late.emplace();
    test(name);
  }
  emulator::set_schedule(Schedule::forward);
}

}  // namespace gaia::test
