// SPDX-License-Identifier: MIT
#include "masked_attention.h"

#include <cmath>
#include <limits>

#include "../array/create.h"
#include "../array/ops.h"
#include "../array/sorting.h"
#include "../core/message.h"
#include "ops.h"

namespace gaia {
namespace {

constexpr double kUnseen = -std::numeric_limits<double>::infinity();

/// How far key j lies behind query i, j - i: [T, S].
Array distances(std::int64_t queries, std::int64_t keys) {
  return arange(0, keys, 1, DType::int64).reshape({1, keys}) -
         arange(0, queries, 1, DType::int64).reshape({queries, 1});
}

void check_broadcasts(const char* what, const Shape& mask, const Shape& scores) {
  bool fits = mask.rank() <= scores.rank();
  for (int axis = 1; fits && axis <= mask.rank(); ++axis) {
    const std::int64_t length = mask[mask.rank() - axis];
    fits = length == 1 || length == scores[scores.rank() - axis];
  }
  if (fits) return;
  fail<ShapeError>("[masked_attention] {}: expected a shape that broadcasts to {}, got {}", what,
                   scores, mask);
}

/// The scores of keys that are seen, and -inf for the others.
Tensor see(const Tensor& scores, const Array& seen) {
  check_broadcasts("mask", seen.shape(), scores.shape());
  return where(seen, scores, kUnseen);
}

Tensor masked(const Tensor& scores, const AdditiveMask& mask) {
  if (!is_floating(mask.bias.dtype())) {
    fail<DTypeError>("[masked_attention] additive mask: expected floating numbers, got {}",
                     mask.bias.dtype());
  }
  check_broadcasts("mask", mask.bias.shape(), scores.shape());
  return scores + mask.bias;
}

Tensor masked(const Tensor& scores, const BooleanMask& mask) {
  if (mask.seen.dtype() != DType::boolean) {
    fail<DTypeError>("[masked_attention] boolean mask: expected bool, got {}", mask.seen.dtype());
  }
  return see(scores, mask.seen);
}

Tensor masked(const Tensor& scores, const CausalMask& /*mask*/) {
  return see(scores, less_equal(distances(scores.shape(-2), scores.shape(-1)), 0));
}

Tensor masked(const Tensor& scores, const SlidingWindowMask& mask) {
  if (mask.before < 0 || mask.after < 0) {
    fail<ArgumentError>("[masked_attention] window: expected before and after >= 0, got {} and {}",
                        mask.before, mask.after);
  }
  const Array distance = distances(scores.shape(-2), scores.shape(-1));
  return see(scores,
             logical_and(greater_equal(distance, -mask.before), less_equal(distance, mask.after)));
}

Tensor masked(const Tensor& scores, const TopKMask& mask) {
  if (mask.count < 1) {
    fail<ArgumentError>("[masked_attention] count: expected at least 1, got {}", mask.count);
  }
  if (mask.count >= scores.shape(-1)) return scores;
  // The rank of each key among the scores of its query: argsort of an order inverts it.
  const Array order = argsort(scores.value(), -1, SortOrder::descending);
  return see(scores, less(argsort(order, -1), mask.count));
}

}  // namespace

Tensor masked_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                        const AttentionMask& mask, const MaskedAttentionOptions& options) {
  if (q.rank() < 2 || k.rank() < 2 || v.rank() < 2 || q.shape(-1) != k.shape(-1) ||
      k.shape(-2) != v.shape(-2)) {
    fail<ShapeError>(
        "[masked_attention] expected q [..., T, d], k [..., S, d] and v [..., S, dv], got {}, {} "
        "and {}",
        q.shape(), k.shape(), v.shape());
  }
  const double scale = options.scale.value_or(
      q.shape(-1) > 0 ? 1.0 / std::sqrt(static_cast<double>(q.shape(-1))) : 1.0);
  Tensor scores = matmul(q, swapaxes(k, -1, -2)) * scale;
  const std::int64_t keys = scores.shape(-1);
  if (options.key_lengths) {
    // Keys that are not there must not be among the largest, so they go first.
    const Array lengths = options.key_lengths->expand_dims(-1).expand_dims(-1);
    scores = see(scores, less(arange(0, keys, 1, DType::int64), lengths));
  }
  scores = std::visit([&](const auto& one) { return masked(scores, one); }, mask);
  if (keys == 0) return matmul(scores, v);  // sums of nothing
  // A query that sees nothing would divide 0 by 0: its scores become 0 and its weights 0.
  const Array sees = greater(max(scores.value(), {-1}, true), kUnseen);
  const Array blind = logical_not(logical_or(sees, isnan(max(scores.value(), {-1}, true))));
  const Tensor weights = softmax(where(blind, 0.0, scores), -1);
  return matmul(where(blind, 0.0, weights), v);
}

}  // namespace gaia
