// SPDX-License-Identifier: MIT
/// \file
/// attention and its gradients against plain loops, central differences and the unfused
/// composition; and that its memory is linear.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../../src/array/unfused.h"
#include "../../src/autograd/fused.h"
#include "../../src/autograd/ops.h"
#include "../reference/attention_problem.h"
#include "../reference/fused.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "../support/dtypes.h"
#include "../support/log_capture.h"
#include "../support/long_tests.h"
#include "../support/near.h"
#include "../support/operands.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

struct Sizes {
  Shape leading;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t size;
  std::int64_t width;
};

Shape join(Shape shape, std::int64_t rows, std::int64_t columns) {
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

struct Case {
  Operand q;
  Operand k;
  Operand v;
  Operand dy;
  Shape leading;
  AttentionOptions options;
  std::optional<Values> lengths;
  double scale;

  Case(std::mt19937_64& engine, const Sizes& of, DType dtype, bool causal = false,
       Layout layout = Layout::contiguous)
      : q(random_operand(engine, join(of.leading, of.queries, of.size), dtype, layout, -2, 2)),
        k(random_operand(engine, join(of.leading, of.keys, of.size), dtype, layout, -2, 2)),
        v(random_operand(engine, join(of.leading, of.keys, of.width), dtype, layout, -1, 1)),
        leading(of.leading),
        options{.causal = causal},
        scale(of.size > 0 ? 1.0 / std::sqrt(static_cast<double>(of.size)) : 1.0) {
    draw_dy(engine, dtype, layout);
  }
  void draw_dy(std::mt19937_64& engine, DType dtype, Layout layout = Layout::contiguous) {
    const int row = q.values.shape.rank() - 2;
    const Shape shape = join(leading, q.values.shape[row], v.values.shape.back());
    dy = random_operand(engine, shape, dtype, layout, -1, 1);
  }
  /// A length for each of `shape`, which broadcasts to the leading axes.
  void draw_lengths(std::mt19937_64& engine, const Shape& shape) {
    const auto keys = static_cast<std::uint64_t>(k.values.shape[k.values.shape.rank() - 2]);
    lengths = Values(shape);
    for (double& length : lengths->numbers) length = static_cast<double>(engine() % (keys + 2));
    options.key_lengths = from_values(lengths->numbers, shape).astype(DType::int64);
  }

  Attended reference() const {
    return attention(q.values, k.values, v.values, leading, scale, options.causal, lengths);
  }
  AttentionResult run() const { return attention_forward(q.array, k.array, v.array, options); }
  AttentionGradients gradients(const AttentionResult& result) const {
    return attention_backward(dy.array, q.array, k.array, v.array, result, options);
  }
};

void check_same(const Array& a, const Array& b, double tolerance) {
  CHECK(a.dtype() == b.dtype());
  CHECK(a.shape() == b.shape());
  CHECK(all_close(a, b, tolerance, tolerance));
}

void check_case(const Case& c) {
  const bool is_single = c.q.array.dtype() == DType::float32;
  const double tolerance = is_single ? 1e-5 : 1e-12;
  const double units = tolerance / epsilon(c.q.array.dtype());
  const Attended expected = c.reference();
  const AttentionResult got = c.run();
  check_near(got.y, expected.y, units, 1);
  check_near(logsumexp_of(got, c.scale), expected.logsumexp, units, 1);
  const AttentionResult plain =
      unfused::attention_forward(c.q.array, c.k.array, c.v.array, c.options);
  check_same(got.y, plain.y, tolerance);
  check_same(logsumexp_of(got, c.scale), logsumexp_of(plain, c.scale), tolerance);
  const AttentionGradients fused = c.gradients(got);
  const AttentionGradients wanted =
      unfused::attention_backward(c.dy.array, c.q.array, c.k.array, c.v.array, got, c.options);
  check_same(fused.q, wanted.q, tolerance);
  check_same(fused.k, wanted.k, 3 * tolerance);  // sums over queries
  check_same(fused.v, wanted.v, 3 * tolerance);
}

DEVICE_TEST_CASE("attention agrees with plain loops at any size, causal or not") {
  std::mt19937_64 engine(1);
  const std::vector<Sizes> all = {
      {{}, 1, 1, 1, 1},     {{}, 1, 5, 3, 2},        {{}, 5, 1, 2, 3},      {{2}, 63, 130, 4, 5},
      {{2}, 64, 128, 8, 8}, {{}, 65, 129, 16, 1},    {{2, 3}, 7, 9, 3, 4},  {{}, 200, 300, 5, 6},
      {{}, 300, 130, 7, 2}, {{1}, 129, 257, 64, 64}, {{2}, 66, 390, 9, 50}, {{}, 500, 770, 3, 2}};
  EveryNth third(3);
  for (const Sizes& of : all) {
    for (const DType dtype : {DType::float32, DType::float64}) {
      for (const bool causal : {false, true}) {
        if (!third.takes_next()) continue;
        INFO(to_string(of.leading) << " " << of.queries << " " << of.keys << " " << of.size);
        check_case(Case(engine, of, dtype, causal));
      }
    }
  }
}

DEVICE_TEST_CASE("attention reads every layout, and leading axes that broadcast") {
  std::mt19937_64 engine(2);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const Layout layout : all_layouts()) {
      INFO(to_string(layout));
      check_case(Case(engine, {{3, 2}, 6, 10, 4, 3}, dtype, true, layout));
      check_case(Case(engine, {{}, 6, 10, 4, 3}, dtype, false, layout));
    }
    Case heads(engine, {{2, 3}, 5, 7, 4, 3}, dtype);
    heads.k = random_operand(engine, {2, 1, 7, 4}, dtype);
    heads.v = random_operand(engine, {7, 3}, dtype);
    check_case(heads);
    heads.q = random_operand(engine, {1, 3, 5, 4}, dtype);
    heads.options.causal = true;
    check_case(heads);
  }
  // [batch, step, head, feature], heads brought forward as a layer does it.
  const Operand steps = random_operand(engine, {2, 5, 3, 4}, DType::float32);
  const Array heads = steps.array.swapaxes(1, 2);
  check_same(attention(heads, heads, heads), attention(heads.copy(), heads.copy(), heads.copy()),
             0);
}

