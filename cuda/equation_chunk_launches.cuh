// SPDX-License-Identifier: MIT
/// \file
/// Rules that are text through matrix products: what follows what.
///
/// For some chunks at once: their known vectors, and these by the samples of the chunk.  For each
/// chunk: its samples by the weights; the scan; what is left of W, and the coefficients by the
/// known vectors; or, where something goes back, the columns of W.  Replicas go through all this
/// together.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "equation_chunks.cuh"
#include "equation_launches.cuh"
#include "equation_scan.cuh"
#include "gemm.h"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {

template <class T>
class EquationProducts {
 public:
  EquationProducts(std::span<const EquationRun> runs, const EquationChunkBorders& borders,
                   Memory& memory, Staging& staging, cudaStream_t stream)
      : memory_(memory),
        stream_(stream),
        replicas_(std::ssize(runs)),
        precision_(runs[0].precision) {
    EquationRun bounded = runs[0];
    bounded.chunk = std::min(bounded.chunk, borders.samples);
    chunk_.form = equation_chunk_form(bounded, borders.shared);
    if (chunk_.form.carries_square) precision_ = MatmulPrecision::full;
    for (const EquationRun& run : runs) {
      tables_.push_back(std::make_unique<DeviceEquations<T>>(run, memory, staging, stream));
      layers_.push_back({arrays_of<T>(run, crosses_layer(*run.program, run.activation)),
                         tables_.back()->tables()});
    }
    neurons_ = layers_[0].neurons;
    inputs_ = layers_[0].x.n;
    blocks_ = ceil_div(neurons_, chunk_.form.neurons_of_block);
    place_numbers();
    if (replicas_ > 1) upload_layers(staging);
  }

  void run() {
    const EquationChunkForm& form = chunk_.form;
    const std::int64_t chunks = ceil_div(layers_[0].x.ticks, form.ticks);
    const std::int64_t at_once = chunks_at_once(chunks);
    const std::int64_t known_numbers = form.known_rows * inputs_;
    const std::int64_t gram_numbers = form.samples * form.known_rows;
    const Scratch known = scratch(replicas_ * at_once * known_numbers);
    const Scratch gram = scratch(replicas_ * at_once * gram_numbers);
    const Scratch rows = scratch(replicas_ * form.total_rows * form.stack * neurons_);
    const Scratch factors =
        scratch(form.holds_factors
                    ? 0
                    : replicas_ * (form.backs > 0 ? form.ticks : 1) * form.factor_rows * neurons_);
    const Scratch square = scratch(form.carries_square ? replicas_ * neurons_ : 0);
    const Scratch done(memory_, replicas_ * blocks_ * std::int64_t{sizeof(int)}, stream_);
    chunk_.rows = rows.as<T>();
    chunk_.factors = factors.as<T>();
    chunk_.square = square.as<T>();
    chunk_.done = done.as<int>();
    place_weights();
    if (form.carries_square) settle(true);
    for (std::int64_t first = 0; first < chunks; first += at_once) {
      const std::int64_t count = std::min(at_once, chunks - first);
      chunk_.first_tick = first * form.ticks;
      prepare(known.as<T>(), gram.as<T>(), count);
      chunk_.next_known = count * known_numbers;
      chunk_.next_gram = count * gram_numbers;
      for (std::int64_t c = 0; c < count; ++c) {
        chunk_.first_tick = (first + c) * form.ticks;
        chunk_.ticks = static_cast<int>(
            std::min<std::int64_t>(form.ticks, layers_[0].x.ticks - chunk_.first_tick));
        chunk_.known = known.as<T>() + c * known_numbers;
        chunk_.gram = gram.as<T>() + c * gram_numbers;
        learn_chunk();
      }
    }
    if (replicas_ > 1) stack(true);
  }

 private:
  Scratch scratch(std::int64_t numbers) const {
    return Scratch(memory_, numbers * static_cast<std::int64_t>(sizeof(T)), stream_);
  }

