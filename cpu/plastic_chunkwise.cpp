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
/// That scalar |w|^2 and the weights behind the drives drift apart by rounding, and a tick
/// multiplies their relative difference by k^2 |w|^2 / |k w + g x|^2: it heals where a rule
/// lengthens weights, and grows where it shortens them (BCM below its threshold).  So the
/// difference is bounded along the way, and where it may become visible the chunk is cut there and
/// goes on from true weights.
///
/// The samples of one tick (the streams of a batch) see the same weights.
///
/// Here the block is cut into chunks and its neurons into tasks; what happens within is
/// vector/plastic.cpp for a single stream, vector/plastic_batch.cpp for batches and where neurons
/// see each other.
#include <algorithm>
#include <memory>
#include <vector>

#include "chunked_samples.h"
#include "denormals.h"
#include "layer_steps.h"
#include "plastic.h"
#include "vector/plastic.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

/// Chunks are best made of whole tiles.
std::int64_t round_to_tiles(std::int64_t ticks) {
  const std::int64_t tile = GAIA_VECTOR_KERNEL(plastic_tile_ticks)();
  return ticks < tile ? ticks : ticks / tile * tile;
}

/// Calls run(first neuron, neurons, workspace) for tasks of at most `panel` neurons.
template <class T, class Run>
void share_neurons(const PlasticChunks<T>& block, std::int64_t panel, std::int64_t numbers,
                   Backend& backend, const Run& run) {
  const double operations = 4.0 * static_cast<double>(block.outputs * block.inputs) *
                            static_cast<double>(block.ticks * block.streams);
  share_where_it_pays((block.outputs + panel - 1) / panel, operations, [&](std::int64_t task) {
    const FlushDenormals flush;
    const Workspace<T> workspace(backend, numbers);
    run(task * panel, std::min(panel, block.outputs - task * panel), workspace.data());
  });
}

/// A rule that sees the layer, with room for what it is asked.
template <class T>
class AskedRule {
 public:
  explicit AskedRule(const PlasticRun& run)
      : answers_(run.outputs),
        outputs_(run.weights.shape[0]),
        steps_(*std::get<CustomRule>(run.rule), run.memory, run.samples.shape[0]),
        z_(static_cast<std::size_t>(run.samples.shape[0] * outputs_)),
        rule_{&AskedRule::ask, this, z_.data(), steps_.losses(), steps_.gains(0)} {}
  AskedRule(const AskedRule&) = delete;
  AskedRule& operator=(const AskedRule&) = delete;

  const LayerRule<T>& rule() const { return rule_; }

 private:
  static void ask(void* self, std::int64_t tick) {
    auto& mine = *static_cast<AskedRule*>(self);
    mine.steps_.ask([&](std::int64_t b) { return mine.z_.data() + b * mine.outputs_; },
                    [&](std::int64_t b) { return mine.answers_.row(b, tick); });
  }

  Answers<T> answers_;
  std::int64_t outputs_;
  LayerSteps<T> steps_;
  std::vector<T> z_;  // [streams, outputs]
  LayerRule<T> rule_;
};

/// Memories that panels hold; a rule that sees the layer holds its own.
int memories_held(const Rule& rule) {
  return std::visit([](const auto& own) { return memory_count<std::decay_t<decltype(own)>>(); },
                    rule);
}

template <class T>
void run_block(const PlasticRun& run, std::int64_t chunk, bool is_stream, Backend& backend) {
  const auto asked =
      std::holds_alternative<CustomRule>(run.rule) ? std::make_unique<AskedRule<T>>(run) : nullptr;
  const Samples<T> x(run.samples);
  const Answers<T> y(run.outputs);
  ChunkedSamples<T> samples(run.samples, chunk, backend);
  if (is_stream || chunk > 1) samples.make_gram();
  PlasticChunks<T> block = samples.block_of(run);
  block.rule = &run.rule;
  block.layer_rule = asked ? &asked->rule() : nullptr;
  block.memory = run.memory.as<T>();
  block.memories = memories_held(run.rule);
  block.answers = y.data;
  block.answer_stream_stride = y.stream_stride;
  block.answer_stride = y.tick_stride;
  if (is_stream) {
    const std::int64_t numbers = GAIA_VECTOR_KERNEL(plastic_workspace<T>)(x.inputs, chunk);
    share_neurons(block, GAIA_VECTOR_KERNEL(plastic_panel<T>)(), numbers, backend,
                  [&](std::int64_t first, std::int64_t count, T* workspace) {
                    GAIA_VECTOR_KERNEL(run_neurons<T>)(block, first, count, workspace);
                  });
  } else {
    // Where neurons see each other the whole layer is one task.
    const std::int64_t panel =
        is_layer_wide(run) ? block.outputs : GAIA_VECTOR_KERNEL(plastic_panel<T>)();
    const std::int64_t numbers = GAIA_VECTOR_KERNEL(plastic_batch_workspace<T>)(block, panel);
    share_neurons(block, panel, numbers, backend,
                  [&](std::int64_t first, std::int64_t count, T* workspace) {
                    GAIA_VECTOR_KERNEL(run_neurons_of_batch<T>)(block, first, count, workspace);
                  });
  }
}

}  // namespace

template <class T>
void run_chunkwise(const PlasticRun& run, Backend& backend) {
  const Samples<T> x(run.samples);
  const bool is_stream = x.streams == 1 && !is_layer_wide(run);
  const std::int64_t asked =
      std::clamp<std::int64_t>(run.chunk / x.streams, 1, std::max<std::int64_t>(x.ticks, 1));
  const std::int64_t chunk = is_stream ? round_to_tiles(asked) : asked;
  const std::int64_t ticks = ticks_of_part(x, chunk);
  for (std::int64_t first = 0; first < x.ticks; first += ticks) {
    const std::int64_t count = std::min(ticks, x.ticks - first);
    PlasticRun part = run;
    part.samples = ticks_of<T>(run.samples, first, count);
    part.outputs = ticks_of<T>(run.outputs, first, count);
    run_block<T>(part, chunk, is_stream, backend);
  }
}

template void run_chunkwise<float>(const PlasticRun&, Backend&);
template void run_chunkwise<double>(const PlasticRun&, Backend&);

}  // namespace gaia::cpu
