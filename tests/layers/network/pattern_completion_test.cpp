// SPDX-License-Identifier: MIT
/// \file
/// examples/pattern_completion.cpp, with one seed and fewer steps: the window is run tick by tick.
#include "../../support/catch.h"

#define main run_pattern_completion
#include "../../../examples/pattern_completion.cpp"
#undef main

TEST_CASE("A recurrent layer completes patterns that it has seen once, if it is plastic") {
  using namespace completion;
  const auto found = [](bool is_plastic) {
    DifferentiablePlasticity net(kBits, kBits, network(is_plastic, 1));
    train(net, 1, 150);
    return completed(net, 1);
  };
  CHECK(found(true) > 0.8);
  CHECK(found(false) < 0.55);  // chance is 0.5
}
