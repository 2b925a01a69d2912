// SPDX-License-Identifier: MIT
/// \file
/// What the chunkwise executors of rules that are text read of a part of a block: traces before
/// each chunk, their products with samples, and sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chunked_samples.h"
#include "equation_inputs.h"
#include "rows.h"
#include "vector/rows.h"

namespace gaia::cpu {

inline bool has_term(const std::vector<EquationTerm>& terms, EquationVector::Kind kind) {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const EquationTerm& term) { return term.vector.kind == kind; });
}
inline bool has_term(const EquationProgram& program, EquationVector::Kind kind) {
  return has_term(program.dw_terms, kind) || has_term(program.de_terms, kind);
}

/// What neurons read of the samples of a part of a block beside the samples themselves.
template <class T>
class EquationChunkInputs {
 public:
  /// The run's traces go on to the end of the part.
  EquationChunkInputs(const EquationRun& run, const ChunkedSamples<T>& samples, std::int64_t chunk,
                      Backend& backend)
      : x_(run.samples),
        samples_(samples),
        chunk_(chunk),
        traces_(std::ssize(run.program->traces)),
        keeps_(run.trace_keeps.begin(), run.trace_keeps.end()),
        extra_count_(x_.streams * traces_ + 1),
        extra_rows_(backend, samples.chunks() * extra_count_ * x_.inputs),
        overlaps_(backend, traces_ * gram_numbers()),
        sums_(backend, x_.ticks * x_.streams) {
    for (std::int64_t c = 0; c < samples.chunks(); ++c) {
      std::fill_n(extra_rows_.data() + (c * extra_count_ + extra_count_ - 1) * x_.inputs, x_.inputs,
                  T(1));
    }
    if (has_term(*run.program, EquationVector::Kind::ones)) add_up();
    if (traces_ == 0) return;
    follow_traces(run);
    const double operations = static_cast<double>(x_.ticks * x_.streams) *
                              static_cast<double>(x_.streams * traces_ * (x_.inputs + chunk));
    share_where_it_pays(samples.chunks(), operations, [&](std::int64_t c) { overlap(c); });
  }

  const T* keeps() const { return keeps_.data(); }
  const T* extra_rows() const { return extra_rows_.data(); }
  const T* overlaps() const { return overlaps_.data(); }
  const T* sums() const { return sums_.data(); }
  /// Traces and streams of a chunk, and ones.
  std::int64_t extra_count() const { return extra_count_; }
  std::int64_t gram_numbers() const {
    return samples_.chunks() * samples_.per_chunk() * samples_.per_chunk();
  }

 private:
  void add_up() {
    for (std::int64_t s = 0; s < x_.ticks * x_.streams; ++s) {
      sums_[s] = static_cast<T>(
          GAIA_VECTOR_KERNEL(sum_row<T>)(samples_.data() + s * samples_.stride(), x_.inputs));
    }
  }

  /// A trace before a chunk, as row of the vectors that neurons read beside samples.
  T* trace_before(std::int64_t chunk, std::int64_t stream, std::int64_t trace) const {
    return extra_rows_.data() + (chunk * extra_count_ + stream * traces_ + trace) * x_.inputs;
  }

  void follow_traces(const EquationRun& run) {
    for (std::int64_t b = 0; b < x_.streams; ++b) {
      for (std::int64_t k = 0; k < traces_; ++k) {
        T* const now = run.traces.as<T>() + (b * traces_ + k) * x_.inputs;
        const T keep = keeps_[static_cast<std::size_t>(k)];
        for (std::int64_t t = 0; t < x_.ticks; ++t) {
          if (t % chunk_ == 0) std::copy_n(now, x_.inputs, trace_before(t / chunk_, b, k));
          advance_trace(now, keep, x_.row(b, t), x_.inputs);
        }
      }
    }
  }

  /// trace_s . x_t = keep trace_{s-1} . x_t + x_s . x_t, for s < t in a chunk.
  void overlap(std::int64_t c) {
    const std::int64_t per_chunk = samples_.per_chunk();
    const std::int64_t first = c * per_chunk;
    const std::int64_t count = std::min(per_chunk, x_.ticks * x_.streams - first);
    const T* const gram = samples_.gram() + c * per_chunk * per_chunk;
    for (std::int64_t k = 0; k < traces_; ++k) {
      T* const to = overlaps_.data() + k * gram_numbers() + c * per_chunk * per_chunk;
      const T keep = keeps_[static_cast<std::size_t>(k)];
      for (std::int64_t r = 0; r < count; ++r) {
        const T* const x = samples_.data() + (first + r) * samples_.stride();
        for (std::int64_t b = 0; b < x_.streams; ++b) {
          T along = dot(trace_before(c, b, k), x, x_.inputs);
          for (std::int64_t s = b; s < r / x_.streams * x_.streams; s += x_.streams) {
            along = keep * along + gram[r * per_chunk + s];
            to[r * per_chunk + s] = along;
          }
        }
      }
    }
  }

  Samples<T> x_;
  const ChunkedSamples<T>& samples_;
  std::int64_t chunk_;
  std::int64_t traces_;
  std::vector<T> keeps_;
  std::int64_t extra_count_;
  Workspace<T> extra_rows_;  // [chunks, streams x traces + 1, inputs], the last of a chunk is ones
  Workspace<T> overlaps_;    // [traces, chunks, samples of a chunk, the same]
  Workspace<T> sums_;
};

/// These inputs of samples whose products with each other nobody has asked for yet.
template <class T>
EquationChunkInputs<T> prepared_inputs(const EquationRun& run, ChunkedSamples<T>& samples,
                                       std::int64_t chunk, Backend& backend) {
  samples.make_gram();
  return EquationChunkInputs<T>(run, samples, chunk, backend);
}

/// Calls work(c, its ticks) for each chunk c of so many ticks, the last of which may be shorter.
template <class Work>
void for_each_chunk(std::int64_t ticks, std::int64_t chunk, const Work& work) {
  for (std::int64_t c = 0; c * chunk < ticks; ++c) work(c, std::min(chunk, ticks - c * chunk));
}

}  // namespace gaia::cpu
