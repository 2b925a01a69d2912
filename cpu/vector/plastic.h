// SPDX-License-Identifier: MIT
/// \file
/// The inner part of the chunkwise executor: neighbouring neurons go through all chunks of a block
/// with their weights packed for vectors.
#pragma once

#include <cstdint>

#include "../../src/formulas/activation.h"
#include "../../src/formulas/rules.h"
#include "../../src/formulas/rules_control.h"
#include "../instruction_set.h"

namespace gaia::cpu {

/// A rule that is called once a tick with the numbers of all neurons.
template <class T>
struct LayerRule {
  void (*ask)(void* steps, std::int64_t tick);
  void* steps;
  T* z;             ///< [streams, outputs], to be written before each call
  const T* losses;  ///< [outputs], there after it
  const T* gains;   ///< [streams, outputs], there after it: each stream's share
};

/// A plastic layer over a block of ticks, cut into chunks of `chunk` ticks of which the last may be
/// shorter.  A tick has a sample of every stream; samples lie tick by tick.
template <class T>
struct PlasticChunks {
  Activation activation;
  const WeightControl* control;
  const Rule* rule = nullptr;                ///< Null where neurons learn by equations.
  const LayerRule<T>* layer_rule = nullptr;  ///< Null unless the rule is one.
  const T* samples;  ///< [ticks x streams, inputs], rows `sample_stride` apart
  std::int64_t sample_stride;
  std::int64_t streams;
  std::int64_t ticks;
  std::int64_t inputs;
  std::int64_t outputs;
  std::int64_t chunk;
  const T* gram;  ///< [chunks, samples of a chunk, the same]: x_t . x_s for s <= t, at [t, s]
  T* weights;     ///< [outputs, inputs]
  // Equations have these of their own where there is no rule.
  T* memory = nullptr;   ///< [memories, outputs], of a rule of single neurons
  int memories = 0;      ///< Count for a rule of single neurons, else 0.
  T* answers = nullptr;  ///< [streams, ticks, outputs]
  std::int64_t answer_stream_stride = 0;
  std::int64_t answer_stride = 0;  ///< From tick to tick.
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// The ticks of a single stream that fit the registers at a time: chunks are best a multiple.
    std::int64_t plastic_tile_ticks();
    /// Neurons of a full panel.
    template <class T> std::int64_t plastic_panel();

    /// Takes the neurons [first, first + count) through all chunks, for a single stream and neurons
    /// that do not see each other.  The workspace is for so many numbers:
    template <class T> void run_neurons(const PlasticChunks<T>& run, std::int64_t first,
                                        std::int64_t count, T* workspace);
    template <class T> std::int64_t plastic_workspace(std::int64_t inputs, std::int64_t chunk);
    /// For any number of streams; under softmax or a layer's rule the neurons must be all there
    /// are.
    template <class T> void run_neurons_of_batch(const PlasticChunks<T>& run, std::int64_t first,
                                                 std::int64_t count, T* workspace);
    template <class T>
    std::int64_t plastic_batch_workspace(const PlasticChunks<T>& run, std::int64_t count);

    /// x_t . x_s for s <= t of `rows` samples, to y[t * y_stride + s]; what lies above is
    /// undefined.
    template <class T> void gram(const T* x, std::int64_t x_stride, std::int64_t rows,
                                 std::int64_t inputs, T* y, std::int64_t y_stride, T* workspace);
    template <class T> std::int64_t gram_workspace(std::int64_t inputs);)

}  // namespace gaia::cpu
