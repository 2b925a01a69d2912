// SPDX-License-Identifier: MIT
/// \file
/// Attention by tiles of queries and keys: each query keeps the largest score so far, and the sum
/// of exponentials and the answer relative to it.
#include <cmath>
#include <limits>

#include "../src/core/parallel.h"
#include "attention_tiles.h"
#include "backend.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

/// What a query has seen so far.
struct Seen {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0.0;  ///< Of exp(score - largest).
};

/// Turns the scores of one query into weights relative to the largest score so far, and answers by
/// what factor weights before these have to shrink.
template <class T>
T weigh(T* scores, std::int64_t n, T scale, Seen& seen) {
  const T before = static_cast<T>(seen.largest);
  const T here = largest(scores, n, scale);
  const T now = before >= here ? before : here;      // NaN, if there is one
  if (now == -std::numeric_limits<T>::infinity()) {  // as if these were not there
    std::fill_n(scores, n, T(0));
    return T(1);
  }
  const T shrink = std::exp(before - now);
  const T sum = exponentials(scores, n, scale, now);
  seen.sum = seen.sum * static_cast<double>(shrink) + static_cast<double>(sum);
  seen.largest = static_cast<double>(now);
  return shrink;
}

template <class T>
void answer(const AttentionProblem<T>& problem, Span queries, T* scores, const MatrixRef<T>& y,
            T* logsumexp) {
  const std::int64_t width = y.columns;
  Seen seen[kQueryTile];
  const std::int64_t keys = problem.seen_by(queries.end - 1);
  for (std::int64_t number = 0; number < tiles(keys, kKeyTile); ++number) {
    const Span of = tile(number, kKeyTile, keys);
    problem.scores(queries, of, scores);
    for (std::int64_t r = 0; r < queries.length(); ++r) {
      T* const row = scores + r * of.length();
      const std::int64_t n = problem.seen_by(queries.first + r, of);
      std::fill(row + n, row + of.length(), T(0));
      if (n == 0) continue;
      const T shrink = weigh(row, n, problem.scale, seen[r]);
      if (number == 0 || shrink == T(1)) continue;
      T* const to = y.data + r * width;
      for (std::int64_t j = 0; j < width; ++j) to[j] *= shrink;
    }
    gemm<T>({scores, queries.length(), of.length(), of.length()},
            problem.v.rows_between(of.first, of.end), y, number > 0);
  }
  for (std::int64_t r = 0; r < queries.length(); ++r) {
    T* const to = y.data + r * width;
    logsumexp[r] = static_cast<T>(seen[r].largest + std::log(seen[r].sum));
    if (problem.seen_by(queries.first + r) == 0) {
      std::fill_n(to, width, T(0));
    } else {
      const T total = static_cast<T>(seen[r].sum);
      for (std::int64_t j = 0; j < width; ++j) to[j] /= total;
    }
  }
}

template <class T>
void forward(CpuBackend& backend, const AttentionRun& run) {
  const std::int64_t length = run.q.shape[run.q.rank() - 2];
  const std::int64_t batches = run.logsumexp.count() / length;
  const std::int64_t per_batch = tiles(length, kQueryTile);
  const std::int64_t room = tile_room(length, run.k.shape[run.k.rank() - 2]);
  parallel_for(batches * per_batch, [&](std::int64_t task) {
    const AttentionProblem<T> problem(run, task / per_batch);
    const Span queries = tile(task % per_batch, kQueryTile, length);
    const Workspace<T> scores(backend, room);
    answer<T>(problem, queries, scores.data(),
              matrix_of<T>(run.y, task / per_batch).rows_between(queries.first, queries.end),
              run.logsumexp.as<T>() + task / per_batch * length + queries.first);
  });
}

}  // namespace

void CpuBackend::attention(const AttentionRun& run) {
  if (run.logsumexp.count() == 0) return;
  dispatch_floating(run.q.dtype,
                    [&](auto tag) { forward<typename decltype(tag)::type>(*this, run); });
}

}  // namespace gaia::cpu
