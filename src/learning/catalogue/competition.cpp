// SPDX-License-Identifier: MIT
/// \file
/// Rules under which the neurons of a layer compete.
#include "families.h"

namespace gaia::catalogue {
namespace {

constexpr NumberRange kCount{1.0, 1e9};
constexpr const char* kShare = "is stable where the rate times the answer stays up to 1";
constexpr const char* kOfLength = "is stable where the rate times |x| stays below 1";

}  // namespace

std::vector<NamedRule> competition() {
  return {
      {.name = "instar",
       .summary = "a neuron moves towards the sample as far as it is active",
       .source = "Grossberg 1976, Biol. Cybern. 23, 121",
       .equations = "dw = rate*y*(x - w) - decay*w",
       .made_for_neuron = "winner",
       .stability_note = kShare,
       .look_for = "Under the instar rule the weights of a neuron tend to the mean of the samples "
                   "at which it is active."},
      {.name = "competitive",
       .summary = "the neuron with the largest drive moves towards the sample (instar)",
       .source = "Grossberg 1976, Biol. Cybern. 23, 121; Rumelhart & Zipser 1985, Cogn. Sci. 9, 75",
       .equations = "y = winner(z)\n"
                    "dw = rate*y*(x - w) - decay*w",
       .stability_note = kShare,
       .look_for = "Under competitive learning the weights of a neuron tend to the mean of the "
                   "samples that it wins."},
      {.name = "competitive_conscience",
       .summary = "competitive learning in which a neuron that wins too often is held back",
       .source = "DeSieno 1988, IEEE ICNN, 117",
       .equations = "tired = tired + (won - 1/n_out)*fatigue\n"
                    "won = winner(z - tired)\n"
                    "y = won\n"
                    "dw = rate*y*(x - w) - decay*w",
       .parameters = {{"fatigue", 0.01,
                       "how much a win holds a neuron back, in units of its drive"}},
       .memories = {{"tired", "handicap"}, {"won", "last tick's win"}},
       .memory_across_trials = true,
       .stability_note = kShare,
       .look_for = "Under competitive learning the weights of a neuron tend to the mean of the "
                   "samples that it wins."},
      {.name = "online_k_means",
       .summary = "the neuron whose weights are nearest to the sample moves towards it",
       .source = "MacQueen 1967, Berkeley Symp. 1, 281",
       .equations = "near = z - 0.5*length\n"
                    "y = winner(near)\n"
                    "length = where(learning, (1 - decay - rate*y)^2*length + "
                    "2*rate*y*(1 - decay - rate*y)*z + (rate*y)^2*xx, length)\n"
                    "dw = rate*y*(x - w) - decay*w",
       .memories = {{"near", "nearness to the sample"},
                    {"length", "squared length of the weights, which begin at one length", 1.0,
                     true}},
       .memory_across_trials = true,
       .stability_note = kShare,
       .look_for = "Under online k-means the weights of a neuron tend to the mean of the samples "
                   "that are nearest to them."},
      {.name = "softhebb",
       .summary = "neurons share each sample by the softmax of their drives",
       .source = "Moraitis, Toichkin, Journé, Chua & Guo 2022, Neuromorph. Comput. Eng. 2, 044017",
       .equations = "y = softmax(z/temperature)\n"
                    "dw = rate*y*(x - z*w) - decay*w",
       .parameters = {{"temperature", 1.0, "difference of drives by which the share falls to 1/e",
                       kPositive}},
       .stability_note = kOfLength,
       .look_for = "Under SoftHebb the lengths tend to 1."},
      {.name = "softhebb_signed",
       .summary = "SoftHebb in which all neurons but the winner learn with the other sign",
       .source = "Journé, Rodriguez, Guo & Moraitis 2023, ICLR; signs as in the authors' program",
       .equations = "y = softmax(z/temperature)\n"
                    "g = where(winner(z), y, -y)\n"
                    "dw = rate*g*(x - z*w) - decay*w",
       .parameters = {{"temperature", 1.0, "difference of drives by which the share falls to 1/e",
                       kPositive}},
       .memories = {{"g", "signed share"}},
       .stability_note = kOfLength,
       .look_for = "Under SoftHebb the lengths of neurons that win tend to 1."},
      {.name = "krotov_hopfield",
       .summary = "the neuron with the largest drive learns, and the k-th largest unlearns",
       .source = "Krotov & Hopfield 2019, Proc. Natl. Acad. Sci. 116, 7723",
       .equations = "g = (rank(z) == 0) - delta*(rank(z) == k - 1)\n"
                    "dw = rate*g*(x - z*w) - decay*w",
       .parameters = {{"delta", 0.4, "how strongly the k-th neuron unlearns"},
                      {"k", 2.0, "which neuron unlearns, counted from 1", kCount}},
       .memories = {{"g", "sign of learning"}},
       .stability_note = kOfLength,
       .look_for = "Under the rule of Krotov and Hopfield the lengths of neurons that win tend to "
                   "1."},
  };
}

}  // namespace gaia::catalogue
