// SPDX-License-Identifier: MIT
/// \file
/// Attention by tensor cores, and its gradients, against the same in float64, where tiles of
/// queries and keys begin and end.
#include <array>
#include <limits>

#include "../reference/attention_problem.h"
#include "as_on_cpu.h"

namespace gaia::test {
namespace {

/// Checks the numbers, and that they have the same bits under every schedule.
void check_problem(const AttentionProblem& problem, const std::vector<double>& lengths = {},
                   double absent = 0.0) {
  INFO(problem);
  const AttentionNumbers wanted = exact_attention(problem, lengths);
  const OnEmulatedDevice emulated;
  std::optional<AttentionNumbers> before;
  for_each_schedule([&](const std::string& schedule) {
    INFO(schedule);
    const AttentionNumbers got = computed_attention(problem, lengths, absent);
    check_attention(got, wanted, limits_of(problem));
    if (!before) before = got;
    CHECK((got.y == before->y && got.dq == before->dq && got.dk == before->dk &&
           got.dv == before->dv));
  });
}

TEST_CASE("Attention by tensor cores and its gradients agree with float64 around tiles") {
  for (const auto& [dtype, precision] : tensor_core_kinds()) {
    for (const bool causal : {false, true}) {
      check_problem({dtype, precision, 2, 2, 64, causal});
      check_problem({dtype, precision, 65, 63, 64, causal});
      check_problem({dtype, precision, 33, 150, 64, causal});
      check_problem({dtype, precision, 130, 70, 64, causal});
      check_problem({dtype, precision, 17, 130, 128, causal});
      check_problem({dtype, precision, 66, 33, 128, causal});
    }
  }
  // The same kernels as of bfloat16.
  check_problem({DType::float32, MatmulPrecision::bfloat16, 65, 63, 64, true});
}

TEST_CASE("Tensor cores do not read keys that are not there") {
  for (const double absent : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const auto& [dtype, precision] : tensor_core_kinds()) {
      for (const bool causal : {false, true}) {
        check_problem({dtype, precision, 50, 70, 64, causal}, {40, 0}, absent);
      }
    }
  }
}

TEST_CASE("Tensor cores do not read keys that no query sees") {
  const OnEmulatedDevice emulated;
  for (const auto& [dtype, precision] : tensor_core_kinds()) {
    for (const std::int64_t size : {64, 128}) {
      const AttentionProblem problem{dtype, precision, 10, 90, size, true};
      INFO(problem);
      AttentionOperands x(problem);
      x.k.slice(2, 10, {}).fill(std::nan(""));
      x.v.slice(2, 10, {}).fill(std::nan(""));
      const MatmulPrecisionScope allowed(precision);
      const AttentionOptions options = options_of(problem, {});
      const AttentionResult forward = attention_forward(x.q, x.k, x.v, options);
      const AttentionGradients back =
          attention_backward(slopes_of(problem), x.q, x.k, x.v, forward, options);
      check_attention({forward, back}, exact_attention(problem, {10, 10}), limits_of(problem));
    }
  }
}

TEST_CASE("The scale of attention by tensor cores may be the largest number") {
  const OnEmulatedDevice emulated;
  for (const auto& [dtype, precision] : tensor_core_kinds()) {
    for (const std::int64_t size : {64, 128}) {
      INFO(to_string(dtype) << " " << size);
      const MatmulPrecisionScope allowed(precision);
      const Array q = zeros({4, size}, dtype);
      const Array k = ones({8, size}, dtype);
      const AttentionOptions options{.scale = 3e38};
      const AttentionResult forward = attention_forward(q, k, k, options);
      for (const double y : forward.y.to_vector<double>()) CHECK(y == Approx(1.0));
      const Array dv = attention_backward(ones({4, size}), q, k, k, forward, options).v;
      for (const double slope : dv.to_vector<double>()) CHECK(slope == 0.5);
    }
  }
}

TEST_CASE("One query of one key has no gradient but that of the value") {
  const OnEmulatedDevice emulated;
  const AttentionProblem problem{DType::bfloat16, MatmulPrecision::full, 1, 1, 64};
  const AttentionNumbers got = computed_attention(problem);
  CHECK(largest_error(got.y, exact_attention(problem).y) < 1e-6);
  for (const double number : got.dq) CHECK(std::abs(number) < 1e-5);
  for (const double number : got.dk) CHECK(std::abs(number) < 1e-5);
}

TEST_CASE("Gradients are made in full where nothing else is allowed") {
  AttentionProblem problem{DType::float32, MatmulPrecision::full, 40, 50, 64, true};
  const AttentionNumbers wanted = exact_attention(problem);
  const OnEmulatedDevice emulated;
  const auto error = [&](MatmulPrecision precision) {
    problem.precision = precision;
    const AttentionNumbers got = computed_attention(problem);
    return std::max({relative_error(got.dq, wanted.dq), relative_error(got.dk, wanted.dk),
                     relative_error(got.dv, wanted.dv)});
  };
  CHECK(error(MatmulPrecision::full) < 2e-6);
  CHECK(error(MatmulPrecision::tf32) > 5e-5);
  CHECK(error(MatmulPrecision::bfloat16) > 5e-4);
}

/// What attention answers on the emulated GPU under a precision.
std::vector<double> answer(MatmulPrecision precision, const Array& q, const Array& k,
                           const Array& v) {
  const OnEmulatedDevice emulated;
  const MatmulPrecisionScope allowed(precision);
  return attention(q, k, v).to_vector<double>();
}

TEST_CASE("Attention of float32 is rounded only where it is allowed, and where there are kernels") {
  std::mt19937_64 engine(5);
  const auto is_rounded = [&](std::int64_t size, std::int64_t width, DType dtype) {
    const Array q = some(engine, {3, size}, dtype);
    const Array k = some(engine, {40, size}, dtype);
    const Array v = some(engine, {40, width}, dtype);
    const std::vector<double> full = answer(MatmulPrecision::full, q, k, v);
    CHECK((answer(MatmulPrecision::full, q, k, v) == full));
    return !(answer(MatmulPrecision::tf32, q, k, v) == full);
  };
  CHECK(is_rounded(64, 64, DType::float32));
  CHECK(is_rounded(128, 128, DType::float32));
  CHECK_FALSE(is_rounded(64, 64, DType::float64));
  CHECK_FALSE(is_rounded(64, 32, DType::float32));
  CHECK_FALSE(is_rounded(32, 32, DType::float32));
}

TEST_CASE("Attention of bfloat16 of any size and layout is answered by a kernel in float32") {
  const OnEmulatedDevice emulated;
  std::mt19937_64 engine(6);
  for (const std::int64_t size : {1, 9, 64, 72}) {
    for (const Layout layout : all_layouts()) {
      INFO(size << " " << to_string(layout));
      const Array q = some(engine, {2, 5, size}, DType::bfloat16, layout);
      const Array k = some(engine, {2, 7, size}, DType::bfloat16, layout);
      const Array y = attention(q, k, k);
      CHECK(y.dtype() == DType::float32);
      const Array wanted = unfused::attention_forward(wide(q), wide(k), wide(k)).y;
      CHECK(relative_error(y.to_vector<double>(), wanted.to_vector<double>()) <
            (size == 64 ? 4e-3 : 1e-6));
    }
  }
}

TEST_CASE("A single row for tensor cores may be any number of elements from the next") {
  const OnEmulatedDevice emulated;
  std::mt19937_64 engine(7);
  for (const auto& [dtype, precision] : tensor_core_kinds()) {
    const MatmulPrecisionScope allowed(precision);
    for (const std::int64_t keys : {1, 20}) {
      INFO(to_string(dtype) << " " << keys);
      const auto row = [&] { return some(engine, {3, 65}, dtype).slice(0, 0, 1).slice(1, 0, 64); };
      const Array q = row();
      const Array k = keys == 1 ? row() : some(engine, {keys, 64}, dtype);
      const Array v = keys == 1 ? row() : some(engine, {keys, 64}, dtype);
      REQUIRE(q.strides()[0] == 65);
      const AttentionResult got = attention_forward(q, k, v);
      const AttentionResult wanted = attention_forward(q.copy(), k.copy(), v.copy());
      CHECK(got.y.to_vector<double>() == wanted.y.to_vector<double>());
      const Array dy = ones({1, 64});
      const AttentionGradients back = attention_backward(dy, q, k, v, got);
      const AttentionGradients expected =
          attention_backward(dy, q.copy(), k.copy(), v.copy(), wanted);
      CHECK(back.q.to_vector<double>() == expected.q.to_vector<double>());
      CHECK(back.k.to_vector<double>() == expected.k.to_vector<double>());
      CHECK(back.v.to_vector<double>() == expected.v.to_vector<double>());
    }
  }
}

TEST_CASE("Attention by tensor cores over empty axes") {
  const OnEmulatedDevice emulated;
  for (const auto& [dtype, precision] : tensor_core_kinds()) {
    const MatmulPrecisionScope allowed(precision);
    for (const bool causal : {false, true}) {
      for (const auto& [batches, queries, keys] :
           {std::array<std::int64_t, 3>{0, 3, 4}, {2, 0, 4}, {2, 3, 0}}) {
        INFO(to_string(dtype) << " " << batches << " " << queries << " " << keys);
        const Array q = ones({batches, queries, 64}, dtype);
        const Array k = ones({batches, keys, 64}, dtype);
        const AttentionOptions options{.causal = causal};
        const AttentionResult forward = attention_forward(q, k, k, options);
        const AttentionGradients back =
            attention_backward(ones({batches, queries, 64}), q, k, k, forward, options);
        for (const Array& zero : {forward.y, forward.sum, back.q, back.k, back.v}) {
          for (const double number : zero.to_vector<double>()) CHECK(number == 0.0);
        }
        for (const double largest : forward.largest.to_vector<double>()) {
          CHECK(largest == -std::numeric_limits<double>::infinity());
        }
      }
    }
  }
}

TEST_CASE("Gradients of bfloat16 of other sizes are made by kernels in float32") {
  const AttentionProblem problem{DType::bfloat16, MatmulPrecision::full, 9, 13, 24, true};
  const OnEmulatedDevice emulated;
  check_attention(computed_attention(problem), exact_attention(problem), {2e-6, 2e-6, 2e-6});
}

TEST_CASE("Large scores weigh by their differences on tensor cores, and so in the gradients") {
  const OnEmulatedDevice emulated;
  for (const auto& [dtype, precision] : tensor_core_kinds()) {
    const MatmulPrecisionScope allowed(precision);
    // 2^40 and steps of 2^18, in which float32 holds them and their sum; products with the scale,
    // 1/8 log2(e), are off by up to 2^14.
    const Array q = zeros({20, 64}, dtype);
    q.slice(1, 0, 1).fill(0x1p20);
    q.slice(1, 1, 2).fill(1.0);
    const Array k = zeros({40, 64}, dtype);
    k.slice(1, 0, 1).fill(0x1p20);
    k.slice(1, 1, 2).assign((remainder(arange(40), 4.0) * 0x1p18).expand_dims(1).astype(dtype));
    const Array v =
        (remainder(arange(40), 4.0)).expand_dims(1).broadcast_to({40, 64}).astype(dtype);
    const AttentionResult forward = attention_forward(q, k, v);
    for (const double y : forward.y.to_vector<double>()) CHECK(y == 3.0);
    const AttentionGradients back = attention_backward(ones({20, 64}), q, k, v, forward);
    for (const double slope : back.q.to_vector<double>()) CHECK(slope == 0.0);
    const std::vector<double> dv = back.v.to_vector<double>();
    for (std::size_t i = 0; i < dv.size(); ++i) {
      CHECK(dv[i] ==
            Approx(i / 64 % 4 == 3 ? 2.0 : 0.0).epsilon(4e-3));  // 20 queries, a tenth each
    }
  }
}

TEST_CASE("A query that is NaN spoils its own answer and gradient, and no other query's") {
  const OnEmulatedDevice emulated;
  std::mt19937_64 engine(8);
  const Array q = some(engine, {3, 64}, DType::bfloat16);
  q.slice(0, 1, 2).fill(std::nan(""));
  const Array k = some(engine, {40, 64}, DType::bfloat16);
  const AttentionResult forward = attention_forward(q, k, k);
  const AttentionGradients back = attention_backward(ones({3, 64}), q, k, k, forward);
  const std::vector<double> y = forward.y.to_vector<double>();
  const std::vector<double> dq = back.q.to_vector<double>();
  for (std::size_t i = 0; i < y.size(); ++i) {
    CHECK(std::isnan(y[i]) == (i / 64 == 1));
    CHECK(std::isnan(dq[i]) == (i / 64 == 1));
  }
}

/// Attention of 90 queries with one key and one value that are not finite.
void check_not_finite(DType dtype, MatmulPrecision precision, std::int64_t size) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t bad = 37;
  constexpr std::int64_t queries = 90;
  const auto before = [](const Array& x) -> std::vector<double> {
    return x.slice(0, 0, bad).to_vector<double>();
  };
  std::mt19937_64 engine(9);
  const MatmulPrecisionScope allowed(precision);
  const Array q = some(engine, {queries, size}, dtype);
  const Array k = some(engine, {queries, size}, dtype);
  const Array v = some(engine, {queries, size}, dtype);
  const Array dy = some(engine, {queries, size}, dtype == DType::float64 ? dtype : DType::float32);
  const AttentionOptions options{.causal = true};
  const AttentionResult clean = attention_forward(q, k, v, options);
  const Array clean_dq = attention_backward(dy, q, k, v, clean, options).q;
  v.slice(0, bad, bad + 1).fill(infinity);
  const AttentionResult beyond = attention_forward(q, k, v, options);
  CHECK(before(beyond.y) == before(clean.y));
  for (const std::int64_t late : {bad, queries - 1}) {
    CHECK(beyond.y.item({late, 0}) == infinity);
    CHECK(beyond.y.item({late, size - 1}) == infinity);
  }
  k.slice(0, bad, bad + 1).fill(std::nan(""));
  const AttentionResult got = attention_forward(q, k, v, options);
  const Array dq = attention_backward(dy, q, k, v, got, options).q;
  CHECK(before(got.y) == before(clean.y));
  CHECK(before(dq) == before(clean_dq));
  for (const std::int64_t late : {bad, queries - 1}) {
    CHECK(std::isnan(got.y.item({late, 0})));
    CHECK(std::isnan(dq.item({late, size - 1})));
  }
}

TEST_CASE("Keys and values that are not finite spoil no query before them on a GPU") {
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
  for_each_schedule([](const std::string& schedule) {
    INFO(schedule);
    for (const std::int64_t size : {64, 128}) {
      INFO(size);
      for (const auto& [dtype, precision] : tensor_core_kinds()) {
        check_not_finite(dtype, precision, size);
      }
      check_not_finite(DType::float64, MatmulPrecision::full, size);  // in panels
    }
  });
}

}  // namespace
}  // namespace gaia::test
