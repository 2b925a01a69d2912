// SPDX-License-Identifier: MIT
#include "../../../src/experiment/sweep/member_memory.h"

#include "../../support/catch.h"

using namespace gaia;

TEST_CASE("memory of members is what was foretold, then what those that have ended took of it") {
  MemberMemory memory;
  CHECK(memory.expected(300e6) == 1.25 * 400e6);
  memory.learn(300e6, 100e6);
  CHECK(memory.has_learnt());
  CHECK(memory.expected(300e6) == 0.25 * 400e6);
  CHECK(memory.expected(100e6) == 0.25 * 200e6);
  CHECK(memory.expected(700e6) == 800e6);  // larger than any that has ended
  memory.learn(100e6, 300e6);              // the most that any took counts
  CHECK(memory.expected(300e6) == 1.5 * 400e6);
  CHECK(memory.expected(700e6) == 1.5 * 800e6);
  memory.learn(300e6, 200e6);
  CHECK(memory.expected(300e6) == 1.5 * 400e6);
}
