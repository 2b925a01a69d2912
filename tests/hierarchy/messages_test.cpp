// SPDX-License-Identifier: MIT
// Messages between levels, compared with what a plain loop over the representations finds.
#include "../../src/hierarchy/messages.h"

#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/array/random_arrays.h"
#include "../../src/experiment/setup/build.h"
#include "../../src/experiment/setup/get_config.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

/// Levels of 3, 4 and 2 neurons that read 5 numbers and tick every step, second and sixth.
HierarchyManager three_levels() {
  HierarchyManager hierarchy;
  const std::vector<std::int64_t> sizes = {5, 3, 4, 2};
  const std::vector<std::int64_t> resolutions = {1, 2, 6};
  for (std::size_t i = 0; i < 3; ++i) {
    HierarchicalLevel level(static_cast<int>(i), sizes[i], sizes[i + 1], resolutions[i]);
    level.add_layer(HebbianLayer(sizes[i], sizes[i + 1],
                                 {.rule = OjaRule{.learning_rate = 0.01},
                                  .dtype = DType::float64,
                                  .random = weights_stream(7, i, 0)}));
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

Array series_of_messages() {
  return random_normal({100, 5}, 0.0, 1.0, DType::float64, RandomStream::named(3, "messages"));
}

}  // namespace

TEST_CASE("messages are what a loop over the ticks finds, however the series is cut") {
  const Array x = series_of_messages();
  HierarchyManager plain = three_levels();
  const auto whole = plain.process_hierarchy(x);
  const std::vector<std::int64_t> every = {3, 2, 1};
  for (const std::int64_t block : {100, 7, 1}) {
    HierarchyManager hierarchy = three_levels();
    Messages messages(hierarchy, {.keep = 4, .every = every});
    hierarchy.add_observer([&](const HierarchyBlock& made) { messages.read(made); });
    hierarchy.process_hierarchy(x, -1, {.block_steps = block});
    const auto metrics = messages.metrics(hierarchy);
    for (int id = 0; id < 3; ++id) {
      INFO("level " << id << ", blocks of " << block);
      const auto place = static_cast<std::size_t>(id);
      const LevelRepresentation& level = whole.at(id);
      std::vector<std::int64_t> ticks;
      for (std::int64_t k = 0; k < level.ticks.shape(0); k += every[place]) ticks.push_back(k);
      const std::vector<Message> sent = messages.sent(id);
      REQUIRE(sent.size() == 4);
      for (std::size_t m = 0; m < 4; ++m) {
        const std::int64_t tick = ticks[ticks.size() - 4 + m];
        CHECK(sent[m].level == id);
        CHECK(sent[m].step == tick * level.temporal_resolution);
        const std::vector<double> row = level.ticks[tick].to_vector<double>();
        const std::vector<double> got = sent[m].representation.to_vector<double>();
        REQUIRE(got.size() == row.size());
        double squares = 0.0;
        for (std::size_t i = 0; i < row.size(); ++i) {
          CHECK(got[i] == Approx(row[i]).epsilon(1e-10).margin(1e-12));
          squares += row[i] * row[i];
        }
        CHECK(sent[m].energy == Approx(squares / static_cast<double>(row.size())).epsilon(1e-10));
      }
      const std::int64_t neighbours = id == 1 ? 2 : 1;
      CHECK(metrics[place].ticks == level.ticks.shape(0));
      CHECK(metrics[place].sent == std::ssize(ticks));
      CHECK(metrics[place].delivered == neighbours * std::ssize(ticks));
      CHECK(metrics[place].message_bytes ==
            neighbours * std::ssize(ticks) * level.ticks.shape(1) * 8);
      CHECK(metrics[place].memory_bytes >= 4 * level.ticks.shape(1) * 8);
      CHECK(metrics[place].seconds == 0.0);
    }
    // Level 1 hears of the level below and of the one above, by their steps.
    const std::vector<Message> received = messages.received(1);
    REQUIRE(received.size() == 8);
    for (std::size_t m = 1; m < received.size(); ++m) {
      CHECK(received[m - 1].step <= received[m].step);
    }
    for (const Message& message : messages.received(0)) CHECK(message.level == 1);
    messages.clear();
    CHECK(messages.sent(0).empty());
    CHECK(messages.schedule(0) == 3);
  }
}

TEST_CASE("time of levels is measured where it is asked for, and messages change nothing") {
  const Array x = series_of_messages();
  HierarchyManager plain = three_levels();
  const auto before = plain.process_hierarchy(x);
  CHECK(plain.level_seconds().empty());
  HierarchyManager hierarchy = three_levels();
  Messages messages(hierarchy);
  hierarchy.add_observer([&](const HierarchyBlock& made) { messages.read(made); });
  hierarchy.measure_time();
  const auto after = hierarchy.process_hierarchy(x);
  for (const auto& [id, level] : before) {
    CHECK(all_close(after.at(id).ticks, level.ticks, 0.0, 0.0));
    CHECK(hierarchy.level_seconds().at(id) > 0.0);
    CHECK(messages.metrics(hierarchy)[static_cast<std::size_t>(id)].seconds > 0.0);
  }
}

TEST_CASE("errors of messages name the level and what was expected") {
  HierarchyManager hierarchy = three_levels();
  CHECK_THROWS_WITH_TEXT(Messages(hierarchy, {.keep = 0}), ArgumentError,
                         "keep must be at least 1, got 0");
  CHECK_THROWS_WITH_TEXT(Messages(hierarchy, {.every = {1, 2}}), ArgumentError,
                         "one for each of the 3 levels, got 2");
  Messages messages(hierarchy);
  CHECK_THROWS_WITH_TEXT(messages.set_schedule(3, 1), ArgumentError,
                         "there is no level 3; known: 0, 1, 2");
  CHECK_THROWS_WITH_TEXT(messages.set_schedule(0, 0), ArgumentError, "at least 1 tick, got 0");
  CHECK_THROWS_AS(messages.sent(9), ArgumentError);
  CHECK_THROWS_AS(messages.set_logs({}), ArgumentError);
}

TEST_CASE("weights and biases of reactive layers are set, and looked at") {
  ReactiveLayer layer(2, 2, {.activation = Activation::linear, .dtype = DType::float64});
  layer.set_weights(from_values(std::vector<double>{1, 2, 3, 4}, {2, 2}));
  layer.set_bias(from_values(std::vector<double>{10, 20}, {2}));
  CHECK(layer.process(ones({1, 1, 2}, DType::float64)).to_vector<double>() ==
        std::vector<double>{13, 27});
  CHECK_THROWS_WITH_TEXT(layer.set_weights(ones({2, 3})), ShapeError,
                         "[set_weights] expected [2, 2], got [2, 3]");
  CHECK_THROWS_WITH_TEXT(layer.set_bias(ones({3})), ShapeError, "[set_bias] expected [2], got [3]");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_TEXT(layer.set_bias(from_values(std::vector<double>{1, nan}, {2})),
                         ArgumentError, "got .nan at [1]");
}

TEST_CASE("get_config writes keys that were chosen") {
  const std::string yaml = get_config(three_levels());
  CHECK_SAYS(yaml, "hierarchy:\n", "rule: oja", "temporal_resolution: 6", "learning_rate: 0.01");
  CHECK_THROWS_WITH_TEXT(get_config(HierarchyManager()), ArgumentError, "got none; use add_level");
}
