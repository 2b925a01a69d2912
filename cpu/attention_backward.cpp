// SPDX-License-Identifier: MIT
/// \file
/// Gradients of attention.  Weights p = exp(scale (q k - largest)) / sum are computed again tile by
/// tile, once for the gradients of the keys and once for those of the queries, so that each is
/// summed by one task, in order.
#include <algorithm>
#include <optional>

#include "../src/core/parallel.h"
#include "attention_tiles.h"
#include "backend.h"
#include "rows.h"
#include "workspace.h"

namespace gaia::cpu {
namespace {

// A tile is queries by keys.  Fixed, so that the number of threads does not change any sum.
constexpr std::int64_t kQueryTile = 128;
constexpr std::int64_t kKeyTile = 192;

/// A tile of keys, without those that are not there.
template <class T>
Span key_tile(const AttentionProblem<T>& problem, std::int64_t number) {
  return tile(number, kKeyTile, problem.keys);
}

/// A tile of keys and values, packed for all tiles of queries.
template <class T>
struct PackedTile {
  PackedMatrix<T> keys_turned;
  PackedMatrix<T> values_turned;
  PackedMatrix<T> keys;

  static std::int64_t room(const AttentionBackwardRun& run) {
    const std::int64_t width = run.k.shape.back();
    return packed_room<T>(width, kKeyTile) + packed_room<T>(run.v.shape.back(), kKeyTile) +
           packed_room<T>(kKeyTile, width);
  }

  PackedTile(const AttentionProblem<T>& problem, Span of, T* room) {
    const auto k = problem.k.rows_between(of.first, of.end);
    const auto v = problem.v.rows_between(of.first, of.end);
    keys_turned = pack<T>(k.transposed(), room);
    room += packed_room<T>(k.columns, kKeyTile);
    values_turned = pack<T>(v.transposed(), room);
    room += packed_room<T>(v.columns, kKeyTile);
    keys = pack<T>(k, room);
  }
};

template <class T>
struct Slopes {
  AttentionProblem<T> problem;
  MatrixRef<const T> dy;
  const T* largest;  ///< By queries, as all that follows.
  const T* sum;
  const T* products;  ///< dy y.

