// SPDX-License-Identifier: MIT
/// \file
/// Attention that tensor cores take: its operands, and how far its answers are off.
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>
#include <utility>
#include <vector>

#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../../src/array/precision.h"
#include "../../src/array/unfused.h"
#include "../support/catch.h"
#include "../support/operands.h"

namespace gaia::test {

struct AttentionProblem {
  DType dtype;
  MatmulPrecision precision;
  std::int64_t queries, keys, size;
  bool causal = false;
};

inline double relative_error(const std::vector<double>& got, const std::vector<double>& wanted) {
  double error = 0;
  double norm = 0;
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    norm += wanted[i] * wanted[i];
  }
  return norm == 0 ? error : std::sqrt(error / norm);
}

inline double largest_error(const std::vector<double>& got, const std::vector<double>& wanted) {
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
struct AttentionOperands {
  Array q, k, v;

  explicit AttentionOperands(const AttentionProblem& problem) {
    std::mt19937_64 engine(11);
    const auto draw = [&](const Shape& shape) {
      return random_operand(engine, shape, problem.dtype, Layout::contiguous, -2, 2).array;
    };
    q = draw({2, problem.queries, 2, problem.size}).swapaxes(1, 2);
    k = draw({2, 1, problem.keys, problem.size});
    v = draw({2, 2, problem.keys, problem.size});
  }
};

inline AttentionOptions options_of(const AttentionProblem& problem,
                                   const std::vector<double>& lengths) {
  AttentionOptions options{.scale = 0.125, .causal = problem.causal};
  if (!lengths.empty()) options.key_lengths = from_values(lengths, {2, 1}).astype(DType::int64);
  return options;
}

inline std::ostream& operator<<(std::ostream& out, const AttentionProblem& problem) {
  return out << to_string(problem.dtype) << " " << to_string(problem.precision) << ", "
             << problem.queries << " queries, " << problem.keys << " keys of " << problem.size
             << (problem.causal ? ", causal" : "");
}

/// log of the sum over keys of exp(scale q k), of what the forward pass keeps.
inline Array logsumexp_of(const AttentionResult& forward, double scale) {
  return log(forward.sum) + forward.largest * std::abs(scale);
}

/// How far answers may be off, relative to the norm of all of them, and logsumexp.
struct AttentionLimits {
  double y;
  double logsumexp;
  double gradients;
};

/// Operands that are rounded already cost nothing more; weights are rounded in any case, by 2^-9
/// (bfloat16) or 2^-12 (TF32), and gradients are computed from differences.
inline AttentionLimits limits_of(const AttentionProblem& problem) {
  if (problem.dtype == DType::bfloat16) return {4e-3, 2e-6, 6e-3};
  return problem.precision == MatmulPrecision::tf32 ? AttentionLimits{1e-3, 2e-3, 1.5e-3}
                                                    : AttentionLimits{8e-3, 2e-2, 7e-3};
}

/// Numbers of attention and of its gradients, for slopes dy in strides.
struct AttentionNumbers {
  std::vector<double> y, logsumexp, dq, dk, dv;

  AttentionNumbers(const AttentionResult& forward, const AttentionGradients& back)
      : y(forward.y.to_vector<double>()),
        logsumexp(logsumexp_of(forward, 0.125).to_vector<double>()),
        dq(back.q.to_vector<double>()),
        dk(back.k.to_vector<double>()),
        dv(back.v.to_vector<double>()) {}
};

inline Array slopes_of(const AttentionProblem& problem) {
  std::mt19937_64 engine(12);
  const Shape shape = {2, problem.queries, 2, problem.size};
  return random_operand(engine, shape, DType::float32, Layout::contiguous, -2, 2)
      .array.swapaxes(1, 2);
}

inline Array wide(const Array& x) { return x.astype(DType::float64); }

/// By plain operations in float64 on the CPU.
inline AttentionNumbers exact_attention(const AttentionProblem& problem,
                                        const std::vector<double>& lengths = {}) {
  const GPUContext cpu(Device::cpu());
  const AttentionOperands x(problem);
  const AttentionOptions options = options_of(problem, lengths);
  const AttentionResult forward =
      unfused::attention_forward(wide(x.q), wide(x.k), wide(x.v), options);
  return {forward, unfused::attention_backward(wide(slopes_of(problem)), wide(x.q), wide(x.k),
                                               wide(x.v), forward, options)};
}

/// By attention on the current device; keys and values that are not there become `absent`.
inline AttentionNumbers computed_attention(const AttentionProblem& problem,
                                           const std::vector<double>& lengths = {},
                                           double absent = 0.0) {
  const MatmulPrecisionScope allowed(problem.precision);
  const AttentionOperands x(problem);
  if (!lengths.empty()) {
    const auto longest =
        static_cast<std::int64_t>(*std::max_element(lengths.begin(), lengths.end()));
    x.k.slice(2, longest, {}).fill(absent);
    x.v.slice(2, longest, {}).fill(absent);
  }
  const AttentionOptions options = options_of(problem, lengths);
  const AttentionResult forward = attention_forward(x.q, x.k, x.v, options);
  const AttentionGradients back =
      attention_backward(slopes_of(problem), x.q, x.k, x.v, forward, options);
  for (const Array& one : {forward.y, forward.largest, forward.sum, back.q, back.k, back.v}) {
    CHECK(one.dtype() == DType::float32);
  }
  return {forward, back};
}

inline void check_attention(const AttentionNumbers& got, const AttentionNumbers& wanted,
                            const AttentionLimits& limits) {
  CHECK(relative_error(got.y, wanted.y) < limits.y);
  CHECK(largest_error(got.logsumexp, wanted.logsumexp) < limits.logsumexp);
  CHECK(relative_error(got.dq, wanted.dq) < limits.gradients);
  CHECK(relative_error(got.dk, wanted.dk) < limits.gradients);
  CHECK(relative_error(got.dv, wanted.dv) < limits.gradients);
}

/// Dtypes and precisions for which there are kernels of their own.
inline std::vector<std::pair<DType, MatmulPrecision>> tensor_core_kinds() {
  return {{DType::bfloat16, MatmulPrecision::full}, {DType::float32, MatmulPrecision::tf32}};
}

}  // namespace gaia::test
