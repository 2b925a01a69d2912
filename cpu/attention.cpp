// SPDX-License-Identifier: MIT
/// \file
/// Attention by tiles of queries and keys: each query keeps the largest score so far, and the sum
/// of exponentials and the output relative to it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "../src/core/parallel.h"
#include "attention_tiles.h"
#include "backend.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

// A tile is queries by keys.  Fixed, so that the number of threads does not change any sum.
constexpr std::int64_t kQueryTile = 64;
constexpr std::int64_t kKeyTile = 384;

/// Tiles of queries that one task takes at most: they share the tiles of keys that it packs.
constexpr std::int64_t kTilesPerTask = 16;
/// Tasks that each thread gets at least, before tasks grow.
constexpr std::int64_t kTasksPerThread = 4;

/// What a query has seen so far.
template <class T>
struct Seen {
  T largest = -std::numeric_limits<T>::infinity();  ///< Score.
  double sum = 0.0;                                 ///< Sum of exp(scale (score - largest)).
};

/// Turns the scores of one query into weights relative to the largest score so far, and outputs by
/// what factor weights before these have to shrink.
template <class T>
T weigh(T* scores, std::int64_t n, T scale, Seen<T>& seen) {
  const T before = seen.largest;
  const T here = largest(scores, n);
  const T now = before >= here ? before : here;      // NaN, if there is one
  if (now == -std::numeric_limits<T>::infinity()) {  // as if these were not there
    std::fill_n(scores, n, T(0));
    return T(1);
  }
  const T shrink = before == now ? T(1) : std::exp(scale * (before - now));
  const T sum = exponentials(scores, n, scale, now);
  seen.sum = seen.sum * static_cast<double>(shrink) + static_cast<double>(sum);
  seen.largest = now;
  return shrink;
}

/// A tile of keys and values, packed for several tiles of queries.
template <class T>
struct PackedTile {
  PackedMatrix<T> keys_turned;
  PackedMatrix<T> values;

  static std::int64_t room(const AttentionRun& run) {
    return packed_room<T>(run.k.shape.back(), kKeyTile) +
           packed_room<T>(kKeyTile, run.v.shape.back());
  }

  PackedTile(const AttentionProblem<T>& problem, Span of, T* room)
      : keys_turned(pack<T>(problem.k.rows_between(of.first, of.end).transposed(), room)),
        values(pack<T>(problem.v.rows_between(of.first, of.end),
                       room + packed_room<T>(problem.k.columns, kKeyTile))) {}
};

/// Neighbouring queries of a problem, with their outputs.
template <class T>
class Answering {
 public:
  /// y [queries, width], largest and sum [queries] are of these queries; `scores` is room for a
  /// tile.
  Answering(const AttentionProblem<T>& problem, Span queries, T* scores, const MatrixRef<T>& y,
            T* largest, T* sum)
      : problem_(problem),
        queries_(queries),
        seen_(static_cast<std::size_t>(queries.length())),
        scores_(scores),
        y_(y),
        largest_(largest),
        sum_(sum) {}

  /// Reads all keys.  `room` for a packed tile may be null: then products pack what is worth it.
  void read_keys(T* room) {
    const std::int64_t keys = problem_.seen_by(queries_.end - 1);
    for (std::int64_t number = 0; number < tiles(keys, kKeyTile); ++number) {
      const Span of = tile(number, kKeyTile, keys);
      std::optional<PackedTile<T>> packed;
      if (room != nullptr) packed.emplace(problem_, of, room);
      for (std::int64_t i = 0; i < tiles(queries_.length(), kQueryTile); ++i) {
        read_tile(tile(i, kQueryTile, queries_.length()), of, packed);
      }
    }
  }

  void finish() {
    for (std::int64_t r = 0; r < queries_.length(); ++r) {
      const Seen<T>& seen = seen_[static_cast<std::size_t>(r)];
      T* const to = y_.data + r * y_.row_stride;
      largest_[r] = seen.largest;
      sum_[r] = static_cast<T>(seen.sum);
      if (problem_.seen_by(queries_.first + r) == 0) {
        std::fill_n(to, y_.columns, T(0));
      } else {
        for (std::int64_t j = 0; j < y_.columns; ++j) to[j] /= sum_[r];
      }
    }
  }

