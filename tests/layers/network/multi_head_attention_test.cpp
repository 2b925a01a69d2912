// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/multi_head_attention.h"

#include <cmath>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"
#include "normal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Real = long double;
using Rows = std::vector<std::vector<Real>>;

/// x W^T + b for the rows [first, first + count) of W and b.
Rows project(const Array& x, const ArrayMap& state, const char* weights, const char* bias,
             std::int64_t first, std::int64_t count) {
  Rows y;
  for (std::int64_t t = 0; t < x.shape(0); ++t) {
    std::vector<Real> row;
    for (std::int64_t o = first; o < first + count; ++o) {
      Real sum = state.at(bias).item({o});
      for (std::int64_t i = 0; i < x.shape(1); ++i) {
        sum += static_cast<Real>(x.item({t, i})) * state.at(weights).item({o, i});
      }
      row.push_back(sum);
    }
    y.push_back(row);
  }
  return y;
}

/// What query [T, E] reads of memory [S, E], by the formula.
Rows attend(const MultiHeadAttention& layer, std::int64_t heads, const Array& query,
            const Array& memory, bool causal, std::int64_t keys) {
  const ArrayMap state = layer.state();
  const std::int64_t e = query.shape(1);
  const Rows q = project(query, state, "input_weights", "input_bias", 0, e);
  const Rows k = project(memory, state, "input_weights", "input_bias", e, e);
  const Rows v = project(memory, state, "input_weights", "input_bias", 2 * e, e);
  const auto d = static_cast<std::size_t>(e / heads);
  std::vector<double> joined;
  for (std::size_t t = 0; t < q.size(); ++t) {
    for (std::size_t head = 0; head < static_cast<std::size_t>(heads); ++head) {
      std::vector<Real> weights;
      Real total = 0;
      for (std::size_t s = 0; s < k.size(); ++s) {
        Real score = 0;
        for (std::size_t i = 0; i < d; ++i) score += q[t][head * d + i] * k[s][head * d + i];
        const bool seen = (!causal || s <= t) && s < static_cast<std::size_t>(keys);
        weights.push_back(seen ? std::exp(score / std::sqrt(static_cast<Real>(d))) : 0.0L);
        total += weights.back();
      }
      for (std::size_t i = 0; i < d; ++i) {
        Real y = 0;
        for (std::size_t s = 0; s < k.size(); ++s) y += weights[s] / total * v[s][head * d + i];
        joined.push_back(static_cast<double>(y));
      }
    }
  }
  const Array all = from_values(joined, {query.shape(0), e});
  return project(all, state, "output_weights", "output_bias", 0, e);
}

void check_equal(const Array& y, const Rows& expected) {
  for (std::size_t t = 0; t < expected.size(); ++t) {
    for (std::size_t i = 0; i < expected[t].size(); ++i) {
      CHECK(y.item({static_cast<std::int64_t>(t), static_cast<std::int64_t>(i)}) ==
            Approx(static_cast<double>(expected[t][i])).epsilon(1e-11).margin(1e-12));
    }
  }
}

/// Biases start at zero; here they count.
void set_biases(MultiHeadAttention& layer, std::int64_t features) {
  layer.state().at("input_bias").assign(normal({3 * features}, 50));
  layer.state().at("output_bias").assign(normal({features}, 51));
}

}  // namespace

DEVICE_TEST_CASE("MultiHeadAttention is its formula, head by head") {
  for (const bool causal : {false, true}) {
    INFO((causal ? "causal" : "not causal"));
    MultiHeadAttention layer(6, 3, {.causal = causal, .dtype = DType::float64, .random = {31, 1}});
    set_biases(layer, 6);
    const Array x = normal({2, 4, 6}, 2);
    const Tensor y = layer(Tensor(x));
    REQUIRE(y.shape() == Shape{2, 4, 6});
    for (std::int64_t b = 0; b < 2; ++b) {
      check_equal(y.value()[b], attend(layer, 3, x[b], x[b], causal, 4));
    }
  }
  MultiHeadAttention layer(4, 2, {.dtype = DType::float64, .random = {31, 3}});
  const Array query = normal({2, 3, 4}, 4);
  const Array memory = normal({2, 5, 4}, 5);
  const Array lengths = from_values(std::vector<std::int64_t>{2, 5}, {2});
  const Tensor y = layer.attend(query, memory, memory, lengths);
  REQUIRE(y.shape() == Shape{2, 3, 4});
  check_equal(y.value()[0], attend(layer, 2, query[0], memory[0], false, 2));
  check_equal(y.value()[1], attend(layer, 2, query[1], memory[1], false, 5));
}

TEST_CASE("Parameters of MultiHeadAttention are PyTorch's, and its gradients agree") {
  MultiHeadAttention layer(4, 2, {.causal = true, .dtype = DType::float64, .random = {31, 6}});
  const ArrayMap state = layer.state();
  CHECK(state.at("input_weights").shape() == Shape{12, 4});
  CHECK(state.at("output_weights").shape() == Shape{4, 4});
  CHECK(norm(state.at("input_bias")).item() == 0.0);
  set_biases(layer, 4);
  CHECK(gradient_complaint(layer, normal({2, 3, 4}, 7)) == "");
  MultiHeadAttention bare(4, 4, {.bias = false, .dtype = DType::float64, .random = {31, 8}});
  CHECK(bare.named_parameters().size() == 2);
  CHECK(gradient_complaint(bare, normal({1, 3, 4}, 9)) == "");
}

TEST_CASE("MultiHeadAttention refuses what does not fit") {
  CHECK_THROWS_WITH_TEXT(MultiHeadAttention(6, 4), ArgumentError,
                         "heads: expected a divisor of 6 features, got 4");
  MultiHeadAttention layer(4, 2);
  CHECK_THROWS_AS(layer(Tensor(ones({2, 4}))), ShapeError);
  CHECK_THROWS_AS(layer(Tensor(ones({2, 3, 5}))), ShapeError);
}
