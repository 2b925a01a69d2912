// SPDX-License-Identifier: MIT
/// \file
/// linear_gelu, layer_norm and attention by plain loops in double, and gradients of anything by
/// central differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "values.h"

namespace gaia::test {

inline double gelu_tanh(double x) {
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}
inline double gelu_exact(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

/// x [..., in], weights [out, in], bias [out].
inline Values linear(const Values& x, const Values& weights, const std::optional<Values>& bias) {
  Shape shape = x.shape;
  shape.back() = weights.shape[0];
  Values z(shape);
  for_each_index(shape, [&](const Dims& at) {
    double sum = bias ? (*bias)[{at.back()}] : 0.0;
    for (std::int64_t k = 0; k < x.shape.back(); ++k) {
      Dims from = at;
      from.back() = k;
      sum += x[from] * weights[{at.back(), k}];
    }
    z[at] = sum;
  });
  return z;
}

struct Normalized {
  Values y;
  Values mean;
  Values rstd;
};

/// Over the last `axes` axes; weight and bias have their shape.
inline Normalized layer_norm(const Values& x, const std::optional<Values>& weight,
                             const std::optional<Values>& bias, int axes, double epsilon) {
  Shape kept = x.shape;
  double count = 1.0;
  for (int axis = x.shape.rank() - axes; axis < x.shape.rank(); ++axis) {
    count *= static_cast<double>(kept[axis]);
    kept[axis] = 1;
  }
  Normalized result = {x, Values(kept), Values(kept)};
  const auto row_of = [&](const Dims& at) {
    Dims row = at;
    for (int axis = x.shape.rank() - axes; axis < x.shape.rank(); ++axis) row[axis] = 0;
    return row;
  };
  for_each_index(x.shape, [&](const Dims& at) { result.mean[row_of(at)] += x[at] / count; });
  Values variance(kept);
  for_each_index(x.shape, [&](const Dims& at) {
    const double away = x[at] - result.mean[row_of(at)];
    variance[row_of(at)] += away * away / count;
  });
  for_each_index(kept,
                 [&](const Dims& at) { result.rstd[at] = 1 / std::sqrt(variance[at] + epsilon); });
  for_each_index(x.shape, [&](const Dims& at) {
    Dims within;
    for (int axis = x.shape.rank() - axes; axis < x.shape.rank(); ++axis)
      within.push_back(at[axis]);
    const double h = (x[at] - result.mean[row_of(at)]) * result.rstd[row_of(at)];
    result.y[at] = h * (weight ? (*weight)[within] : 1.0) + (bias ? (*bias)[within] : 0.0);
  });
  return result;
}

struct Attended {
  Values y;          ///< [..., T, dv]
  Values logsumexp;  ///< [..., T]
};

/// q [..., T, d], k [..., S, d], v [..., S, dv], whose leading axes and those of `lengths`
/// broadcast to `leading`.
inline Attended attention(const Values& q, const Values& k, const Values& v, const Shape& leading,
                          double scale, bool causal, const std::optional<Values>& lengths) {
  const std::int64_t queries = q.shape[q.shape.rank() - 2];
  const std::int64_t keys = k.shape[k.shape.rank() - 2];
  Shape rows = leading;
  rows.push_back(queries);
  Shape answers = rows;
  answers.push_back(v.shape.back());
  Attended result = {Values(answers), Values(rows, -std::numeric_limits<double>::infinity())};
  for_each_index(rows, [&](const Dims& at) {
    const std::int64_t query = at.back();
    Dims batch = at;
    batch.erase(batch.rank() - 1);
    const auto there = [&](std::int64_t row, std::int64_t column) {
      Dims index = batch;
      index.push_back(row);
      index.push_back(column);
      return index;
    };
    std::int64_t seen = keys;
    if (lengths) {
      seen = std::clamp<std::int64_t>(static_cast<std::int64_t>(lengths->spread(batch)), 0, keys);
    }
    if (causal) seen = std::min(seen, query + 1);
    if (seen == 0) return;
    std::vector<double> scores;
    for (std::int64_t key = 0; key < seen; ++key) {
      double sum = 0.0;
      for (std::int64_t i = 0; i < q.shape.back(); ++i) {
        sum += q.spread(there(query, i)) * k.spread(there(key, i));
      }
      scores.push_back(scale * sum);
    }
    const double largest = *std::max_element(scores.begin(), scores.end());
    double total = 0.0;
    for (double& score : scores) total += score = std::exp(score - largest);
    result.logsumexp[at] = std::log(total) + largest;
    for (std::int64_t j = 0; j < v.shape.back(); ++j) {
      double sum = 0.0;
      for (std::size_t key = 0; key < scores.size(); ++key) {
        sum += scores[key] * v.spread(there(static_cast<std::int64_t>(key), j));
      }
      result.y[there(query, j)] = sum / total;
    }
  });
  return result;
}

/// sum of a b.
inline double inner_product(const Values& a, const Values& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) sum += a.numbers[i] * b.numbers[i];
  return sum;
}

/// The gradient of f by x, an argument that f reads where it lies.
inline Values central_differences(Values& x, const std::function<double()>& f) {
  constexpr double step = 1e-5;
  Values gradient(x.shape);
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    const double number = x.numbers[i];
    x.numbers[i] = number + step;
    const double above = f();
    x.numbers[i] = number - step;
    gradient.numbers[i] = (above - f()) / (2 * step);
    x.numbers[i] = number;
  }
  return gradient;
}

}  // namespace gaia::test
