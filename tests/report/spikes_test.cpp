// SPDX-License-Identifier: MIT
#include "../../src/report/spikes.h"

#include <cmath>

#include "../support/catch.h"

using namespace gaia::report;

TEST_CASE("spikes that fit are drawn, every one, in their order") {
  SpikeSample sample(100);
  for (int i = 0; i < 100; ++i) sample.add(3 * i, i % 7);
  CHECK(sample.count() == 100);
  const std::vector<Spike> kept = sample.kept();
  REQUIRE(kept.size() == 100);
  for (int i = 0; i < 100; ++i) {
    CHECK(kept[static_cast<std::size_t>(i)].tick == 3 * i);
    CHECK(kept[static_cast<std::size_t>(i)].neuron == i % 7);
  }
}

TEST_CASE("of more spikes as many are drawn as may be, wherever they are alike") {
  constexpr int ticks = 100000;
  constexpr std::size_t most = 4000;
  SpikeSample sample(most);
  // Two neurons in turn, as a choice of every second spike would leave out; three times as many in
  // the last quarter, which the drawing has to show.
  std::int64_t late = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    sample.add(tick, tick % 2);
    if (tick < 3 * ticks / 4) continue;
    sample.add(tick, 2);
    sample.add(tick, 3);
    late += 3;
  }
  const std::vector<Spike> kept = sample.kept();
  CHECK(kept.size() <= most);
  CHECK(kept.size() > most * 3 / 4);
  double of_first = 0.0;
  double of_late = 0.0;
  std::int64_t before = 0;
  for (const Spike& spike : kept) {
    CHECK(spike.tick >= before);
    before = spike.tick;
    of_first += spike.neuron == 0 ? 1.0 : 0.0;
    of_late += spike.tick >= 3 * ticks / 4 ? 1.0 : 0.0;
  }
  const auto near = [&](double found, double share) {
    const double all = static_cast<double>(kept.size());
    // Five standard deviations of a draw of so many.
    return std::abs(found - all * share) < 5.0 * std::sqrt(all * share * (1.0 - share));
  };
  const auto count = static_cast<double>(sample.count());
  CHECK(near(of_first, 0.5 * ticks / count));
  CHECK(near(of_late, static_cast<double>(late) / count));
}

TEST_CASE("the same spikes are drawn again") {
  SpikeSample one(50);
  SpikeSample two(50);
  for (int tick = 0; tick < 1000; ++tick) {
    one.add(tick, 5);
    two.add(tick, 5);
  }
  const std::vector<Spike> first = one.kept();
  const std::vector<Spike> second = two.kept();
  REQUIRE(first.size() == second.size());
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i].tick == second[i].tick);
}
