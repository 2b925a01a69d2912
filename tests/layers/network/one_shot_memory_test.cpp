// SPDX-License-Identifier: MIT
/// \file
/// examples/one_shot_memory.cpp, with two seeds and fewer steps.
#include "../../support/catch.h"

#define main run_example
#include "../../../examples/one_shot_memory.cpp"
#undef main

TEST_CASE("Differentiable plasticity learns a one-shot memory that fixed weights cannot") {
  using namespace one_shot;
  for (const std::uint64_t seed : {1u, 2u}) {
    INFO("seed " << seed);
    for (const DifferentiableRule rule :
         {DifferentiableRule::hebbian, DifferentiableRule::oja, DifferentiableRule::abcd}) {
      INFO(to_string(rule));
      CHECK(trained_accuracy(rule, true, seed, 200) > 0.9);
    }
    // Chance is 0.25; of 2000 episodes its deviation is 0.01.
    const double without = trained_accuracy(DifferentiableRule::hebbian, false, seed, 200);
    CHECK(without > 0.2);
    CHECK(without < 0.3);
  }
}

TEST_CASE("Training finds which connections are to learn") {
  using namespace one_shot;
  DifferentiablePlasticity net(kKey + kNoise, kPairs,
                               network(DifferentiableRule::hebbian, true, 3));
  CHECK(accuracy(net, 3) < 0.8);
  train(net, 3, 200);
  const gaia::Array alpha = net.alpha();
  const double of_keys = mean(alpha.slice(1, 0, kKey)).item();
  const double of_noise = mean(abs(alpha.slice(1, kKey))).item();
  CHECK(of_keys > 5.0 * of_noise);
}