DEVICE_TEST_CASE("Key lengths hide the keys behind them") {
  std::mt19937_64 engine(3);
  EveryNth third(3);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const bool causal : {false, true}) {
      for (int trial = 0; trial < 4; ++trial) {
        if (!third.takes_next()) continue;
        Case c(engine, {{4, 2}, 70, 140, 3, 2}, dtype, causal);
        c.draw_lengths(engine, trial % 2 == 0 ? Shape{4, 1} : Shape{2});
        check_case(c);
      }
      if (causal != (dtype == DType::float32) && !long_tests()) continue;
      Case long_one(engine, {{5}, 130, 800, 3, 2}, dtype, causal);
      long_one.draw_lengths(engine, {5});
      check_case(long_one);
    }
  }
  Case c(engine, {{3}, 4, 5, 2, 2}, DType::float64);
  c.options.key_lengths = from_values(std::vector<std::int32_t>{0, -7, 99}, {3});
  c.lengths = Values(Shape{3});
  c.lengths->numbers = {0, 0, 5};
  check_case(c);
  // What is hidden is not even read.
  c.k.array.slice(0, 0, 2).fill(std::nan(""));
  c.v.array.slice(0, 0, 2).fill(std::nan(""));
  const AttentionResult got = c.run();
  CHECK(first_not_finite(got.y) == -1);
  const AttentionGradients gradients = c.gradients(got);
  CHECK(first_not_finite(gradients.q) == -1);
  CHECK(first_not_finite(gradients.k) == -1);
  CHECK(first_not_finite(gradients.v) == -1);
}

