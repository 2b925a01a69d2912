// SPDX-License-Identifier: MIT
/// \file
/// What attention and its gradients share: which keys a query sees, and tiles of weights.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../src/array/backend_fused.h"
#include "gemm.h"
#include "vector/rows.h"

namespace gaia::cpu {

/// Positions [first, end) of queries or of keys.
struct Span {
  std::int64_t first;
  std::int64_t end;
  std::int64_t length() const { return end - first; }
};

/// Tile `number` of [0, length).
inline Span tile(std::int64_t number, std::int64_t size, std::int64_t length) {
  return {number * size, std::min(length, (number + 1) * size)};
}
inline std::int64_t tiles(std::int64_t length, std::int64_t size) {
  return (length + size - 1) / size;
}

/// Offset of matrix `index` of a batch, in elements.
inline std::int64_t matrix_offset(const View& x, int leading_axes, std::int64_t index) {
  std::int64_t offset = 0;
  for (int axis = leading_axes - 1; axis >= 0; --axis) {
    offset += index % x.shape[axis] * x.strides[axis];
    index /= x.shape[axis];
  }
  return offset;
}

/// Matrix `index` of a batch [..., rows, columns] whose rows are contiguous.
template <class T>
MatrixRef<T> matrix_of(const View& x, std::int64_t index) {
  const int row = x.rank() - 2;
  const std::int64_t rows = x.shape[row];
  const std::int64_t columns = x.shape[row + 1];
  // The distance between rows of a single row may be anything; the product wants a real one.
  return {x.as<T>() + matrix_offset(x, row, index), rows, columns,
          rows > 1 ? x.strides[row] : std::max<std::int64_t>(1, columns)};
}

/// One matrix of each input.
template <class T>
struct AttentionProblem {
  MatrixRef<const T> q;
  MatrixRef<const T> k;
  MatrixRef<const T> v;
  T scale;
  bool causal;
  std::int64_t keys;  ///< Count of keys that exist and that some query sees: the first ones.

  AttentionProblem(const AttentionInputs& inputs, std::int64_t index)
      : q(matrix_of<const T>(inputs.q, index)),
        k(matrix_of<const T>(inputs.k, index)),
        v(matrix_of<const T>(inputs.v, index)),
        scale(static_cast<T>(inputs.scale)),
        causal(inputs.causal),
        keys(causal ? std::min(k.rows, q.rows) : k.rows) {
    if (inputs.key_lengths) {
      const View& lengths = *inputs.key_lengths;
      const std::int64_t length =
          lengths.as<std::int64_t>()[matrix_offset(lengths, lengths.rank(), index)];
      keys = std::clamp<std::int64_t>(length, 0, keys);
    }
  }

  /// How many keys a query sees: these are the first.
  std::int64_t seen_by(std::int64_t query) const {
    return causal ? std::min(keys, query + 1) : keys;
  }
  /// How many of `of` these are.
  std::int64_t seen_by(std::int64_t query, Span of) const {
    return std::clamp<std::int64_t>(seen_by(query) - of.first, 0, of.length());
  }
  /// The first query that sees key `key`, if any does.
  std::int64_t first_to_see(std::int64_t key) const { return causal ? key : 0; }

  /// Whether the rows that these keys have in k or v are not finite where some of the queries do
  /// not see them: a weight of zero times such a number would not be zero.
  bool hides(const MatrixRef<const T>& rows, Span queries, Span of) const {
    const auto is_finite = GAIA_VECTOR_KERNEL(all_finite<T>);
    for (std::int64_t key = seen_by(queries.first, of); key < of.length(); ++key) {
      if (!is_finite(rows.data + (of.first + key) * rows.row_stride, rows.columns)) return true;
    }
    return false;
  }

  /// y = weights [queries, keys] times the keys' rows, or y += that, each query by the keys that it
  /// sees alone.
  void mix_seen(const MatrixRef<const T>& weights, const MatrixRef<const T>& rows, Span queries,
                Span of, const MatrixRef<T>& y, bool accumulate) const {
    for (std::int64_t r = 0; r < queries.length(); ++r) {
      const std::int64_t n = seen_by(queries.first + r, of);
      const MatrixRef<T> own = y.rows_between(r, r + 1);
      if (n > 0) {
        gemm<T>(weights.rows_between(r, r + 1).columns_between(0, n),
                rows.rows_between(of.first, of.first + n), own, accumulate);
      } else if (!accumulate) {
        std::fill_n(own.data, own.columns, T(0));
      }
    }
  }

  /// scores [queries, keys] = q k^T, without the scale.
  void scores(Span queries, Span of, T* to) const {
    gemm<T>(q.rows_between(queries.first, queries.end),
            k.rows_between(of.first, of.end).transposed(),
            {to, queries.length(), of.length(), of.length()});
  }
};

/// The largest of x[i], NaN if there is one; n >= 1.
template <class T>
T largest(const T* x, std::int64_t n);

/// x[i] = exp(scale (x[i] - largest)); returns their sum.
template <class T>
T exponentials(T* x, std::int64_t n, T scale, T largest);

extern template float largest(const float*, std::int64_t);
extern template double largest(const double*, std::int64_t);
extern template float exponentials(float*, std::int64_t, float, float);
extern template double exponentials(double*, std::int64_t, double, double);

}  // namespace gaia::cpu