  /// Number of chunks that keep their vectors to about 64 MB.
  std::int64_t chunks_at_once(std::int64_t chunks) const {
    constexpr std::int64_t most = std::int64_t{64} << 20;
    const std::int64_t bytes =
        replicas_ * chunk_.form.known_rows * inputs_ * static_cast<std::int64_t>(sizeof(T));
    return std::clamp<std::int64_t>(most / bytes, 1, std::min<std::int64_t>(chunks, 64));
  }

  /// kernel(layer, chunk, arguments...) with `blocks` blocks for each replica.
  template <class... Parameters, class... Arguments>
  void start(void (*kernel)(Parameters...), std::int64_t blocks, std::int64_t shared,
             const Arguments&... arguments) {
    launch("equations", kernel,
           {.grid = {static_cast<unsigned>(blocks), static_cast<unsigned>(replicas_)},
            .block = kThreads,
            .shared_bytes = static_cast<std::size_t>(shared) * sizeof(T)},
           stream_, layers_[0], chunk_, arguments...);
  }
  /// The same with its version for the chunk's stack.
  template <class Launch>
  void by_stack(const Launch& launch_one) {
    if (chunk_.form.stack == 1) return launch_one(std::integral_constant<int, 1>{});
    if (chunk_.form.sets == 2) return launch_one(std::integral_constant<int, 2>{});
    launch_one(std::integral_constant<int, 0>{});
  }

  /// Numbers of neurons, where the device's memory has them.
  void place_numbers() {
    const EquationChunkForm& form = chunk_.form;
    if (form.holds_numbers && !form.carries_square) return;
    const std::int64_t of_replica = layers_[0].x.streams * form.number_rows * neurons_;
    numbers_.emplace(memory_, replicas_ * of_replica * static_cast<std::int64_t>(sizeof(T)),
                     stream_);
    for (std::size_t r = 0; r < layers_.size(); ++r) {
      layers_[r].numbers = numbers_->template as<T>() + static_cast<std::int64_t>(r) * of_replica;
    }
  }

  void upload_layers(Staging& staging) {
    const auto bytes = static_cast<std::int64_t>(layers_.size() * sizeof(InterpretedLayer<T>));
    table_.emplace(memory_, bytes, stream_);
    staging.upload(layers_.data(), table_->template as<void>(), bytes, stream_);
    chunk_.layers = table_->template as<InterpretedLayer<T>>();
  }

  void place_weights() {
    const InterpretedLayer<T>& layer = layers_[0];
    chunk_.numbers = layer.weights;
    chunk_.behind = layer.eligibility != nullptr ? layer.eligibility : layer.chained;
    if (replicas_ == 1) return;
    chunk_.next_numbers = chunk_.form.stack * neurons_ * inputs_;
    stacked_.emplace(
        memory_, replicas_ * chunk_.next_numbers * static_cast<std::int64_t>(sizeof(T)), stream_);
    chunk_.numbers = stacked_->template as<T>();
    stack(false);
  }
  void stack(bool back) {
    start(stack_equations_kernel<T>, blocks_for(chunk_.form.stack * neurons_ * inputs_, kThreads),
          0, back);
  }
  void settle(bool begins) {
    start(settle_equations_kernel<T>, blocks_for(neurons_, kThreads / kWarp), 0, begins);
  }

  /// Number k of the synapses of all replicas.
  T* number(std::int64_t k) const {
    const std::int64_t count = neurons_ * inputs_;
    if (replicas_ > 1) return chunk_.numbers + k * count;
    return k == 0 ? chunk_.numbers : chunk_.behind + (k - 1) * count;
  }

