// SPDX-License-Identifier: MIT
/// \file
/// A call that fails leaves what was there: every number of the hierarchy is, bit for bit, what it
/// was before, and it goes on as a twin that never saw the call.
#include <functional>
#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/hierarchy/replicas.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/layers/hierarchy/reactive.h"
#include "../../src/layers/hierarchy/temporal.h"
#include "../../src/learning/rule_parameters.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// The state of a hierarchy as bytes.
struct Snapshot {
  std::int64_t step;
  std::vector<std::pair<std::string, std::vector<double>>> arrays;
  bool operator==(const Snapshot&) const = default;
};

Snapshot snapshot(const HierarchyManager& hierarchy) {
  Snapshot all{hierarchy.step(), {}};
  // A clone is read: who has seen the arrays themselves may write to them.
  for (const NamedArray& array : hierarchy.clone().state()) {
    all.arrays.emplace_back(array.name + " " + to_string(array.value.shape()),
                            array.value.to_vector<double>());
  }
  return all;
}

/// Says which array differs.
void check_same(const Snapshot& now, const Snapshot& before) {
  CHECK(now.step == before.step);
  REQUIRE(now.arrays.size() == before.arrays.size());
  for (std::size_t i = 0; i < now.arrays.size(); ++i) {
    INFO(before.arrays[i].first);
    CHECK(now.arrays[i].first == before.arrays[i].first);
    CHECK(now.arrays[i].second == before.arrays[i].second);
  }
}

/// Passes its input on, and throws at its tick number `when` from then on.
class Throwing final : public Layer {
 public:
  Throwing(std::int64_t size, std::int64_t when) : Layer(size, size, DType::float64), when_(when) {}
  std::string type() const override { return "throwing"; }
  std::unique_ptr<Layer> clone() const override { return std::make_unique<Throwing>(*this); }
  std::vector<NamedArray> arrays() const override { return {}; }
  std::int64_t operations_per_tick(bool) const override { return 0; }
  void throw_after(std::int64_t ticks) { when_ = ticks; }

 private:
  void answer(const Array& x, bool, const Array& y) override {
    when_ -= x.shape(1);
    if (when_ < 0) throw std::runtime_error("a layer of a program's own has failed");
    y.assign(x);
  }
  void move_to_current_device() override {}

  std::int64_t when_;
};

/// Keeps a running mean of its inputs, which it answers with: a layer that says nothing of `keep`.
class RunningMean final : public Layer {
 public:
  explicit RunningMean(std::int64_t size) : Layer(size, size, DType::float64) {}
  std::string type() const override { return "running mean"; }
  std::unique_ptr<Layer> clone() const override {
    auto twin = std::make_unique<RunningMean>(*this);
    twin->mean_ = mean_.copy();
    return twin;
  }
  std::vector<NamedArray> arrays() const override {
    return {{"mean", NamedArray::Role::state, mean_}};
  }
  std::int64_t operations_per_tick(bool) const override { return 0; }
  void reset_state() override { mean_ = Array(); }
  void allocate_state(std::int64_t streams) override {
    if (mean_.size() == 0) mean_ = zeros({streams, input_size()}, dtype());
  }

 private:
  void answer(const Array& x, bool, const Array& y) override {
    allocate_state(x.shape(0));
    for (std::int64_t t = 0; t < x.shape(1); ++t) {
      mean_ += 0.2 * (x.select(1, t) - mean_);
      y.select(1, t).assign(mean_);
    }
  }
  void move_to_current_device() override {}

  Array mean_;
};

struct Made {
  PlasticityRule rule;
  Executor executor = Executor::chunkwise;
  Normalization normalization = Normalization::none;
  std::int64_t throw_after = std::numeric_limits<std::int64_t>::max() / 2;
  bool has_own_layers = true;  ///< Layers of a program's own, which may do anything.
};

HebbianLayer plastic(const Made& made, std::int64_t inputs, std::int64_t outputs) {
  return {inputs,
          outputs,
          {.rule = made.rule,
           .control = {.normalization = made.normalization},
           .executor = made.executor,
           .chunk = 4,
           .dtype = DType::float64,
           .random = {7, static_cast<std::uint64_t>(outputs)}}};
}

