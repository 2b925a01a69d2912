// SPDX-License-Identifier: MIT
/// \file
/// Whether a planted bug is caught, tried in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "../emulator/schedules.h"
#include "../support/catch.h"

namespace gaia::test {

using Verdict = bool;  // whether the results are right

/// Whether wrong results, an error or a signal give the bug away: `tries` calls judge(run) for each
/// way of running it.
template <class Tries>
bool is_caught_apart(const Tries& tries) {
  // A process of its own: a sanitizer that finds something ends it.
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (std::FILE* const told : {stdout, stderr}) {
      if (std::freopen("/dev/null", "w", told) == nullptr) _exit(3);
    }
    bool caught = false;
    tries([&](const std::function<Verdict()>& run) {
      try {
        caught = caught || !run();
      } catch (const emulator::KernelError&) {
        caught = true;
      }
    });
    _exit(caught ? 1 : 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// The same under every schedule.
inline bool is_caught(const std::function<Verdict()>& run) {
  return is_caught_apart([&](const auto& judge) { for_each_schedule([&](auto) { judge(run); }); });
}

}  // namespace gaia::test
