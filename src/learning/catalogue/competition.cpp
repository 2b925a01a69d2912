// SPDX-License-Identifier: MIT
/// \file
/// Rules under which the neurons of a layer compete.
#include "families.h"

namespace gaia::catalogue {
namespace {

constexpr NumberRange kCount{1.0, 1e9};
constexpr const char* kShare = "is stable where the rate times the answer stays up to 1";
constexpr NumberRange kShareOfOne{0.0, 1.0};
constexpr const char* kMeanOfWon =
    "Under competitive learning the weights of a neuron tend to the mean of the samples that it "
    "wins.";
constexpr const char* kMeanOfNearest =
    "Under online k-means the weights of a neuron tend to the mean of the samples that are nearest "
    "to them.";
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
       .look_for = kMeanOfWon},
      {.name = "competitive_conscience",
       .summary = "the nearest neuron learns, but one that is the nearest too often is held back",
       .source = "DeSieno 1988, IEEE ICNN, 117",
       .equations = "y = winner(2*z - ww)\n"
                    "p = p + b*(y - p)\n"
                    "won = winner(2*z - ww + c*(1/n_out - p))\n"
                    "dw = rate*won*(x - w) - decay*w",
       .parameters = {{"b", 0.0001, "how much of a tick goes into p", kShareOfOne},
                      {"c", 10.0, "what a share of 1 above 1/n takes from the squared distance"}},
       .memories = {{"p", "share of the samples to which the neuron was the nearest"},
                    {"won", "whether the neuron learnt"}},
       .memory_across_trials = true,
       .stability_note = kShare,
       .look_for = kMeanOfWon},
      {.name = "nearest_with_fatigue",
       .summary = "the nearest neuron learns, and each time that it does it is held back more, "
                  "without a bound",
       .source = "after DeSieno 1988, IEEE ICNN, 117, whose share of wins, which has bounds, is a "
                 "sum here, which has none",
       .equations = "y = winner(2*z - ww)\n"
                    "won = winner(2*z - ww - tired)\n"
                    "tired = tired + fatigue*(won - 1/n_out)\n"
                    "dw = rate*won*(x - w) - decay*w",
       .learning_rate = 0.05,
       .parameters = {{"fatigue", 0.1, "how much a win holds a neuron back, in squared distance"}},
       .memories = {{"won", "whether the neuron learnt"}, {"tired", "handicap"}},
       .memory_across_trials = true,
       .stability_note = kShare,
       .look_for = kMeanOfWon},
      {.name = "online_k_means",
       .summary = "the neuron whose weights are nearest to the sample moves towards it",
       .source = "MacQueen 1967, Berkeley Symp. 1, 281, with a rate that does not fall",
       .equations = "y = winner(2*z - ww)\n"
                    "dw = rate*y*(x - w) - decay*w",
       .stability_note = kShare,
       .look_for = kMeanOfNearest},
      {.name = "macqueen",
       .summary = "the nearest neuron moves towards the sample by one over its wins, and so is the "
                  "mean of what it has won",
       .source = "MacQueen 1967, Berkeley Symp. 1, 281",
       .equations = "y = winner(2*z - ww)\n"
                    "wins = wins + y\n"
                    "dw = rate*y*(x - w)/max(wins, 1) - decay*w",
       .learning_rate = 1.0,
       .memories = {{"wins",
                     "samples that the neuron is the mean of; 1 counts the weights that it began "
                     "with, 0 forgets them",
                     1.0, true}},
       .memory_across_trials = true,
       .stability_note = kShare,
       .look_for = kMeanOfNearest},
      {.name = "nearest_with_birth",
       .summary = "where no neuron is nearer than a radius, one that never won is put at the "
                  "sample; else the nearest becomes the mean of what it has won",
       .source = "leaders, Hartigan 1975, Clustering Algorithms, that become means, MacQueen 1967, "
                 "Berkeley Symp. 1, 281; compare vigilance, Carpenter & Grossberg 1987, Comput. "
                 "Vis. Graph. Image Process. 37, 54",
       .equations = "born = wins > 0\n"
                    "near = 2*z - ww - xx\n"
                    "near = where(born, near, 2*smallest(near) - 1)\n"
                    "far = learning and smallest(born) == 0 and largest(near) < -radius^2\n"
                    "y = where(far, winner(not born), winner(near))\n"
                    "wins = wins + learning*y\n"
                    "dw = rate*y*(x - w)/max(wins, 1) - decay*w",
       .learning_rate = 1.0,
       .parameters = {{"radius", 1.0, "distance from which on a sample is new"}},
       .memories = {{"born", "whether the neuron has won before"},
                    {"near", "minus the squared distance, of those that have not more than any"},
                    {"far", "whether the sample was new"},
                    {"wins", "samples that the neuron is the mean of"}},
       .memory_across_trials = true,
       .stability_note = kShare,
       .look_for = kMeanOfNearest},
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