/// Everything that carries something: a rule at two levels, a reservoir, windows, a layer of a
/// program's own, and one that can be made to throw.
HierarchyManager make(const Made& made) {
  HierarchyManager hierarchy;
  HierarchicalLevel first(0, 3, 4);
  first.add_layer(plastic(made, 3, 4));
  hierarchy.add_level(std::move(first));
  HierarchicalLevel second(1, 4, 3, 2, {.pooling = Pooling::ema});
  second.add_layer(TemporalLayer(4, 3, {.dtype = DType::float64, .random = {7, 1}}));
  second.add_layer(plastic(made, 3, 3));
  hierarchy.add_level(std::move(second));
  HierarchicalLevel third(2, 9, 2, 3, {.pooling = Pooling::concat});
  if (made.has_own_layers) third.add_layer(RunningMean(9));
  third.add_layer(HebbianLayer(
      9, 2, {.rule = BcmRule{.learning_rate = 1e-4}, .dtype = DType::float64, .random = {7, 2}}));
  if (made.has_own_layers) third.add_layer(Throwing(2, made.throw_after));
  hierarchy.add_level(std::move(third));
  return hierarchy;
}

Array failing_noise(std::int64_t streams, std::int64_t steps, std::uint64_t seed) {
  // The numbers have one sign, as rates do: some rules take logarithms.
  return abs(random_normal({streams, steps, 3}, 0.4, 0.2, DType::float64, {seed, 0}));
}

/// What the rules read beside the series.
TickSignals signals_for(const HierarchyManager& hierarchy, std::int64_t steps) {
  TickSignals signals;
  for (const std::string& column : hierarchy.signal_columns()) {
    std::vector<double> values;
    for (std::int64_t t = 0; t < steps; ++t) values.push_back(static_cast<double>(t % 2));
    signals[column] = from_values(values, {steps});
  }
  return signals;
}

Array with(const Array& x, const Dims& place, double value) {
  const Array changed = x.copy();
  changed[place[0]][place[1]].slice(0, place[2], place[2] + 1).fill(value);
  return changed;
}

using Call = std::function<void(HierarchyManager&)>;

/// Calls it on a clone.  \returns whether the call failed; if so, everything is what it was, and
/// what follows what it would have been.
bool leaves_all_as_it_was(const HierarchyManager& original, const Call& call, const Array& more) {
  HierarchyManager hierarchy = original.clone();
  HierarchyManager twin = original.clone();
  const Snapshot before = snapshot(hierarchy);
  try {
    call(hierarchy);
    return false;
  } catch (const std::exception& error) {
    INFO(error.what());
    check_same(snapshot(hierarchy), before);
  }
  const TickSignals signals = signals_for(hierarchy, more.shape(1));
  // Some rules run away on any data at the rates that they have by themselves.
  const auto answers = [&](HierarchyManager& one) {
    std::vector<std::vector<double>> all;
    try {
      for (const auto& [id, level] : one.process_hierarchy(more, {.signals = signals})) {
        all.push_back(level.ticks.to_vector<double>());
      }
    } catch (const DivergedError&) {
    }
    return all;
  };
  CHECK(answers(hierarchy) == answers(twin));
  check_same(snapshot(hierarchy), snapshot(twin));
  return true;
}

struct Way {
  const char* name;
  std::function<void(HierarchyManager&, const Array&, const ProcessOptions&)> read;
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"process_hierarchy", [](HierarchyManager& h, const Array& x,
                               const ProcessOptions& o) { h.process_hierarchy(x, o); }},
      {"process_hierarchy in blocks",
       [](HierarchyManager& h, const Array& x, ProcessOptions o) {
         o.block_steps = 5;
         h.process_hierarchy(x, o);
       }},
      {"process_block",
       [](HierarchyManager& h, const Array& x, const ProcessOptions& o) { h.process_block(x, o); }},
      {"process_stream",
       [](HierarchyManager& h, const Array& x, const ProcessOptions& o) {
         h.process_stream(
             [&](std::int64_t first, std::int64_t rows) { return x.slice(1, first, first + rows); },
             x.shape(1), o);
       }},
  };
  return all;
}

