// SPDX-License-Identifier: MIT
// The map by which a level hears one above: what it learns and by which rules, what stands in its
// place, and what cannot hear.
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/hierarchy/manager.h"
#include "../support/catch.h"
#include "top_down_cases.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// A level of every step, which may hear the one above it of every fourth.
HierarchyManager two_levels(const std::optional<TopDownOptions>& hears) {
  HierarchyManager hierarchy;
  for (std::size_t l = 0; l < 2; ++l) {
    const std::int64_t below = l == 0 ? kFeatures : kNeurons;
    HierarchicalLevel level(static_cast<int>(l), below, neurons_of(l), l == 0 ? 1 : 4,
                            {.pooling = Pooling::mean});
    level.add_layer(HebbianLayer(below, neurons_of(l),
                                 {.rule = OjaRule{.learning_rate = rate_of(l)},
                                  .chunk = 8,
                                  .top_down = l == 0 ? hears : std::nullopt,
                                  .dtype = DType::float64,
                                  .random = {3, l}}));
    hierarchy.add_level(std::move(level));
  }
  return hierarchy;
}

}  // namespace

TEST_CASE("Silence and a random map stand in place of what is learnt") {
  const TopDownCase one{.resolution = 4};
  const TopDownData data = data_of(one, 60);
  HierarchyManager plain = two_levels({});
  const auto expected = plain.process_hierarchy(data.x);
  HierarchyManager silent = hierarchy_of(one);
  silent.set_top_down(TopDownMode::silent);
  const auto hushed = silent.clone().process_hierarchy(data.x, -1, {.signals = data.signals});
  for (const int level : {0, 1}) {
    CHECK(hushed.at(level).ticks.to_vector<double>() ==
          expected.at(level).ticks.to_vector<double>());
  }
  HierarchyManager random = hierarchy_of(one);
  random.set_top_down(TopDownMode::random_map);
  const auto shown = random.process_hierarchy(data.x, -1, {.signals = data.signals});
  CHECK(shown.at(1).ticks.to_vector<double>() == expected.at(1).ticks.to_vector<double>());
  // y / p - 1 = R s / (2 |s|): at each tick the same combination of the neurons, if s is [0 0 0 1].
  const Rows y = rows_of(shown.at(0).ticks[0]);
  const Rows p = rows_of(expected.at(0).ticks[0]);
  const Rows s = rows_of(expected.at(1).ticks[0]);
  TopDownOptions by_chance = *top_down_of(one, 0);
  by_chance.random = true;
  HierarchyManager keyed = two_levels(by_chance);
  CHECK(keyed.signal_columns().empty());
  const auto by_key = keyed.process_hierarchy(data.x);
  CHECK(by_key.at(0).ticks.to_vector<double>() == shown.at(0).ticks.to_vector<double>());
  const Rows r = rows_of(keyed.level(0).top_down()->weights());
  for (std::size_t t = 0; t < y.size(); ++t) {
    Numbers heard(3, 0.0);
    if (t > 0) heard = s[(t - 1) / 4];
    heard.push_back(1.0);
    double length = 0.0;
    for (const double value : heard) length += value * value;
    const Numbers td = times(r, heard);
    for (std::size_t i = 0; i < td.size(); ++i) {
      CHECK(y[t][i] == Approx(p[t][i] * (1.0 + td[i] / (2.0 * std::sqrt(length)))).epsilon(1e-10));
    }
  }
}

TEST_CASE("A schedule reaches the map") {
  const TopDownCase one{.as = As::bias, .resolution = 4};
  const TopDownData data = data_of(one, 20);
  HierarchyManager hierarchy = hierarchy_of(one);
  hierarchy.scale_learning_rate(0.0);  // before there is a map
  hierarchy.process_hierarchy(data.x);
  CHECK(all_within(hierarchy.level(0).top_down()->weights(), 0.0));
  hierarchy.scale_learning_rate(1.0);
  hierarchy.process_hierarchy(data.x);
  CHECK_FALSE(all_within(hierarchy.level(0).top_down()->weights(), 1e-3));
  const std::vector<double> learnt = hierarchy.level(0).top_down()->weights().to_vector<double>();
  hierarchy.scale_learning_rate(0.0);
  hierarchy.process_hierarchy(data.x);
  CHECK(hierarchy.level(0).top_down()->weights().to_vector<double>() == learnt);
}

