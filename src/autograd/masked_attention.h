// SPDX-License-Identifier: MIT
/// \file
/// Attention of which a mask says what each query sees.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "tensor.h"

namespace gaia {

/// Added to the scores: numbers that broadcast to them, -inf where a key is not seen.  Gradients
/// reach it, so that a bias by position can be learnt.
struct AdditiveMask {
  Tensor bias;
};

/// True where a query sees a key; broadcasts to the scores.
struct BooleanMask {
  Array seen;
};

/// Query i sees keys 0 ... i.
struct CausalMask {};

/// Query i sees keys i - before ... i + after.
struct SlidingWindowMask {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// Each query sees the `count` keys of the largest scores, of equal ones the first; all where there
/// are fewer.  The guides' sparse attention; Zhao et al. (2019), arXiv:1912.11637.
struct TopKMask {
  std::int64_t count = 1;
};

using AttentionMask =
    std::variant<AdditiveMask, BooleanMask, CausalMask, SlidingWindowMask, TopKMask>;

struct MaskedAttentionOptions {
  std::optional<double> scale = {};  ///< Default 1 / sqrt(d).
  /// Integers that broadcast to the leading axes: how many keys of each are there.
  std::optional<Array> key_lengths = {};
};

/// softmax(scale q k^T under the mask) v for q [..., T, d], k [..., S, d], v [..., S, dv]; scores
/// are [..., T, S], and all of them are held.  A query that sees no key has 0.
/// \throws ShapeError where something does not fit, DTypeError for a mask that is not bool or an
///         additive one of integers, ArgumentError for a window or count out of range.
Tensor masked_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                        const AttentionMask& mask, const MaskedAttentionOptions& options = {});

}  // namespace gaia