/// All rules by their functors and, where they have one, their texts.
std::vector<std::pair<std::string, PlasticityRule>> rules_in_every_form() {
  std::vector<std::pair<std::string, PlasticityRule>> all;
  for (const PlasticityRule& rule : all_rules()) {
    all.emplace_back(rule_name(rule), rule);
    if (!std::holds_alternative<EquationRule>(rule)) {
      all.emplace_back(rule_name(rule) + " by its text", rule_from_name(rule_name(rule), ""));
    }
  }
  all.emplace_back("weights by weights",
                   EquationRule("dw = 0.01*y*w*(1 - w) + 0.001*x*w + 0.001*normal()"));
  return all;
}

}  // namespace

TEST_CASE("Whatever fails in a call of any kind, under any rule, leaves the hierarchy as it was") {
  std::int64_t failed_by_value = 0;
  for (const auto& [name, rule] : rules_in_every_form()) {
    for (const Executor executor : {Executor::chunkwise, Executor::stepwise}) {
      for (const std::int64_t streams : {1, 2}) {
        const Array before = failing_noise(streams, 7, 1);
        const Array x = failing_noise(streams, 11, 2);
        const Array more = failing_noise(streams, 13, 3);
        HierarchyManager hierarchy = make({.rule = rule, .executor = executor});
        try {
          hierarchy.process_hierarchy(before, {.signals = signals_for(hierarchy, 7)});
        } catch (const DivergedError&) {
          continue;  // at the rate that it has by itself
        }
        ProcessOptions options;
        options.signals = signals_for(hierarchy, 11);
        for (const Way& way : ways()) {
          INFO(name << ", " << to_string(executor) << ", " << streams << " streams, " << way.name);
          const auto fails = [&](const Array& data, const ProcessOptions& how) {
            return leaves_all_as_it_was(
                hierarchy, [&](HierarchyManager& h) { way.read(h, data, how); }, more);
          };
          const Dims last = {streams - 1, 10, 2};
          CHECK(fails(with(x, last, kNaN), options));
          CHECK(fails(with(x, last, -kInfinity), options));
          // Finite, but what comes of it is not, under most rules.
          failed_by_value += fails(with(x, last, 1e300), options) ? 1 : 0;
          failed_by_value += fails(with(x, {0, 3, 1}, -1e200), options) ? 1 : 0;
          if (!options.signals.empty()) {
            ProcessOptions without = options;
            without.signals.clear();
            CHECK(fails(x, without));
            ProcessOptions gap = options;
            for (auto& [column, values] : gap.signals) {
              values = values.copy();
              values.slice(0, 10, 11).fill(kNaN);
            }
            CHECK(fails(x, gap));
          }
          CHECK(fails(x.slice(2, 0, 2), options));
        }
      }
    }
  }
  CHECK(failed_by_value > 200);
}

TEST_CASE("A level that fails takes back what those below it have learnt") {
  for (const Way& way : ways()) {
    for (const bool learn : {true, false}) {
      INFO(way.name << (learn ? ", learning" : ""));
      HierarchyManager hierarchy = make({.rule = OjaRule{}});
      hierarchy.process_hierarchy(failing_noise(1, 7, 1));
      auto& layer = dynamic_cast<Throwing&>(hierarchy.level(2).layer(2));
      layer.throw_after(1);
      const Snapshot before = snapshot(hierarchy);
      CHECK_THROWS_WITH_TEXT(way.read(hierarchy, failing_noise(1, 11, 2), {.learn = learn}),
                             std::runtime_error, "a layer of a program's own");
      layer.throw_after(1000);
      check_same(snapshot(hierarchy), before);
    }
  }
}