TEST_CASE("The map learns by any rule of the catalogue, and by a text") {
  TopDownCase one{.as = As::bias, .resolution = 4};
  const TopDownData data = data_of(one, 50);
  const auto learnt_by = [&](const TopDownOptions& options) {
    HierarchyManager hierarchy = two_levels(options);
    hierarchy.process_hierarchy(data.x, -1, {.signals = data.signals});
    return rows_of(hierarchy.level(0).top_down()->weights());
  };
  const auto text = [](const std::string& equations, const std::string& from) {
    return EquationRule(equations, {.parameters = {{"rate", 0.03}}, .signals = {{"told", {from}}}});
  };
  TopDownOptions usual{.from = 1, .as = As::bias, .learning_rate = 0.03};
  TopDownOptions written = usual;
  written.rule = text("dw = rate*(told - z)*x", "plain");
  CHECK(apart(learnt_by(written), learnt_by(usual)) < 1e-12);
  // The drive of linear neurons is the plain answer, and the answer that with td.
  written.rule = text("dw = rate*(told - z)*x", "drive");
  CHECK(apart(learnt_by(written), learnt_by(usual)) < 1e-12);
  written.rule = text("dw = rate*(told - 2*y)*x", "answer");
  CHECK(apart(learnt_by(written), learnt_by(usual)) < 1e-12);
  TopDownOptions gain{.from = 1, .learning_rate = 0.03, .target = {"wish"}};
  written = gain;
  written.rule = text("dw = rate*(told - z)*x", "wanted");
  CHECK(apart(learnt_by(written), learnt_by(gain)) < 1e-12);
  // A column, and rules that are told nothing.
  written = {.from = 1, .rule = text("dw = rate*(told - z)*x", "wish")};
  CHECK_FALSE(apart(learnt_by(written), learnt_by(gain)) < 1e-3);
  for (const char* const name : {"hebbian", "oja", "bcm", "sanger"}) {
    INFO(name);
    TopDownOptions by_name = usual;
    by_name.rule = rule_from_name(name);
    // V begins at 0, and so does what it answers: these never begin to learn.
    CHECK(apart(learnt_by(by_name), Rows(kNeurons, Numbers(4, 0.0))) == 0.0);
  }
  TopDownOptions by_name = usual;
  by_name.rule = rule_from_name("nlms");
  CHECK(apart(learnt_by(by_name), Rows(kNeurons, Numbers(4, 0.0))) > 1e-3);
  written = usual;
  written.rule = text("dw = rate*(told - z)*x", "wanted");
  CHECK_THROWS_WITH_TEXT(learnt_by(written), ArgumentError, "`wanted` is what a gain learns from");
  written = gain;
  written.rule = EquationRule("m = m + y\ndw = told*m*x", {.signals = {{"told", {"wanted"}}}});
  CHECK_THROWS_WITH_TEXT(learnt_by(written), ArgumentError, "has a name m of its own");
}

TEST_CASE("A text that reads td draws the same random numbers for both of its answers") {
  TopDownCase one{.as = As::bias, .resolution = 4};
  HierarchyManager hierarchy;
  HierarchicalLevel fast(0, kFeatures, kNeurons);
  fast.add_layer(HebbianLayer(
      kFeatures, kNeurons,
      {.rule = EquationRule("y = z + td + normal() + 0.1*learning\ndw = rate*y*(x - y*w)",
                            {.parameters = {{"rate", 0.01}}, .hears_above = true}),
       .top_down = top_down_of(one, 0),
       .dtype = DType::float64,
       .random = {1, 0}}));
  HierarchicalLevel slow(1, kNeurons, 3, 4);
  slow.add_layer(HebbianLayer(
      kNeurons, 3,
      {.rule = OjaRule{.learning_rate = 0.01}, .dtype = DType::float64, .random = {1, 1}}));
  hierarchy.add_level(std::move(fast));
  hierarchy.add_level(std::move(slow));
  HierarchyManager silent = hierarchy.clone();
  silent.set_top_down(TopDownMode::silent);
  const TopDownData data = data_of(one, 12);
  for (std::int64_t t = 0; t < 12; ++t) {
    const Array x = data.x.slice(1, t, t + 1);
    const LevelBlock hushed = silent.process_block(x).levels[0];
    CHECK(hushed.ticks.to_vector<double>() == hushed.plain.to_vector<double>());
    const Array weights = weights_of(hierarchy, 0).copy();
    const LevelBlock heard = hierarchy.process_block(x).levels[0];
    const Array td = heard.ticks - heard.plain;
    // td is what the map makes of what level 1 showed before: 0 at first, not later.
    CHECK(all_within(td, 0.0) == (t == 0));
  }
}

