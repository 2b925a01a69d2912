// SPDX-License-Identifier: MIT
/// \file
/// Attention with several heads.
#pragma once

#include <optional>

#include "../../core/random.h"
#include "module.h"

namespace gaia {

struct MultiHeadAttentionOptions {
  bool causal = false;  ///< Step t sees steps 0 ... t only.
  bool bias = true;
  DType dtype = DType::float32;
  /// "input_weights" start as Init::xavier_uniform, "output_weights" as Init::pytorch, biases at 0.
  RandomStream random = next_stream();
};

/// Queries, keys and values are linear in what comes in; each head of features / heads numbers
/// attends by itself (`attention` in array/fused.h, scale 1 / sqrt(features / heads)); the heads'
/// outputs, joined, pass through a last linear map.  Parameters as in PyTorch: "input_weights"
/// [3 features, features] for q, k and v in this order, "input_bias" [3 features], "output_weights"
/// [features, features], "output_bias" [features].  Vaswani et al. (2017), arXiv:1706.03762.
class MultiHeadAttention final : public Module {
 public:
  /// \throws ArgumentError unless heads divides features.
  MultiHeadAttention(std::int64_t features, std::int64_t heads,
                     const MultiHeadAttentionOptions& options = {});

  std::string type() const override { return "multi_head_attention"; }

  /// Self-attention of x [batch, steps, features].
  Tensor forward(const Tensor& x) override { return attend(x, x, x); }

  /// query [batch, T, features] reads key and value [batch, S, features], of which the first
  /// key_lengths [batch] steps count (integers; all without).  \throws ShapeError.
  Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value,
                const std::optional<Array>& key_lengths = {}) const;

 private:
  Tensor project(const Tensor& x, int part) const;

  std::int64_t features_;
  std::int64_t heads_;
  bool causal_;
  bool has_bias_;
  Tensor input_weights_;
  Tensor input_bias_;
  Tensor output_weights_;
  Tensor output_bias_;
};

}  // namespace gaia