TEST_CASE("A step that fails leaves the hierarchy as it was before that step") {
  for (const auto& [name, rule] : rules_in_every_form()) {
    if (const auto* text = std::get_if<EquationRule>(&rule);
        text != nullptr && !text->program().signals.empty()) {
      continue;  // a single step has none
    }
    INFO(name);
    HierarchyManager hierarchy = make({.rule = rule});
    const Array x = failing_noise(1, 6, 2)[0];
    for (std::int64_t t = 0; t < 6; ++t) {
      for (const double bad : {kNaN, kInfinity, 1e300}) {
        const Array sample = x[t].copy();
        sample.slice(0, 1, 2).fill(bad);
        const bool failed = leaves_all_as_it_was(
            hierarchy, [&](HierarchyManager& h) { h.process_time_step(sample); },
            failing_noise(1, 3, 4));
        CHECK((failed || bad == 1e300));
      }
      // Some rules run away on such data at the rates that they have by themselves.
      try {
        hierarchy.process_time_step(x[t]);
      } catch (const DivergedError&) {
        break;
      }
    }
  }
}

TEST_CASE("Steps are taken back by doing again what was before them, however many there are") {
  for (const auto& [name, rule] : rules_in_every_form()) {
    for (const std::int64_t streams : {1, 2}) {
      HierarchyManager hierarchy = make({.rule = rule, .has_own_layers = false});
      if (!hierarchy.signal_columns().empty()) continue;
      HierarchyManager twin = hierarchy.clone();
      INFO(name << ", " << streams << " streams");
      const Array x = 0.1 * failing_noise(streams, 700, 2);
      for (std::int64_t t = 0; t < 700; ++t) {
        if (t % 97 == 13 || t == 511 || t == 512) {
          const Array sample = x.select(1, t).copy();
          sample.slice(1, 1, 2).fill(t % 2 == 0 ? 1e300 : kNaN);
          HierarchyManager before = hierarchy.clone();
          try {
            hierarchy.process_time_step(sample);
            CHECK(t % 2 == 0);
            hierarchy = std::move(before);  // some rules stand it
          } catch (const Error&) {
            check_same(snapshot(hierarchy), snapshot(before));
          }
        }
        // Not all pieces have one step.
        const std::int64_t steps = t % 50 == 7 ? 3 : 1;
        const Array piece = x.slice(1, t, std::min<std::int64_t>(700, t + steps));
        try {
          hierarchy.process_hierarchy(piece);
        } catch (const DivergedError&) {
          break;
        }
        twin.process_hierarchy(piece);
      }
      check_same(snapshot(hierarchy), snapshot(twin));
    }
  }
}

TEST_CASE("What others write to a hierarchy between steps is not lost where a step fails") {
  const Array x = failing_noise(1, 40, 2)[0];
  const auto bad = [&](std::int64_t t) {
    const Array sample = x[t].copy();
    sample.slice(0, 0, 1).fill(1e300);
    return sample;
  };
  const auto check = [&](const std::function<void(HierarchyManager&)>& write) {
    HierarchyManager hierarchy = make({.rule = OjaRule{}, .has_own_layers = false});
    HierarchyManager twin = hierarchy.clone();
    for (std::int64_t t = 0; t < 30; ++t) {
      if (t % 10 == 4) {
        write(hierarchy);
        write(twin);
      }
      hierarchy.process_time_step(x[t]);
      twin.process_time_step(x[t]);
      if (t % 5 == 0) {
        CHECK_THROWS_AS(hierarchy.process_time_step(bad(t)), DivergedError);
        check_same(snapshot(hierarchy), snapshot(twin));
      }
    }
  };
  SECTION("through the layer") {
    check([](HierarchyManager& h) {
      dynamic_cast<HebbianLayer&>(h.level(0).layer(0)).weights().fill(0.1);
    });
  }
  SECTION("through arrays that they give back") {
    check([](HierarchyManager& h) {
      for (const NamedArray& array : h.arrays(0, 0)) {
        if (array.name == "weights") array.value.elements<double>()[1] = 0.3;
      }
    });
  }
  SECTION("through arrays of the state") {
    check([](HierarchyManager& h) { h.state().front().value.elements<double>()[0] = 0.3; });
  }
  SECTION("by rates, steps and states") {
    check([](HierarchyManager& h) {
      h.scale_learning_rate(0.5);
      h.reset_state();
      h.set_step(4);
    });
  }
  SECTION("by a series in between") {
    check([&](HierarchyManager& h) { h.process_hierarchy(failing_noise(1, 50, 6)); });
  }
  SECTION("by moving it") {
    check([](HierarchyManager& h) {
      HierarchyManager moved = std::move(h);
      h = std::move(moved);
    });
  }
  SECTION("through arrays of a layer from before it was added") {
    std::vector<Array> weights;
    const auto made = [&] {
      HebbianLayer layer(3, 2, {.rule = OjaRule{}, .dtype = DType::float64, .random = {7, 2}});
      weights.push_back(layer.weights());
      HierarchicalLevel level(0, 3, 2);
      level.add_layer(std::move(layer));
      HierarchyManager hierarchy;
      hierarchy.add_level(std::move(level));
      return hierarchy;
    };
    HierarchyManager hierarchy = made();
    HierarchyManager twin = made();
    for (std::int64_t t = 0; t < 30; ++t) {
      if (t == 7) {
        for (const Array& one : weights) one.fill(0.2);
      }
      hierarchy.process_time_step(x[t]);
      twin.process_time_step(x[t]);
    }
    CHECK_THROWS_AS(hierarchy.process_time_step(bad(30)), DivergedError);
    check_same(snapshot(hierarchy), snapshot(twin));
  }
}

