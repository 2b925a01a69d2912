// SPDX-License-Identifier: MIT
/// \file
/// Hierarchies side by side do what each does alone, on every device.
#include "../../src/hierarchy/replicas.h"

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/devices.h"

namespace gaia::test {
namespace {

struct Options {
  PlasticityRule rule = OjaRule{.learning_rate = 0.02};
  WeightControl control = {.normalization = Normalization::max_norm, .bound = 0.9};
  Pooling pooling = Pooling::mean;
  DType dtype = DType::float64;
};

/// Replica number `seed`: a reactive level, a plastic one, one of a coupled and a temporal layer.
HierarchyManager make(std::uint64_t seed, const Options& options = {}) {
  const auto random = [&](std::uint64_t layer) { return RandomStream{seed + 1, layer}; };
  const DType dtype = options.dtype;
  HierarchyManager hierarchy;
  HierarchicalLevel first(0, 3, 4);
  first.add_layer(ReactiveLayer(3, 4, {.dtype = dtype, .random = random(0)}));
  hierarchy.add_level(std::move(first));
  const std::int64_t inputs = options.pooling == Pooling::concat ? 8 : 4;
  HierarchicalLevel second(2, inputs, 5, 2, {.pooling = options.pooling});
  PlasticityRule rule = options.rule;
  learning_rate_of(rule) *= 1.0 + 0.2 * static_cast<double>(seed);
  second.add_layer(HebbianLayer(inputs, 5,
                                {.rule = rule,
                                 .activation = Activation::tanh,
                                 .control = options.control,
                                 .dtype = dtype,
                                 .random = random(1)}));
  hierarchy.add_level(std::move(second));
  HierarchicalLevel third(3, 5, 2, 3, {.pooling = Pooling::ema});
  third.add_layer(HebbianLayer(5, 3, {.rule = SangerRule{}, .dtype = dtype, .random = random(2)}));
  third.add_layer(TemporalLayer(3, 2, {.leak = 0.5, .dtype = dtype, .random = random(3)}));
  hierarchy.add_level(std::move(third));
  return hierarchy;
}

std::vector<HierarchyManager> make_all(std::size_t count, const Options& options = {}) {
  std::vector<HierarchyManager> all;
  for (std::size_t r = 0; r < count; ++r) all.push_back(make(r, options));
  return all;
}

Array noise(const Shape& shape, DType dtype = DType::float64) {
  return random_normal(shape, 0.1, 0.7, dtype, {7, 7}).to(current_device());
}

std::vector<double> numbers(const Array& x) { return x.to_vector<double>(); }

void check_same_state(const HierarchyManager& a, const HierarchyManager& b) {
  CHECK(a.step() == b.step());
  const auto mine = a.state();
  const auto theirs = b.state();
  REQUIRE(mine.size() == theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    INFO(mine[i].name);
    CHECK(mine[i].value.shape() == theirs[i].value.shape());
    CHECK(numbers(mine[i].value) == numbers(theirs[i].value));
  }
}

/// What replica r of data reads alone.
Array own_data(const Array& data, std::int64_t r) { return data.rank() == 2 ? data : data[r]; }

/// Two series one after the other, side by side and alone.
void check_like_alone(const Options& options, const Array& data, const ProcessOptions& process) {
  constexpr std::int64_t count = 3;
  std::vector<HierarchyManager> together = make_all(count, options);
  std::vector<HierarchyManager> alone = make_all(count, options);
  for (int series = 0; series < 2; ++series) {
    const auto made = process_replicas(together, data, -1, process);
    for (std::int64_t r = 0; r < count; ++r) {
      HierarchyManager& one = alone[static_cast<std::size_t>(r)];
      for (const auto& [id, expected] : one.process_hierarchy(own_data(data, r), -1, process)) {
        INFO("series " << series << ", replica " << r << ", level " << id << ", data "
                       << to_string(data.shape()));
        const LevelRepresentation& found = made.at(id);
        CHECK(found.first_step == expected.first_step);
        CHECK(found.temporal_resolution == expected.temporal_resolution);
        CHECK(found.ticks[r].shape() == expected.ticks.shape());
        CHECK(numbers(found.ticks[r]) == numbers(expected.ticks));
        CHECK(numbers(found.before[r]) == numbers(expected.before));
        CHECK(numbers(found.expanded()[r]) == numbers(expected.expanded()));
      }
      check_same_state(together[static_cast<std::size_t>(r)], one);
    }
  }
}

std::string complaint(std::vector<HierarchyManager>& replicas, const Array& data) {
  return complaint_of([&] { process_replicas(replicas, data); });
}

}  // namespace

DEVICE_TEST_CASE("Replicas do bit for bit what each does alone, on each device") {
  for (const DType dtype : {DType::float64, DType::float32}) {
    const Options options{.dtype = dtype};
    check_like_alone(options, noise({17, 3}, dtype), {.learn = true});
    check_like_alone(options, noise({3, 17, 3}, dtype), {.learn = true, .block_steps = 5});
    check_like_alone(options, noise({3, 2, 17, 3}, dtype), {.learn = true, .block_steps = 7});
  }
  check_like_alone({}, noise({9, 3}), {});
}

DEVICE_TEST_CASE("Replicas have any rule, control and pooling") {
  const std::vector<PlasticityRule> rules = {
      HebbRule{.learning_rate = 0.01, .decay = 0.02}, OjaRule{.learning_rate = 0.02},
      BcmRule{.learning_rate = 0.02, .tau = 8.0}, OjaSubspaceRule{.learning_rate = 0.02}};
  const std::vector<Pooling> poolings = {Pooling::last, Pooling::max, Pooling::concat,
                                         Pooling::ema};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    WeightControl control{.homeostasis = Homeostasis{.target = 0.3, .strength = 0.01}};
    if (i == 1) control = {.normalization = Normalization::l2};
    check_like_alone({.rule = rules[i], .control = control, .pooling = poolings[i]},
                     noise({3, 13, 3}), {.learn = true, .block_steps = 4});
  }
}

