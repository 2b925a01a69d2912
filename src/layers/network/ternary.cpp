// SPDX-License-Identifier: MIT
#include "ternary.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../array/reductions.h"
#include "../../array/ternary_product.h"
#include "../../autograd/function.h"
#include "../../autograd/ops.h"
#include "../../core/message.h"
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

/// Calls visit(rows [first, last) of packed, first, last) for blocks that are unpacked at a time.
template <class Visit>
void for_each_block(const Array& packed, const Visit& visit) {
  constexpr std::int64_t kRows = 256;
  const std::int64_t outputs = packed.shape(0);
  for (std::int64_t first = 0; first < outputs; first += kRows) {
    const std::int64_t last = std::min(first + kRows, outputs);
    visit(packed.slice(0, first, last), first, last);
  }
}

/// Beyond so many rows of inputs unpacking the codes once, for a product of matrices, is faster.
std::int64_t most_rows_of_kernel() { return current_device().is_cpu() ? 4096 : 32; }

}  // namespace

Ternary ternary(const Array& weights, TernaryScale scale) {
  if (scale == TernaryScale::row && weights.rank() != 2) {
    fail<ShapeError>("[ternary] scales of rows: expected weights [rows, columns], got shape {}",
                     weights.shape());
  }
  const Array gamma =
      scale == TernaryScale::row ? mean(abs(weights), {1}, true) : mean(abs(weights));
  return {clip(round(weights / (gamma + 1e-8)), -1.0, 1.0), gamma};
}

Array pack_ternary(const Array& codes) {
  if (codes.rank() != 2) {
    fail<ShapeError>("[pack_ternary] expected codes [rows, columns], got shape {}", codes.shape());
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
    fail<ShapeError>(
        "[unpack_ternary] expected int32 [rows, {}] for {} columns, got {} of shape {}",
        (columns + kPerWord - 1) / kPerWord, columns, packed.dtype(), packed.shape());
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
  if (x.rank() == 0 || x.shape(-1) != columns) {
    fail<ShapeError>("[packed_product] expected inputs [..., {}], got shape {}", columns,
                     x.shape());
  }
  const bool is_double = dtype == DType::float64 || x.dtype() == DType::float64;
  const DType computed = is_double ? DType::float64 : DType::float32;
  const std::int64_t rows = x.size() / std::max<std::int64_t>(1, columns);
  if (rows > most_rows_of_kernel()) {
    std::vector<Tensor> parts;
    for_each_block(packed, [&](const Array& some, std::int64_t, std::int64_t) {
      parts.push_back(linear(x, Tensor(unpack_ternary(some, columns, computed))));
    });
    return parts.size() == 1 ? parts.front() : concatenate(parts, -1);
  }
  return record(
      "packed_product", {x}, ternary_product(x.value().astype(computed), packed),
      [=](GradientFlow& flow) {
        const Array& dy = flow.gradient();
        std::optional<Array> dx;
        for_each_block(packed, [&](const Array& some, std::int64_t first, std::int64_t last) {
          const Array part =
              matmul(dy.slice(-1, first, last), unpack_ternary(some, columns, computed));
          dx = dx ? *dx + part : part;
        });
        flow.give(0, *dx);
      });
}

}  // namespace gaia
