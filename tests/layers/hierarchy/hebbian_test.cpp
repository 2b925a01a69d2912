// SPDX-License-Identifier: MIT
#include "../../../src/layers/hierarchy/hebbian.h"

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../reference/plasticity_reference.h"
#include "../../support/catch.h"
#include "../../support/log_capture.h"

using namespace gaia;
using namespace gaia::test;

namespace {

const Array& hebbian_samples() {
  static const Array x = random_normal({2, 30, 5}, 0.0, 0.5, DType::float64, {1, 1});
  return x;
}

HebbianOptions oja64() {
  return {.rule = OjaRule{.learning_rate = 0.1}, .dtype = DType::float64, .random = {1, 2}};
}

}  // namespace

TEST_CASE("A Hebbian layer answers f(W x) and keeps its weights while it does not learn") {
  for (const Activation f :
       {Activation::linear, Activation::tanh, Activation::softmax, Activation::coates}) {
    HebbianOptions options = oja64();
    options.activation = f;
    HebbianLayer layer(5, 3, options);
    const std::vector<double> before = layer.weights().to_vector<double>();
    const Array y = layer.process(hebbian_samples());
    CHECK(all_close(y, activate(f, matmul(hebbian_samples(), layer.weights().transpose())), 1e-13,
                    1e-15));
    CHECK(layer.weights().to_vector<double>() == before);
  }
}

TEST_CASE("A Hebbian layer learns as its plasticity says when it is told to") {
  // tests/learning has the others of the catalogue.
  for (const char* const name : {"hebbian", "oja", "bcm", "sanger", "oja_subspace"}) {
    HebbianOptions options = oja64();
    options.rule = rule_from_name(name);
    options.activation = Activation::tanh;
    options.control.normalization = Normalization::l2;
    HebbianLayer layer(5, 3, options);
    PlasticityReference reference(layer.plasticity(), layer.weights(), layer.memory());
    const Array y = layer.process(hebbian_samples(), true);
    for (std::int64_t t = 0; t < 30; ++t) {
      const std::vector<Row> expected =
          reference.tick({to_row(hebbian_samples()[0][t]), to_row(hebbian_samples()[1][t])});
      for (std::int64_t b = 0; b < 2; ++b) {
        for (std::int64_t i = 0; i < 3; ++i) {
          INFO(name << ", tick " << t);
          CHECK(y.item({b, t, i}) ==
                Approx(static_cast<double>(
                           expected[static_cast<std::size_t>(b)][static_cast<std::size_t>(i)]))
                    .epsilon(1e-12)
                    .margin(1e-12));
        }
      }
    }
  }
}

TEST_CASE("A Hebbian layer is plastic, and its arrays share their elements with it") {
  HebbianLayer layer(5, 3, oja64());
  CHECK(layer.type() == "hebbian");
  CHECK(layer.is_plastic());
  const std::vector<NamedArray> arrays = layer.arrays();
  REQUIRE(arrays.size() == 1);
  CHECK(arrays[0].name == "weights");
  CHECK(arrays[0].role == NamedArray::Role::weights);
  layer.process(hebbian_samples(), true);
  CHECK(arrays[0].value.to_vector<double>() == layer.weights().to_vector<double>());
}

TEST_CASE("A BCM layer has its threshold among its arrays, starting where the rule says") {
  HebbianLayer layer(5, 3,
                     {.rule = BcmRule{.learning_rate = 0.0, .tau = 2.0, .theta = 0.25},
                      .activation = Activation::relu,
                      .dtype = DType::float64});
  const std::vector<NamedArray> arrays = layer.arrays();
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[1].name == "theta");
  CHECK(arrays[1].role == NamedArray::Role::memory);
  CHECK(arrays[1].value.to_vector<double>() == std::vector<double>{0.25, 0.25, 0.25});
  layer.process(zeros({1, 1, 5}), true);
  CHECK(arrays[1].value.to_vector<double>() == std::vector<double>{0.125, 0.125, 0.125});
  layer.reset_state();
  CHECK(layer.memory().to_vector<double>() == std::vector<double>{0.125, 0.125, 0.125});
}

TEST_CASE("A clone of a Hebbian layer learns on its own") {
  HebbianOptions options = oja64();
  options.rule = BcmRule{};
  HebbianLayer layer(5, 3, options);
  const auto twin = layer.clone();
  const std::vector<double> before = layer.weights().to_vector<double>();
  twin->process(hebbian_samples(), true);
  CHECK(layer.weights().to_vector<double>() == before);
  CHECK(layer.memory().to_vector<double>() == std::vector<double>{1, 1, 1});
  layer.process(hebbian_samples(), true);
  CHECK(twin->arrays()[0].value.to_vector<double>() == layer.weights().to_vector<double>());
  CHECK(twin->arrays()[1].value.to_vector<double>() == layer.memory().to_vector<double>());
}

