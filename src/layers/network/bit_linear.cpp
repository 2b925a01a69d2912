// SPDX-License-Identifier: MIT
#include "bit_linear.h"

#include <algorithm>
#include <cmath>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../autograd/function.h"
#include "../../autograd/ops.h"
#include "../../core/error.h"
#include "dense.h"

namespace gaia {
namespace {

constexpr std::int64_t kPerWord = 16;
constexpr double kOffset = 2147483648.0;  // from [0, 2^32) to int32

/// 4^0 ... 4^15, int64.
Array place_values() {
  std::vector<std::int64_t> values(kPerWord);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::int64_t{1} << (2 * i);
  return from_values(values, {kPerWord});
}

/// `value` in place of `x`, with the gradient of x: as if rounding were not there.
Tensor straight_through(const Tensor& x, const Array& value) {
  return record("straight_through", {x}, value,
                [](GradientFlow& flow) { flow.give(0, flow.gradient()); });
}

Tensor quantized(const Tensor& x, std::int64_t bits) {
  return bits == 0 ? x : straight_through(x, quantize_rows(x.value(), bits));
}

void check_bits(std::int64_t bits) {
  if (bits != 0 && (bits < 2 || bits > 16)) {
    throw ArgumentError("[bit_linear] activation_bits: expected 0 or 2 to 16, got " +
                        std::to_string(bits));
  }
}

}  // namespace

Array pack_ternary(const Array& codes) {
  if (codes.rank() != 2) {
    throw ShapeError("[pack_ternary] expected codes [rows, columns], got shape " +
                     to_string(codes.shape()));
  }
  const std::int64_t rows = codes.shape(0);
  const std::int64_t words = (codes.shape(1) + kPerWord - 1) / kPerWord;
  const Array digits = zeros({rows, words * kPerWord}, DType::int64);
  digits.slice(1, 0, codes.shape(1)).assign(codes + 1);
  const Array sums = sum(digits.reshape({rows, words, kPerWord}) * place_values(), {2});
  return (sums - static_cast<std::int64_t>(kOffset)).astype(DType::int32);
}

Array unpack_ternary(const Array& packed, std::int64_t columns, DType dtype) {
  if (packed.rank() != 2 || packed.dtype() != DType::int32 || columns < 0 ||
      packed.shape(1) != (columns + kPerWord - 1) / kPerWord) {
    throw ShapeError("[unpack_ternary] expected int32 [rows, " +
                     std::to_string((columns + kPerWord - 1) / kPerWord) + "] for " +
                     std::to_string(columns) + " columns, got " + to_string(packed.dtype()) +
                     " of shape " + to_string(packed.shape()));
  }
  const Array words =
      packed.astype(DType::int64).expand_dims(2) + static_cast<std::int64_t>(kOffset);
  const Array digits = remainder(floor_divide(words, place_values()), 4);
  const Array codes = digits.reshape({packed.shape(0), packed.shape(1) * kPerWord}) - 1;
  return codes.slice(1, 0, columns).astype(dtype);
}

Ternary ternary(const Array& weights) {
  const Array scale = mean(abs(weights));
  return {clip(round(weights / (scale + 1e-8)), -1.0, 1.0), scale};
}

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
  constexpr std::int64_t kRows = 256;  // unpacked at a time
  const Tensor in = quantized(x, activation_bits_);
  const std::int64_t outputs = packed_.shape(0);
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < outputs; first += kRows) {
    const Array rows = packed_.slice(0, first, std::min(first + kRows, outputs));
    parts.push_back(linear(in, Tensor(unpack_ternary(rows, inputs_, dtype_))));
  }
  const Tensor y = (parts.size() == 1 ? parts.front() : concatenate(parts, -1)) * Tensor(scale_);
  return bias_.size() > 0 ? y + Tensor(bias_) : y;
}

}  // namespace gaia
