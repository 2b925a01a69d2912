// SPDX-License-Identifier: MIT
/// \file
/// GAIA 4's plastic layer by its name and with its numbers.
#pragma once

#include <string_view>

#include "hebbian.h"

namespace gaia {

struct HebbianCoreOptions {
  double learning_rate = 0.01;
  double decay_rate = 0.001;
};

/// A HebbianLayer as GAIA 4's HebbianCore is meant: linear, with decay, and rows whose length is
/// brought back to 1 after every tick, so that it cannot run away.  `plasticity_rule` is "hebbian",
/// "oja" or "bcm".  (Beside that length GAIA 4's homeostasis, ltp and ltd change nothing; they are
/// left out.)  \throws ArgumentError for another rule.
inline HebbianLayer HebbianCore(std::int64_t input_size, std::int64_t output_size,
                                std::string_view plasticity_rule = "hebbian",
                                const HebbianCoreOptions& options = {}) {
  const double rate = options.learning_rate;
  const double decay = options.decay_rate;
  PlasticityRule rule = HebbRule{.learning_rate = rate, .decay = decay};
  if (plasticity_rule == "oja") {
    rule = OjaRule{.learning_rate = rate, .decay = decay};
  } else if (plasticity_rule == "bcm") {
    rule = BcmRule{.learning_rate = rate, .decay = decay};
  } else if (plasticity_rule != "hebbian") {
    throw ArgumentError("[HebbianCore] expected the rule hebbian, oja or bcm, got '" +
                        std::string(plasticity_rule) + "'; HebbianLayer takes any");
  }
  return {input_size, output_size, {.rule = rule, .control = {.normalization = Normalization::l2}}};
}

}  // namespace gaia
