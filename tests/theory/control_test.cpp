// SPDX-License-Identifier: MIT
/// \file
/// What acts on weights beside the rule: decay and homeostasis.
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

TEST_CASE("DECAY: without activity weights fall as (1 - decay)^t") {
  const double decay = GENERATE(1e-3, 1e-2, 0.2);
  const Executor executor = GENERATE(Executor::stepwise, Executor::chunkwise);
  constexpr std::int64_t steps = 1000;
  for (const PlasticityRule& rule :
       {PlasticityRule(HebbRule{.decay = decay}), PlasticityRule(OjaRule{.decay = decay}),
        PlasticityRule(BcmRule{.decay = decay}), PlasticityRule(SangerRule{.decay = decay}),
        PlasticityRule(OjaSubspaceRule{.decay = decay})}) {
    const Array w = random_start(3, 7, 0);
    const std::vector<double> start = w.to_vector<double>();
    learn_from(rule, w, zeros({1, steps, 7}, DType::float64), executor);
    const std::vector<double> found = w.to_vector<double>();
    const double factor = std::pow(1.0 - decay, static_cast<double>(steps));
    for (std::size_t k = 0; k < start.size(); ++k) {
      CAPTURE(rule_name(rule), decay, found[k], start[k]);
      CHECK(std::abs(found[k] / (factor * start[k]) - 1.0) <= 1e-6);
    }
  }
}

TEST_CASE("HOMEO: a linear neuron comes to its target as 1 - strength target predicts") {
  // Constant input 1 and no rule: y is the weight.
  HebbianLayer layer(1, 1,
                     {.rule = HebbRule{.learning_rate = 0.0},
                      .control = {.homeostasis = Homeostasis{.target = 0.5, .strength = 0.1}},
                      .dtype = DType::float64});
  layer.set_weights(full({1, 1}, 3.0));
  const std::vector<double> y =
      layer.process(ones({1, 400, 1}, DType::float64), true).to_vector<double>();
  REQUIRE(y[0] == 3.0);
  std::size_t steps = 0;
  while (std::abs(y[steps] - 0.5) > 0.005) ++steps;
  const double factor = (y[steps + 1] - 0.5) / (y[steps] - 0.5);
  CAPTURE(steps, factor);
  CHECK(std::abs(static_cast<double>(steps) - 85.0) <= 2.0);
  CHECK(std::abs(factor - 0.95) <= 1e-3);
}
