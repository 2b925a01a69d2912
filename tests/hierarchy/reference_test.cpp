// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies drawn at random against the definition, step by step in long double; and cut in
/// pieces against themselves.
#include "../../src/array/joining.h"
#include "../../src/core/parallel.h"
#include "../support/catch.h"
#include "random_hierarchy.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::uint64_t kHierarchies = 400;

/// What the reference shows at steps [first, first + steps), as arrays [streams, steps, n] per
/// level.
std::vector<Array> expected_rows(RandomHierarchy& random, std::int64_t first, bool learn) {
  const std::int64_t streams = random.data.shape(0);
  const std::int64_t steps = random.data.shape(1);
  std::vector<Array> rows;
  for (const HierarchicalLevel& level : random.hierarchy.levels()) {
    rows.push_back(zeros({streams, steps, level.output_size()}, DType::float64));
  }
  for (std::int64_t t = 0; t < steps; ++t) {
    StreamRows samples;
    for (std::int64_t b = 0; b < streams; ++b) samples.push_back(to_row(random.data[b][t]));
    const std::vector<StreamRows> shown = random.reference.step(first + t, samples, learn);
    for (std::size_t level = 0; level < rows.size(); ++level) {
      for (std::int64_t b = 0; b < streams; ++b) {
        const Row& row = shown[level][static_cast<std::size_t>(b)];
        rows[level][b][t].assign(from_values(std::vector<double>(row.begin(), row.end()),
                                             {static_cast<std::int64_t>(row.size())}));
      }
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("Random hierarchies do what their definition says") {
  for (std::uint64_t seed = 0; seed < kHierarchies; ++seed) {
    RandomHierarchy random(seed);
    const std::int64_t first = seed % 3 == 0 ? static_cast<std::int64_t>(seed % 11) : 0;
    const bool learn = seed % 7 != 0;
    random.hierarchy.set_step(first);
    const auto found = random.hierarchy.process_hierarchy(
        random.data, -1, {.learn = learn, .block_steps = static_cast<std::int64_t>(seed % 50)});
    const std::vector<Array> expected = expected_rows(random, first, learn);
    for (std::size_t level = 0; level < expected.size(); ++level) {
      INFO("seed " << seed << ", level " << level << ", from step " << first << ": "
                   << random.description);
      CHECK(distance(found.at(static_cast<int>(level)).expanded(), expected[level]) <= 1e-11);
    }
  }
}

TEST_CASE("Random hierarchies do in one go, in pieces and step by step the same") {
  for (std::uint64_t seed = 0; seed < kHierarchies / 2; ++seed) {
    RandomHierarchy whole(seed);
    RandomHierarchy pieces(seed);
    RandomHierarchy steps(seed);
    const std::int64_t first = static_cast<std::int64_t>(seed % 5);
    for (RandomHierarchy* random : {&whole, &pieces, &steps}) random->hierarchy.set_step(first);
    const Array& data = whole.data;
    const ProcessOptions learn{.learn = true};
    const auto expected = whole.hierarchy.process_hierarchy(data, -1, learn);

    std::map<int, std::vector<Array>> rows_of_pieces;
    Dice dice(seed + 1000);
    for (std::int64_t at = 0; at < data.shape(1);) {
      const std::int64_t end = std::min(data.shape(1), at + dice.between(0, 17));
      for (const auto& [id, made] :
           pieces.hierarchy.process_hierarchy(data.slice(1, at, end), -1, learn)) {
        rows_of_pieces[id].push_back(made.expanded());
      }
      at = end;
    }
    std::map<int, std::vector<Array>> rows_of_steps;
    for (std::int64_t t = 0; t < data.shape(1); ++t) {
      for (const auto& [id, row] : steps.hierarchy.process_time_step(data.select(1, t), true)) {
        rows_of_steps[id].push_back(row.expand_dims(1));
      }
    }
    for (const auto& [id, made] : expected) {
      INFO("seed " << seed << ", level " << id << ", from step " << first << ": "
                   << whole.description);
      CHECK(distance(concatenate(rows_of_pieces[id], 1), made.expanded()) <= 1e-12);
      CHECK(distance(concatenate(rows_of_steps[id], 1), made.expanded()) <= 1e-12);
    }
    for (const auto& [level, layer] : whole.plastic) {
      const Array& weights = whole.hebbian(level, layer).weights();
      INFO("seed " << seed << ", level " << level << ", layer " << layer);
      CHECK(distance(pieces.hebbian(level, layer).weights(), weights) <= 1e-12);
      CHECK(distance(steps.hebbian(level, layer).weights(), weights) <= 1e-12);
    }
  }
}

TEST_CASE("A batch of one stream does what the stream does alone") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomHierarchy batch(seed);
    RandomHierarchy alone(seed);
    const Array one = batch.data.slice(0, 0, 1);
    const auto in_batch = batch.hierarchy.process_hierarchy(one, -1, {.learn = true});
    for (const auto& [id, made] : alone.hierarchy.process_hierarchy(one[0], -1, {.learn = true})) {
      CHECK(made.ticks.rank() == 2);
      CHECK(in_batch.at(id).ticks[0].to_vector<double>() == made.ticks.to_vector<double>());
    }
  }
}

TEST_CASE("Without learning the streams of a batch do not see each other") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomHierarchy batch(seed);
    const auto together = batch.hierarchy.process_hierarchy(batch.data, {.learn = false});
    for (std::int64_t b = 0; b < batch.data.shape(0); ++b) {
      RandomHierarchy alone(seed);
      for (const auto& [id, made] :
           alone.hierarchy.process_hierarchy(batch.data[b], {.learn = false})) {
        INFO("seed " << seed << ": " << batch.description);
        CHECK(distance(together.at(id).ticks[b], made.ticks) <= 1e-12);
      }
    }
  }
}

