// SPDX-License-Identifier: MIT
/// \file
/// Which kernels a plastic layer under a rule of single neurons takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>

#include "../src/array/backend.h"
#include "portable.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

enum class PlasticForm : std::uint8_t {
  stationary,  ///< Weights in registers, samples stream by (plastic.cuh).
  phases,      ///< Weights in memory, a tick in phases (layer_phases.cuh).
  products,    ///< Chunks of samples through matrix products (plastic_products.cuh).
};

/// Samples of a chunk at most: as many as a thread holds coefficients of.
constexpr int kChunkSamples = 32;

/// Weights that a lane holds at most: with a sample beside them they take two thirds of its
/// registers.
template <class T>
constexpr int kMostPerLane = sizeof(T) == 4 ? 64 : 32;

/// Calls f with a rule of single neurons; others never come to a GPU.
template <class F>
void visit_neuron_rule(const Rule& rule, const F& f) {
  std::visit(
      [&](const auto& own) {
        if constexpr (is_neuron_rule<std::decay_t<decltype(own)>>) f(own);
      },
      rule);
}

struct PlasticSizes {
  std::int64_t replicas = 1;
  std::int64_t neurons = 1;
  std::int64_t inputs = 1;
  std::int64_t streams = 1;
  std::int64_t ticks = 1;
  DType dtype = DType::float32;
  Activation activation = Activation::linear;
  Executor executor = Executor::chunkwise;
  std::int64_t chunk = kChunkSamples;  ///< Samples wanted.
  std::int64_t processors = 1;         ///< Multiprocessors of the chip.

  PlasticSizes() = default;
  PlasticSizes(std::span<const PlasticRun> runs, std::int64_t processors_there)
      : replicas(static_cast<std::int64_t>(runs.size())),
        neurons(runs[0].weights.shape[0]),
        inputs(runs[0].weights.shape[1]),
        streams(runs[0].samples.shape[0]),
        ticks(runs[0].samples.shape[1]),
        dtype(runs[0].weights.dtype),
        activation(runs[0].activation),
        executor(runs[0].executor),
        chunk(runs[0].chunk),
        processors(processors_there) {}

  /// Whole ticks.
  std::int64_t ticks_of_chunk() const {
    return std::clamp<std::int64_t>(std::min<std::int64_t>(chunk, kChunkSamples) / streams, 1,
                                    std::max<std::int64_t>(ticks, 1));
  }
};

/// Whether neurons are apart, and a tick fits into a chunk.
inline bool can_take_products(const PlasticSizes& sizes) {
  return sizes.executor == Executor::chunkwise && !is_of_row(sizes.activation) &&
         sizes.streams <= kChunkSamples;
}

/// Products where weights do not find room on the chip, or are so many that arithmetic binds; else
/// registers where a warp holds a neuron's weights; else phases.
///
/// A multiprocessor has 256 KB of registers, of which weights get three quarters.  Neurons keep it
/// busy by their number alone from about 760 on, and then a step takes (a) 2 operations a weight, 3
/// under l2 or max_norm, or (b) in products a few for each sample of the chunk and neuron, which is
/// less from about 256 inputs on.
inline PlasticForm natural_plastic_form(const PlasticSizes& sizes) {
  constexpr std::int64_t bytes_of_processor = 192 * 1024;
  constexpr std::int64_t neurons_of_processor = 760;
  constexpr std::int64_t least_samples = 16;  // samples from which on a product pays
  const std::int64_t neurons = sizes.replicas * sizes.neurons;
  const std::int64_t held =
      32 * (sizes.dtype == DType::float64 ? kMostPerLane<double> : kMostPerLane<float>);
  const bool is_long = sizes.inputs > held;
  const bool is_large =
      sizes.neurons * sizes.inputs * size_of(sizes.dtype) > sizes.processors * bytes_of_processor;
  const bool is_many = neurons >= sizes.processors * neurons_of_processor && sizes.inputs >= 256;
  const bool pays = sizes.ticks_of_chunk() * sizes.streams >= least_samples;
  if (can_take_products(sizes) && pays && (is_long || is_large || is_many)) {
    return PlasticForm::products;
  }
  if (is_of_row(sizes.activation) || is_long) return PlasticForm::phases;
  return PlasticForm::stationary;
}

/// For tests: what is taken wherever it can be; nothing: the natural form.
inline std::optional<PlasticForm>& forced_plastic_form() {
  static std::optional<PlasticForm> form;
  return form;
}

inline PlasticForm plastic_form(const PlasticSizes& sizes) {
  const PlasticForm natural = natural_plastic_form(sizes);
  const PlasticForm form = forced_plastic_form().value_or(natural);
  if (form == PlasticForm::products && !can_take_products(sizes)) return natural;
  PlasticSizes stepwise = sizes;
  stepwise.executor = Executor::stepwise;
  if (form == PlasticForm::stationary) return natural_plastic_form(stepwise);
  return form;
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
