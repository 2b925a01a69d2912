// SPDX-License-Identifier: MIT
#include "transformer_encoder.h"

#include <string>

#include "../../autograd/ops.h"
#include "dense.h"
#include "normalization.h"
#include "pointwise.h"

namespace gaia {

TransformerEncoderLayer::TransformerEncoderLayer(std::int64_t features, std::int64_t heads,
                                                 const TransformerEncoderLayerOptions& options)
    : norm_first_(options.norm_first) {
  check_size("transformer_encoder", "features", features);
  check_size("transformer_encoder", "hidden", options.hidden);
  const auto stream = [&](const char* name) {
    return RandomStream::named(options.random.seed,
                               std::string(name) + "/" + std::to_string(options.random.stream));
  };
  attention_ = std::make_shared<MultiHeadAttention>(
      features, heads,
      MultiHeadAttentionOptions{
          .causal = options.causal, .dtype = options.dtype, .random = stream("self_attention")});
  linear1_ = std::make_shared<Dense>(
      features, options.hidden,
      DenseOptions{
          .activation = options.activation, .dtype = options.dtype, .random = stream("linear1")});
  linear2_ = std::make_shared<Dense>(
      options.hidden, features, DenseOptions{.dtype = options.dtype, .random = stream("linear2")});
  const NormOptions norm = {.epsilon = options.epsilon, .dtype = options.dtype};
  norm1_ = std::make_shared<LayerNorm>(features, norm);
  norm2_ = std::make_shared<LayerNorm>(features, norm);
  const auto dropout = [&](const char* name) {
    return std::make_shared<Dropout>(
        DropoutOptions{.probability = options.dropout, .random = stream(name)});
  };
  dropout1_ = dropout("dropout1");
  dropout2_ = dropout("dropout2");
  dropout3_ = dropout("dropout3");
  add("self_attention", attention_);
  add("linear1", linear1_);
  add("linear2", linear2_);
  add("norm1", norm1_);
  add("norm2", norm2_);
  add("dropout1", dropout1_);
  add("dropout2", dropout2_);
  add("dropout3", dropout3_);
}

Tensor TransformerEncoderLayer::attended(const Tensor& x, const std::optional<Array>& key_lengths) {
  return (*dropout1_)(attention_->attend(x, x, x, key_lengths));
}

Tensor TransformerEncoderLayer::fed(const Tensor& x) {
  return (*dropout3_)((*linear2_)((*dropout2_)((*linear1_)(x))));
}

Tensor TransformerEncoderLayer::encode(const Tensor& x, const std::optional<Array>& key_lengths) {
  if (norm_first_) {
    const Tensor a = x + attended((*norm1_)(x), key_lengths);
    return a + fed((*norm2_)(a));
  }
  const Tensor a = (*norm1_)(x + attended(x, key_lengths));
  return (*norm2_)(a + fed(a));
}

void TransformerEncoderKind::keys(ConfigVisitor& v) {
  v.integer({"heads", "parts of the features that attend by themselves", true}, heads, {1, 10000});
  v.integer({"hidden", "neurons of the layer between"}, options.hidden, kNeurons);
  v.number({"dropout", "of an answer to be dropped while training"}, options.dropout, {0.0, 1.0});
  v.choice({"activation", "of the layer between"}, activations(options.activation));
  v.number({"epsilon", "added to the variance"}, options.epsilon, kPositive);
  v.flag({"norm_first", "whether norms stand before what they are of"}, options.norm_first);
  v.flag({"causal", "whether a step sees itself and earlier ones alone"}, options.causal);
}

void TransformerEncoderKind::add_to(const ModulePlace& place) const {
  place.expect_axes(2, "[steps, features]");
  place.net.add<TransformerEncoderLayer>(place.features(), heads, placed(options, place));
}

}  // namespace gaia