DEVICE_TEST_CASE("A query that sees no key answers zeros") {
  const Array q = ones({2, 3});
  const AttentionResult nothing = attention_forward(q, zeros({0, 3}), zeros({0, 4}));
  check_equal(nothing.y, DType::float32, {2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  check_equal(nothing.largest, DType::float32, {2}, {-kInfinity, -kInfinity});
  check_equal(nothing.sum, DType::float32, {2}, {0, 0});
  const AttentionGradients gradients =
      attention_backward(ones({2, 4}), q, zeros({0, 3}), zeros({0, 4}), nothing);
  check_equal(gradients.q, DType::float32, {2, 3}, {0, 0, 0, 0, 0, 0});
  CHECK(gradients.k.shape() == Shape{0, 3});
}

DEVICE_TEST_CASE("attention over empty axes") {
  std::mt19937_64 engine(4);
  for (const Sizes& of : {Sizes{{0}, 3, 4, 2, 2}, Sizes{{2}, 0, 4, 2, 2}, Sizes{{2}, 3, 0, 2, 2},
                          Sizes{{2}, 3, 4, 0, 2}, Sizes{{2}, 3, 4, 2, 0},
                          // Several tiles of queries share keys that are packed.
                          Sizes{{8}, 150, 9, 0, 2}, Sizes{{8}, 150, 9, 2, 0}}) {
    INFO(of.queries << " " << of.keys << " " << of.size << " " << of.width);
    check_case(Case(engine, of, DType::float32));
    check_case(Case(engine, of, DType::float64, true));
  }
}

DEVICE_TEST_CASE("The scale of attention may be anything") {
  std::mt19937_64 engine(5);
  for (const double scale : {0.0, 1.0, -0.5, 3.0}) {
    Case c(engine, {{}, 70, 135, 4, 3}, DType::float64);
    c.options.scale = c.scale = scale;
    check_case(c);
  }
}

DEVICE_TEST_CASE("The scale of attention may be the largest number of its dtype") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const double most = dtype == DType::float32 ? std::numeric_limits<float>::max()
                                                : std::numeric_limits<double>::max();
    // Every score is the same, and so is every weight.
    const Array q = zeros({2, 3}, dtype);
    const Array k = ones({5, 3}, dtype);
    const Array v = arange(0, 10, 1, dtype).reshape({5, 2});
    const AttentionOptions options{.scale = most};
    const AttentionResult got = attention_forward(q, k, v, options);
    CHECK(all_close(got.y, array({{4, 5}, {4, 5}}).astype(dtype), 1e-6, 0));
    const Array dv = attention_backward(ones({2, 2}, dtype), q, k, v, got, options).v;
    CHECK(all_close(dv, full({5, 2}, 0.4, dtype), 1e-6, 0));
  }
}

DEVICE_TEST_CASE("Keys that no query sees are not read") {
  std::mt19937_64 engine(8);
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const auto& [queries, keys] : {std::pair{1, 2}, {10, 20}, {70, 300}}) {
      INFO(queries << " " << keys);
      Case c(engine, {{2}, queries, keys, 5, 4}, dtype, true);
      c.k.array.slice(1, queries, keys).fill(std::nan(""));
      c.v.array.slice(1, queries, keys).fill(kInfinity);
      const AttentionResult got = c.run();
      check_near(got.y, c.reference().y, 1e-5 / epsilon(DType::float32), 1);
      const AttentionGradients gradients = c.gradients(got);
      CHECK(first_not_finite(gradients.q) == -1);
      for (const Array& of_keys : {gradients.k, gradients.v}) {
        CHECK(first_not_finite(of_keys) == -1);
        CHECK(max(abs(of_keys.slice(1, queries, keys))).item() == 0.0);
      }
    }
  }
}

DEVICE_TEST_CASE("Scores far apart neither overflow nor lose the answer") {
  // Products of +-10^6: the softmax is all on one key, first, last, or in another tile.
  for (const DType dtype : {DType::float32, DType::float64}) {
    Array k = full({300, 1}, -1000.0, dtype);
    const Array v = arange(0, 300, 1, dtype).reshape({300, 1});
    for (const std::int64_t winner : {0, 127, 128, 299}) {
      k.fill(-1000.0);
      k.slice(0, winner, winner + 1).fill(1000.0);
      const AttentionResult got = attention_forward(full({2, 1}, 1000.0, dtype), k, v);
      CHECK(got.y.item({1, 0}) == static_cast<double>(winner));
      CHECK(logsumexp_of(got, 1.0).item({0}) == 1e6);
    }
  }
}

/// Scores s^2 + a_t b_j, exact in their dtype, whose products with the scale are not.
struct LargeScores {
  DType dtype;
  double s;
  double step;  ///< Step of b: the scores' last digit, or more.
};

