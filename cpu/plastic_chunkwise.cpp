// SPDX-License-Identifier: MIT
/// \file
/// The chunkwise executor: online learning, exact sample by sample, through matrix products.
///
/// Within a chunk of samples x_1 ... x_S a neuron's weights stay in the span of what they were and
/// of the samples seen so far:
///
///     w_t = P_t w_0 + sum_{s < t} c_{s,t} x_s,
///
/// where each tick multiplies P and all c by its factor and adds c_{t,t+1} = gain_t.  So the drive
/// z_t = w_t . x_t follows from z0 = X W_0^T and the Gram matrix X X^T by a recurrence of scalars,
/// and at the chunk's end W = P W_0 + C^T X.  |w|^2, which normalisation needs, obeys a scalar
/// recurrence too: |k w + g x|^2 = k^2 |w|^2 + 2 k g (w . x) + g^2 |x|^2.  Nothing is divided by P,
/// which may underflow, vanish or change its sign (docs/plasticity.md).
///
/// That scalar |w|^2 and the weights behind the drives part company by rounding, and a tick
/// multiplies their relative difference by k^2 |w|^2 / |k w + g x|^2: it heals where a rule
/// lengthens weights, and grows where it shortens them (BCM below its threshold).  So the
/// difference is bounded along the way, and where it may become visible the chunk is cut there and
/// goes on from true weights.
///
/// Here the block is cut into chunks and its neurons into tasks; what happens within is
/// vector/plastic.cpp for a single stream, plastic_batch.cpp for batches and softmax.
#include <algorithm>

#include "../src/core/parallel.h"
#include "denormals.h"
#include "plastic.h"
#include "plastic_chunks.h"
#include "vector/plastic.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

/// Numbers that packed samples and Gram matrices may take: a longer block is worked on in parts.
constexpr std::int64_t kMostNumbers = 1 << 22;

/// Multiplications and additions that take less time than it takes to wake the threads.
constexpr double kSmallWork = 4e6;

/// Calls task(i) for i in [0, tasks), on all threads where that pays.
template <class F>
void share(std::int64_t tasks, double operations, const F& task) {
  if (operations >= kSmallWork) return parallel_for(tasks, task);
  for (std::int64_t i = 0; i < tasks; ++i) task(i);
}

/// The ticks [first, first + count) of [streams, ticks, n].
template <class T>
View ticks_of(const View& x, std::int64_t first, std::int64_t count) {
  View part = x;
  part.data = x.as<T>() + first * x.strides[1];
  part.shape[1] = count;
  return part;
}

/// Chunks are best made of whole tiles.
std::int64_t round_to_tiles(std::int64_t ticks) {
  const std::int64_t tile = GAIA_VECTOR_KERNEL(plastic_tile_ticks)();
  return ticks < tile ? ticks : ticks / tile * tile;
}

template <class T>
void run_stream(const PlasticRun& run, std::int64_t chunk, Backend& backend) {
  const Samples<T> x(run.samples);
  const Answers<T> y(run.outputs);
  const std::int64_t neurons = run.weights.shape[0];
  const std::int64_t chunks = (x.ticks + chunk - 1) / chunk;
  const Workspace<T> gram(backend, chunks * chunk * chunk);
  const auto fill_gram = GAIA_VECTOR_KERNEL(gram<T>);
  const double numbers_read = static_cast<double>(x.ticks) * static_cast<double>(x.inputs);
  share(chunks, static_cast<double>(chunk) * numbers_read, [&](std::int64_t c) {
    const FlushDenormals flush;
    const Workspace<T> workspace(backend, GAIA_VECTOR_KERNEL(gram_workspace<T>)(x.inputs));
    fill_gram(x.row(0, c * chunk), x.tick_stride, std::min(chunk, x.ticks - c * chunk), x.inputs,
              gram.data() + c * chunk * chunk, chunk, workspace.data());
  });
  const PlasticChunks<T> block{.activation = run.activation,
                               .control = &run.control,
                               .rule = &run.rule,
                               .samples = x.data,
                               .sample_stride = x.tick_stride,
                               .ticks = x.ticks,
                               .inputs = x.inputs,
                               .chunk = chunk,
                               .gram = gram.data(),
                               .weights = run.weights.as<T>(),
                               .memory = run.memory.as<T>(),
                               .answers = y.data,
                               .answer_stride = y.tick_stride};
  const auto run_panel = GAIA_VECTOR_KERNEL(run_neurons<T>);
  const std::int64_t panel = GAIA_VECTOR_KERNEL(plastic_panel<T>)();
  const std::int64_t numbers = GAIA_VECTOR_KERNEL(plastic_workspace<T>)(x.inputs, chunk);
  const double operations = 4.0 * static_cast<double>(neurons) * numbers_read;
  share((neurons + panel - 1) / panel, operations, [&](std::int64_t task) {
    const FlushDenormals flush;
    const Workspace<T> workspace(backend, numbers);
    const std::int64_t first = task * panel;
    run_panel(block, first, std::min(panel, neurons - first), workspace.data());
  });
}

}  // namespace

template <class T>
void run_chunkwise(const PlasticRun& run, Backend& backend) {
  const Samples<T> x(run.samples);
  const bool is_stream = x.streams == 1 && run.activation != Activation::softmax;
  const std::int64_t asked = ticks_per_chunk(x, run.chunk);
  const std::int64_t chunk = is_stream ? round_to_tiles(asked) : asked;
  const std::int64_t samples = chunk * x.streams;
  const std::int64_t numbers =
      (chunk > 1 ? samples * samples : 0) + (x.streams > 1 ? samples * x.inputs : 0);
  const std::int64_t ticks =
      numbers == 0 ? x.ticks : chunk * std::max<std::int64_t>(1, kMostNumbers / numbers);
  for (std::int64_t first = 0; first < x.ticks; first += ticks) {
    const std::int64_t count = std::min(ticks, x.ticks - first);
    PlasticRun part = run;
    part.samples = ticks_of<T>(run.samples, first, count);
    part.outputs = ticks_of<T>(run.outputs, first, count);
    if (is_stream) {
      run_stream<T>(part, chunk, backend);
    } else {
      run_batch<T>(part);
    }
  }
}

template void run_chunkwise<float>(const PlasticRun&, Backend&);
template void run_chunkwise<double>(const PlasticRun&, Backend&);

}  // namespace gaia::cpu
