// SPDX-License-Identifier: MIT
/// \file
/// What tests of random numbers measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace gaia::test {

struct Moments {
  explicit Moments(const std::vector<double>& x) {
    const auto n = static_cast<double>(x.size());
    for (const double value : x) mean += value / n;
    for (const double value : x) {
      const double d = value - mean;
      variance += d * d / n;
      skewness += d * d * d / n;
      kurtosis += d * d * d * d / n;
    }
    skewness /= variance * std::sqrt(variance);
    kurtosis /= variance * variance;
  }
  double mean = 0;
  double variance = 0;
  double skewness = 0;
  double kurtosis = 0;  ///< 3 for a normal distribution.
};

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }

/// sqrt(n) times the largest distance between the distribution function of the sample and `cdf`;
/// above 1.63 in 1 % and above 1.95 in 0.1 % of all samples.
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> x, const Cdf& cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = cdf(x[i]);
    distance = std::max({distance, static_cast<double>(i + 1) / n - expected,
                         expected - static_cast<double>(i) / n});
  }
  return distance * std::sqrt(n);
}

/// 64-bit FNV-1a of the numbers' bytes.
template <class T>
std::uint64_t fingerprint(const std::vector<T>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const T& number : numbers) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &number, sizeof(T));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

}  // namespace gaia::test