TEST_CASE("What cannot hear says why") {
  const auto layer = [](const HebbianOptions& options) { return HebbianLayer(3, 2, options); };
  const TopDownOptions bias{.from = 1, .as = As::bias};
  CHECK_THROWS_WITH_TEXT(layer({.rule = OjaRule{}, .top_down = TopDownOptions{.from = 1}}),
                         ArgumentError, "[top_down] target: a gain learns");
  TopDownOptions needless = bias;
  needless.target = {"wish"};
  CHECK_THROWS_WITH_TEXT(layer({.rule = OjaRule{}, .top_down = needless}), ArgumentError,
                         "only a gain learns from a target");
  CHECK_THROWS_WITH_TEXT(
      layer({.rule = OjaRule{}, .top_down = TopDownOptions{.from = 1, .as = As::prior}}),
      ArgumentError, "needs activation: softmax; got linear");
  TopDownOptions late = bias;
  late.delay = 0;
  CHECK_THROWS_WITH_TEXT(layer({.rule = OjaRule{}, .top_down = late}), ArgumentError,
                         "delay must be 1 to");
  CHECK_THROWS_WITH_TEXT(
      layer({.rule = OjaRule{}, .top_down = TopDownOptions{.from = 1, .target = {"a", "b", "c"}}}),
      ArgumentError, "target has 3 columns, one for each of 2 neurons");
  CHECK_THROWS_WITH_TEXT(EquationRule("y = td"), EquationError,
                         "'td' is there only for a layer that hears a level above");
  CHECK_THROWS_WITH_TEXT(EquationRule("y = plain"), EquationError,
                         "'plain' is there only for a layer that hears a level above");
  CHECK_NOTHROW(EquationRule("dw = plain*x", {.parameters = {{"plain", 1.0}}}));
  CHECK_THROWS_WITH_TEXT(
      EquationRule("y = td\ndw = plain*x", {.parameters = {{"plain", 1.0}}, .hears_above = true}),
      EquationError, "'plain' is a name of the language itself under top_down");
  CHECK_THROWS_WITH_TEXT(EquationRule("y = plain", {.hears_above = true}), EquationError,
                         "'td' is not");
  CHECK_THROWS_WITH_TEXT(EquationRule("td = z\ny = td", {.hears_above = true}), EquationError,
                         "'td' is a signal and cannot be assigned");
  CHECK_THROWS_WITH_TEXT(layer({.rule = text_rule()}), ArgumentError, "give the layer a top_down");
  CHECK_THROWS_WITH_TEXT(
      layer(
          {.rule = EquationRule("y = z/2\ndw = 0.1*y*x", {.hears_above = true}), .top_down = bias}),
      ArgumentError, "the equations assign y, and top_down as bias");

  HierarchicalLevel level(0, 3, 2);
  level.add_layer(layer({.rule = OjaRule{}, .top_down = bias}));
  CHECK_THROWS_WITH_TEXT(level.add_layer(HebbianLayer(2, 2)), ArgumentError,
                         "the last layer of a level alone");
  HierarchyManager hierarchy;
  hierarchy.add_level(std::move(level));
  const Array x = zeros({4, 3});
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(x), ArgumentError,
                         "level 0 hears level 1 (top_down.from), which is none above it");
  HierarchicalLevel above(1, 2, 2, 2);
  above.add_layer(HebbianLayer(2, 2, {.rule = OjaRule{}}));
  hierarchy.add_level(std::move(above));
  hierarchy.process_hierarchy(x);
  hierarchy.remove_level(1);
  HierarchicalLevel other(1, 2, 4, 2);
  other.add_layer(HebbianLayer(2, 4, {.rule = OjaRule{}}));
  hierarchy.add_level(std::move(other));
  CHECK_THROWS_WITH_TEXT(hierarchy.process_hierarchy(x), ShapeError,
                         "level 0] hears 2 numbers from level 1, which now shows 4");
}
