// SPDX-License-Identifier: MIT
/// \file
/// Masked attention against plain loops and central differences.
#include "../../src/autograd/masked_attention.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/fused.h"
#include "../../src/core/error.h"
#include "../support/devices.h"
#include "gradient_check.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kQueries = 5;
constexpr std::int64_t kKeys = 6;
constexpr std::int64_t kWidth = 3;

/// What query i of q, k, v [T, d] answers, with `bias(i, j)` added to its scores.
std::vector<double> answer(const Array& q, const Array& k, const Array& v, std::int64_t i,
                           const std::function<double(std::int64_t, std::int64_t)>& bias) {
  std::vector<double> weights(kKeys);
  double total = 0;
  for (std::int64_t j = 0; j < kKeys; ++j) {
    double score = 0;
    for (std::int64_t d = 0; d < kWidth; ++d) score += q.item({i, d}) * k.item({j, d});
    weights[static_cast<std::size_t>(j)] = std::exp(score / std::sqrt(3.0) + bias(i, j));
    total += weights[static_cast<std::size_t>(j)];
  }
  std::vector<double> y(kWidth, 0.0);
  for (std::int64_t j = 0; j < kKeys && total > 0; ++j) {
    for (std::int64_t d = 0; d < kWidth; ++d) {
      y[static_cast<std::size_t>(d)] +=
          weights[static_cast<std::size_t>(j)] / total * v.item({j, d});
    }
  }
  return y;
}

}  // namespace

DEVICE_TEST_CASE("Masked attention agrees with plain loops under every mask") {
  const Array q = random_normal({kQueries, kWidth}, 0.0, 1.0, DType::float64, {51, 1});
  const Array k = random_normal({kKeys, kWidth}, 0.0, 1.0, DType::float64, {51, 2});
  const Array v = random_normal({kKeys, kWidth}, 0.0, 1.0, DType::float64, {51, 3});
  const Array bias = random_normal({kQueries, kKeys}, 0.0, 1.0, DType::float64, {51, 4});
  Array seen = greater(random_normal({kQueries, kKeys}, 0.0, 1.0, DType::float64, {51, 5}), 0.0);
  seen[2].assign(zeros({kKeys}, DType::boolean));  // sees nothing
  const double unseen = -std::numeric_limits<double>::infinity();
  const auto check = [&](const AttentionMask& mask, const auto& expected) {
    const Array y = masked_attention(q, k, v, mask).value();
    for (std::int64_t i = 0; i < kQueries; ++i) {
      const std::vector<double> row = answer(q, k, v, i, expected);
      for (std::int64_t d = 0; d < kWidth; ++d) {
        CHECK(y.item({i, d}) == Approx(row[static_cast<std::size_t>(d)]).margin(1e-10));
      }
    }
  };
  using At = std::int64_t;
  check(AdditiveMask{bias}, [&](At i, At j) { return bias.item({i, j}); });
  check(BooleanMask{seen}, [&](At i, At j) { return seen.item({i, j}) != 0 ? 0.0 : unseen; });
  check(CausalMask{}, [&](At i, At j) { return j <= i ? 0.0 : unseen; });
  check(SlidingWindowMask{.before = 1, .after = 2},
        [&](At i, At j) { return j >= i - 1 && j <= i + 2 ? 0.0 : unseen; });
  check(TopKMask{2}, [&](At i, At j) {
    const auto score = [&](At at) {
      double sum = 0;
      for (At d = 0; d < kWidth; ++d) sum += q.item({i, d}) * k.item({at, d});
      return sum;
    };
    int larger = 0;
    for (At other = 0; other < kKeys; ++other) larger += score(other) > score(j);
    return larger < 2 ? 0.0 : unseen;
  });
  check(TopKMask{9}, [](At, At) { return 0.0; });
  const Array causal = masked_attention(q, k, v, CausalMask{}).value();
  CHECK(all_close(causal, attention(Tensor(q), k, v, {.causal = true}).value(), 1e-10, 1e-12));
}

DEVICE_TEST_CASE("Of equal scores the first keys are among the largest, and absent keys are not") {
  const Array v = array({{1.0}, {2.0}, {3.0}, {4.0}});
  const Array same = ones({4, 1});
  CHECK(masked_attention(same, same, v, TopKMask{2}).value().item({3, 0}) == Approx(1.5));
  const Array falling = array({{-1.0}, {-2.0}, {9.0}, {9.0}});
  const Array y = masked_attention(same, falling, v, TopKMask{1},
                                   {.key_lengths = array({2}).astype(DType::int64).reshape({})})
                      .value();
  CHECK(y.item({0, 0}) == Approx(1.0));
}

TEST_CASE("Gradients of masked attention agree with central differences") {
  std::mt19937_64 engine(52);
  const auto draw = [&](const Shape& shape) {
    return random_operand(engine, shape, DType::float64);
  };
  const std::vector<std::pair<std::string, AttentionMask>> masks = {
      {"causal", CausalMask{}}, {"window", SlidingWindowMask{1, 0}}, {"top k", TopKMask{2}}};
  for (const auto& [name, mask] : masks) {
    const GradientCase c = {
        name, {draw({2, 3, 2}), draw({2, 4, 2}), draw({2, 4, 2})}, [mask](const Inputs& in) {
          return masked_attention(in[0], in[1], in[2], mask);
        }};
    CHECK(gradient_complaint(c) == "");
  }
  const GradientCase bias = {
      "additive", {draw({3, 2}), draw({4, 2}), draw({4, 2}), draw({3, 4})}, [](const Inputs& in) {
        return masked_attention(in[0], in[1], in[2], AdditiveMask{in[3]});
      }};
  CHECK(gradient_complaint(bias) == "");
}

TEST_CASE("Masked attention refuses what does not fit") {
  const Array x = ones({3, 2});
  CHECK_THROWS_AS(masked_attention(x, ones({3, 4}), x, CausalMask{}), ShapeError);
  CHECK_THROWS_AS(masked_attention(x, x, x, BooleanMask{ones({3, 3})}), DTypeError);
  CHECK_THROWS_AS(masked_attention(x, x, x, AdditiveMask{ones({2, 3})}), ShapeError);
  CHECK_THROWS_AS(masked_attention(x, x, x, SlidingWindowMask{-1, 0}), ArgumentError);
  CHECK_THROWS_AS(masked_attention(x, x, x, TopKMask{0}), ArgumentError);
}
