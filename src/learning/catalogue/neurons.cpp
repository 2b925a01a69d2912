// SPDX-License-Identifier: MIT
/// \file
/// Neurons by name.  Their parameters and memories have names that no rule has.
#include "families.h"

namespace gaia::catalogue {
namespace {

constexpr NamedParameter kLeak{
    "leak", 0.9, "share of the potential that is left after a tick", {0.0, 1.0}};
constexpr NamedParameter kThreshold{"threshold", 1.0, "potential above which a neuron spikes",
                                    kAnyNumber};
constexpr NamedParameter kReset{"reset", 0.0, "potential after a spike", kAnyNumber};
constexpr NamedMemory kPotential{"v", "potential"};
constexpr NamedParameter kNoise{"noise", 0.1, "standard deviation of the noise at a tick"};

}  // namespace

std::vector<NamedNeuron> neurons() {
  return {
      {.name = "lif",
       .summary = "leaky integrate-and-fire: the potential leaks, adds up the drive, and is reset "
                  "by a spike",
       .source = "Lapicque 1907, J. Physiol. Pathol. Gen. 9, 620; the reset is of later papers",
       .equations = "v = leak*v + z\n"
                    "y = v > threshold\n"
                    "v = where(y, reset, v)",
       .parameters = {kLeak, kThreshold, kReset},
       .memories = {kPotential}},
      {.name = "lif_refractory",
       .summary = "leaky integrate-and-fire that hears nothing for some ticks after a spike",
       .source = "Lapicque 1907, J. Physiol. Pathol. Gen. 9, 620, with a time of rest",
       .equations = "v = where(rest > 0, reset, leak*v + z)\n"
                    "y = v > threshold\n"
                    "v = where(y, reset, v)\n"
                    "rest = where(y, refractory, max(rest - 1, 0))",
       .parameters =
           {kLeak, kThreshold, kReset, {"refractory", 5.0, "ticks of rest after a spike"}},
       .memories = {kPotential, {"rest", "ticks of rest that are left"}}},
      {.name = "lif_adaptive",
       .summary = "leaky integrate-and-fire whose threshold rises with each spike and falls again",
       .source = "Diehl & Cook 2015, Front. Comput. Neurosci. 9, 99",
       .equations = "v = leak*v + z\n"
                    "y = v > threshold + raised\n"
                    "v = where(y, reset, v)\n"
                    "raised = exp(-1/tau_raised)*raised + raise*y",
       .parameters = {kLeak,
                      kThreshold,
                      kReset,
                      {"raise", 0.05, "how much a spike raises the threshold"},
                      {"tau_raised", 1000.0, "time constant of the raised threshold, in ticks",
                       kPositive}},
       .memories = {kPotential,
                    {"raised", "how much the threshold is raised", 0.0, false, nullptr, true}}},
      {.name = "lif_noisy",
       .summary = "leaky integrate-and-fire whose potential gets a normal number at every tick",
       .source = "Gerstner & Kistler 2002, Spiking Neuron Models, 5.5 (diffusive noise)",
       .equations = "v = leak*v + z + noise*normal()\n"
                    "y = v > threshold\n"
                    "v = where(y, reset, v)",
       .parameters = {kLeak, kThreshold, kReset, kNoise},
       .memories = {kPotential}},
      {.name = "lif_escape",
       .summary = "leaky integrate-and-fire that spikes by chance, the likelier the nearer its "
                  "potential is to the threshold",
       .source = "Gerstner & Kistler 2002, Spiking Neuron Models, 5.3 (escape noise)",
       .equations = "v = leak*v + z\n"
                    "y = uniform() < 1 - exp(-exp((v - threshold)/width))\n"
                    "v = where(y, reset, v)",
       .parameters = {kLeak,
                      kThreshold,
                      kReset,
                      {"width", 0.1, "width of the threshold, in units of the potential",
                       kPositive}},
       .memories = {kPotential}},
      {.name = "bernoulli",
       .summary = "1 by chance, with the sigmoid of the drive as its probability, else 0",
       .source = "Ackley, Hinton & Sejnowski 1985, Cogn. Sci. 9, 147",
       .equations = "y = uniform() < sigmoid(z/heat)",
       .parameters = {{"heat", 1.0, "drive by which the odds change by the factor e", kPositive}}},
      {.name = "noisy",
       .summary = "the drive with a normal number added at every tick",
       .source = "none: additive Gaussian noise",
       .equations = "y = z + noise*normal()",
       .parameters = {kNoise}},
      {.name = "step",
       .summary = "spikes where the drive is above a threshold",
       .source = "McCulloch & Pitts 1943, Bull. Math. Biophys. 5, 115",
       .equations = "y = z > threshold",
       .parameters = {kThreshold}},
      {.name = "driven",
       .summary = "answers what comes from outside, such as recorded spikes",
       .source = "none: the signal is the answer",
       .equations = "y = spike",
       .signals = {{"spike", "the neuron's answer", "spike"}}},
      {.name = "winner",
       .summary = "1 for the neuron with the largest drive, else 0",
       .source = "Rumelhart & Zipser 1985, Cogn. Sci. 9, 75",
       .equations = "y = winner(z)"},
      {.name = "kwta",
       .summary = "the drives of the neurons with the largest ones, the others are silent",
       .source = "Majani, Erlanson & Abu-Mostafa 1989, NeurIPS 1, 634",
       .equations = "y = kwta(relu(z), winners)",
       .parameters = {{"winners", 10.0, "how many neurons answer", {1.0, 1e9}}}},
  };
}

}  // namespace gaia::catalogue