void check_large_scores(const LargeScores& of, std::int64_t queries, std::int64_t keys) {
  const DType wide_type = DType::float64;
  const Array a = remainder(arange(queries), 3.0).astype(wide_type) - 1.0;
  const Array b = (remainder(arange(keys), 7.0).astype(wide_type) - 3.0) * of.step;
  const Array q = stack({full({queries}, of.s, wide_type), a}, 1);
  const Array k = stack({full({keys}, of.s, wide_type), b}, 1);
  const Array v = random_normal({keys, 3}, 0, 1, wide_type, {2, 1});
  const Array dy = random_normal({queries, 3}, 0, 1, wide_type, {2, 2});
  const double scale = 1.0 / std::sqrt(2.0);

  const Array p = softmax(outer(a, b) * scale);
  const Array dp = matmul(dy, v.transpose());
  const Array ds = p * (dp - sum(p * dp, {-1}, true)) * scale;
  const Tensor tq(q.astype(of.dtype), true);
  const Tensor tk(k.astype(of.dtype), true);
  const Tensor tv(v.astype(of.dtype), true);
  const Tensor y = attention(tq, tk, tv);
  sum(y * Tensor(dy.astype(of.dtype))).backward();

  const auto check = [&](const Array& got, const Array& wanted, const Array& sizes) {
    // Relative to the size of the terms that are summed.
    const Array error = abs(got.astype(wide_type) - wanted) / (sizes + 1e-300);
    CHECK(max(error).item() < (of.dtype == DType::float32 ? 1e-5 : 1e-13));
  };
  check(y.value(), matmul(p, v), matmul(p, abs(v)));
  const Array slopes = p * (abs(dp) + sum(p * abs(dp), {-1}, true)) * scale;
  check(tq.grad(), matmul(ds, k), matmul(slopes, abs(k)));
  check(tk.grad(), matmul(ds.transpose(), q), matmul(slopes.transpose(), abs(q)));
  check(tv.grad(), matmul(p.transpose(), dy), matmul(p.transpose(), abs(dy)));
}

DEVICE_TEST_CASE("Scores of any size weigh by their differences, and so in the gradients") {
  for (const LargeScores& of : {LargeScores{f4, 0x1p10, 1}, LargeScores{f4, 0x1p20, 0x1p17},
                                LargeScores{f4, 0x1p40, 0x1p57}, LargeScores{f8, 0x1p17, 1},
                                LargeScores{f8, 0x1p34, 0x1p16}}) {
    for (const auto& [queries, keys] : {std::pair{1, 5}, {3, 40}, {70, 400}}) {
      INFO(to_string(of.dtype) << " " << of.s << ", " << queries << " by " << keys);
      check_large_scores(of, queries, keys);
    }
  }
}

TEST_CASE("attention refuses a scale that its dtype cannot hold") {
  const Array x = ones({2, 3});
  CHECK_THROWS_WITH_TEXT(attention(x, x, x, {.scale = 1e-50}), ArgumentError,
                         "[attention] scale: expected a number that float32 can hold");
  CHECK_THROWS_AS(attention(x, x, x, {.scale = -1e39}), ArgumentError);
  CHECK(attention(x.astype(f8), x, x, {.scale = 1e-50}).item({0, 0}) == Approx(1.0));
}

DEVICE_TEST_CASE("attention hands NaN and infinite scores on as softmax does") {
  const Array v = ones({300, 2});
  for (const std::int64_t at : {0, 1, 200, 299}) {
    const Array k = zeros({300, 1});
    k.slice(0, at, at + 1).fill(std::nan(""));
    CHECK(std::isnan(attention(ones({1, 1}), k, v).item({0, 1})));
    k.slice(0, at, at + 1).fill(kInfinity);
    CHECK(std::isnan(attention(ones({1, 1}), k, v).item({0, 1})));
    k.slice(0, at, at + 1).fill(-kInfinity);
    CHECK(attention(ones({1, 1}), k, v).item({0, 1}) == Approx(1.0));
  }
  const Array late = zeros({300, 1});  // a whole tile and more that weighs nothing
  late.slice(0, 0, 200).fill(-kInfinity);
  CHECK(attention(ones({1, 1}), late, arange(0, 300).reshape({300, 1})).item() == Approx(249.5));
  const Array never = full({300, 1}, -kInfinity);
  CHECK(std::isnan(attention(ones({1, 1}), never, v).item({0, 0})));
  // NaN stays with its query.
  const Array q = array({{1}, {std::nan("")}, {1}});
  const Array y = attention(q, zeros({3, 1}), ones({3, 1}));
  CHECK(y.item({0, 0}) == 1.0);
  CHECK(std::isnan(y.item({1, 0})));
  CHECK(y.item({2, 0}) == 1.0);
}