  /// Computes for one tile: weights p, and ds = scale p (dy v^T - dy y), the gradients of q k^T.
  /// `packed` may be null: then products pack what is worth it themselves.
  void make(Span queries, Span of, const PackedTile<T>* packed, T* weights, T* ds) const {
    const std::int64_t width = of.length();
    const MatrixRef<T> scores = {weights, queries.length(), width, width};
    const MatrixRef<T> dp = {ds, queries.length(), width, width};
    const auto slope_rows = dy.rows_between(queries.first, queries.end);
    if (packed != nullptr) {
      gemm<T>(problem.q.rows_between(queries.first, queries.end), packed->keys_turned, scores);
      gemm<T>(slope_rows, packed->values_turned, dp);
    } else {
      problem.scores(queries, of, weights);
      gemm<T>(slope_rows, problem.v.rows_between(of.first, of.end).transposed(), dp);
    }
    for (std::int64_t r = 0; r < queries.length(); ++r) {
      const std::int64_t query = queries.first + r;
      const std::int64_t n = problem.seen_by(query, of);
      T* const p = weights + r * width;
      T* const slope = ds + r * width;
      if (n > 0) exponentials(p, n, problem.scale, largest[query]);
      const T share = T(1) / sum[query];
      for (std::int64_t j = 0; j < n; ++j) {
        p[j] *= share;
        slope[j] = problem.scale * p[j] * (slope[j] - products[query]);
      }
      std::fill(p + n, p + width, T(0));
      std::fill(slope + n, slope + width, T(0));
    }
  }
};

/// What a task works with.
template <class T>
struct TileRoom {
  T* weights;
  T* ds;
  T* packed;  ///< Null: nothing is packed for several products.
};

/// dk and dv of one tile of keys, and, where `dq` is there, what they add to dq.
template <class T>
void of_keys(const Slopes<T>& slopes, std::int64_t number, const TileRoom<T>& room,
             const MatrixRef<T>& all_dk, const MatrixRef<T>& all_dv, const MatrixRef<T>* dq) {
  const auto& problem = slopes.problem;
  const Span whole = tile(number, kKeyTile, problem.k.rows);
  const auto clear = [](const MatrixRef<T>& x) { std::fill_n(x.data, x.rows * x.columns, T(0)); };
  clear(all_dk.rows_between(whole.first, whole.end));
  clear(all_dv.rows_between(whole.first, whole.end));
  const Span of = key_tile(problem, number);
  if (of.length() <= 0) return;
  const auto dk = all_dk.rows_between(of.first, of.end);
  const auto dv = all_dv.rows_between(of.first, of.end);
  const std::int64_t length = problem.q.rows;
  const std::int64_t width = of.length();
  std::optional<PackedTile<T>> packed;
  if (room.packed != nullptr) packed.emplace(problem, of, room.packed);
  for (std::int64_t i = problem.first_to_see(of.first) / kQueryTile; i < tiles(length, kQueryTile);
       ++i) {
    const Span queries = tile(i, kQueryTile, length);
    slopes.make(queries, of, packed ? &*packed : nullptr, room.weights, room.ds);
    const MatrixRef<const T> p = {room.weights, queries.length(), width, width};
    const MatrixRef<const T> slope = {room.ds, queries.length(), width, width};
    gemm<T>(p.transposed(), slopes.dy.rows_between(queries.first, queries.end), dv, true);
    gemm<T>(slope.transposed(), problem.q.rows_between(queries.first, queries.end), dk, true);
    if (dq == nullptr) continue;
    const MatrixRef<T> own = dq->rows_between(queries.first, queries.end);
    if (problem.hides(problem.k, queries, of)) {
      problem.mix_seen(slope, problem.k, queries, of, own, true);
    } else if (packed) {
      gemm<T>(slope, packed->keys, own, true);
    } else {
      gemm<T>(slope, problem.k.rows_between(of.first, of.end), own, true);
    }
  }
}

/// dq of one tile of queries.
template <class T>
void of_queries(const Slopes<T>& slopes, Span queries, const TileRoom<T>& room,
                const MatrixRef<T>& dq) {
  const auto& problem = slopes.problem;
  const std::int64_t keys = problem.seen_by(queries.end - 1);
  std::fill_n(dq.data, dq.rows * dq.columns, T(0));
  for (std::int64_t number = 0; number < tiles(keys, kKeyTile); ++number) {
    const Span of = key_tile(problem, number);
    slopes.make(queries, of, nullptr, room.weights, room.ds);
    const MatrixRef<const T> slope = {room.ds, queries.length(), of.length(), of.length()};
    if (problem.hides(problem.k, queries, of)) {
      problem.mix_seen(slope, problem.k, queries, of, dq, true);
    } else {
      gemm<T>(slope, problem.k.rows_between(of.first, of.end), dq, true);
    }
  }
}

template <class T>
void backward(CpuBackend& backend, const AttentionBackwardRun& run) {
  const int row = run.q.rank() - 2;
  const std::int64_t queries = run.q.shape[row];
  const std::int64_t keys = run.k.shape[row];
  const std::int64_t width = run.v.shape[row + 1];
  std::int64_t batches = 1;
  for (int axis = 0; axis < row; ++axis) batches *= run.dq.shape[axis];
  const Workspace<T> products(backend, batches * queries);
  parallel_for(batches * tiles(queries, kQueryTile), [&](std::int64_t task) {
    const std::int64_t per_batch = tiles(queries, kQueryTile);
    const Span of = tile(task % per_batch, kQueryTile, queries);
    const std::int64_t start = task / per_batch * queries;
    for (std::int64_t i = start + of.first; i < start + of.end; ++i) {
      const T* const dy = run.dy.as<T>() + i * width;
      const T* const y = run.y.as<T>() + i * width;
      products[i] = static_cast<T>(sum_of<double>(width, [=](std::int64_t j) {
        return static_cast<double>(dy[j]) * static_cast<double>(y[j]);
      }));
    }
  });
  const auto slopes_of = [&](std::int64_t batch) {
    return Slopes<T>{AttentionProblem<T>(run, batch), matrix_of<const T>(run.dy, batch),
                     run.largest.as<T>() + batch * queries, run.sum.as<T>() + batch * queries,
                     products.data() + batch * queries};
  };
  const std::int64_t tile_room = std::min(queries, kQueryTile) * std::min(keys, kKeyTile);
  const std::int64_t packed_room = queries > kQueryTile ? PackedTile<T>::room(run) : 0;
  const auto room_in = [&](const Workspace<T>& scratch) {
    T* const packed = packed_room > 0 ? scratch.data() + 2 * tile_room : nullptr;
    return TileRoom<T>{scratch.data(), scratch.data() + tile_room, packed};
  };
  const std::int64_t key_tiles = tiles(keys, kKeyTile);
  // Batches enough for all threads, or a single tile of keys: then the weights are computed once.
  // Either way each number is the same sum in the same order.
  if (batches >= num_threads() || key_tiles <= 1) {
    parallel_for(batches, [&](std::int64_t batch) {
      const Workspace<T> scratch(backend, 2 * tile_room + packed_room);
      const auto dq = matrix_of<T>(run.dq, batch);
      std::fill_n(dq.data, dq.rows * dq.columns, T(0));
      for (std::int64_t number = 0; number < key_tiles; ++number) {
        of_keys<T>(slopes_of(batch), number, room_in(scratch), matrix_of<T>(run.dk, batch),
                   matrix_of<T>(run.dv, batch), &dq);
      }
    });
    return;
  }
  parallel_for(batches * key_tiles, [&](std::int64_t task) {
    const std::int64_t batch = task / key_tiles;
    const Workspace<T> scratch(backend, 2 * tile_room + packed_room);
    of_keys<T>(slopes_of(batch), task % key_tiles, room_in(scratch), matrix_of<T>(run.dk, batch),
               matrix_of<T>(run.dv, batch), nullptr);
  });
  parallel_for(batches * tiles(queries, kQueryTile), [&](std::int64_t task) {
    const std::int64_t batch = task / tiles(queries, kQueryTile);
    const Span of = tile(task % tiles(queries, kQueryTile), kQueryTile, queries);
    const Workspace<T> scratch(backend, 2 * tile_room);
    of_queries<T>(slopes_of(batch), of, {scratch.data(), scratch.data() + tile_room, nullptr},
                  matrix_of<T>(run.dq, batch).rows_between(of.first, of.end));
  });
}

}  // namespace

void CpuBackend::attention_backward(const AttentionBackwardRun& run) {
  dispatch_floating(run.q.dtype,
                    [&](auto tag) { backward<typename decltype(tag)::type>(*this, run); });
}

}  // namespace gaia::cpu
