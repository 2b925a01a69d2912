// SPDX-License-Identifier: MIT
#include "fused.h"

#include <vector>

#include "function.h"

namespace gaia {
namespace {

std::optional<Array> value_of(const std::optional<Tensor>& tensor) {
  return tensor ? std::optional(tensor->value()) : std::nullopt;
}

}  // namespace

Tensor linear_gelu(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias,
                   GeluForm form) {
  const LinearGeluResult result =
      linear_gelu_forward(x.value(), weights.value(), value_of(bias), form);
  std::vector<Tensor> inputs = {x, weights};
  if (bias) inputs.push_back(*bias);
  return record(
      "linear_gelu", inputs, result.y,
      [form, has_bias = bias.has_value(), x = SavedArray(x.value()),
       weights = SavedArray(weights.value()), z = SavedArray(result.z)](GradientFlow& flow) {
        const LinearGeluWanted wanted = {
            .x = flow.needs(0), .weights = flow.needs(1), .bias = has_bias && flow.needs(2)};
        const LinearGeluGradients gradients = linear_gelu_backward(
            flow.gradient(), flow.saved(x), flow.saved(weights), flow.saved(z), form, wanted);
        if (wanted.x) flow.give(0, gradients.x);
        if (wanted.weights) flow.give(1, gradients.weights);
        if (wanted.bias) flow.give(2, gradients.bias);
      });
}

Tensor layer_norm(const Tensor& x, const std::optional<Tensor>& weight,
                  const std::optional<Tensor>& bias, const LayerNormOptions& options) {
  const LayerNormResult result =
      layer_norm_forward(x.value(), value_of(weight), value_of(bias), options);
  std::vector<Tensor> inputs = {x};
  if (weight) inputs.push_back(*weight);
  if (bias) inputs.push_back(*bias);
  const SavedArray scale = weight ? SavedArray(weight->value()) : SavedArray();
  return record(
      "layer_norm", inputs, result.y,
      [options, has_weight = weight.has_value(), has_bias = bias.has_value(), scale,
       x = SavedArray(x.value()), mean = SavedArray(result.mean),
       rstd = SavedArray(result.rstd)](GradientFlow& flow) {
        const std::optional<Array> w = has_weight ? std::optional(flow.saved(scale)) : std::nullopt;
        const LayerNormGradients gradients = layer_norm_backward(
            flow.gradient(), flow.saved(x), w, flow.saved(mean), flow.saved(rstd), options);
        flow.give(0, gradients.x);
        if (has_weight) flow.give(1, gradients.weight);
        if (has_bias) flow.give(has_weight ? 2 : 1, gradients.bias);
      });
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                 const AttentionOptions& options) {
  const AttentionResult result = attention_forward(q.value(), k.value(), v.value(), options);
  return record(
      "attention", {q, k, v}, result.y,
      [options, q = SavedArray(q.value()), k = SavedArray(k.value()), v = SavedArray(v.value()),
       y = SavedArray(result.y), largest = SavedArray(result.largest),
       sum = SavedArray(result.sum)](GradientFlow& flow) {
        const AttentionGradients gradients =
            attention_backward(flow.gradient(), flow.saved(q), flow.saved(k), flow.saved(v),
                               {flow.saved(y), flow.saved(largest), flow.saved(sum)}, options);
        flow.give(0, gradients.q);
        flow.give(1, gradients.k);
        flow.give(2, gradients.v);
      });
}

}  // namespace gaia