TEST_CASE("Weights that cease to be finite beside small answers are taken back") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 3, 2);
  // Answers stay within 0 and 1 whatever the weights come to.
  level.add_layer(HebbianLayer(3, 2,
                               {.rule = HebbRule{.learning_rate = 2e307},
                                .activation = Activation::sigmoid,
                                .init = Init::zeros,
                                .dtype = DType::float64}));
  hierarchy.add_level(std::move(level));
  HierarchyManager twin = hierarchy.clone();
  const Array x = abs(failing_noise(1, 600, 2)[0]) + 0.1;
  for (std::int64_t t = 0; t < 600; ++t) {
    try {
      twin.process_hierarchy(x.slice(0, t, t + 1), {.check_finite = true});
    } catch (const DivergedError&) {
      break;
    }
  }
  REQUIRE(twin.step() > 2);
  const auto go_on = [&] {
    for (std::int64_t t = 0; t < 600; ++t) hierarchy.process_time_step(x[t]);
  };
  CHECK_THROWS_AS(go_on(), DivergedError);
  check_same(snapshot(hierarchy), snapshot(twin));
}

TEST_CASE("A stream that fails stands where its last whole block ended") {
  HierarchyManager hierarchy = make({.rule = OjaRule{}});
  HierarchyManager twin = hierarchy.clone();
  const Array x = with(failing_noise(1, 20, 2), {0, 17, 0}, kNaN);
  std::int64_t seen = 0;
  hierarchy.add_observer([&](const HierarchyBlock& block) { seen += block.steps; });
  const auto read = [&](std::int64_t first, std::int64_t rows) {
    return x.slice(1, first, first + rows);
  };
  CHECK_THROWS_WITH(hierarchy.process_stream(read, 20, {.block_steps = 5}),
                    Catch::Matchers::ContainsSubstring(
                        "got NaN at step 17, stream 0, feature 0; replace such numbers or leave "
                        "their rows out; the hierarchy is as it was before"));
  CHECK(seen == 15);
  twin.process_stream(read, 15, {.block_steps = 5});
  check_same(snapshot(hierarchy), snapshot(twin));
  // Whoever reads the rows may fail too.
  CHECK_THROWS_AS(hierarchy.process_stream(
                      [&](std::int64_t first, std::int64_t rows) -> Array {
                        if (first > 0) throw std::runtime_error("the disk is gone");
                        return failing_noise(1, rows, 5);
                      },
                      20, {.block_steps = 5}),
                  std::runtime_error);
  CHECK(hierarchy.step() == 20);
}