TEST_CASE("Data on the host may be shared by replicas on another device") {
  const EmulatedDevice emulated;
  const Array data = random_normal({17, 3}, 0.1, 0.7, DType::float64, {7, 7});
  const GPUContext scope(emulated.device());
  reset_transfer_stats();
  std::vector<HierarchyManager> replicas = make_all(3);
  process_replicas(replicas, data, -1, {.learn = true});
  const std::int64_t brought = transfer_stats().bytes;
  process_replicas(replicas, data, -1, {.learn = true});
  CHECK(transfer_stats().bytes - brought == data.bytes());  // once, not for each
}

TEST_CASE("Replicas that are unlike are refused with what differs and where") {
  const Array data = noise({6, 3});
  std::vector<HierarchyManager> all;
  CHECK(complaint(all, data) == "[process_replicas] got no hierarchies");
  const auto with = [&](HierarchyManager last) {
    std::vector<HierarchyManager> replicas = make_all(2);
    replicas.push_back(std::move(last));
    return complaint(replicas, data);
  };
  const auto says = [](const std::string& text) {
    return Catch::Matchers::ContainsSubstring("[process_replicas] replica 2 " + text);
  };
  CHECK(with(make(5)) == "");
  HierarchyManager fewer = make(5);
  fewer.remove_level(3);
  CHECK_THAT(with(std::move(fewer)), says("has 2 levels, not 3"));
  CHECK_THAT(with(make(5, {.pooling = Pooling::max})),
             says("is unlike: level 2 has pooling max, not mean"));
  CHECK_THAT(with(make(5, {.rule = BcmRule{}})),
             says("is unlike: level 2 differs: its layer 0 is unlike: its rule is bcm, not oja"));
  CHECK_THAT(with(make(5, {.control = {.normalization = Normalization::l2}})),
             says("is unlike: level 2 differs: its layer 0 is unlike: its normalization is l2, not "
                  "max_norm"));
  CHECK_THAT(with(make(5, {.dtype = DType::float32})),
             says("is unlike: level 0 differs: its layer 0 is float32, not float64"));
  HierarchyManager another = make(5);
  another.remove_level(3);
  HierarchicalLevel level(3, 5, 2, 3, {.pooling = Pooling::ema});
  level.add_layer(ReactiveLayer(5, 3));
  level.add_layer(ReactiveLayer(3, 2));
  another.add_level(std::move(level));
  CHECK_THAT(with(std::move(another)), says("is unlike: level 3 differs: its layer 0 is reactive, "
                                            "not hebbian"));
  HierarchyManager elsewhere = make(5);
  elsewhere.set_step(6);
  CHECK_THAT(with(std::move(elsewhere)), says("stands at step 6, not 0; use set_step"));
  HierarchyManager further = make(5);
  further.process_hierarchy(data);
  CHECK_THAT(with(std::move(further)), says("is unlike: level 0 has come to another state"));

  std::vector<HierarchyManager> two = make_all(2);
  CHECK(complaint(two, noise({3, 6, 3})) ==
        "[process_replicas] expected data [steps, features] for all, or [2, steps, features] or "
        "[2, streams, steps, features] for 2 replicas, got [3, 6, 3]");
}

