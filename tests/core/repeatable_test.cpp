// SPDX-License-Identifier: MIT
#include "../../src/core/repeatable.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"

namespace gaia {
namespace {

std::vector<std::uint64_t> draw(int count) {
  std::vector<std::uint64_t> streams;
  for (int i = 0; i < count; ++i) streams.push_back(next_stream().stream);
  return streams;
}

TEST_CASE("A rerun takes what the first run took, and uses no stream up") {
  set_seed(5);
  RunLog log;
  {
    const FirstRun scope(log);
    CHECK(draw(3) == std::vector<std::uint64_t>{0, 1, 2});
  }
  CHECK(draw(2) == std::vector<std::uint64_t>{3, 4});
  for (int again = 0; again < 2; ++again) {
    const Rerun scope(log);
    CHECK(draw(2) == std::vector<std::uint64_t>{0, 1});
    CHECK_FALSE(scope.is_complete());
    CHECK(draw(1) == std::vector<std::uint64_t>{2});
    CHECK(scope.is_complete());
    CHECK_THROWS_AS(next_stream(), ArgumentError);
  }
  CHECK(draw(1) == std::vector<std::uint64_t>{5});
  CHECK_FALSE(in_repeatable_work());
  set_seed(0);
}

TEST_CASE("A first run within another one is part of it, and within a rerun is given its streams") {
  set_seed(5);
  RunLog outer;
  RunLog inner;
  {
    const FirstRun scope(outer);
    draw(1);
    const FirstRun within(inner);
    draw(2);
  }
  CHECK(outer.taken.size() == 3);
  CHECK(inner.taken.size() == 2);
  {
    const Rerun scope(outer);
    RunLog again;
    draw(1);
    {
      const FirstRun within(again);
      CHECK(in_rerun());
      CHECK(draw(2) == std::vector<std::uint64_t>{1, 2});
    }
    CHECK(scope.is_complete());
    const Rerun once_more(again);
    CHECK(draw(2) == std::vector<std::uint64_t>{1, 2});
  }
  RunLog beside;
  {
    const FirstRun scope(beside);
    CHECK_FALSE(in_rerun());
    const Rerun within(inner);
    draw(2);
  }
  CHECK(beside.taken.empty());  // anyone who runs it again runs that rerun again
  CHECK(next_stream().stream == 3);
  set_seed(0);
}

TEST_CASE("A rerun takes values of the same type, and holds for its thread alone") {
  RunLog log;
  {
    const FirstRun scope(log);
    CHECK(repeatable([] { return 7; }) == 7);
  }
  {
    const Rerun scope(log);
    CHECK(repeatable([] { return 8; }) == 7);
    bool elsewhere = true;
    std::thread([&] { elsewhere = in_repeatable_work(); }).join();
    CHECK_FALSE(elsewhere);
  }
  const Rerun scope(log);
  CHECK_THROWS_AS(repeatable([] { return 8.0; }), ArgumentError);
}

}  // namespace
}  // namespace gaia