TEST_CASE("A series that fails in a later block leaves nothing of the earlier ones") {
  HierarchyManager hierarchy = make({.rule = HebbRule{.learning_rate = 3.0}});
  const Snapshot before = snapshot(hierarchy);
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(failing_noise(1, 4000, 2), {.block_steps = 8}),
                         DivergedError, "or a normalization; the hierarchy is as it was before");
  check_same(snapshot(hierarchy), before);
  // Nothing is set up either: another number of streams is as welcome as before.
  CHECK_THROWS_AS(hierarchy.process_hierarchy(with(failing_noise(2, 9, 2), {1, 8, 0}, kNaN)),
                  ArgumentError);
  hierarchy.process_hierarchy(failing_noise(3, 9, 2));
}

TEST_CASE("An observer that fails ends the series, which leaves the hierarchy as it was") {
  HierarchyManager hierarchy = make({.rule = OjaRule{}});
  hierarchy.process_hierarchy(failing_noise(1, 7, 1));
  bool is_angry = true;
  hierarchy.add_observer([&](const HierarchyBlock& block) {
    if (is_angry && block.first_step >= 12) throw std::runtime_error("enough");
  });
  const Snapshot before = snapshot(hierarchy);
  CHECK_THROWS_AS(hierarchy.process_hierarchy(failing_noise(1, 20, 2), {.block_steps = 5}),
                  std::runtime_error);
  check_same(snapshot(hierarchy), before);
}

TEST_CASE("Who asks for it gets what learning ran away to") {
  HierarchyManager hierarchy = make({.rule = HebbRule{.learning_rate = 3.0}});
  const ProcessOptions kept{.check_finite = true, .undo_failures = false};
  CHECK_THROWS_AS(hierarchy.process_hierarchy(failing_noise(1, 4000, 2), kept), DivergedError);
  CHECK_THROWS_AS(hierarchy.check_finite(), DivergedError);
}

TEST_CASE("Weights that are not finite from before are told as such") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 3, 2);
  level.add_layer(HebbianLayer(3, 2, {.rule = OjaRule{}, .dtype = DType::float64}));
  hierarchy.add_level(std::move(level));
  auto& layer = dynamic_cast<HebbianLayer&>(hierarchy.level(0).layer(0));
  CHECK_THROWS_WITH_TEXT(layer.set_weights(full({2, 3}, kNaN, DType::float64)), ArgumentError,
                         "[set_weights] expected weights that are finite in float64, got .nan at "
                         "[0, 0]");
  layer.weights().fill(kInfinity);
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(failing_noise(1, 4, 1)), DivergedError,
                         "the hierarchy is as it was before, and had NaN or Inf then");
}

TEST_CASE("Data that the dtype of a layer cannot hold are told as such") {
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, 3, 2);
  level.add_layer(HebbianLayer(3, 2, {.rule = OjaRule{}}));
  hierarchy.add_level(std::move(level));
  const Snapshot before = snapshot(hierarchy);
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(with(failing_noise(1, 4, 1), {0, 2, 1}, 1e60)),
                         ArgumentError,
                         "expected data that float32 can hold, got Inf at step 2, stream 0, "
                         "feature 1; scale the data");
  check_same(snapshot(hierarchy), before);
}

TEST_CASE("Without learning NaN is refused where it would never go away") {
  const Array x = with(failing_noise(1, 9, 2), {0, 4, 0}, kNaN);
  HierarchyManager carries = make({.rule = OjaRule{}});
  carries.process_hierarchy(failing_noise(1, 7, 1));
  const Snapshot before = snapshot(carries);
  CHECK_THROWS_WITH_TEXT(carries.process_hierarchy(x, {.learn = false}), ArgumentError,
                         "got NaN at step 11, stream 0, feature 0");
  check_same(snapshot(carries), before);
  HierarchyManager forgets;
  HierarchicalLevel level(0, 3, 2, 2, {.pooling = Pooling::mean});
  level.add_layer(HebbianLayer(3, 2, {.rule = OjaRule{}, .dtype = DType::float64}));
  forgets.add_level(std::move(level));
  const Array shown = forgets.process_hierarchy(x, {.learn = false}).at(0).ticks;  // of 0, 2, ...
  CHECK(first_not_finite(shown) == 2 * 2);
  CHECK(first_not_finite(shown.slice(0, 3)) < 0);
  forgets.process_hierarchy(failing_noise(1, 9, 2));
}