TEST_CASE("A hierarchy with resolutions 3 over 2 over 5 holds what each level showed last") {
  HierarchyManager hierarchy;
  for (const auto& [id, resolution] : {std::pair<int, std::int64_t>{0, 5}, {1, 2}, {2, 3}}) {
    hierarchy.add_level({id, 1, 1, resolution});
  }
  const auto result =
      hierarchy.process_hierarchy(arange(0, 31, 1, DType::float64).reshape({31, 1}));
  for (std::int64_t t = 0; t <= 30; ++t) {
    const std::int64_t lowest = t / 3 * 3 / 2 * 2 / 5 * 5;
    CHECK(result.at(2).expanded().item({t, 0}) == static_cast<double>(lowest));
  }
}

TEST_CASE("The number of threads does not change a bit of what a hierarchy does") {
  const auto run = [](int threads) {
    set_num_threads(threads);
    HierarchyManager hierarchy;
    HierarchicalLevel first(0, 30, 150);
    first.add_layer(ReactiveLayer(30, 150, {.random = {1, 1}}));
    hierarchy.add_level(std::move(first));
    HierarchicalLevel second(1, 150, 40, 2, {.pooling = Pooling::mean});
    second.add_layer(HebbianLayer(150, 140,
                                  {.rule = BcmRule{.learning_rate = 1e-3},
                                   .control = {.normalization = Normalization::l2},
                                   .random = {1, 2}}));
    second.add_layer(TemporalLayer(140, 40, {.random = {1, 3}}));
    hierarchy.add_level(std::move(second));
    const Array data = random_normal({3, 300, 30}, 0.0, 1.0, DType::float32, {1, 4});
    const auto made = hierarchy.process_hierarchy(data, -1, {.learn = true, .block_steps = 130});
    set_num_threads(0);
    return made.at(1).ticks.to_vector<float>();
  };
  const std::vector<float> alone = run(1);
  CHECK(run(2) == alone);
  CHECK(run(5) == alone);
}
