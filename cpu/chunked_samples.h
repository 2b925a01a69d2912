// SPDX-License-Identifier: MIT
/// \file
/// What the chunkwise executors make of the samples of a block before neurons see them: samples in
/// an order that is read fast, and the products of those of a chunk with each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "../src/core/parallel.h"
#include "denormals.h"
#include "plastic.h"
#include "vector/plastic.h"
#include "workspace.h"

namespace gaia::cpu {

/// Multiplications and additions that take less time than it takes to wake the threads.
constexpr double kSmallWork = 4e6;

/// Calls task(i) for i in [0, tasks), on all threads where that pays.
template <class F>
void share_where_it_pays(std::int64_t tasks, double operations, const F& task) {
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

/// A block is worked on in parts of so many ticks, whole chunks: of about so many bytes of samples,
/// which then stay in a cache while panel after panel reads them, but of at least so many samples,
/// since weights are packed for each part.
template <class T>
std::int64_t ticks_of_part(const Samples<T>& x, std::int64_t chunk) {
  constexpr std::int64_t kBytes = std::int64_t{2} << 20;
  constexpr std::int64_t kSamples = 2048;
  const std::int64_t tick_bytes = x.streams * x.inputs * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t wanted =
      std::max(kSamples / x.streams, kBytes / std::max<std::int64_t>(1, tick_bytes));
  return std::max<std::int64_t>(1, wanted / chunk) * chunk;
}

template <class T>
class ChunkedSamples {
 public:
  /// Cuts samples into chunks of `chunk` ticks, of which the last may be shorter.
  ChunkedSamples(const View& samples, std::int64_t chunk, Backend& backend)
      : x_(samples), chunk_(chunk), backend_(backend) {
    const bool gathers = x_.streams > 1 || (x_.ticks > 1 && rows_collide(x_.tick_stride));
    const std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    stride_ = !gathers ? x_.tick_stride : x_.inputs + (rows_collide(x_.inputs) ? line : 0);
    if (gathers) {
      gathered_.emplace(backend, x_.ticks * x_.streams * stride_);
      gather();
    }
  }

  /// [ticks x streams, inputs], tick by tick, rows stride() apart.
  const T* data() const { return gathered_ ? gathered_->data() : x_.data; }
  std::int64_t stride() const { return stride_; }
  std::int64_t chunks() const { return (x_.ticks + chunk_ - 1) / chunk_; }
  /// Samples of a chunk.
  std::int64_t per_chunk() const { return chunk_ * x_.streams; }

  /// x_t . x_s for s <= t of each chunk, [chunks, samples of a chunk, the same], at [t, s].
  void make_gram() {
    gram_.emplace(backend_, chunks() * per_chunk() * per_chunk());
    const std::int64_t samples = x_.ticks * x_.streams;
    const double operations = static_cast<double>(per_chunk()) * static_cast<double>(samples) *
                              static_cast<double>(x_.inputs);
    const auto multiply = GAIA_VECTOR_KERNEL(gram<T>);
    share_where_it_pays(chunks(), operations, [&](std::int64_t c) {
      const FlushDenormals flush;
      const Workspace<T> workspace(backend_, GAIA_VECTOR_KERNEL(gram_workspace<T>)(x_.inputs));
      multiply(data() + c * per_chunk() * stride_, stride_,
               std::min(per_chunk(), samples - c * per_chunk()), x_.inputs,
               gram_->data() + c * per_chunk() * per_chunk(), per_chunk(), workspace.data());
    });
  }
  T* gram() const { return gram_ ? gram_->data() : nullptr; }

  /// The block of a PlasticRun or EquationRun over these samples, without what belongs to its rule.
  template <class Run>
  PlasticChunks<T> block_of(const Run& run) const {
    return {.activation = run.activation,
            .control = &run.control,
            .samples = data(),
            .sample_stride = stride_,
            .streams = x_.streams,
            .ticks = x_.ticks,
            .inputs = x_.inputs,
            .outputs = run.weights.shape[0],
            .chunk = chunk_,
            .gram = gram(),
            .weights = run.weights.template as<T>()};
  }

 private:
  /// Whether rows so far apart would share few places of the first cache, where a chunk of them is
  /// read column by column.  It finds a line by the last 12 bits of its address.
  static bool rows_collide(std::int64_t stride) {
    return stride * static_cast<std::int64_t>(sizeof(T)) % 1024 == 0;
  }

  void gather() {
    share_where_it_pays(x_.ticks, static_cast<double>(x_.ticks * x_.streams * x_.inputs),
                        [&](std::int64_t t) {
                          for (std::int64_t b = 0; b < x_.streams; ++b) {
                            std::copy_n(x_.row(b, t), x_.inputs,
                                        gathered_->data() + (t * x_.streams + b) * stride_);
                          }
                        });
  }

  Samples<T> x_;
  std::int64_t chunk_;
  Backend& backend_;
  std::int64_t stride_ = 0;
  std::optional<Workspace<T>> gathered_, gram_;
};

}  // namespace gaia::cpu