TEST_CASE("A state that does not fit, or is not finite, changes nothing") {
  HierarchyManager hierarchy = make({.rule = OjaRule{}});
  hierarchy.process_hierarchy(failing_noise(1, 7, 1));
  HierarchyManager other = make({.rule = OjaRule{}});
  other.process_hierarchy(failing_noise(1, 9, 2));
  ArrayMap good;
  for (const NamedArray& array : other.state()) good[array.name] = array.value.copy();
  const Snapshot before = snapshot(hierarchy);
  ArrayMap lacks = good;
  lacks.erase("levels/2/layers/1/weights");
  CHECK_THROWS_WITH_TEXT(hierarchy.set_state(lacks, 9), ArgumentError, "expected an array");
  check_same(snapshot(hierarchy), before);
  ArrayMap shapes = good;
  shapes["levels/2/layers/1/weights"] = zeros({1, 1}, DType::float64);
  CHECK_THROWS_AS(hierarchy.set_state(shapes, 9), ShapeError);
  check_same(snapshot(hierarchy), before);
  ArrayMap bad = good;
  bad["levels/2/layers/1/weights"] = full({2, 9}, kNaN, DType::float64);
  CHECK_THROWS_WITH_TEXT(hierarchy.set_state(bad, 9), ArgumentError,
                         "expected finite numbers in levels/2/layers/1/weights, got NaN or Inf");
  check_same(snapshot(hierarchy), before);
  CHECK_THROWS_AS(hierarchy.set_state(good, -1), ArgumentError);
  check_same(snapshot(hierarchy), before);
  hierarchy.set_state(good, 9);
  check_same(snapshot(hierarchy), snapshot(other));
}

TEST_CASE("Replicas that fail together are all as they were") {
  for (const auto& [name, rule] : rules_in_every_form()) {
    INFO(name);
    std::vector<HierarchyManager> replicas;
    std::vector<Snapshot> before;
    for (int r = 0; r < 3; ++r) {
      replicas.push_back(make({.rule = rule}));
      const Array own = failing_noise(1, 7, static_cast<std::uint64_t>(r + 1));
      try {
        replicas.back().process_hierarchy(own, {.signals = signals_for(replicas.back(), 7)});
      } catch (const DivergedError&) {
        break;  // at the rate that it has by itself
      }
      before.push_back(snapshot(replicas.back()));
    }
    if (before.size() < 3) continue;
    const Array x = failing_noise(3, 11, 2);
    for (const double bad : {kNaN, 1e300}) {
      try {
        process_replicas(replicas, with(x, {1, 10, 2}, bad),
                         {.signals = signals_for(replicas[0], 11)});
        CHECK(bad == 1e300);
        break;
      } catch (const Error&) {
        for (std::size_t r = 0; r < 3; ++r) check_same(snapshot(replicas[r]), before[r]);
      }
    }
  }
}

TEST_CASE("Of replicas that go block by block the one that diverges is as it was") {
  for (const std::optional<bool> check : {std::optional<bool>(true), std::optional<bool>()}) {
    std::vector<HierarchyManager> replicas;
    std::vector<HierarchyManager> alone;
    std::vector<HierarchyManager*> pointers;
    for (const double rate : {1e-3, 1e200, 1e-2}) {
      replicas.push_back(make({.rule = HebbRule{.learning_rate = rate}}));
      alone.push_back(replicas.back().clone());
    }
    for (HierarchyManager& replica : replicas) pointers.push_back(&replica);
    const Array x = failing_noise(3, 9, 2);
    const auto blocks = process_block_of_replicas(pointers, x, {.check_finite = check});
    for (std::size_t r = 0; r < 3; ++r) {
      CHECK(blocks[r].diverged.has_value() == (r == 1));
      const auto row = static_cast<std::int64_t>(r);
      if (r != 1) alone[r].process_block(x.slice(0, row, row + 1));
      check_same(snapshot(replicas[r]), snapshot(alone[r]));
    }
  }
}
