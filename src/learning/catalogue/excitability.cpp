// SPDX-License-Identifier: MIT
/// \file
/// Rules by which neurons change how excitable they are, and leave their weights alone.
#include "families.h"

namespace gaia::catalogue {

std::vector<NamedRule> excitability() {
  return {
      {.name = "intrinsic_plasticity",
       .summary = "gain and bias of a tanh neuron move so that its answers become normal, with the "
                  "mean mu and the deviation sigma",
       .source = "Schrauwen, Wardermann, Verstraeten, Steil & Stroobandt 2008, Neurocomputing 71, "
                 "1159; after Triesch 2005, ICANN, LNCS 3696, 65",
       // In the paper db = -rate (-mu/sigma^2 + y/sigma^2 (2 sigma^2 + 1 - y^2 + mu y)) and
       // da = rate/a + db z.  A gain that came to 0 would stay there: it is held above.
       .equations = "y = tanh(gain*z + shift)\n"
                    "shift = shift - learning*rate*(y*(2*sigma^2 + 1 - y^2 + mu*y) - mu)/sigma^2\n"
                    "gain = where(learning, max(gain + rate/gain\n"
                    "  - rate*(y*(2*sigma^2 + 1 - y^2 + mu*y) - mu)/sigma^2*z, 0.001), gain)\n"
                    "dw = -decay*w",
       .learning_rate = 0.001,
       .parameters = {{"mu", 0.0, "mean of the answers that is aimed at", {-1.0, 1.0}},
                      {"sigma", 0.2, "their standard deviation that is aimed at", kPositive}},
       .memories = {{"gain", "gain a of the neuron", 1.0}, {"shift", "bias b of the neuron"}},
       .memory_across_trials = true,
       .stability_note = "moves no weight",
       .look_for = "Intrinsic plasticity leaves the weights as they are; look at the memories gain "
                   "and shift."},
  };
}

}  // namespace gaia::catalogue
