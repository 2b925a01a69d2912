// SPDX-License-Identifier: MIT
#include "facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../src/array/create.h"
#include "../../src/array/fused.h"
#include "../../src/array/ops.h"
#include "../../src/array/precision.h"

namespace gaia::bench {
namespace {

constexpr std::int64_t kSide = 192;

std::size_t place(std::int64_t row, std::int64_t column, std::int64_t columns) {
  return static_cast<std::size_t>(row * columns + column);
}

/// The largest difference, relative to the largest number; NaN if there is one.
double error_of_largest(const std::vector<double>& answer, const std::vector<double>& right) {
  double largest = 0.0;
  double off = 0.0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    largest = std::max(largest, std::abs(right[i]));
    const double here = std::abs(answer[i] - right[i]);
    if (!(here <= off)) off = here;
  }
  return off / largest;
}

/// a [n, n] b^T [n, n] in double.
std::vector<double> product_with_transposed(const std::vector<double>& a,
                                            const std::vector<double>& b, std::int64_t rows,
                                            std::int64_t terms) {
  std::vector<double> y(static_cast<std::size_t>(rows * rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < rows; ++j) {
      double sum = 0.0;
      for (std::int64_t l = 0; l < terms; ++l) sum += a[place(i, l, terms)] * b[place(j, l, terms)];
      y[place(i, j, rows)] = sum;
    }
  }
  return y;
}

/// Attention of one head, softmax(q k^T / sqrt(features)) v, in double.
std::vector<double> attention_of(const std::vector<double>& q, const std::vector<double>& k,
                                 const std::vector<double>& v, std::int64_t steps,
                                 std::int64_t features) {
  std::vector<double> weights = product_with_transposed(q, k, steps, features);
  std::vector<double> y(static_cast<std::size_t>(steps * features));
  for (std::int64_t i = 0; i < steps; ++i) {
    double sum = 0.0;
    for (std::int64_t j = 0; j < steps; ++j) {
      double& weight = weights[place(i, j, steps)];
      weight = std::exp(weight / std::sqrt(static_cast<double>(features)));
      sum += weight;
    }
    for (std::int64_t j = 0; j < steps; ++j) {
      const double weight = weights[place(i, j, steps)] / sum;
      for (std::int64_t f = 0; f < features; ++f) {
        y[place(i, f, features)] += weight * v[place(j, f, features)];
      }
    }
  }
  return y;
}

/// gelu in the tanh form of products of one term, of few bits each, so that no precision rounds
/// them: what is left is the error of the gelu.
double error_of_gelu(MatmulPrecision precision) {
  constexpr std::int64_t n = 64;
  std::vector<float> x(n * 8, 0.0f);
  std::vector<float> weights(n * 8, 0.0f);
  for (std::int64_t i = 0; i < n; ++i) {
    x[place(i, 0, 8)] = static_cast<float>(2 * i + 1 - n) / 64.0f;
    weights[place(i, 0, 8)] = static_cast<float>(i + 1) / 8.0f;
  }
  const MatmulPrecisionScope allowed(precision);
  const std::vector<double> y =
      linear_gelu(from_values(x, {n, 8}), from_values(weights, {n, 8})).to_vector<double>();
  double error = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double z = double{x[place(i, 0, 8)]} * double{weights[place(j, 0, 8)]};
      const double inner = std::sqrt(2.0 / 3.14159265358979323846) * (z + 0.044715 * z * z * z);
      const double right = 0.5 * z * (1.0 + std::tanh(inner));
      const double off = std::abs(y[place(i, j, n)] - right) / std::max(1.0, std::abs(right));
      if (!(off <= error)) error = off;
    }
  }
  return error;
}

Fact fact_of_memory(Device device) {
  { const Array some = ones({1 << 20}); }
  synchronize();
  const bool keeps = memory_stats(device).reserved > memory_stats(device).used;
  return {.what = "memory given back is",
          .text = keeps ? "kept in reserve, in a pool" : "given to the system: there is no pool"};
}

}  // namespace

std::vector<Fact> find_facts(Device device) {
  const GPUContext scope(device);
  std::vector<Fact> facts = {fact_of_memory(device)};

  const Array a = random_normal({kSide, kSide}, 0.0, 1.0, DType::float32, {7, 1});
  const Array b = random_normal({kSide, kSide}, 0.0, 1.0, DType::float32, {7, 2});
  const std::vector<double> right =
      product_with_transposed(a.to_vector<double>(), b.to_vector<double>(), kSide, kSide);
  constexpr std::int64_t features = 64;
  const auto operand = [](std::uint64_t stream) {
    return random_normal({1, 1, kSide, features}, 0.0, 1.0, DType::float32, {7, stream});
  };
  const Array q = operand(3), k = operand(4), v = operand(5);
  const std::vector<double> attended = attention_of(q.to_vector<double>(), k.to_vector<double>(),
                                                    v.to_vector<double>(), kSide, features);
  struct Allowed {
    MatmulPrecision precision;
    double most;
  };
  for (const Allowed& one :
       {Allowed{MatmulPrecision::full, 1e-5}, Allowed{MatmulPrecision::tf32, 5e-3},
        Allowed{MatmulPrecision::bfloat16, 3e-2}}) {
    const std::string name = to_string(one.precision);
    const MatmulPrecisionScope allowed(one.precision);
    facts.push_back({"product in " + name,
                     error_of_largest(matmul(a, b.transpose()).to_vector<double>(), right),
                     one.most});
    facts.push_back({"attention in " + name,
                     error_of_largest(attention(q, k, v).to_vector<double>(), attended), one.most});
  }
  facts.push_back({"linear_gelu in full", error_of_gelu(MatmulPrecision::full), 1e-5});
  Fact epilogue{"linear_gelu where TF32 is allowed", error_of_gelu(MatmulPrecision::tf32), 1e-3};
  if (epilogue.error > 1e-5) epilogue.text = "so full takes a product and a pass";
  facts.push_back(epilogue);
  return facts;
}

std::string to_text(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) {
    text += fact.most > 0.0
                ? fmt::format("{:36}{:10.1e}, {:.0e} allowed", fact.what, fact.error, fact.most)
                : fmt::format("{:36}", fact.what);
    if (!fact.text.empty()) text += (fact.most > 0.0 ? "; " : "") + fact.text;
    text += fact.is_bad() ? "  TOO MUCH\n" : "\n";
  }
  return text;
}

}  // namespace gaia::bench
