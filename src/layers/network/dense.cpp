// SPDX-License-Identifier: MIT
#include "dense.h"

#include "../../array/create.h"
#include "../../autograd/fused.h"
#include "../../autograd/mixed_precision.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "rewired_dense.h"

namespace gaia {

void check_size(const char* type, const char* what, std::int64_t value, std::int64_t least) {
  if (value < least) {
    fail<ArgumentError>("[{}] {}: expected at least {}, got {}", type, what, least, value);
  }
}

void check_trainable(const char* type, DType dtype) {
  if (dtype != DType::float32 && dtype != DType::float64) {
    fail<DTypeError>("[{}] expected float32 or float64, got {}", type, dtype);
  }
}

Array initial_bias(Init init, std::int64_t outputs, Fan fan, DType dtype, RandomStream random) {
  const RandomStream stream =
      RandomStream::named(random.seed, "bias/" + std::to_string(random.stream));
  return initial_weights(init == Init::pytorch ? init : Init::zeros, {outputs}, fan, dtype, stream);
}

Tensor linear(const Tensor& x, const Tensor& weights) {
  const Shape& shape = x.shape();
  if (shape.empty() || weights.rank() != 2 || shape.back() != weights.shape(1)) {
    fail<ShapeError>("[linear] expected inputs [..., {}], got shape {}", weights.shape(-1), shape);
  }
  if (shape.rank() <= 2) return matmul(x, transpose(weights));
  // One product of matrices in place of many.
  Shape result = shape;
  result.back() = weights.shape(0);
  const std::int64_t rows = shape.back() == 0 ? 0 : x.size() / shape.back();
  return reshape(matmul(reshape(x, {rows, shape.back()}), transpose(weights)), result);
}

Tensor linear(const Tensor& x, const Tensor& weights, const Tensor& bias) {
  return linear(x, weights) + bias;
}

Dense::Dense(std::int64_t inputs, std::int64_t outputs, const DenseOptions& options)
    : activation_(options.activation), has_bias_(options.bias) {
  check_size("dense", "inputs", inputs);
  check_size("dense", "outputs", outputs);
  check_trainable("dense", options.dtype);
  const Fan fan = {inputs, outputs};
  weights_ = Tensor(
      initial_weights(options.init, {outputs, inputs}, fan, options.dtype, options.random), true);
  add("weights", weights_);
  if (!has_bias_) return;
  bias_ = Tensor(initial_bias(options.init, outputs, fan, options.dtype, options.random), true);
  add("bias", bias_);
}

Tensor Dense::forward(const Tensor& x) {
  if (activation_ == Activation::gelu) {
    return has_bias_ ? linear_gelu(x, weights_, bias_) : linear_gelu(x, weights_);
  }
  return activate(activation_, has_bias_ ? linear(x, weights_, bias_) : linear(x, weights_));
}

Tensor dense_bfloat16(const Tensor& x, const Tensor& weights, const Tensor& bias, Activation f,
                      DType answer) {
  const Tensor drive =
      bias.size() > 0 ? linear_bfloat16(x, weights, bias) : linear_bfloat16(x, weights);
  return answer == DType::bfloat16 ? activate_bfloat16(f, drive) : activate(f, drive);
}

Tensor Dense::forward_bfloat16(const Tensor& x, DType answer) {
  return dense_bfloat16(x, weights_, bias_, activation_, answer);
}

void DenseKind::keys(ConfigVisitor& v) {
  v.integer(kSizeKey, size, kNeurons);
  v.choice({"activation", "what a neuron makes of its drive"}, activations(options.activation));
  v.choice({"init", "initial weights"},
           choice_of({"he", "xavier", "normal", "uniform", "orthogonal", "he_uniform",
                      "xavier_uniform", "pytorch", "zeros"},
                     options.init, init_from_name));
  v.flag({"bias", "whether neurons have a bias"}, options.bias);
  bool is_rewired = rewire.has_value();
  RewireOptions rewiring = rewire.value_or(RewireOptions{});
  v.word_or_map({"rewire", "few weights, of which the smallest go and others come"},
                {{"none"},
                 [&] { return is_rewired ? "map" : "none"; },
                 [&](const std::string& word) { is_rewired = word == "map"; }},
                "map", [&] { rewiring.keys(v); });
  rewire = is_rewired ? std::optional(rewiring) : std::nullopt;
}

void DenseKind::add_to(const ModulePlace& place) const {
  if (rewire) {
    place.net.add<RewiredDense>(place.features(), size, *rewire, placed(options, place));
  } else {
    place.net.add<Dense>(place.features(), size, placed(options, place));
  }
}

}  // namespace gaia
