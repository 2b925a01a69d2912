// SPDX-License-Identifier: MIT
/// \file
/// The encoder layer of the transformer.
#pragma once

#include <memory>
#include <optional>

#include "../../core/random.h"
#include "../../formulas/activation.h"
#include "module.h"
#include "module_kind.h"
#include "multi_head_attention.h"

namespace gaia {

class Dense;
class Dropout;
class LayerNorm;

struct TransformerEncoderLayerOptions {
  std::int64_t hidden = 2048;  ///< Neurons of the layer between.
  double dropout =
      0.1;  ///< Share left out of attention's answers, of the hidden and the last layer.
  Activation activation = Activation::relu;
  double epsilon = 1e-5;    ///< Epsilon of the norms.
  bool norm_first = false;  ///< Norms stand before attention and dense layers, not behind the sums.
  bool causal = false;      ///< Step t sees steps 0 ... t only.
  DType dtype = DType::float32;
  RandomStream random = next_stream();
};

/// x [batch, steps, features] becomes
///     a = norm1(x + dropout(attention(x))),   y = norm2(a + dropout(W2 dropout(f(W1 a + b1)) +
///     b2))
/// or, with norm_first,
///     a = x + dropout(attention(norm1(x))),   y = a + dropout(W2 dropout(f(W1 norm2(a) + b1)) +
///     b2).
/// Children "self_attention", "linear1", "linear2", "norm1", "norm2" and "dropout1" to "dropout3".
/// PyTorch's has one more dropout, of the weights of attention, while it trains.
/// Vaswani et al. (2017), arXiv:1706.03762; Xiong et al. (2020), arXiv:2002.04745.
class TransformerEncoderLayer final : public Module {
 public:
  /// \throws ArgumentError unless heads divides features, or for a number out of range.
  TransformerEncoderLayer(std::int64_t features, std::int64_t heads,
                          const TransformerEncoderLayerOptions& options = {});

  std::string type() const override { return "transformer_encoder"; }
  Tensor forward(const Tensor& x) override { return encode(x); }
  /// Numbers of steps of each sample that are seen, key_lengths [batch] (integers; all without).
  Tensor encode(const Tensor& x, const std::optional<Array>& key_lengths = {});

 private:
  Tensor attended(const Tensor& x, const std::optional<Array>& key_lengths);
  Tensor fed(const Tensor& x);

  bool norm_first_;
  std::shared_ptr<MultiHeadAttention> attention_;
  std::shared_ptr<Dense> linear1_;
  std::shared_ptr<Dense> linear2_;
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Dropout> dropout1_;
  std::shared_ptr<Dropout> dropout2_;
  std::shared_ptr<Dropout> dropout3_;
};

/// Keys in an experiment: type: transformer_encoder.
struct TransformerEncoderKind {
  std::int64_t heads = 0;
  TransformerEncoderLayerOptions options = {.random = {}};

  static constexpr const char* name = "transformer_encoder";
  void keys(ConfigVisitor& v);
  void add_to(const ModulePlace& place) const;
};

}  // namespace gaia
