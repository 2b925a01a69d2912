// SPDX-License-Identifier: MIT
/// \file
/// Rules of neurons and inputs that spike: x and y are 0 or 1.  The neuron is another text
/// (`neuron: lif`).  A trace of the neuron's own spikes that stands above dw counts this tick's.
#include "families.h"

namespace gaia::catalogue {
namespace {

constexpr const char* kStdpSigns =
    "Under STDP an input whose spikes come before the neuron's gains weight, and one whose spikes "
    "come after loses it.";
constexpr const char* kBounds = "has no limit of its own; bounds hold its weights";

constexpr NamedParameter kPlus{"a_plus", 1.0,
                               "gain of a pair, input before neuron, per unit of rate"};
constexpr NamedParameter kMinus{"a_minus", 1.05,
                                "loss of a pair, neuron before input, per unit of rate"};
constexpr NamedParameter kTau{"tau", 20.0, "time constant of the inputs' traces, in ticks",
                              kPositive};
constexpr NamedParameter kTauPost{"tau_post", 20.0, "time constant of the neuron's trace, in ticks",
                                  kPositive};
constexpr NamedParameter kTauE{
    "tau_e", 200.0, "time constant of the eligibility, in ticks", {1.0, 1e12}};

const std::vector<NamedMemory> kPost = {{"post", "trace of the answer"}};
const std::vector<NamedTrace> kPre = {{"pre", "tau"}};

/// A form of STDP of all pairs: what it has in common with the others.
NamedRule stdp(NamedRule rule) {
  if (rule.parameters.empty()) rule.parameters = {kPlus, kMinus, kTau, kTauPost};
  rule.memories = kPost;
  rule.traces = kPre;
  rule.made_for_neuron = "lif";
  rule.made_for_bounds = true;
  rule.look_for = kStdpSigns;
  return rule;
}

}  // namespace

std::vector<NamedRule> spikes() {
  const NamedSignal reward{"reward", "the reward of this tick", "reward"};
  return {
      stdp({.name = "stdp",
            .summary = "spike-timing-dependent plasticity of all pairs, additive",
            .source = "Song, Miller & Abbott 2000, Nat. Neurosci. 3, 919",
            .equations = "post = exp(-1/tau_post)*post + y\n"
                         "dw = rate*(a_plus*y*pre - a_minus*post*x) - decay*w",
            .learning_rate = 0.005,
            .stability_note = kBounds}),
      stdp({.name = "stdp_multiplicative",
            .summary = "STDP whose depression is in proportion to the weight",
            .source = "van Rossum, Bi & Turrigiano 2000, J. Neurosci. 20, 8812, without its noise",
            .equations = "post = exp(-1/tau_post)*post + y\n"
                         "dw = rate*(a_plus*y*pre - a_minus*post*x*w) - decay*w",
            .learning_rate = 0.005,
            .stability_note =
                "keeps its weights finite where the rate times the traces stays below 1"}),
      stdp({.name = "stdp_soft_bounds",
            .summary =
                "STDP between 0 and 1: the nearer a weight is to a bound, the smaller its step",
            .source = "Rubin, Lee & Sompolinsky 2001, Phys. Rev. Lett. 86, 364",
            .equations = "post = exp(-1/tau_post)*post + y\n"
                         "dw = rate*(a_plus*y*pre*(1 - w) - a_minus*post*x*w) - decay*w",
            .learning_rate = 0.005,
            .stability_note =
                "keeps its weights finite where the rate times the traces stays below 1"}),
      stdp({.name = "stdp_power_bounds",
            .summary = "STDP between additive (mu 0) and soft bounds (mu 1)",
            .source = "Gütig, Aharonov, Rotter & Sompolinsky 2003, J. Neurosci. 23, 3697",
            .equations = "post = exp(-1/tau_post)*post + y\n"
                         "dw = rate*(a_plus*y*pre*(1 - w)^mu - a_minus*post*x*w^mu) - decay*w",
            .learning_rate = 0.005,
            .parameters = {kPlus,
                           kMinus,
                           kTau,
                           kTauPost,
                           {"mu", 0.02, "power of the distance to a bound", {0.0, 1.0}}},
            .stability_note = "is defined for weights between 0 and 1; bounds keep them there"}),
      {.name = "diehl_cook",
       .summary = "at a spike of the neuron weights follow the inputs' traces above an offset",
       .source = "Diehl & Cook 2015, Front. Comput. Neurosci. 9, 99, with mu = 0",
       .equations = "dw = rate*y*(pre - offset) - decay*w",
       .parameters = {{"offset", 0.4, "trace at which a weight stays as it is", kAnyNumber}, kTau},
       .traces = kPre,
       .made_for_neuron = "lif",
       .made_for_bounds = true,
       .stability_note = kBounds,
       .look_for =
           "Under this rule inputs that were active before the neuron's spikes gain weight, "
           "and all others lose it."},
      {.name = "triplet_stdp",
       .summary = "STDP of pairs and triplets of spikes, the full model of all pairs",
       .source = "Pfister & Gerstner 2006, J. Neurosci. 26, 9673; the numbers are those of the "
                 "visual cortex, ticks of 1 ms",
       .equations = "o1 = exp(-1/tau_minus)*o1 + y\n"
                    "o2 = exp(-1/tau_y)*o2\n"
                    "dw = rate*(y*r1*(a2_plus + a3_plus*o2) - x*o1*(a2_minus + a3_minus*(r2 - x))) "
                    "- decay*w\n"
                    "o2 = o2 + y",
       .learning_rate = 1.0,
       .parameters = {{"a2_plus", 5e-10, "gain of a pair"},
                      {"a3_plus", 6.2e-3, "gain of a triplet of two answers and an input"},
                      {"a2_minus", 7e-3, "loss of a pair"},
                      {"a3_minus", 2.3e-4, "loss of a triplet of two inputs and an answer"},
                      {"tau_plus", 16.8, "time constant of r1, in ticks", kPositive},
                      {"tau_x", 101.0, "time constant of r2, in ticks", kPositive},
                      {"tau_minus", 33.7, "time constant of o1, in ticks", kPositive},
                      {"tau_y", 125.0, "time constant of o2, in ticks", kPositive}},
       .memories = {{"o1", "fast trace of the answer"}, {"o2", "slow trace of the answer"}},
       .traces = {{"r1", "tau_plus"}, {"r2", "tau_x"}},
       .made_for_neuron = "lif",
       .made_for_bounds = true,
       .stability_note = kBounds,
       .look_for = kStdpSigns},
      {.name = "triplet_stdp_minimal",
       .summary = "STDP of pairs, and of triplets of two answers and an input",
       .source = "Pfister & Gerstner 2006, J. Neurosci. 26, 9673, minimal model of all pairs; the "
                 "numbers are those of the hippocampus, ticks of 1 ms",
       .equations = "o1 = exp(-1/tau_minus)*o1 + y\n"
                    "o2 = exp(-1/tau_y)*o2\n"
                    "dw = rate*(y*(a2_plus + a3_plus*o2)*r1 - a2_minus*o1*x) - decay*w\n"
                    "o2 = o2 + y",
       .learning_rate = 1.0,
       .parameters = {{"a2_plus", 5.3e-3, "gain of a pair"},
                      {"a3_plus", 8e-3, "gain of a triplet of two answers and an input"},
                      {"a2_minus", 3.5e-3, "loss of a pair"},
                      {"tau_plus", 16.8, "time constant of r1, in ticks", kPositive},
                      {"tau_minus", 33.7, "time constant of o1, in ticks", kPositive},
                      {"tau_y", 40.0, "time constant of o2, in ticks", kPositive}},
       .memories = {{"o1", "fast trace of the answer"}, {"o2", "slow trace of the answer"}},
       .traces = {{"r1", "tau_plus"}},
       .made_for_neuron = "lif",
       .made_for_bounds = true,
       .stability_note = kBounds,
       .look_for = kStdpSigns},
      {.name = "reward_stdp",
       .summary = "STDP goes into an eligibility, and weights follow it as the reward says",
       .source = "Izhikevich 2007, Cereb. Cortex 17, 2443; Frémaux & Gerstner 2016, Front. Neural "
                 "Circuits 9, 85",
       .equations = "post = exp(-1/tau_post)*post + y\n"
                    "de = -e/tau_e + a_plus*y*pre - a_minus*post*x\n"
                    "dw = rate*reward*e - decay*w",
       .learning_rate = 0.005,
       .parameters = {kPlus, kMinus, kTau, kTauPost, kTauE},
       .memories = kPost,
       .traces = kPre,
       .signals = {reward},
       .made_for_neuron = "lif",
       .made_for_bounds = true,
       .stability_note = kBounds},
      {.name = "reward_stdp_expected",
       .summary = "STDP by reward, of which the mean of past rewards is taken away",
       .source = "Frémaux, Sprekeler & Gerstner 2010, J. Neurosci. 30, 13326",
       .equations = "post = exp(-1/tau_post)*post + y\n"
                    "de = -e/tau_e + a_plus*y*pre - a_minus*post*x\n"
                    "dw = rate*(reward - expected)*e - decay*w\n"
                    "expected = expected + (reward - expected)/tau_r",
       .learning_rate = 0.005,
       .parameters =
           {kPlus,
            kMinus,
            kTau,
            kTauPost,
            kTauE,
            {"tau_r", 1000.0, "time constant of the expected reward, in ticks", {1.0, 1e12}}},
       .memories = {{"post", "trace of the answer"},
                    {"expected", "expected reward", 0.0, false, nullptr, true}},
       .traces = kPre,
       .signals = {reward},
       .made_for_neuron = "lif",
       .made_for_bounds = true,
       .stability_note = kBounds},
  };
}

}  // namespace gaia::catalogue
