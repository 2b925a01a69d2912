// SPDX-License-Identifier: MIT
#include "../../src/core/parallel_habits.h"

#include <functional>
#include <set>

#include "../support/catch.h"

namespace gaia {
namespace {

using Way = ParallelHabit::Way;

/// Does `calls` calls, which take the seconds that `together` and `alone` say, and returns how many
/// of the last half were done alone.
int alone_of(ParallelHabit& habit, int calls, const std::function<double(int)>& together,
             const std::function<double(int)>& alone) {
  int count = 0;
  for (int call = 0; call < calls; ++call) {
    const ParallelHabit::Choice choice = habit.choose();
    if (choice.is_measured) {
      habit.learn(choice.way, choice.way == Way::alone ? alone(call) : together(call));
    }
    if (call >= calls / 2 && choice.way == Way::alone) ++count;
  }
  return count;
}

std::function<double(int)> always(double seconds) {
  return [seconds](int) { return seconds; };
}

TEST_CASE("work is done together where that takes less, and alone where that does") {
  ParallelHabit shared;
  const int tried = alone_of(shared, 20000, always(60e-6), always(100e-6));
  CHECK(tried > 0);
  CHECK(tried < 100);
  ParallelHabit small;
  const int alone = alone_of(small, 20000, always(9e-6), always(6e-6));
  CHECK(alone > 9900);
  CHECK(alone < 10000);
}

TEST_CASE("a thread that is waited for now and then is left asleep until the machine is quiet") {
  ParallelHabit habit;
  // One call in eighty waits for four milliseconds, as long as another program has the processor.
  const auto waits = [](int call) { return call % 80 == 79 ? 4e-3 : 30e-6; };
  CHECK(alone_of(habit, 40000, waits, always(55e-6)) > 15000);
  CHECK(alone_of(habit, 400000, always(30e-6), always(55e-6)) < 2000);
}

TEST_CASE("long work is always shared") {
  ParallelHabit habit;
  CHECK(alone_of(habit, 2000, always(6e-3), always(5e-3)) == 0);
}

TEST_CASE("the first calls of a trial together only wake threads up") {
  ParallelHabit habit;
  // Threads that sleep since calls were done alone help from the third call on.
  int in_a_row = 0;
  int together = 0;
  for (int call = 0; call < 20000; ++call) {
    const ParallelHabit::Choice choice = habit.choose();
    in_a_row = choice.way == Way::together ? in_a_row + 1 : 0;
    const double seconds = choice.way == Way::alone ? 10e-6 : in_a_row > 3 ? 6e-6 : 200e-6;
    if (choice.is_measured) habit.learn(choice.way, seconds);
    if (call >= 10000 && choice.way == Way::together) ++together;
  }
  CHECK(together > 9800);
}

TEST_CASE("kinds of work have habits of their own") {
  ParallelHabits habits;
  std::set<ParallelHabit*> found;
  for (std::uintptr_t work = 0x7f0000001000; work < 0x7f0000002000; work += 0x200) {
    for (const std::int64_t tasks : {2, 3, 4}) found.insert(&habits.of(work, tasks));
  }
  CHECK(found.size() > 20);  // of 24
  CHECK(&habits.of(64, 7) == &habits.of(64, 7));
}

}  // namespace
}  // namespace gaia
