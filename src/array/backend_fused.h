// SPDX-License-Identifier: MIT
/// \file
/// What backends are given for fused operations and for steps of gradient descent.
///
/// All views of one run have one dtype, float32 or float64, unless it says otherwise, and are
/// contiguous unless it says otherwise; those marked "written" overlap no other.  `precision` is
/// what is allowed for products of float32; a backend may always compute in full.
#pragma once

#include <cstdint>
#include <optional>

#include "../formulas/elementwise.h"
#include "../formulas/view.h"
#include "precision.h"

namespace gaia {

/// Kernels that do several operations in one pass over memory.  Those of gelu are among the unary
/// functions, which every backend has, so that no composition stands in for them.
enum class FusedKernel : std::uint8_t {
  gelu,
  gelu_backward,
  linear_gelu,
  linear_gelu_backward,
  layer_norm,
  layer_norm_backward,
  attention,
  attention_backward,
};

/// y = gelu(z), z = x W^T + b.
struct LinearGeluRun {
  GeluForm form = GeluForm::tanh;
  MatmulPrecision precision = MatmulPrecision::full;
  View x;                    ///< [rows, in]
  View weights;              ///< [out, in]
  std::optional<View> bias;  ///< [out]
  std::optional<View> z;     ///< [rows, out], written
  View y;                    ///< [rows, out], written
};

/// dz = dy gelu'(z), dx = dz W, dW = dz^T x, db = sum of dz over rows; in double, db.
struct LinearGeluBackwardRun {
  GeluForm form = GeluForm::tanh;
  MatmulPrecision precision = MatmulPrecision::full;
  View dy;                       ///< [rows, out]
  View x;                        ///< [rows, in]
  View weights;                  ///< [out, in]
  View z;                        ///< [rows, out]
  View dz;                       ///< [rows, out], written
  std::optional<View> dx;        ///< [rows, in], written
  std::optional<View> dweights;  ///< [out, in], written
  std::optional<View> dbias;     ///< [out], written
};

/// y = (x - mean) rstd weight + bias by rows, sums in double.  n >= 1.
struct LayerNormRun {
  double epsilon = 1e-5;
  View x;                      ///< [rows, n]
  std::optional<View> weight;  ///< [n]
  std::optional<View> bias;    ///< [n]
  View y;                      ///< [rows, n], written
  View mean;                   ///< [rows], written
  View rstd;                   ///< [rows], written
};

/// With h = (x - mean) rstd and g = dy weight: dx = rstd (g - mean(g) - h mean(g h)), dweight = sum
/// of dy h over rows, dbias = sum of dy over rows, sums in double.  n >= 1.
struct LayerNormBackwardRun {
  View dy;                     ///< [rows, n]
  View x;                      ///< [rows, n]
  std::optional<View> weight;  ///< [n]
  View mean;                   ///< [rows]
  View rstd;                   ///< [rows]
  View dx;                     ///< [rows, n], written
  View dweight;                ///< [n], written
  View dbias;                  ///< [n], written
};

/// What attention reads.  Leading axes are those of the result; where they broadcast, their stride
/// is 0.  Rows have stride 1 along the last axis and at least 1 from one to the next.
struct AttentionInputs {
  double scale = 1.0;   ///< > 0
  bool causal = false;  ///< Query i sees keys 0 ... i only.
  MatmulPrecision precision = MatmulPrecision::full;
  View q;                           ///< [..., T, d]
  View k;                           ///< [..., S, d]
  View v;                           ///< [..., S, dv]
  std::optional<View> key_lengths;  ///< [...] int64: keys from there on are not seen
};

/// y = softmax(scale q k^T) v.  Of each query: the largest q k, and the sum of
/// exp(scale (q k - largest)).  The scale multiplies differences only: rounded, the product of a
/// large q k with it would be off by more than 1.  A query that sees no key: zeros, -inf and 0.
/// Where q, k and v are bfloat16, the others are float32.
struct AttentionRun : AttentionInputs {
  View y;        ///< [..., T, dv], written
  View largest;  ///< [..., T], written
  View sum;      ///< [..., T], written
};

/// Where q, k and v are bfloat16, the other views are float32.
struct AttentionBackwardRun : AttentionInputs {
  View dy;       ///< [..., T, dv]
  View y;        ///< [..., T, dv]
  View largest;  ///< [..., T]
  View sum;      ///< [..., T]
  View dq;       ///< [..., T, d], written
  View dk;       ///< [..., S, d], written
  View dv;       ///< [..., S, dv], written
};

/// A parameter, its gradient and the memory of its rule: one shape, any strides.
struct OptimisedViews {
  View parameter;  ///< updated
  View gradient;
  std::optional<View> first;   ///< updated; there if the rule has a memory
  std::optional<View> second;  ///< updated; there if the rule has two
};

/// float32 or float64.
struct ScaledViews {
  View x;
  View y;  ///< Result in x's shape and dtype: x itself, or apart from every view of the run.
};

}  // namespace gaia
