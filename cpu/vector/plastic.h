// SPDX-License-Identifier: MIT
/// \file
/// The inner part of the chunkwise executor, for one stream of samples: neighbouring neurons go
/// through all chunks of a block with their weights packed for vectors.
#pragma once

#include <cstdint>

#include "../../src/array/activation.h"
#include "../../src/learning/rules.h"
#include "../instruction_set.h"

namespace gaia::cpu {

/// A plastic layer over a block of ticks of one stream, cut into chunks of `chunk` ticks of which
/// the last may be shorter.
template <class T>
struct PlasticChunks {
  Activation activation;
  const WeightControl* control;
  const Rule* rule;
  const T* samples;  ///< [ticks, inputs], rows `sample_stride` apart
  std::int64_t sample_stride;
  std::int64_t ticks;
  std::int64_t inputs;
  std::int64_t chunk;
  const T* gram;  ///< [chunks, chunk, chunk]: x_t . x_s for s <= t, at [t, s]
  T* weights;     ///< [outputs, inputs]
  T* memory;      ///< [outputs]
  T* answers;     ///< [ticks, outputs], rows `answer_stride` apart
  std::int64_t answer_stride;
};

GAIA_FOR_EACH_INSTRUCTION_SET(
    /// The ticks that fit the registers at a time: chunks are best a multiple of them.
    std::int64_t plastic_tile_ticks();
    /// Neurons of a full panel.
    template <class T> std::int64_t plastic_panel();
    /// Numbers that `run_neurons` needs to work with.
    template <class T> std::int64_t plastic_workspace(std::int64_t inputs, std::int64_t chunk);
    /// Takes the neurons [first, first + count) through all chunks.
    template <class T> void run_neurons(const PlasticChunks<T>& run, std::int64_t first,
                                        std::int64_t count, T* workspace);
    /// x_t . x_s for s <= t of `rows` samples, to y[t * y_stride + s]; what lies above is undefined.
    template <class T> void gram(const T* x, std::int64_t x_stride, std::int64_t rows,
                                 std::int64_t inputs, T* y, std::int64_t y_stride, T* workspace);
    template <class T> std::int64_t gram_workspace(std::int64_t inputs);)

}  // namespace gaia::cpu
