// SPDX-License-Identifier: MIT
/// \file
/// Attention by tensor cores against the same in float64, where tiles of queries and keys begin and
/// end.
#include <limits>

#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../../src/array/precision.h"
#include "../../src/array/unfused.h"
#include "as_on_cpu.h"

namespace gaia::test {
namespace {

struct Problem {
  DType dtype;
  MatmulPrecision precision;
  std::int64_t queries, keys, size;
  bool causal = false;
};

/// How far answers may be off, relative to the norm of all of them, and logsumexp.
struct Limits {
  double y;
  double logsumexp;
};

/// Operands that are rounded already cost nothing more; weights are rounded in any case.
Limits limits_of(const Problem& problem) {
  if (problem.dtype == DType::bfloat16) return {4e-3, 2e-6};
  return problem.precision == MatmulPrecision::tf32 ? Limits{1e-3, 2e-3} : Limits{8e-3, 2e-2};
}

double relative_error(const std::vector<double>& got, const std::vector<double>& wanted) {
  double error = 0;
  double norm = 0;
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    norm += wanted[i] * wanted[i];
  }
  return norm == 0 ? error : std::sqrt(error / norm);
}

double largest_error(const std::vector<double>& got, const std::vector<double>& wanted) {
  double largest = 0;
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == wanted[i]) continue;  // infinities too
    const double error = std::abs(got[i] - wanted[i]) / std::max(1.0, std::abs(wanted[i]));
    largest = error <= largest ? largest : error;
  }
  return largest;
}

/// On the current device: q [2, 2, T, d] with rows in strides, k one for two heads, v turned.
struct Operands {
  Array q, k, v;

  explicit Operands(const Problem& problem) {
    std::mt19937_64 engine(11);
    const auto draw = [&](const Shape& shape) { return some(engine, shape, problem.dtype); };
    q = draw({2, problem.queries, 2, problem.size}).swapaxes(1, 2);
    k = draw({2, 1, problem.keys, problem.size});
    v = draw({2, 2, problem.keys, problem.size});
  }
};

AttentionOptions options_of(const Problem& problem, const std::vector<double>& lengths) {
  AttentionOptions options{.scale = 0.125, .causal = problem.causal};
  if (!lengths.empty()) options.key_lengths = from_values(lengths, {2, 1}).astype(DType::int64);
  return options;
}

/// Checks the answers under every schedule.
void check_problem(const Problem& problem, const std::vector<double>& lengths = {},
                   double absent = 0.0) {
  INFO(to_string(problem.dtype) << " " << to_string(problem.precision) << " " << problem.queries
                                << " " << problem.keys << " " << problem.size << " "
                                << problem.causal);
  std::vector<double> y;
  std::vector<double> logsumexp;
  {
    const Operands x(problem);
    const auto wide = [](const Array& a) { return a.astype(DType::float64); };
    const AttentionResult wanted =
        unfused::attention_forward(wide(x.q), wide(x.k), wide(x.v), options_of(problem, lengths));
    y = wanted.y.to_vector<double>();
    logsumexp = wanted.logsumexp.to_vector<double>();
  }
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
  const MatmulPrecisionScope allowed(problem.precision);
  std::vector<double> before;
  for_each_schedule([&](const std::string& schedule) {
    INFO(schedule);
    const Operands x(problem);
    if (!lengths.empty()) {
      const auto longest =
          static_cast<std::int64_t>(*std::max_element(lengths.begin(), lengths.end()));
      x.k.slice(2, longest, {}).fill(absent);
      x.v.slice(2, longest, {}).fill(absent);
    }
    const AttentionResult got = attention_forward(x.q, x.k, x.v, options_of(problem, lengths));
    REQUIRE(got.y.dtype() == DType::float32);
    REQUIRE(got.logsumexp.dtype() == DType::float32);
    const std::vector<double> numbers = got.y.to_vector<double>();
    CHECK(relative_error(numbers, y) < limits_of(problem).y);
    CHECK(largest_error(got.logsumexp.to_vector<double>(), logsumexp) <
          limits_of(problem).logsumexp);
    if (before.empty()) before = numbers;
    CHECK((numbers == before));
  });
}

