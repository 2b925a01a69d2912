// SPDX-License-Identifier: MIT
/// \file
/// Consensus as plain loops, with nothing of gaia's, and estimates with errors of known covariance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "../reference/rows.h"

namespace gaia::test {

struct PlainFused {
  std::vector<double> mean;
  Rows covariance;
  std::vector<int> outlier;
};

/// The rule of docs/experiments.md, of estimates m [L][d] with S [L d][L d].
class PlainConsensus {
 public:
  PlainConsensus(Rows s, std::size_t estimates, std::size_t numbers, double limit,
                 bool joint = true)
      : s_(std::move(s)), l_(estimates), d_(numbers), limit_(limit), joint_(joint) {}

  /// m = weights M of these, and P.
  void fuse(const std::vector<std::size_t>& set, Rows& weights, Rows& p) const {
    const std::size_t n = set.size();
    Rows information = zero_rows(d_, n * d_);  // J^T S^-1, or w_i S_ii^-1 side by side
    if (joint_) {
      Rows own = zero_rows(n * d_, n * d_);
      for (std::size_t a = 0; a < n * d_; ++a) {
        for (std::size_t b = 0; b < n * d_; ++b) {
          own[a][b] = s_[set[a / d_] * d_ + a % d_][set[b / d_] * d_ + b % d_];
        }
      }
      const Rows inverted = inverse(own);
      for (std::size_t a = 0; a < n * d_; ++a) {
        for (std::size_t b = 0; b < n * d_; ++b) information[a % d_][b] += inverted[a][b];
      }
    } else {
      for (std::size_t a = 0; a < n; ++a) {
        const Rows inverted = inverse(block(set[a], set[a]));
        for (std::size_t i = 0; i < d_; ++i) {
          for (std::size_t j = 0; j < d_; ++j) {
            information[i][a * d_ + j] = inverted[i][j] / static_cast<double>(n);
          }
        }
      }
    }
    Rows total = zero_rows(d_, d_);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t b = 0; b < n * d_; ++b) total[i][b % d_] += information[i][b];
    }
    p = inverse(total);
    weights = product(p, information);
  }

  PlainFused operator()(const Rows& m) const {
    std::vector<std::size_t> set(l_);
    std::iota(set.begin(), set.end(), std::size_t{0});
    if (l_ > 2) set = chosen(m);
    PlainFused fused;
    Rows weights;
    fuse(set, weights, fused.covariance);
    fused.mean.resize(d_);
    fused.outlier.assign(l_, 1);
    for (std::size_t a = 0; a < set.size(); ++a) {
      fused.outlier[set[a]] = 0;
      for (std::size_t i = 0; i < d_; ++i) {
        for (std::size_t j = 0; j < d_; ++j) fused.mean[i] += weights[i][a * d_ + j] * m[set[a]][j];
      }
    }
    return fused;
  }

  Rows block(std::size_t i, std::size_t j) const {
    Rows b = zero_rows(d_, d_);
    for (std::size_t a = 0; a < d_; ++a) {
      for (std::size_t c = 0; c < d_; ++c) b[a][c] = s_[i * d_ + a][j * d_ + c];
    }
    return b;
  }

 private:
  static double distance(const std::vector<double>& e, const Rows& c) {
    const Rows inverted = inverse(c);
    double sum = 0.0;
    for (std::size_t i = 0; i < e.size(); ++i) {
      for (std::size_t j = 0; j < e.size(); ++j) sum += e[i] * inverted[i][j] * e[j];
    }
    return sum;
  }

  static std::size_t least(const std::vector<double>& far) {
    const double smallest = *std::min_element(far.begin(), far.end());
    std::size_t place = 0;
    while (far[place] > smallest * (1.0 + 1e-9)) ++place;
    return place;
  }

  std::vector<std::size_t> first(const Rows& m) const {
    const auto count = static_cast<double>(l_);
    std::vector<double> median;
    for (std::size_t k = 0; k < d_; ++k) {
      std::vector<double> values;
      for (std::size_t i = 0; i < l_; ++i) values.push_back(m[i][k]);
      std::sort(values.begin(), values.end());
      median.push_back(l_ % 2 == 1 ? values[l_ / 2] : (values[l_ / 2 - 1] + values[l_ / 2]) / 2.0);
    }
    std::vector<double> far;
    for (std::size_t i = 0; i < l_; ++i) {
      Rows c = block(i, i);
      std::vector<double> e;
      for (std::size_t a = 0; a < d_; ++a) {
        e.push_back(m[i][a] - median[a]);
        for (std::size_t b = 0; b < d_; ++b) {
          double mean = 0.0;
          for (std::size_t j = 0; j < l_; ++j) mean += s_[j * d_ + a][j * d_ + b] / count;
          c[a][b] =
              std::max(1.0 - 2.0 / count, 0.1) * c[a][b] + std::acos(-1.0) / (2.0 * count) * mean;
        }
      }
      far.push_back(distance(e, c));
    }
    std::vector<std::size_t> nearest;
    while (nearest.size() < l_ / 2 + 1) {
      nearest.push_back(least(far));
      far[nearest.back()] = 1e300;
    }
    std::sort(nearest.begin(), nearest.end());
    return nearest;
  }

  std::vector<std::size_t> next(const std::vector<std::size_t>& set, const Rows& m) const {
    std::vector<std::size_t> passed;
    std::vector<double> far(l_);
    for (std::size_t i = 0; i < l_; ++i) {
      std::vector<std::size_t> others;
      for (const std::size_t j : set) {
        if (j != i) others.push_back(j);
      }
      if (!others.empty()) {
        Rows weights;
        Rows p;
        fuse(others, weights, p);
        Rows a = zero_rows(d_, l_ * d_);
        std::vector<double> e = m[i];
        for (std::size_t r = 0; r < d_; ++r) {
          a[r][i * d_ + r] = 1.0;
          for (std::size_t o = 0; o < others.size(); ++o) {
            for (std::size_t c = 0; c < d_; ++c) {
              a[r][others[o] * d_ + c] -= weights[r][o * d_ + c];
              e[r] -= weights[r][o * d_ + c] * m[others[o]][c];
            }
          }
        }
        far[i] = distance(e, product(product(a, s_), transposed(a)));
      }
      if (far[i] <= limit_) passed.push_back(i);
    }
    if (passed.empty()) {
      passed.push_back(least(far));
    }
    return passed;
  }

  std::vector<std::size_t> chosen(const Rows& m) const {
    std::vector<std::vector<std::size_t>> met;
    std::vector<std::size_t> set = first(m);
    while (std::find(met.begin(), met.end(), set) == met.end()) {
      met.push_back(set);
      set = next(set, m);
    }
    return set;
  }

  Rows s_;
  std::size_t l_;
  std::size_t d_;
  double limit_;
  bool joint_;
};

