// SPDX-License-Identifier: MIT
#include "ternary.h"

#include <algorithm>
#include <vector>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
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

}  // namespace

Ternary ternary(const Array& weights, TernaryScale scale) {
  if (scale == TernaryScale::row && weights.rank() != 2) {
    throw ShapeError("[ternary] scales of rows: expected weights [rows, columns], got shape " +
                     to_string(weights.shape()));
  }
  const Array gamma =
      scale == TernaryScale::row ? mean(abs(weights), {1}, true) : mean(abs(weights));
  return {clip(round(weights / (gamma + 1e-8)), -1.0, 1.0), gamma};
}

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

Tensor straight_through(const Tensor& x, const Array& value) {
  return record("straight_through", {x}, value,
                [](GradientFlow& flow) { flow.give(0, flow.gradient()); });
}

Tensor packed_product(const Tensor& x, const Array& packed, std::int64_t columns, DType dtype) {
  constexpr std::int64_t kRows = 256;  // unpacked at a time
  const std::int64_t outputs = packed.shape(0);
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < outputs; first += kRows) {
    const Array rows = packed.slice(0, first, std::min(first + kRows, outputs));
    parts.push_back(linear(x, Tensor(unpack_ternary(rows, columns, dtype))));
  }
  return parts.size() == 1 ? parts.front() : concatenate(parts, -1);
}

}  // namespace gaia