  /// The known vectors of so many chunks, and their products with the samples there.
  void prepare(T* known, T* gram, std::int64_t count) {
    const EquationChunkForm& form = chunk_.form;
    start(gather_known_kernel<T>, blocks_for(count * form.known_rows, kThreads / kWarp), 0, known,
          count);
    const std::int64_t traces = form.slots - 2;
    if (traces > 0) {
      start(follow_traces_kernel<T>, blocks_for(layers_[0].x.streams * traces * inputs_, kThreads),
            0, known, count);
    }
    const std::int64_t apart = form.known_rows * inputs_;
    multiply({.m = form.samples,
              .n = form.known_rows,
              .k = inputs_,
              .a = {known, inputs_, false, apart},
              .b = {known, inputs_, true, apart},
              .y = gram,
              .y_leading = form.known_rows,
              .y_batch_stride = form.samples * form.known_rows,
              .batch = replicas_ * count});
  }

  void learn_chunk() {
    const EquationChunkForm& form = chunk_.form;
    const std::int64_t leading = form.stack * neurons_;
    const std::int64_t next_rows = form.total_rows * leading;
    for (std::int64_t k = 0; k < form.stack; ++k) {
      multiply({.m = form.samples,
                .n = neurons_,
                .k = inputs_,
                .a = {chunk_.known, inputs_, false, chunk_.next_known},
                .b = {number(k), inputs_, true, chunk_.next_numbers},
                .y = chunk_.rows + k * neurons_,
                .y_leading = leading,
                .y_batch_stride = next_rows,
                .batch = replicas_});
    }
    by_stack([&](auto stack) {
      start(scan_equations_kernel<T, decltype(stack)::value>, blocks_, form.shared_numbers);
    });
    if (form.backs > 0) return map_columns();
    by_stack([&](auto stack) {
      start(mix_equations_kernel<T, decltype(stack)::value>,
            blocks_for(neurons_ * inputs_, kThreads), 0);
    });
    for (std::int64_t k = 0; k < form.stack; ++k) {
      multiply({.m = neurons_,
                .n = inputs_,
                .k = form.known_rows,
                .a = {chunk_.rows + k * neurons_, leading, true, next_rows},
                .b = {chunk_.known, inputs_, false, chunk_.next_known},
                .y = number(k),
                .y_leading = inputs_,
                .y_batch_stride = chunk_.next_numbers,
                .batch = replicas_,
                .accumulate = true});
    }
    if (!form.carries_square) return;
    settle(false);
    start(finish_equations_kernel<T>, blocks_, 0);
  }

  void map_columns() {
    const int columns = columns_of_map<T>(neurons_);
    const std::int64_t numbers = columns * neurons_;
    const bool is_held = numbers * static_cast<std::int64_t>(sizeof(T)) <= kSharedOfEquations;
    constexpr std::int64_t few = 128;  // blocks, where each needs room of its own
    const std::int64_t blocks =
        std::min<std::int64_t>(ceil_div(inputs_, columns), is_held ? 8192 : few);
    const Scratch room = scratch(is_held ? 0 : replicas_ * blocks * numbers);
    start(map_columns_kernel<T>, blocks, is_held ? numbers : 0, columns,
          is_held ? nullptr : room.template as<T>());
  }

  void multiply(Gemm product) {
    product.dtype = dtype_of<T>();
    product.precision = precision_;
    gemm(product, memory_, stream_);
  }

  Memory& memory_;
  cudaStream_t stream_;
  std::int64_t replicas_;
  MatmulPrecision precision_;
  std::vector<std::unique_ptr<DeviceEquations<T>>> tables_;
  std::vector<InterpretedLayer<T>> layers_;
  std::int64_t neurons_ = 0, inputs_ = 0;
  std::int64_t blocks_ = 1;
  EquationChunk<T> chunk_;
  std::optional<Scratch> numbers_, table_, stacked_;
};

/// Runs of alike layers for which takes_equation_chunks holds.
template <class T>
void run_equation_chunks(std::span<const EquationRun> runs, const EquationChip& chip,
                         Memory& memory, Staging& staging, cudaStream_t stream) {
  EquationProducts<T>(runs, equation_chunk_borders(chip.capability), memory, staging, stream).run();
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
