// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers through matrix products: what follows what.
///
/// For each chunk of samples: their products with the weights; the scan; the weights shrink, and
/// take up the coefficients' product with the samples; they settle, if there is a normalisation.
/// Overlaps of samples are computed for many chunks at once.  Replicas go through all this
/// together.
#include "plastic_products.h"

#include <algorithm>
#include <optional>

#include "gemm.h"
#include "plastic_products.cuh"
#include "plastic_replicas.cuh"

namespace gaia::cuda::inline GAIA_CUDA_BUILD {
namespace {

/// Chunks whose overlaps are computed at once.
constexpr std::int64_t kChunksAtOnce = 64;

/// Matrices of one shape for all replicas.
template <class T>
struct Stack {
  T* data = nullptr;
  std::int64_t leading = 0;  ///< From row to row.
  std::int64_t next = 0;     ///< From replica to replica; 0: all share one.
};

template <class T, class R>
class Products {
 public:
  Products(cudaStream_t stream, std::span<const PlasticRun> runs, Memory& memory)
      : stream_(stream),
        memory_(memory),
        runs_(runs),
        table_(runs, memory, stream),
        replicas_(static_cast<std::int64_t>(runs.size())),
        neurons_(runs[0].weights.shape[0]),
        inputs_(runs[0].weights.shape[1]),
        streams_(runs[0].samples.shape[0]),
        ticks_(runs[0].samples.shape[1]),
        ticks_of_chunk_(PlasticSizes(runs, 1).ticks_of_chunk()),
        samples_of_chunk_(ticks_of_chunk_ * streams_) {
    const ControlFactors<T> control(runs[0].control);
    normalizes_ = control.normalizes();
    chunk_.stride = static_cast<int>(samples_of_chunk_);
    chunk_.carries_square = normalizes_ && ticks_of_chunk_ > 1;
  }

  void run() {
    place_samples();
    place_weights();
    const std::int64_t gram_numbers = kChunksAtOnce * samples_of_chunk_ * samples_of_chunk_;
    const Scratch gram(memory_, bytes(gram_numbers * (samples_.next == 0 ? 1 : replicas_)),
                       stream_);
    const Scratch drive(memory_, bytes(replicas_ * samples_of_chunk_ * neurons_), stream_);
    const Scratch scalars(memory_, bytes(3 * replicas_ * neurons_), stream_);
    const Scratch stopped(memory_, replicas_ * neurons_ * std::int64_t{sizeof(int)}, stream_);
    if (ticks_of_chunk_ > 1) gram_ = gram.as<T>();
    chunk_.next_gram = samples_.next == 0 ? 0 : gram_numbers;
    chunk_.drive = drive.as<T>();
    chunk_.factor = scalars.as<T>();
    chunk_.deficit = chunk_.factor + replicas_ * neurons_;
    chunk_.square = chunk_.deficit + replicas_ * neurons_;
    chunk_.stopped = stopped.as<int>();
    chunk_.weights = weights_.data;
    if (chunk_.carries_square) settle(true);
    const std::int64_t chunks = ceil_div(ticks_, ticks_of_chunk_);
    for (std::int64_t number = 0; number < chunks; ++number) {
      const std::int64_t in_gram = number % kChunksAtOnce;
      if (in_gram == 0 && gram_ != nullptr)
        make_overlaps(number, std::min(chunks, number + kChunksAtOnce));
      chunk_.first_tick = number * ticks_of_chunk_;
      chunk_.ticks = static_cast<int>(std::min(ticks_of_chunk_, ticks_ - chunk_.first_tick));
      if (gram_ != nullptr) chunk_.gram = gram_ + in_gram * samples_of_chunk_ * samples_of_chunk_;
      learn_chunk();
    }
    if (replicas_ > 1) stack(true);
  }

 private:
  static std::int64_t bytes(std::int64_t numbers) {
    return numbers * static_cast<std::int64_t>(sizeof(T));
  }

  /// kernel(replicas, arguments...) with `blocks` blocks for each of `rows` replicas.
  template <class... Parameters, class... Arguments>
  void start(void (*kernel)(Parameters...), std::int64_t blocks, unsigned threads,
             std::int64_t rows, const Arguments&... arguments) {
    launch("plastic", kernel,
           {.grid = {static_cast<unsigned>(blocks), static_cast<unsigned>(rows)}, .block = threads},
           stream_, table_.replicas(), arguments...);
  }

  /// Takes samples as they lie, if their rows are rows of matrices that lie evenly; else a copy.
  void place_samples() {
    const View& first = runs_[0].samples;
    const auto from_first = [&](std::size_t run) {
      return runs_[run].samples.as<T>() - first.as<T>();
    };
    const std::int64_t apart = replicas_ > 1 ? from_first(1) : 0;
    bool is_even = apart >= 0;
    bool is_shared = true;
    for (std::size_t run = 1; run < runs_.size(); ++run) {
      is_even = is_even && from_first(run) == static_cast<std::int64_t>(run) * apart;
      is_shared = is_shared && from_first(run) == 0;
    }
    const std::int64_t row = ticks_ > 1 ? first.strides[1] : inputs_;
    if (streams_ == 1 && row >= inputs_ && is_even) {
      samples_ = {first.as<T>(), row, apart};
      return;
    }
    const std::int64_t matrices = is_shared ? 1 : replicas_;
    const std::int64_t rows = ticks_ * streams_;
    packed_.emplace(memory_, bytes(matrices * rows * inputs_), stream_);
    samples_ = {packed_->template as<T>(), inputs_, is_shared ? 0 : rows * inputs_};
    start(pack_samples_kernel<T, R>, blocks_for(rows, kThreads / kWarp), kThreads, matrices,
          samples_.data);
  }