/// Standard normal numbers.
inline std::vector<double> normals(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<double> normal;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(normal(random));
  return numbers;
}

/// A covariance [L d][L d]: one of each estimate alone, of d + 2 normal vectors, times exp(N(0,
/// 1)/2); and a part of it that all have in common, by `common` of 0 to 1.
inline Rows random_covariance(std::mt19937_64& random, std::size_t estimates, std::size_t numbers,
                              double common = 0.0) {
  Rows s = zero_rows(estimates * numbers, estimates * numbers);
  const auto own = [&] {
    Rows b;
    for (std::size_t k = 0; k < numbers; ++k) b.push_back(normals(random, numbers + 2));
    Rows c = product(b, transposed(b));
    for (auto& row : c) {
      for (double& x : row) x /= static_cast<double>(numbers + 2);
    }
    return c;
  };
  const Rows shared = own();
  for (std::size_t i = 0; i < estimates; ++i) {
    const Rows c = own();
    const double spread = std::exp(0.5 * normals(random, 1).front());
    for (std::size_t a = 0; a < numbers; ++a) {
      for (std::size_t b = 0; b < numbers; ++b) {
        s[i * numbers + a][i * numbers + b] += (1.0 - common) * spread * c[a][b];
        for (std::size_t j = 0; j < estimates; ++j) {
          s[i * numbers + a][j * numbers + b] += common * shared[a][b];
        }
      }
    }
  }
  return s;
}

/// factor times standard normal numbers.
inline std::vector<double> draw(std::mt19937_64& random, const Rows& factor) {
  const std::vector<double> z = normals(random, factor.size());
  std::vector<double> x(factor.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) x[i] += factor[i][j] * z[j];
  }
  return x;
}

}  // namespace gaia::test
