// SPDX-License-Identifier: MIT
/// \file
/// Rules that are told what a neuron should answer.
#include "families.h"

namespace gaia::catalogue {

std::vector<NamedRule> targets() {
  const std::vector<NamedSignal> target = {{"target", "what a neuron should answer", "labels"}};
  return {
      {.name = "delta",
       .summary = "least mean squares: a step along the error times the input",
       .source = "Widrow & Hoff 1960, IRE WESCON Conv. Rec. 4, 96",
       .equations = "dw = rate*(target - y)*x - decay*w",
       .signals = target,
       .stability_limit = 2.0},
      {.name = "nlms",
       .summary = "least mean squares whose step is divided by |x|²: a rate of 1 ends the error at "
                  "this sample",
       .source = "Nagumo & Noda 1967, IEEE Trans. Autom. Control 12, 282",
       .equations = "dw = rate*(target - y)*x/(epsilon + xx) - decay*w",
       .learning_rate = 0.1,
       .parameters = {{"epsilon", 1e-6, "what keeps silence from dividing by 0, in units of |x|²",
                       kPositive}},
       .signals = target,
       .stability_note = "is stable below a rate of 2, whatever the input"},
      {.name = "perceptron",
       .summary = "learns where the answer, 0 or 1, is wrong",
       .source = "Rosenblatt 1958, Psychol. Rev. 65, 386",
       .equations = "y = z > 0\n"
                    "dw = rate*(target - y)*x - decay*w",
       .signals = target,
       .stability_note = "finds the same answers at any rate from weights of 0"},
      {.name = "logistic",
       .summary = "the slope of the likelihood of the class, one sample at a time",
       .source = "Cox 1958, J. R. Stat. Soc. B 20, 215",
       .equations = "y = sigmoid(z)\n"
                    "dw = rate*(target - y)*x - decay*w",
       .signals = target,
       .stability_limit = 8.0},
      {.name = "softmax_regression",
       .summary = "the slope of the likelihood of one class among all neurons'",
       .source = "Bridle 1990, in Neurocomputing, NATO ASI 68, 227",
       .equations = "y = softmax(z)\n"
                    "dw = rate*(target - y)*x - decay*w",
       .signals = target,
       .stability_limit = 4.0},
  };
}

}  // namespace gaia::catalogue
