// SPDX-License-Identifier: MIT
/// \file
/// A network trained by gradient, as typed values: what `network:` of an experiment says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../../formulas/optimiser_rules.h"
#include "../../layers/network/module_kind.h"
#include "../../learning/class_weights.h"
#include "../../training/consolidation.h"
#include "../../training/early_stop.h"

namespace gaia {

/// What a network on a series predicts.
struct NetworkTarget {
  bool of_latent = false;    ///< Whether the target is a latent of a generator, else a channel.
  std::int64_t index = 0;    ///< Index of the channel or latent.
  std::int64_t horizon = 1;  ///< Steps ahead.
};

/// network:
struct NetworkConfig {
  static constexpr const char* name = "network";
  std::vector<Kind<ModuleKind>> layers;
  std::string loss = "auto";  ///< cross_entropy for images, mse for a series.
  OptimiserRule optimizer = AdamRule{};
  std::int64_t epochs = 5;
  std::int64_t batch_size = 64;
  std::int64_t members = 1;  ///< Parts of a batch, for which processes compute the gradients.
  std::optional<double> clip_norm;
  double final_rate = 1.0;  ///< Share of the learning rate at the last epoch; the fall is a cosine.
  std::optional<ConsolidateOptions> consolidate;  ///< Hold on the weights of earlier tasks.
  NetworkTarget target;                           ///< Target of a series; images have labels.
  double split = 0.7;  ///< Share of a series, from its start, that is trained on.
  /// Share of the training part that is kept from training, to validate by; 0: none is.
  double validation = 0.0;
  std::optional<EarlyStop> early_stop;  ///< When the loss of the validation part ends training.
  ClassWeight class_weight = ClassWeight::none;  ///< How much a picture counts in the loss.
};

}  // namespace gaia