TEST_CASE("Keys and values that are not finite spoil no query before them") {
  on_each_device([] {
    std::mt19937_64 engine(8);
    const auto are_near = [](const Array& a, const Array& b) {
      const std::vector<double> expected = b.to_vector<double>();
      return std::ranges::equal(a.to_vector<double>(), expected, [](double x, double y) {
        return std::abs(x - y) < 1e-5;  // which NaN is not
      });
    };
    for (const DType dtype : {DType::float64, DType::float32}) {
      for (const std::int64_t queries : {5, 150}) {  // a tile alone, and tiles that are packed
        for (const std::int64_t width : {2, 70}) {   // more than a panel of columns
          INFO(to_string(dtype) << " " << queries << " " << width);
          Case c(engine, {{}, queries, queries, 3, width}, dtype, true);
          const std::int64_t bad = queries > 100 ? 100 : 3;
          c.k.array.slice(0, bad, bad + 1).fill(0.0);
          c.v.array.slice(0, bad, bad + 1).fill(0.0);
          const AttentionResult clean = c.run();
          const AttentionGradients clean_gradients = c.gradients(clean);
          c.v.array.slice(0, bad, bad + 1).fill(kInfinity);
          const AttentionResult beyond = c.run();
          CHECK(are_near(beyond.y.slice(0, 0, bad), clean.y.slice(0, 0, bad)));
          CHECK(beyond.y.item({bad, width - 1}) == kInfinity);
          CHECK(beyond.y.item({queries - 1, 0}) == kInfinity);
          c.k.array.slice(0, bad, bad + 1).fill(std::nan(""));
          const AttentionResult got = c.run();
          const AttentionGradients gradients = c.gradients(got);
          CHECK(are_near(got.y.slice(0, 0, bad), clean.y.slice(0, 0, bad)));
          CHECK(are_near(gradients.q.slice(0, 0, bad), clean_gradients.q.slice(0, 0, bad)));
          for (const std::int64_t late : {bad, queries - 1}) {
            CHECK(std::isnan(got.y.item({late, 0})));
            CHECK(std::isnan(gradients.q.item({late, 0})));
          }
        }
      }
    }
  });
}

DEVICE_TEST_CASE("Gradients of attention agree with central differences") {
  std::mt19937_64 engine(6);
  const auto check = [](Case& c) {
    const auto loss = [&] { return inner_product(c.dy.values, c.reference().y); };
    const AttentionGradients got = c.gradients(c.run());
    constexpr double units = 1e-7 / 0x1p-52;
    check_near(got.q, central_differences(c.q.values, loss), units, 1);
    check_near(got.k, central_differences(c.k.values, loss), units, 1);
    check_near(got.v, central_differences(c.v.values, loss), units, 1);
  };
  for (const bool causal : {false, true}) {
    for (const Sizes& of :
         {Sizes{{}, 1, 1, 1, 1}, Sizes{{2}, 3, 5, 2, 3}, Sizes{{2, 2}, 5, 3, 3, 1},
          Sizes{{}, 66, 4, 1, 2}, Sizes{{}, 3, 131, 1, 1}}) {
      INFO(to_string(of.leading) << " " << of.queries << " " << of.keys);
      Case c(engine, of, DType::float64, causal);
      check(c);
      if (of.leading.empty()) continue;
      c.draw_lengths(engine, {of.leading[0], 1});
      if (of.leading.rank() == 1) c.draw_lengths(engine, {of.leading[0]});
      check(c);
    }
  }
  Case shared(engine, {{2, 2}, 3, 4, 2, 2}, DType::float64);
  shared.k = random_operand(engine, {1, 4, 2}, DType::float64);
  shared.v = random_operand(engine, {2, 1, 4, 2}, DType::float64);
  check(shared);
}

TEST_CASE("Hundreds of random attentions agree with plain loops") {
  for (std::uint64_t number = 1; number <= 300; ++number) {
    INFO("trial " << number);
    std::mt19937_64 engine(number);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(engine() % n); };
    Sizes of{{}, below(90), below(170), 1 + below(9), 1 + below(9)};
    for (std::int64_t axes = below(3); axes > 0; --axes) of.leading.push_back(1 + below(3));
    const DType dtype = below(2) == 0 ? DType::float32 : DType::float64;
    Case c(engine, of, dtype, below(2) == 0, all_layouts()[static_cast<std::size_t>(below(5))]);
    if (below(2) == 0) c.draw_lengths(engine, of.leading);
    check_case(c);
  }
}

