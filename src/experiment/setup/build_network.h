// SPDX-License-Identifier: MIT
/// \file
/// From a config to the network that it describes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../layers/network/sequential.h"
#include "../config/config.h"

namespace gaia {

struct BuiltNetwork {
  std::shared_ptr<NeuralNetwork> net;
  std::vector<std::int64_t> modules;  ///< For each layer of the config, the module that it became.
  /// Shapes, the batch of one sample first.
  struct Passed {
    Shape reads;
    Shape answers;
  };
  std::vector<Passed> shapes;  ///< For each layer of the config.
};

/// The network of an experiment that reads samples of shape `sample` and puts out `answers`
/// numbers, on the current device.  Parameters of layer M come from the stream
/// "network/layers/M/weights" of the experiment's seed. \throws ArgumentError "network.layers[M]:
/// ..." for a layer that cannot read what the one before
///         it puts out, or a last layer that does not put out [answers].
BuiltNetwork build_network(const ExperimentConfig& config, const Shape& sample,
                           std::int64_t answers);

}  // namespace gaia
