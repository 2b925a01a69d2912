// SPDX-License-Identifier: MIT
/// \file
/// Layer normalisation where rows pass from a warp to a block, and rows from slab to slab.
#include "../../src/array/fused.h"
#include "as_on_cpu.h"

namespace gaia::test {

TEST_CASE("Rows of any length are normalised as on the CPU") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Shape& shape : {Shape{3, 1}, Shape{9, 31}, Shape{5, 33}, Shape{70, 7},
                               Shape{2, 1024}, Shape{3, 1025}, Shape{600, 2}}) {
      for (const bool is_plain : {false, true}) {
        INFO(to_string(shape) << " " << to_string(dtype) << " " << is_plain);
        check_as_on_cpu(
            [&](std::mt19937_64& engine) -> std::vector<Array> {
              const Array x = some(engine, shape, dtype);
              const Array dy = some(engine, shape, dtype);
              std::optional<Array> weight;
              std::optional<Array> bias;
              if (!is_plain) {
                weight = some(engine, {shape[1]}, dtype);
                bias = some(engine, {shape[1]}, dtype);
              }
              const LayerNormResult forward = layer_norm_forward(x, weight, bias);
              const LayerNormGradients back =
                  layer_norm_backward(dy, x, weight, forward.mean, forward.rstd);
              return {forward.y, forward.mean, forward.rstd, back.x, back.weight, back.bias};
            },
            64, shape[1] == 1 ? 1000 : 4);
      }
    }
  }
}

TEST_CASE("Sums over columns are right for layers of any width") {
  for (const Shape& shape : {Shape{1, 1}, Shape{33, 31}, Shape{100, 65}, Shape{300, 3}}) {
    for (const bool with_bias : {false, true}) {
      INFO(to_string(shape) << " " << with_bias);
      check_as_on_cpu(
          [&](std::mt19937_64& engine) -> std::vector<Array> {
            const Array x = some(engine, {shape[0], 5}, DType::float32);
            const Array weights = some(engine, {shape[1], 5}, DType::float32);
            std::optional<Array> bias;
            if (with_bias) bias = some(engine, {shape[1]}, DType::float32);
            const Array dy = some(engine, shape, DType::float32);
            const LinearGeluResult forward = linear_gelu_forward(x, weights, bias);
            const LinearGeluGradients back = linear_gelu_backward(dy, x, weights, forward.z);
            return {forward.y, forward.z, back.x, back.weights, back.bias};
          },
          64, 64);
    }
  }
}

}  // namespace gaia::test