TEST_CASE("Observers of replicas see their own hierarchy's blocks, and its state after each") {
  std::vector<HierarchyManager> replicas = make_all(3);
  std::vector<HierarchyManager> alone = make_all(3);
  const Array data = noise({3, 12, 3});
  std::vector<std::vector<double>> seen;
  const auto observe = [&](HierarchyManager& hierarchy) {
    hierarchy.add_observer([&seen, &hierarchy](const HierarchyBlock& block) {
      for (const LevelBlock& level : block.levels) seen.push_back(numbers(level.ticks));
      seen.push_back(numbers(hierarchy.level(3).representation()));
      seen.push_back({static_cast<double>(hierarchy.step()), static_cast<double>(block.steps)});
    });
  };
  observe(replicas[1]);
  observe(alone[1]);
  process_replicas(replicas, data, -1, {.learn = true, .block_steps = 5});
  const auto together = std::exchange(seen, {});
  alone[1].process_hierarchy(data[1], -1, {.learn = true, .block_steps = 5});
  CHECK(together.size() == 15);
  CHECK(together == seen);
}

TEST_CASE("A replica that runs away is named") {
  std::vector<HierarchyManager> replicas;
  for (const double rate : {1e-3, 1e30, 1e-3}) {
    HierarchyManager hierarchy;
    HierarchicalLevel level(4, 3, 2);
    level.add_layer(HebbianLayer(3, 2, {.rule = HebbRule{.learning_rate = rate}}));
    hierarchy.add_level(std::move(level));
    replicas.push_back(std::move(hierarchy));
  }
  const DivergedError error = thrown_by<DivergedError>([&] {
    process_replicas(replicas, noise({40, 3}), -1, {.learn = true, .check_finite = true});
  });
  CHECK_SAYS(
      error.what(),
      "[process_replicas] replica 1 diverged: [run] NaN or Inf in the representation of level 4");
  CHECK(error.level == 0);
  CHECK(error.step < 10);
}

TEST_CASE("Block by block replicas do what each does alone, and one that diverges harms no other") {
  const auto make_some = [](double wild) {
    std::vector<HierarchyManager> all;
    for (const double rate : {1e-2, wild, 3e-2}) {
      HierarchyManager hierarchy;
      HierarchicalLevel level(4, 3, 2, 2, {.pooling = Pooling::mean});
      level.add_layer(HebbianLayer(
          3, 2, {.rule = HebbRule{.learning_rate = rate}, .random = RandomStream{9, 9}}));
      hierarchy.add_level(std::move(level));
      all.push_back(std::move(hierarchy));
    }
    return all;
  };
  std::vector<HierarchyManager> together = make_some(1e30);
  std::vector<HierarchyManager> alone = make_some(1e30);
  const Array data = noise({3, 24, 3}, DType::float32);
  std::vector<HierarchyManager*> pointers;
  for (HierarchyManager& replica : together) pointers.push_back(&replica);
  std::vector<std::int64_t> seen;
  for (HierarchyManager& replica : together) {
    replica.add_observer([&](const HierarchyBlock& block) { seen.push_back(block.steps); });
  }
  const ProcessOptions options{.learn = true, .check_finite = true};
  const Array first = data.slice(1, 0, 9);
  const auto blocks = process_block_of_replicas(pointers, first, options);
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[1].diverged);
  CHECK(seen == std::vector<std::int64_t>{9, 9});  // of those that are finite
  const DivergedError error =
      thrown_by<DivergedError>([&] { alone[1].process_block(first.slice(0, 1, 2), options); });
  CHECK(std::string(blocks[1].diverged->what()) == error.what());
  CHECK(blocks[1].diverged->step == error.step);
  // The others go on.
  pointers.erase(pointers.begin() + 1);
  const Array second = concatenate({data.slice(0, 0, 1), data.slice(0, 2, 3)}, 0).slice(1, 9, 24);
  const auto more = process_block_of_replicas(pointers, second, options);
  for (const std::size_t r : {0u, 2u}) {
    const auto row = static_cast<std::int64_t>(r);
    const Array mine = data.slice(0, row, row + 1);
    CHECK_FALSE(blocks[r].diverged);
    CHECK(numbers(alone[r].process_block(mine.slice(1, 0, 9), options).levels[0].ticks) ==
          numbers(blocks[r].block.levels[0].ticks));
    CHECK(numbers(alone[r].process_block(mine.slice(1, 9, 24), options).levels[0].ticks) ==
          numbers(more[r / 2].block.levels[0].ticks));
    check_same_state(alone[r], together[r]);
  }
  CHECK_THROWS_WITH_TEXT(process_block_of_replicas(pointers, first, options), ShapeError,
                         "or as many streams for each of 2 replicas, got [3, 9, 3]");
}

