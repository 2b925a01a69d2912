// SPDX-License-Identifier: MIT
/// \file
/// The number of threads changes no bit of any result.
#include <atomic>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../../src/array/backend.h"
#include "../../src/array/convolution.h"
#include "../../src/array/fused.h"
#include "../../src/array/indexing.h"
#include "../../src/array/joining.h"
#include "../../src/array/ops.h"
#include "../../src/array/pool2d.h"
#include "../../src/array/sorting.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/operands.h"
#include "../support/statistics.h"

namespace gaia::test {
namespace {

struct Computation {
  std::string name;
  std::function<Array()> run;
};

std::vector<Computation> computations(DType dtype) {
  std::mt19937_64 engine(1);
  const auto draw = [&](const Shape& shape, Layout layout = Layout::contiguous) {
    return random_operand(engine, shape, dtype, layout).array;
  };
  const Array line = draw({300001});
  const Array backwards = draw({300001}, Layout::reversed);
  const Array matrix = draw({1100, 301});
  const Array across = draw({1100, 301}, Layout::transposed);
  const Array cube = draw({30, 70, 41});
  const Array heads = draw({2, 300, 20});
  const Array cut = draw({2, 170, 20});
  const Array dense = draw({310, 301});
  const Array images = draw({30, 6, 14, 14});
  const Array weights = draw({4, 6, 3, 3});
  const RandomStream stream{3, 4};
  return {
      {"sum of a line", [=] { return sum(line); }},
      {"mean of a strided line", [=] { return mean(backwards); }},
      {"sum of a matrix", [=] { return sum(matrix); }},
      {"sum over rows", [=] { return sum(matrix, {0}); }},
      {"mean over columns", [=] { return mean(matrix, {1}); }},
      {"sum over rows of a transpose", [=] { return sum(across, {0}); }},
      {"sum of a transpose", [=] { return sum(across); }},
      {"sum over two axes", [=] { return sum(cube, {0, 2}); }},
      {"max over two axes", [=] { return max(cube, {0, 1}); }},
      {"norm", [=] { return norm(matrix); }},
      {"matmul", [=] { return matmul(matrix, matrix.transpose()); }},
      {"matmul of a strided matrix", [=] { return matmul(across.transpose(), matrix); }},
      {"matmul with a column", [=] { return matmul(matrix, matrix[0]); }},
      {"matmul of batches", [=] { return matmul(cube, cube.swapaxes(1, 2)); }},
      {"softmax", [=] { return softmax(matrix); }},
      {"linear_gelu", [=] { return linear_gelu(matrix, dense); }},
      {"gradients of linear_gelu",
       [=] {
         const Array z = linear_gelu_forward(matrix, dense).z;
         const auto of = linear_gelu_backward(z, matrix, dense, z);
         return concatenate({of.x.reshape({-1}), of.weights.reshape({-1}), of.bias});
       }},
      {"layer_norm", [=] { return layer_norm(matrix, matrix[0], matrix[1]); }},
      {"gradients of layer_norm",
       [=] {
         const auto saved = layer_norm_forward(matrix);
         const auto of = layer_norm_backward(matrix, matrix, matrix[0], saved.mean, saved.rstd);
         return concatenate({of.x.reshape({-1}), of.weight, of.bias});
       }},
      {"attention", [=] { return attention(heads, cut, cut, {.causal = true}); }},
      {"gradients of attention",
       [=] {
         const auto saved = attention_forward(heads, cut, cut);
         const auto of = attention_backward(heads, heads, cut, cut, saved);
         return concatenate({of.q.reshape({-1}), of.k.reshape({-1}), of.v.reshape({-1})});
       }},
      {"argsort", [=] { return argsort(line); }},
      {"index_add",
       [=] {
         const Array sums = zeros({7, 301}, dtype);
         index_add(sums, searchsorted(arange(0, 1100, 160), arange(0, 1100)) - 1, matrix);
         return sums;
       }},
      {"scatter_add",
       [=] {
         const Array sums = zeros({1100, 7}, dtype);
         scatter_add(sums, argsort(matrix.slice(1, 0, 7)), matrix.slice(1, 0, 7), 1);
         return sums;
       }},
      {"masked_select", [=] { return masked_select(matrix, less(across, matrix)); }},
      {"conv2d", [=] { return conv2d(images, weights, {}, {.padding = {1, 1}}); }},
      {"conv2d_input_gradient",
       [=] { return conv2d_input_gradient(images, weights.swapaxes(0, 1), {30, 4, 16, 16}); }},
      {"conv2d_weight_gradient",
       [=] {
         return conv2d_weight_gradient(images, images.slice(2, 2).slice(3, 2), {6, 6, 3, 3});
       }},
      {"conv2d of one image",
       [=] { return conv2d(matrix.reshape({1, 1, 1100, 301}), weights.slice(1, 0, 1)); }},
      {"avg_pool2d", [=] { return avg_pool2d(images); }},
      {"exp", [=] { return exp(backwards); }},
      {"add", [=] { return matrix + across; }},
      {"random normals", [=] { return random_normal({200001}, 0, 1, dtype, stream); }},
      {"random uniforms", [=] { return random_uniform({200001}, -1, 1, dtype, stream); }},
  };
}

TEST_CASE("Results are the same, bit for bit, for 1, 2 and 5 threads") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Computation& computation : computations(dtype)) {
      INFO(computation.name << " in " << gaia::to_string(dtype));
      std::vector<std::uint64_t> seen;
      for (const int threads : {1, 2, 5}) {
        const Threads scope(threads);
        seen.push_back(fingerprint(computation.run().to_vector<double>()));
      }
      CHECK(seen[1] == seen[0]);
      CHECK(seen[2] == seen[0]);
    }
  }
}

TEST_CASE("Results are the same when another thread keeps the pool busy") {
  const Threads scope(3);
  const auto all = computations(DType::float32);
  std::vector<std::uint64_t> alone;
  for (const Computation& computation : all) {
    alone.push_back(fingerprint(computation.run().to_vector<double>()));
  }
  std::atomic<bool> stop{false};
  std::thread other([&] {
    const Array x = ones({100000});
    while (!stop) sum(x + x);
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name);
    CHECK(fingerprint(all[i].run().to_vector<double>()) == alone[i]);
  }
  stop = true;
  other.join();
}

}  // namespace
}  // namespace gaia::test
