// SPDX-License-Identifier: MIT
/// \file
/// Layer normalisation where rows pass from a warp to a block, and rows from slab to slab.
#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/joining.h"
#include "as_on_cpu.h"

namespace gaia::test {

namespace {

/// Everything that layer_norm and its gradients give for x and dy, which are views of `lead`
/// numbers behind where their memory begins.
std::vector<Array> all_of(std::mt19937_64& engine, const Shape& shape, DType dtype, bool is_plain,
                          std::int64_t lead = 0) {
  const auto behind = [&](const Shape& of) {
    const std::int64_t count = count_elements(of);
    return concatenate({zeros({lead}, dtype), some(engine, {count}, dtype)})
        .slice(0, lead, lead + count)
        .reshape(of);
  };
  const Array x = behind(shape);
  const Array dy = behind(shape);
  std::optional<Array> weight;
  std::optional<Array> bias;
  if (!is_plain) {
    weight = behind({shape[1]});
    bias = behind({shape[1]});
  }
  const LayerNormResult forward = layer_norm_forward(x, weight, bias);
  const LayerNormGradients back = layer_norm_backward(dy, x, weight, forward.mean, forward.rstd);
  return {forward.y, forward.mean, forward.rstd, back.x, back.weight, back.bias};
}

}  // namespace

TEST_CASE("Rows of any length are normalised as on the CPU") {
  // Lengths of a lane; of packs, whole and not; of warps and blocks; those at which sums take all
  // registers there are; and beyond.
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Shape& shape :
         {Shape{3, 1}, Shape{9, 31}, Shape{5, 33}, Shape{70, 7}, Shape{2, 64}, Shape{3, 66},
          Shape{3, 128}, Shape{3, 132}, Shape{5, 511}, Shape{5, 516}, Shape{2, 1024},
          Shape{3, 1025}, Shape{3, 1028}, Shape{2, 2050}, Shape{1, 4096}, Shape{2, 4100},
          Shape{2, 8192}, Shape{1, 8193}, Shape{600, 2}}) {
      for (const bool is_plain : {false, true}) {
        INFO(to_string(shape) << " " << to_string(dtype) << " " << is_plain);
        check_as_on_cpu(
            [&](std::mt19937_64& engine) { return all_of(engine, shape, dtype, is_plain); }, 64,
            shape[1] == 1 ? 1000 : 4);
      }
    }
  }
}

TEST_CASE("Many rows are normalised by warps, and blocks add up several of them") {
  for (const Shape& shape :
       {Shape{2048, 132}, Shape{2050, 131}, Shape{7000, 3}, Shape{1300, 260}, Shape{1700, 516}}) {
    INFO(to_string(shape));
    check_as_on_cpu(
        [&](std::mt19937_64& engine) { return all_of(engine, shape, DType::float32, false); }, 64,
        4);
  }
}

TEST_CASE("Rows that do not begin on the border of a pack have the bits of those that do") {
  const OnEmulatedDevice emulated;
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Shape& shape : {Shape{5, 8}, Shape{3, 512}, Shape{2, 1500}, Shape{2, 9000}}) {
      INFO(to_string(shape) << " " << to_string(dtype));
      std::mt19937_64 engine(3);
      const std::vector<Array> on_border = all_of(engine, shape, dtype, false);
      engine.seed(3);
      const std::vector<Array> off_border = all_of(engine, shape, dtype, false, 1);
      for (std::size_t i = 0; i < on_border.size(); ++i) {
        INFO("result " << i);
        CHECK(off_border[i].to_vector<double>() == on_border[i].to_vector<double>());
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
