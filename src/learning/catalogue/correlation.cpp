// SPDX-License-Identifier: MIT
/// \file
/// Rules that learn what neurons and inputs do together.
#include "families.h"

namespace gaia::catalogue {

std::vector<NamedRule> correlation() {
  return {
      {.name = "law_cooper",
       .summary = "BCM whose rate falls where the threshold is high",
       .source = "Law & Cooper 1994, Proc. Natl. Acad. Sci. 91, 7797",
       .equations = "dw = rate*y*(y - theta)*x/theta - decay*w\n"
                    "theta = theta + (y^2 - theta)/tau",
       .parameters = {{"tau", 50.0, "time constant of the threshold, in ticks", {1.0, 1e12}}},
       .memories = {{"theta", "threshold", 1.0, true, "θ"}},
       .memory_across_trials = true,
       .stability_limit = 1.0,
       .stability_divisor = "tau",
       .look_for = "Under the rule of Law and Cooper a neuron is selective where θ has risen well "
                   "above 0."},
      {.name = "covariance",
       .summary = "Hebb's rule of answer and input about their sliding means",
       .source = "Sejnowski 1977, J. Math. Biol. 4, 303",
       .equations = "y_mean = y_mean + (y - y_mean)/tau\n"
                    "dw = rate*(y - y_mean)*(x - (1 - exp(-1/tau_x))*x_sum) - decay*w",
       .learning_rate = 0.001,
       .parameters = {{"tau", 100.0, "time constant of the answer's mean, in ticks", {1.0, 1e12}},
                      {"tau_x", 100.0, "time constant of the inputs' means, in ticks", kPositive}},
       .memories = {{"y_mean", "mean answer"}},
       .traces = {{"x_sum", "tau_x"}},
       .memory_across_trials = true,
       .stability_note = "grows at any rate unless decay or a normalization holds it"},
      {.name = "anti_hebbian",
       .summary = "Hebb's rule with the other sign, which takes away what is common",
       .source = "Földiák 1990, Biol. Cybern. 64, 165",
       .equations = "dw = -rate*y*x - decay*w",
       .stability_limit = 2.0,
       .look_for = "Under the anti-Hebbian rule weights that nothing holds fall to 0."},
      {.name = "anti_oja",
       .summary = "Oja's rule with the other sign, for weights of a reservoir at a small rate",
       .source = "Babinec & Pospíchal 2007, ICANN, LNCS 4668, 19",
       .equations = "dw = -rate*y*(x - y*w) - decay*w",
       .learning_rate = 1e-4,
       .stability_note = "grows at any rate where its weights are longer than 1"},
      {.name = "hebbian_ltp_ltd",
       .summary = "Hebb's rule with one factor for weights that grow and one for those that shrink",
       .source =
           "Hebb 1949, The Organization of Behavior; ltp and ltd are the factors that GAIA 4's "
           "HebbianCore names",
       .equations = "dw = rate*(ltp*max(y*x, 0) + ltd*min(y*x, 0)) - decay*w",
       .parameters = {{"ltp", 1.0, "factor where answer and input have the same sign"},
                      {"ltd", 0.8, "factor where their signs differ"}},
       .stability_note = "grows at any rate unless decay or a normalization holds it"},
      {.name = "abcd",
       .summary = "a sum of all products of answer and input up to the first power of each",
       .source = "Najarro & Risi 2020, NeurIPS",
       .equations = "dw = rate*(a*x*y + b*x + c*y + d) - decay*w",
       .parameters = {{"a", 1.0, "share of answer times input", kAnyNumber},
                      {"b", 0.0, "share of the input", kAnyNumber},
                      {"c", 0.0, "share of the answer", kAnyNumber},
                      {"d", 0.0, "what is always added", kAnyNumber}},
       .stability_note = "grows at any rate unless decay or a normalization holds it"},
      {.name = "polynomial",
       .summary =
           "a sum of all products of input, answer and weight up to the first power of input "
           "and weight and the second of the answer, each with a coefficient to search for; "
           "it begins as Oja's rule",
       .source = "in the manner of Confavreux, Zenke, Agnes, Lillicrap & Vogels 2020, NeurIPS 33, "
                 "16398",
       .equations = "dw = rate*(k + k_y*y + (degree >= 2)*k_yy*y^2\n"
                    "  + x*(k_x + (degree >= 2)*k_xy*y + (degree >= 3)*k_xyy*y^2)\n"
                    "  + w*(k_w + (degree >= 2)*k_yw*y + (degree >= 3)*k_yyw*y^2)\n"
                    "  + x*w*((degree >= 2)*k_xw + (degree >= 3)*k_xyw*y + (degree >= "
                    "4)*k_xyyw*y^2)) - decay*w",
       .parameters = {{"degree", 4.0, "terms whose powers sum to more are left out", {1.0, 4.0}},
                      {"k", 0.0, "what is always added", kAnyNumber},
                      {"k_x", 0.0, "coefficient of x", kAnyNumber},
                      {"k_y", 0.0, "coefficient of y", kAnyNumber},
                      {"k_w", 0.0, "coefficient of w", kAnyNumber},
                      {"k_xy", 1.0, "coefficient of x y", kAnyNumber},
                      {"k_yy", 0.0, "coefficient of y^2", kAnyNumber},
                      {"k_xw", 0.0, "coefficient of x w", kAnyNumber},
                      {"k_yw", 0.0, "coefficient of y w", kAnyNumber},
                      {"k_xyy", 0.0, "coefficient of x y^2", kAnyNumber},
                      {"k_yyw", -1.0, "coefficient of y^2 w", kAnyNumber},
                      {"k_xyw", 0.0, "coefficient of x y w", kAnyNumber},
                      {"k_xyyw", 0.0, "coefficient of x y^2 w", kAnyNumber}},
       .stability_note = "may grow at any rate, as its coefficients are"},
      {.name = "foldiak_trace",
       .summary = "a neuron that was active of late moves towards what comes now",
       .source = "Földiák 1991, Neural Computation 3, 194",
       .equations = "ybar = (1 - delta)*ybar + delta*y\n"
                    "dw = rate*ybar*(x - w) - decay*w",
       .parameters = {{"delta", 0.2, "share of this tick in the trace of the answer", {0.0, 1.0}}},
       .memories = {{"ybar", "trace of the answer"}},
       .made_for_neuron = "winner",
       .stability_note = "is stable where the rate times the answer stays below 1",
       .look_for = "Under Földiák's rule a neuron's weights resemble the samples that follow each "
                   "other while it is active."},
  };
}

}  // namespace gaia::catalogue