TEST_CASE("Attention by tensor cores agrees with float64 around tiles") {
  for (const auto& [dtype, precision] : {std::pair{DType::bfloat16, MatmulPrecision::full},
                                         std::pair{DType::float32, MatmulPrecision::tf32},
                                         std::pair{DType::float32, MatmulPrecision::bfloat16}}) {
    for (const bool causal : {false, true}) {
      check_problem({dtype, precision, 65, 63, 64, causal});
      if (precision == MatmulPrecision::bfloat16) continue;  // the same kernel as of bfloat16
      check_problem({dtype, precision, 1, 1, 64, causal});
      check_problem({dtype, precision, 130, 70, 64, causal});
      check_problem({dtype, precision, 17, 130, 128, causal});
      check_problem({dtype, precision, 66, 33, 128, causal});
    }
  }
}

TEST_CASE("Tensor cores do not read keys that are not there") {
  for (const double absent : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const auto& [dtype, precision] : {std::pair{DType::bfloat16, MatmulPrecision::full},
                                           std::pair{DType::float32, MatmulPrecision::tf32}}) {
      for (const bool causal : {false, true}) {
        check_problem({dtype, precision, 50, 70, 64, causal}, {40, 0}, absent);
      }
    }
  }
}

/// What attention answers on the emulated GPU under a precision.
std::vector<double> answer(MatmulPrecision precision, const Array& q, const Array& k,
                           const Array& v) {
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
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
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
  std::mt19937_64 engine(6);
  for (const std::int64_t size : {1, 9, 64, 72}) {
    for (const Layout layout : all_layouts()) {
      INFO(size << " " << to_string(layout));
      const Array q = some(engine, {2, 5, size}, DType::bfloat16, layout);
      const Array k = some(engine, {2, 7, size}, DType::bfloat16, layout);
      const Array y = attention(q, k, k);
      const auto wide = [](const Array& x) { return x.astype(DType::float64); };
      CHECK(y.dtype() == DType::float32);
      const Array wanted = unfused::attention_forward(wide(q), wide(k), wide(k)).y;
      CHECK(relative_error(y.to_vector<double>(), wanted.to_vector<double>()) <
            (size == 64 ? 4e-3 : 1e-6));
    }
  }
}

TEST_CASE("NaN and infinite scores stay in the rows that have them") {
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
  std::mt19937_64 engine(8);
  const Array q = some(engine, {3, 64}, DType::bfloat16);
  q.slice(0, 1, 2).fill(std::nan(""));
  const Array k = some(engine, {40, 64}, DType::bfloat16);
  const std::vector<double> y = attention(q, k, k).to_vector<double>();
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i / 64 == 1));
}

TEST_CASE("Gradients follow attention by tensor cores") {
  for (const auto& [dtype, precision, limit] :
       {std::tuple{DType::bfloat16, MatmulPrecision::full, 8e-3},
        std::tuple{DType::float32, MatmulPrecision::tf32, 2e-3}}) {
    INFO(to_string(dtype));
    const Problem problem{dtype, precision, 20, 33, 64, true};
    const Operands x(problem);
    const auto wide = [](const Array& a) { return a.astype(DType::float64); };
    const AttentionOptions options{.causal = true};
    const AttentionResult there = attention_forward(wide(x.q), wide(x.k), wide(x.v), options);
    const Array dy = ones({2, 2, 20, 64});
    const AttentionGradients wanted =
        attention_backward(wide(dy * x.q.astype(DType::float32)), wide(x.q), wide(x.k), wide(x.v),
                           there.y, there.logsumexp, options);
    const EmulatedDevice emulated;
    const GPUContext scope(EmulatedDevice::device());
    const MatmulPrecisionScope allowed(precision);
    const AttentionResult here = attention_forward(x.q, x.k, x.v, options);
    const AttentionGradients got =
        attention_backward(dy * x.q, x.q, x.k, x.v, here.y, here.logsumexp, options);
    const auto error = [](const Array& a, const Array& b) {
      CHECK(a.dtype() == DType::float32);
      return relative_error(a.to_vector<double>(), b.to_vector<double>());
    };
    CHECK(error(got.q, wanted.q) < limit);
    CHECK(error(got.k, wanted.k) < limit);
    CHECK(error(got.v, wanted.v) < limit);
  }
}

}  // namespace
}  // namespace gaia::test
