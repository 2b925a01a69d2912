// SPDX-License-Identifier: MIT
/// \file
/// Operations that do in one pass over memory what a chain of plain ones does in several, each with
/// what its gradient needs.
///
/// `f(...)` returns y alone; `f_forward(...)` returns y and what `f_backward` reads; `f_backward`
/// takes dy, the gradient of some number L by y, and returns the gradients of L by the inputs.
/// Gradients of inputs that were broadcast have the shape of the input: they are summed.
///
/// Fused kernels take float32 and float64, and `attention` on a GPU bfloat16; operands promote as
/// everywhere.  Where a device has no kernel for the operands the composition in `unfused.h`
/// runs instead: that is counted in `kernel_registry()`, logged once per kernel, and an error
/// under `set_strict_kernels`.  Results do not depend on the number of threads. \throws ShapeError
/// where shapes do not fit.
#pragma once

#include <cstdint>
#include <optional>

#include "../formulas/elementwise.h"
#include "array.h"

namespace gaia {

// linear_gelu: y = gelu(z), z = x W^T + b

struct LinearGeluResult {
  Array y;  ///< [..., out]
  Array z;  ///< [..., out], before gelu
};

struct LinearGeluGradients {
  Array x;        ///< [..., in]
  Array weights;  ///< [out, in]
  Array bias;     ///< [out]
};

/// Which gradients are asked for; the others come back as arrays without elements.
struct LinearGeluWanted {
  bool x = true;
  bool weights = true;
  bool bias = true;
};

/// gelu(x W^T + b): x [..., in], weights [out, in], bias [out] or none.
Array linear_gelu(const Array& x, const Array& weights, const std::optional<Array>& bias = {},
                  GeluForm form = GeluForm::tanh);
LinearGeluResult linear_gelu_forward(const Array& x, const Array& weights,
                                     const std::optional<Array>& bias = {},
                                     GeluForm form = GeluForm::tanh);
/// With dz = dy gelu'(z): dx = dz W, dW = dz^T x, db = sum of dz over rows.
LinearGeluGradients linear_gelu_backward(const Array& dy, const Array& x, const Array& weights,
                                         const Array& z, GeluForm form = GeluForm::tanh,
                                         const LinearGeluWanted& wanted = {});

// layer_norm: y = (x - mean) rstd weight + bias, rstd = 1 / sqrt(variance + epsilon)

struct LayerNormOptions {
  int axes = 1;           ///< How many of the last axes are normalised together, >= 1.
  double epsilon = 1e-5;  ///< >= 0.
};

struct LayerNormResult {
  Array y;     ///< The shape of x.
  Array mean;  ///< The shape of x with length 1 along the normalised axes.
  Array rstd;  ///< Like mean.
};

struct LayerNormGradients {
  Array x;
  Array weight;  ///< Gradient of the weight, in the shape of the normalised axes.
  Array bias;    ///< Like weight.
};

/// Mean 0 and variance 1 along the last axes, then weight and bias, each of the shape of these axes
/// or none.  The variance is that of the population; sums are carried in double.
/// Ba, Kiros & Hinton (2016), arXiv:1607.06450.
Array layer_norm(const Array& x, const std::optional<Array>& weight = {},
                 const std::optional<Array>& bias = {}, const LayerNormOptions& options = {});
LayerNormResult layer_norm_forward(const Array& x, const std::optional<Array>& weight = {},
                                   const std::optional<Array>& bias = {},
                                   const LayerNormOptions& options = {});
/// With h = (x - mean) rstd and g = dy weight: dx = rstd (g - mean(g) - h mean(g h)), dweight = sum
/// of dy h over rows, dbias = sum of dy over rows.
LayerNormGradients layer_norm_backward(const Array& dy, const Array& x,
                                       const std::optional<Array>& weight, const Array& mean,
                                       const Array& rstd, const LayerNormOptions& options = {});

// attention: y = softmax(scale q k^T) v, without ever holding the scores

struct AttentionOptions {
  std::optional<double> scale = {};  ///< Default 1 / sqrt(d).
  bool causal = false;               ///< Query i sees keys 0 ... i only, also where T != S.
  /// Integers that broadcast to the leading axes ([B, 1] for q [B, heads, T, d]): how many keys of
  /// each are there; the others are not seen.  Above S counts as S, below 0 as 0.
  std::optional<Array> key_lengths = {};
};

struct AttentionResult {
  Array y;  ///< [..., T, dv]
  /// [..., T]: the largest q k of the keys (for a negative scale of -q k, for 0 of 0); -inf without
  /// keys.
  Array largest;
  /// [..., T]: of exp(|scale| (q k - largest)) over keys; 0 without keys.
  Array sum;
};

struct AttentionGradients {
  Array q;
  Array k;
  Array v;
};

/// Each of T queries takes the mean of S values, weighted by the softmax of its products with the
/// keys: q [..., T, d], k [..., S, d], v [..., S, dv].  Leading axes broadcast.  A query that sees
/// no key at all gives zeros.  Memory beside the result is independent of T S: scores are computed
/// tile by tile with a running maximum and sum.  \throws ArgumentError for a scale that the dtype
/// rounds to 0 or infinity.
/// Vaswani et al. (2017), arXiv:1706.03762; Milakov & Gimelshein (2018), arXiv:1805.02867; Dao et
/// al. (2022), arXiv:2205.14135.
Array attention(const Array& q, const Array& k, const Array& v,
                const AttentionOptions& options = {});
AttentionResult attention_forward(const Array& q, const Array& k, const Array& v,
                                  const AttentionOptions& options = {});
/// Makes the weights again from q, k and what the forward pass kept: of scores of any size, as they
/// were.
AttentionGradients attention_backward(const Array& dy, const Array& q, const Array& k,
                                      const Array& v, const AttentionResult& forward,
                                      const AttentionOptions& options = {});

}  // namespace gaia
