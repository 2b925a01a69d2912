// SPDX-License-Identifier: MIT
#include "bit_linear.h"

#include <cmath>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
#include "dense.h"

namespace gaia {
namespace {

Tensor quantized(const Tensor& x, std::int64_t bits) {
  return bits == 0 ? x : straight_through(x, quantize_rows(x.value(), bits));
}

void check_bits(std::int64_t bits) {
  if (bits != 0 && (bits < 2 || bits > 16)) {
    fail<ArgumentError>("[bit_linear] activation_bits: expected 0 or 2 to 16, got {}", bits);
  }
}

}  // namespace

Array quantize_rows(const Array& x, std::int64_t bits) {
  const double top = std::ldexp(1.0, static_cast<int>(bits) - 1) - 1.0;
  // A row of zeros has any scale.
  const Array largest = maximum(max(abs(x), {-1}, true), 1e-5);
  const Array scale = top / largest;
  return clip(round(x * scale), -top - 1.0, top) / scale;
}

BitLinear::BitLinear(std::int64_t inputs, std::int64_t outputs, const BitLinearOptions& options)
    : options_(options) {
  check_size("bit_linear", "inputs", inputs);
  check_size("bit_linear", "outputs", outputs);
  check_trainable("bit_linear", options.dtype);
  check_bits(options.activation_bits);
  weights_ =
      Tensor(initial_weights(options.init, outputs, inputs, options.dtype, options.random), true);
  add("weights", weights_);
  if (!options_.bias) return;
  bias_ = Tensor(zeros({outputs}, options.dtype), true);
  add("bias", bias_);
}

Tensor BitLinear::forward(const Tensor& x) {
  const Ternary parts = ternary(weights_.value());
  const Tensor weights = straight_through(weights_, parts.codes * parts.scale);
  const Tensor in = quantized(x, options_.activation_bits);
  return options_.bias ? linear(in, weights, bias_) : linear(in, weights);
}

std::shared_ptr<PackedBitLinear> BitLinear::pack() const {
  return std::make_shared<PackedBitLinear>(ternary(weights_.value()),
                                           options_.bias ? bias_.value().copy() : Array(),
                                           options_.activation_bits);
}

PackedBitLinear::PackedBitLinear(const Ternary& weights, const Array& bias,
                                 std::int64_t activation_bits)
    : inputs_(weights.codes.shape(-1)),
      activation_bits_(activation_bits),
      dtype_(weights.codes.dtype()),
      packed_(pack_ternary(weights.codes)),
      scale_(weights.scale.copy()),
      bias_(bias) {
  check_bits(activation_bits);
  add("packed", packed_);
  add("scale", scale_);
  if (bias_.size() > 0) add("bias", bias_);
}

Tensor PackedBitLinear::forward(const Tensor& x) {
  const Tensor in = quantized(x, activation_bits_);
  const Tensor y = packed_product(in, packed_, inputs_, dtype_) * Tensor(scale_);
  return bias_.size() > 0 ? y + Tensor(bias_) : y;
}

}  // namespace gaia