  void place_weights() {
    weights_ = {runs_[0].weights.as<T>(), inputs_, neurons_ * inputs_};
    if (replicas_ == 1) return;
    stacked_.emplace(memory_, bytes(replicas_ * neurons_ * inputs_), stream_);
    weights_.data = stacked_->template as<T>();
    stack(false);
  }

  void stack(bool back) {
    start(stack_weights_kernel<T, R>, blocks_for(neurons_ * inputs_, kThreads), kThreads, replicas_,
          weights_.data, back);
  }

  void settle(bool begins) {
    start(settle_weights_kernel<T, R>, blocks_for(neurons_, kThreads / kWarp), kThreads, replicas_,
          chunk_, begins);
  }

  const T* row_of(std::int64_t tick) const {
    return samples_.data + tick * streams_ * samples_.leading;
  }

  /// X X^T of the chunks [first, last).
  void make_overlaps(std::int64_t first, std::int64_t last) {
    const std::int64_t ticks_there = ticks_ - first * ticks_of_chunk_;
    const std::int64_t whole = std::min(last - first, ticks_there / ticks_of_chunk_);
    const std::int64_t rest =
        whole < last - first ? (ticks_there - whole * ticks_of_chunk_) * streams_ : 0;
    const std::int64_t square = samples_of_chunk_ * samples_of_chunk_;
    const std::int64_t apart = samples_of_chunk_ * samples_.leading;
    for (std::int64_t r = 0; r < (samples_.next == 0 ? 1 : replicas_); ++r) {
      const T* const x = row_of(first * ticks_of_chunk_) + r * samples_.next;
      Gemm product{.dtype = runs_[0].weights.dtype,
                   .m = samples_of_chunk_,
                   .n = samples_of_chunk_,
                   .k = inputs_,
                   .a = {x, samples_.leading, false, apart},
                   .b = {x, samples_.leading, true, apart},
                   .y = gram_ + r * chunk_.next_gram,
                   .y_leading = samples_of_chunk_,
                   .y_batch_stride = square,
                   .batch = whole};
      if (whole > 0) gemm(product, memory_, stream_);
      if (rest == 0) continue;
      product.m = product.n = rest;
      product.a.data = product.b.data = x + whole * apart;
      product.y = gram_ + r * chunk_.next_gram + whole * square;
      product.batch = 1;
      gemm(product, memory_, stream_);
    }
  }

  void learn_chunk() {
    const std::int64_t samples = chunk_.ticks * streams_;
    const DType dtype = runs_[0].weights.dtype;
    const std::int64_t next_drive = samples_of_chunk_ * neurons_;
    const GemmMatrix x{row_of(chunk_.first_tick), samples_.leading, false, samples_.next};
    gemm({.dtype = dtype,
          .m = samples,
          .n = neurons_,
          .k = inputs_,
          .a = x,
          .b = {weights_.data, inputs_, true, weights_.next},
          .y = chunk_.drive,
          .y_leading = neurons_,
          .y_batch_stride = next_drive,
          .batch = replicas_},
         memory_, stream_);
    start(scan_chunk_kernel<T, R>, ceil_div(neurons_, kScanThreads), kScanThreads, replicas_,
          chunk_);
    start(shrink_weights_kernel<T, R>, blocks_for(neurons_, kThreads / kWarp), kThreads, replicas_,
          chunk_);
    gemm({.dtype = dtype,
          .m = neurons_,
          .n = inputs_,
          .k = samples,
          .a = {chunk_.drive, neurons_, true, next_drive},
          .b = x,
          .y = weights_.data,
          .y_leading = inputs_,
          .y_batch_stride = weights_.next,
          .batch = replicas_,
          .accumulate = true},
         memory_, stream_);
    if (normalizes_) settle(false);
  }

  cudaStream_t stream_;
  Memory& memory_;
  std::span<const PlasticRun> runs_;
  ReplicaTable<T, R> table_;
  std::int64_t replicas_;
  std::int64_t neurons_;
  std::int64_t inputs_;
  std::int64_t streams_;
  std::int64_t ticks_;
  std::int64_t ticks_of_chunk_;
  std::int64_t samples_of_chunk_;
  bool normalizes_ = false;
  Stack<T> samples_;  ///< [ticks x streams, inputs]
  Stack<T> weights_;  ///< [neurons, inputs]
  std::optional<Scratch> packed_;
  std::optional<Scratch> stacked_;
  T* gram_ = nullptr;  ///< Stays null where chunks of one tick have no use for it.
  ProductChunk<T> chunk_{};
};

}  // namespace

void run_products(cudaStream_t stream, std::span<const PlasticRun> runs, Memory& memory) {
  // Replicas are rows of a grid.
  if (static_cast<std::int64_t>(runs.size()) > kMostGridRows) {
    run_products(stream, runs.first(kMostGridRows), memory);
    return run_products(stream, runs.subspan(kMostGridRows), memory);
  }
  dispatch_floating(runs[0].weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    visit_neuron_rule(runs[0].rule, [&](const auto& rule) {
      Products<T, std::decay_t<decltype(rule)>>(stream, runs, memory).run();
    });
  });
}

}  // namespace gaia::cuda::inline GAIA_CUDA_BUILD
