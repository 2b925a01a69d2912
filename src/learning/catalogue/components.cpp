// SPDX-License-Identifier: MIT
/// \file
/// Rules that find principal components, beside the oldest of them (catalogue.cpp).
#include "families.h"

namespace gaia::catalogue {
namespace {

constexpr const char* kOwnRate = "has no rate to choose: 1 is the rule of the paper";
constexpr NamedParameter kBeta{
    "beta", 0.999, "share of the energy that is left after a tick; 1 forgets nothing", {1e-9, 1.0}};
constexpr NamedMemory kEnergy{
    "energy", "sum of the neuron's squared answers, fading, with |x|² of the first sample"};

}  // namespace

std::vector<NamedRule> components() {
  return {
      {.name = "cayley_subspace",
       .summary =
           "all neurons together find the principal subspace, by turns that keep orthonormal "
           "weights orthonormal at any rate",
       .source =
           "Wen & Yin 2013, Math. Program. 142, 397 (the Cayley transform), of Oja 1989's step "
           "for one sample",
       .equations = "s = sum(z^2)\n"
                    "dw = rate/(1 + (rate/2)^2*s*(xx - s))*z*(x - (1 + rate/2*(xx - s))*back(z)) - "
                    "decay*w",
       .memories = {{"s", "sum of the squared drives of the layer"}},
       .made_for_init = "orthogonal",
       .stability_note = "is stable at any rate where its weights begin orthonormal",
       .look_for = "Under the Cayley rule orthonormal weights stay orthonormal, to rounding."},
      {.name = "oja_own_rate",
       .summary = "Oja's rule in which each neuron's rate is one over the sum of its squared "
                  "answers, whatever the scale of the data",
       .source = "Yang 1995, IEEE Trans. Signal Process. 43, 95 (PAST of one component)",
       .equations = "energy = beta*where(energy > 0, energy, xx) + y^2\n"
                    "dw = rate*where(energy > 0, y/energy, 0)*(x - y*w) - decay*w",
       .learning_rate = 1.0,
       .parameters = {kBeta},
       .memories = {kEnergy},
       .memory_across_trials = true,
       .stability_note = kOwnRate,
       .look_for = "Under Oja's rule at rates of its own the lengths tend to 1."},
      {.name = "sanger_own_rate",
       .summary = "Sanger's rule in which each neuron's rate is one over the sum of its squared "
                  "answers, whatever the scale of the data",
       .source = "Sanger 1989, Neural Networks 2, 459, with the rates of Yang 1995, IEEE Trans. "
                 "Signal Process. 43, 95",
       .equations = "energy = beta*where(energy > 0, energy, xx) + y^2\n"
                    "dw = rate*where(energy > 0, y/energy, 0)*(x - back_upto(y)) - decay*w",
       .learning_rate = 1.0,
       .parameters = {kBeta},
       .memories = {kEnergy},
       .memory_across_trials = true,
       .stability_note = kOwnRate,
       .look_for = "Under Sanger's rule at rates of its own the lengths tend to 1."},
  };
}

}  // namespace gaia::catalogue