 private:
  /// Some of the queries, counted from the first, read the keys `whole`, as far as they see them.
  void read_tile(Span rows, Span whole, const std::optional<PackedTile<T>>& packed) {
    const Span queries = {queries_.first + rows.first, queries_.first + rows.end};
    const Span of = {whole.first, whole.first + problem_.seen_by(queries.end - 1, whole)};
    if (of.length() == 0) return;
    const MatrixRef<T> weights = {scores_, rows.length(), of.length(), of.length()};
    if (packed) {
      gemm<T>(problem_.q.rows_between(queries.first, queries.end), packed->keys_turned, weights);
    } else {
      problem_.scores(queries, of, scores_);
    }
    for (std::int64_t r = rows.first; r < rows.end; ++r) {
      T* const row = scores_ + (r - rows.first) * of.length();
      const std::int64_t n = problem_.seen_by(queries_.first + r, of);
      std::fill(row + n, row + of.length(), T(0));
      if (n == 0) continue;
      const T shrink = weigh(row, n, problem_.scale, seen_[static_cast<std::size_t>(r)]);
      if (of.first == 0 || shrink == T(1)) continue;
      T* const to = y_.data + r * y_.row_stride;
      for (std::int64_t j = 0; j < y_.columns; ++j) to[j] *= shrink;
    }
    const MatrixRef<const T> mixed = {scores_, rows.length(), of.length(), of.length()};
    const MatrixRef<T> y = y_.rows_between(rows.first, rows.end);
    if (problem_.hides(problem_.v, queries, of)) {
      problem_.mix_seen(mixed, problem_.v, queries, of, y, of.first > 0);
    } else if (packed) {
      gemm<T>(mixed, packed->values, y, of.first > 0);
    } else {
      gemm<T>(mixed, problem_.v.rows_between(of.first, of.end), y, of.first > 0);
    }
  }

  const AttentionProblem<T>& problem_;
  Span queries_;
  std::vector<Seen<T>> seen_;  // by query
  T* scores_;
  MatrixRef<T> y_;
  T* largest_;
  T* sum_;
};

template <class T>
void forward(CpuBackend& backend, const AttentionRun& run) {
  const std::int64_t length = run.q.shape[run.q.rank() - 2];
  const std::int64_t keys = run.k.shape[run.k.rank() - 2];
  const std::int64_t batches = run.sum.count() / length;
  // The output of a query does not depend on those it shares a task with.
  const std::int64_t wanted = kTasksPerThread * num_threads();
  const std::int64_t together =
      std::clamp<std::int64_t>(batches * tiles(length, kQueryTile) / wanted, 1, kTilesPerTask);
  const std::int64_t per_batch = tiles(length, together * kQueryTile);
  const std::int64_t scores_room = std::min(length, kQueryTile) * std::min(keys, kKeyTile);
  parallel_for(batches * per_batch, [&](std::int64_t task) {
    const std::int64_t batch = task / per_batch;
    const AttentionProblem<T> problem(run, batch);
    const Span queries = tile(task % per_batch, together * kQueryTile, length);
    const bool packs = queries.length() > kQueryTile;
    const Workspace<T> room(backend, scores_room + (packs ? PackedTile<T>::room(run) : 0));
    const std::int64_t first = batch * length + queries.first;
    Answering<T> answering(problem, queries, room.data(),
                           matrix_of<T>(run.y, batch).rows_between(queries.first, queries.end),
                           run.largest.as<T>() + first, run.sum.as<T>() + first);
    answering.read_keys(packs ? room.data() + scores_room : nullptr);
    answering.finish();
  });
}

}  // namespace

void CpuBackend::attention(const AttentionRun& run) {
  if (run.sum.count() == 0) return;
  dispatch_floating(run.q.dtype,
                    [&](auto tag) { forward<typename decltype(tag)::type>(*this, run); });
}

}  // namespace gaia::cpu