namespace {

/// Replica `r` of a layer by one text: rate, initial memory and both taus are its own.
HierarchyManager by_equations(std::int64_t r, const std::string& text, bool has_traces) {
  const auto own = static_cast<double>(r);
  EquationRuleOptions numbers{.parameters = {{"rate", 0.01 * (own + 1.0)}},
                              .memory = {{"slow", 0.1 * own}},
                              .signals = {{.name = "reward", .columns = {"gain"}}}};
  if (has_traces) {
    numbers.parameters.emplace_back("tau", 2.0 + own);
    numbers.traces = {{"pre", "tau"}, {"long", 10.0 + 3.0 * own}};
  }
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 3, 4, 2, {.pooling = Pooling::mean});
  level.add_layer(HebbianLayer(3, 4,
                               {.rule = EquationRule(text, numbers),
                                .activation = Activation::tanh,
                                .dtype = DType::float64,
                                .random = RandomStream{static_cast<std::uint64_t>(r) + 1, 9}}));
  hierarchy.add_level(std::move(level));
  return hierarchy;
}

}  // namespace

TEST_CASE("replicas share a text of equations, and have its numbers for themselves") {
  const std::string plain =
      "slow = slow + (y - slow)/5\n"
      "dw = rate*reward*(y - slow)*(x - y*w)";
  const std::string everything =
      "slow = slow + (y - slow)/5\n"
      "y = tanh(z) + 0.1*slow\n"
      "de = y*pre - e/4\n"
      "dw = rate*reward*e - 0.01*rate*long*w";
  constexpr std::int64_t count = 3;
  constexpr std::int64_t steps = 41;
  for (const std::string& text : {plain, everything}) {
    for (const Shape& shape :
         {Shape{steps, 3}, Shape{count, steps, 3}, Shape{count, 2, steps, 3}}) {
      for (const bool own_rewards : {false, true}) {
        const std::int64_t streams = shape.rank() == 4 ? 2 : 1;
        INFO(text << to_string(shape) << own_rewards);
        std::vector<HierarchyManager> together;
        std::vector<HierarchyManager> alone;
        for (std::int64_t r = 0; r < count; ++r) {
          together.push_back(by_equations(r, text, text == everything));
          alone.push_back(by_equations(r, text, text == everything));
        }
        const Array data = noise(shape);
        const Array rewards = own_rewards ? noise({count * streams, steps}) : noise({steps});
        const auto made = process_replicas(together, data, {.signals = {{"gain", rewards}}});
        for (std::int64_t r = 0; r < count; ++r) {
          INFO("replica " << r);
          HierarchyManager& one = alone[static_cast<std::size_t>(r)];
          const Array mine =
              own_rewards ? rewards.slice(0, r * streams, (r + 1) * streams) : rewards;
          const auto expected =
              one.process_hierarchy(own_data(data, r), -1, {.signals = {{"gain", mine}}});
          CHECK(numbers(made.at(0).ticks[r]) == numbers(expected.at(0).ticks));
          check_same_state(one, together[static_cast<std::size_t>(r)]);
        }
      }
    }
  }
  std::vector<HierarchyManager> unlike;
  unlike.push_back(by_equations(0, plain, false));
  unlike.push_back(by_equations(1, plain + " # another text", false));
  CHECK_THROWS_WITH_TEXT(process_replicas(unlike, noise({steps, 3})), ArgumentError,
                         "equations differ");
}

}  // namespace gaia::test