TEST_CASE("attention over 8192 steps takes memory linear in them and equals the unfused one") {
  const Array q = random_normal({8192, 64}, 0, 1, DType::float32, {1, 1});
  const Array k = random_normal({8192, 64}, 0, 1, DType::float32, {1, 2});
  const Array v = random_normal({8192, 64}, 0, 1, DType::float32, {1, 3});
  const Array dy = random_normal({8192, 64}, 0, 1, DType::float32, {1, 4});
  reset_peak_memory();
  const MemoryStats before = memory_stats();
  {
    const AttentionResult got = attention_forward(q, k, v, {.causal = true});
    // The answer of 2 MiB, two numbers a query, and tiles or (on a GPU) rounded copies of keys and
    // values: nowhere near the 268 MB of the scores.
    CHECK(memory_stats().peak - before.used < 8 * 1024 * 1024);
    reset_peak_memory();
    const AttentionGradients gradients = attention_backward(dy, q, k, v, got, {.causal = true});
    CHECK(memory_stats().peak - before.used < 16 * 1024 * 1024);
  }
  CHECK(memory_stats().used == before.used);
  CHECK(memory_stats().arrays == before.arrays);
  const Array y = attention(q, k, v);
  // A block of queries sees all keys, so that blocks are the whole in parts.
  for (const std::int64_t start : {0, 4096, 7168}) {
    const Array part = unfused::attention_forward(q.slice(0, start, start + 1024), k, v).y;
    CHECK(all_close(y.slice(0, start, start + 1024), part, 1e-5, 1e-5));
  }
}

TEST_CASE("attention over a few steps takes no more memory than these need") {
  const Array q = random_normal({5, 8}, 0, 1, DType::float32, {1, 1});
  const Array k = random_normal({7, 8}, 0, 1, DType::float32, {1, 2});
  reset_peak_memory();
  const MemoryStats before = memory_stats();
  const AttentionResult got = attention_forward(q, k, k);
  attention_backward(got.y, q, k, k, got);
  // A tile of 128 x 128 scores alone would be 64 KiB.
  CHECK(memory_stats().peak - before.used < 4 * 1024);
}

TEST_CASE("attention promotes, and answers bfloat16 and integers by its composition") {
  const LogCapture log;
  on_each_device([] {
    const Array q = array({{1, 0}, {-1, 2}});
    const Array k = array({{1, 1}, {0, 2}, {-1, 0}});
    const Array v = array({{1}, {2}, {3}});
    const AttentionResult expected = attention_forward(q, k, v, {.causal = true});
    CHECK(attention(q, k.astype(DType::float64), v).dtype() == DType::float64);
    for (const DType dtype : {DType::int32, DType::int64, DType::bfloat16}) {
      const AttentionResult got =
          attention_forward(q.astype(dtype), k.astype(dtype), v.astype(dtype), {.causal = true});
      CHECK(got.y.dtype() == (dtype == DType::bfloat16 ? DType::float32 : DType::float64));
      CHECK(all_close(got.y, expected.y, 1e-6, 1e-6));
      CHECK(all_close(logsumexp_of(got, 1.0), logsumexp_of(expected, 1.0), 1e-6, 1e-6));
    }
  });
  CHECK(log.count(LogLevel::warning, "[attention]") == 1);
}

TEST_CASE("attention refuses shapes that do not fit") {
  const Array q = zeros({2, 4, 3});
  CHECK_THROWS_WITH_TEXT(attention(q, zeros({5, 2}), zeros({5, 2})), ShapeError,
                         "[attention] expected q [..., T, d], k [..., S, d] and v [..., S, dv], "
                         "got [2, 4, 3], [5, 2] and [5, 2]");
  CHECK_THROWS_AS(attention(q, zeros({5, 3}), zeros({4, 2})), ShapeError);
  CHECK_THROWS_AS(attention(zeros({3}), zeros({5, 3}), zeros({5, 2})), ShapeError);
  CHECK_THROWS_AS(attention(q, zeros({3, 5, 3}), zeros({5, 2})), ShapeError);
  const Array k = zeros({2, 5, 3});
  CHECK_THROWS_AS(attention(q, k, k, {.key_lengths = arange(3)}), ShapeError);
  CHECK_THROWS_WITH_TEXT(attention(q, k, k, {.key_lengths = zeros({2})}), DTypeError,
                         "expected integer key_lengths, got float32");
  const Array rows = zeros({2, 4});
  CHECK_THROWS_WITH_TEXT(attention_backward(zeros({4, 3}), q, k, k, {q, rows, rows}), ShapeError,
                         "dy of shape [2, 4, 3], got [4, 3]");
  CHECK_THROWS_AS(attention_backward(q, q, k, k, {q, zeros({2, 4, 1}), rows}), ShapeError);
  CHECK_THROWS_AS(attention_backward(q, q, k, k, {q, rows, zeros({2, 4, 1})}), ShapeError);
}

}  // namespace
}  // namespace gaia::test
