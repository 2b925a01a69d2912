// SPDX-License-Identifier: MIT
/// \file
/// A network trained by gradient, as typed values: what `network:` of an experiment says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../formulas/activation.h"
#include "../../formulas/optimiser_rules.h"
#include "../../layers/init.h"
#include "../../layers/network/recurrent.h"
#include "layer_config.h"

namespace gaia {

/// Layers of `size` neurons.
struct DenseConfig {
  std::int64_t size = 0;
  Activation activation = Activation::linear;
  Init init = Init::pytorch;
  bool bias = true;
};
struct BitLinearConfig {
  std::int64_t size = 0;
};
struct PlasticConfig {
  std::int64_t size = 0;
  HebbianConfig layer;
};

enum class RecurrentKind : std::uint8_t { rnn, gru, lstm };
template <RecurrentKind kind>
struct RecurrentConfig {
  std::int64_t size = 0;
  RecurrentAnswer answer = RecurrentAnswer::last;
};

/// Layers that look at neighbourhoods, of one axis or of two.
template <int axes>
struct ConvConfig {
  std::int64_t channels = 0;
  std::int64_t kernel = 3;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  Activation activation = Activation::linear;
};
enum class PoolKind : std::uint8_t { max, mean };
template <int axes, PoolKind kind>
struct PoolConfig {
  std::int64_t kernel = 2;
  std::optional<std::int64_t> stride;  ///< As the kernel if not given.
};

struct FlattenConfig {};
struct DropoutConfig {
  double probability = 0.5;
};
struct LayerNormConfig {
  double epsilon = 1e-5;
};
struct BatchNormConfig {
  double epsilon = 1e-5;
  double momentum = 0.1;
};

/// In the order of the names in describe_network.cpp.
using ModuleConfig =
    std::variant<DenseConfig, BitLinearConfig, PlasticConfig, RecurrentConfig<RecurrentKind::rnn>,
                 RecurrentConfig<RecurrentKind::gru>, RecurrentConfig<RecurrentKind::lstm>,
                 ConvConfig<1>, ConvConfig<2>, PoolConfig<1, PoolKind::max>,
                 PoolConfig<2, PoolKind::max>, PoolConfig<1, PoolKind::mean>,
                 PoolConfig<2, PoolKind::mean>, FlattenConfig, DropoutConfig, LayerNormConfig,
                 BatchNormConfig>;

/// What a network on a series answers.
struct NetworkTarget {
  bool of_latent = false;    ///< Of a latent of a generator, else of a channel.
  std::int64_t index = 0;    ///< Of the channel or latent.
  std::int64_t horizon = 1;  ///< Steps ahead.
};

struct NetworkConfig {
  std::vector<ModuleConfig> layers;
  std::string loss = "auto";  ///< cross_entropy for images, mse for a series.
  OptimiserRule optimizer = AdamRule{};
  std::int64_t epochs = 5;
  std::int64_t batch_size = 64;
  std::int64_t members = 1;  ///< Parts of a batch, for which processes compute the gradients.
  std::optional<double> clip_norm;
  double final_rate = 1.0;  ///< Share of the learning rate at the last epoch; the fall is a cosine.
  NetworkTarget target;     ///< Of a series; images have labels.
  double split = 0.7;       ///< Share of a series, from its start, that is trained on.
};

/// "dense", "gru", ...
std::string module_type(const ModuleConfig& layer);

}  // namespace gaia