TEST_CASE("set_weights copies values into the weights that others hold") {
  HebbianLayer layer(2, 2, {.activation = Activation::linear});
  const Array held = layer.weights();
  const Array values = array({{1, 2}, {3, 4}}, DType::float64);
  layer.set_weights(values);
  CHECK(held.to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  CHECK(held.dtype() == DType::float32);
  values.fill(0.0);
  CHECK(layer.process(ones({1, 1, 2})).to_vector<float>() == std::vector<float>{3, 7});
  CHECK_THROWS_WITH_TEXT(layer.set_weights(ones({2, 3})), ShapeError,
                         "[set_weights] expected [2, 2], got [2, 3]");
  CHECK_THROWS_AS(layer.set_weights(ones({2})), ShapeError);
}

TEST_CASE("Uniform weights begin between the bounds where a layer has some") {
  const HebbianLayer layer(50, 40,
                           {.rule = EquationRule("dw = 0.01*y*x"),
                            .init = Init::uniform,
                            .bounds = WeightBounds{.low = 0.5, .high = 2.0},
                            .random = {3, 1}});
  const std::vector<double> w = layer.weights().astype(DType::float64).to_vector<double>();
  double sum = 0.0;
  for (const double one : w) {
    REQUIRE(one >= 0.5);
    REQUIRE(one < 2.0);
    sum += one;
  }
  // The mean of 2000 numbers has a deviation of 1.5 / sqrt(12 2000).
  CHECK(sum / 2000 == Approx(1.25).margin(4 * 0.0097));
}

TEST_CASE("Learning counts as twice the operations of answering") {
  const HebbianLayer layer(5, 3);
  CHECK(layer.operations_per_tick(false) == 30);
  CHECK(layer.operations_per_tick(true) == 60);
}

TEST_CASE("A Hebbian layer refuses parameters out of their range when it is made") {
  CHECK_THROWS_WITH_TEXT(HebbianLayer(5, 3, {.rule = OjaRule{.learning_rate = -1.0}}),
                         ArgumentError, "[plasticity] learning_rate must be >= 0, got -1.0");
  CHECK_THROWS_WITH_TEXT(HebbianLayer(5, 3, {.chunk = 0}), ArgumentError, "chunk must be >= 1");
  HebbianLayer layer(5, 3);
  CHECK_THROWS_WITH_TEXT(layer.process(ones({1, 1, 4}), true), ShapeError,
                         "[hebbian layer] expected samples [streams, ticks, 5], got [1, 1, 4]");
}

TEST_CASE("A Hebbian layer refuses numbers of its rule that its dtype rounds to 0 or infinity") {
  const auto check = [](const PlasticityRule& rule, const std::string& name) {
    CHECK_THROWS_WITH_TEXT(HebbianLayer(5, 3, {.rule = rule}), ArgumentError,
                           "[plasticity] " + name + ": expected a number that float32 can hold");
    HebbianLayer(5, 3, {.rule = rule, .dtype = DType::float64});
  };
  check(HebbRule{.learning_rate = 1e-50}, "learning_rate");
  check(BcmRule{.theta = 1e39}, "theta");
  const std::string text = "m = m + y\ndw = a*m*x - ";
  const EquationRuleOptions options{.parameters = {{"a", 0.1}}};
  check(EquationRule(text + "1e-50*w", options), "a number in the equations");
  check(EquationRule(text + "1e39*w", options), "a number in the equations");
  check(EquationRule(text + "w", {.parameters = {{"a", 1e-50}}}), "a");
  check(EquationRule(text + "w", {.parameters = {{"a", 0.1}}, .memory = {{"m", -1e39}}}),
        "memory m");
  HebbianLayer(5, 3, {.rule = EquationRule(text + "1e-40*w", options)});
}

TEST_CASE("Homeostasis under l2 is taken, with one warning that it has no effect") {
  const LogCapture log;
  const HebbianOptions options{
      .control = {.homeostasis = Homeostasis{}, .normalization = Normalization::l2}};
  HebbianLayer(5, 3, options);
  HebbianLayer(5, 4, options);
  CHECK(log.count(LogLevel::warning, "homeostasis has no effect under normalization l2") == 1);
}

TEST_CASE("Homeostasis warns under no other normalisation") {
  const LogCapture log;
  for (const Normalization normalization : {Normalization::none, Normalization::max_norm}) {
    HebbianLayer(5, 3, {.control = {.homeostasis = Homeostasis{}, .normalization = normalization}});
  }
  CHECK(log.lines.empty());
}

TEST_CASE("A Hebbian layer that shall not learn does not, whatever learns around it") {
  HebbianOptions options = oja64();
  options.learn = false;
  HebbianLayer still(5, 3, options);
  const HebbianLayer usual(5, 3, oja64());
  CHECK_FALSE(still.is_plastic());
  CHECK(still.operations_per_tick(true) == usual.operations_per_tick(false));
  const std::vector<double> before = still.weights().to_vector<double>();
  const Array y = still.process(hebbian_samples(), true);
  CHECK(still.weights().to_vector<double>() == before);
  CHECK(all_close(y, matmul(hebbian_samples(), still.weights().transpose()), 1e-13, 1e-15));
  CHECK(usual.why_not_replica(still) == "does not learn");
  CHECK(still.why_not_replica(usual) == "learns");

  HebbianLayer twin(5, 3, options);
  Layer* const replicas[] = {&still, &twin};
  const Array both = still.process_replicas(replicas, hebbian_samples(), true);
  CHECK(all_close(both.slice(0, 0, 1), y.slice(0, 0, 1), 1e-13, 1e-15));
  CHECK(twin.weights().to_vector<double>() == before);
}
