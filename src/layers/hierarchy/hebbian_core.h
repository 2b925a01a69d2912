// SPDX-License-Identifier: MIT
/// \file
/// GAIA 4's plastic layer by its name and with its numbers.
#pragma once

#include <string_view>

#include "../../learning/rule_list.h"
#include "hebbian.h"

namespace gaia {

struct HebbianCoreOptions {
  double learning_rate = 0.01;
  double decay_rate = 0.001;
  double ltp = 1.0;  ///< Factor where answer and input have the same sign; of Hebb's rule alone.
  double ltd = 1.0;  ///< Factor where their signs differ; GAIA 4 names 0.8, and never reads it.
};

/// A HebbianLayer as GAIA 4's HebbianCore is meant: linear, with decay, and rows whose length is
/// brought back to 1 after every tick, so that it cannot run away.  `plasticity_rule` is "hebbian",
/// "oja" or "bcm".  Where `ltp` or `ltd` is not 1, "hebbian" is the catalogue's `hebbian_ltp_ltd`.
/// (Beside that length GAIA 4's homeostasis changes nothing; it is left out.)  \throws
/// ArgumentError for another rule, and for factors beside "oja" and "bcm", which GAIA 4 does not
/// weigh either.
inline HebbianLayer HebbianCore(std::int64_t input_size, std::int64_t output_size,
                                std::string_view plasticity_rule = "hebbian",
                                const HebbianCoreOptions& options = {}) {
  const double rate = options.learning_rate;
  const double decay = options.decay_rate;
  PlasticityRule rule = HebbRule{.learning_rate = rate, .decay = decay};
  if (options.ltp != 1.0 || options.ltd != 1.0) {
    if (plasticity_rule != "hebbian") {
      throw ArgumentError("[HebbianCore] expected ltp and ltd of 1 for the rule '" +
                          std::string(plasticity_rule) +
                          "': they are factors of hebbian; an EquationRule weighs any rule");
    }
    rule = rule_from_name("hebbian_ltp_ltd");
    learning_rate_of(rule) = rate;
    decay_of(rule) = decay;
    *std::get<EquationRule>(rule).parameter("ltp") = options.ltp;
    *std::get<EquationRule>(rule).parameter("ltd") = options.ltd;
  } else if (plasticity_rule == "oja") {
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
