// SPDX-License-Identifier: MIT
#include "generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../array/random_arrays.h"
#include "../../core/checked.h"
#include "../../core/error.h"

namespace gaia {

void combine(std::span<const double> vectors, std::span<const double> weights, std::int64_t rows,
             std::span<double> x) {
  const std::size_t n = x.size() / static_cast<std::size_t>(rows);
  const std::size_t count = weights.size() / static_cast<std::size_t>(rows);
  constexpr std::int64_t together = 16;  // rows that stay in the first cache beside four vectors
  std::fill(x.begin(), x.end(), 0.0);
  for (std::int64_t first = 0; first < rows; first += together) {
    const std::int64_t end = std::min(rows, first + together);
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {  // terms that each number is loaded and stored once for
      const double* const v = vectors.data() + k * n;
      for (std::int64_t r = first; r < end; ++r) {
        const double* const w = weights.data() + static_cast<std::size_t>(r) * count + k;
        double* const to = x.data() + static_cast<std::size_t>(r) * n;
        for (std::size_t c = 0; c < n; ++c) {
          double sum = to[c] + w[0] * v[c];
          sum += w[1] * v[n + c];
          sum += w[2] * v[2 * n + c];
          to[c] = sum + w[3] * v[3 * n + c];
        }
      }
    }
    for (; k < count; ++k) {
      for (std::int64_t r = first; r < end; ++r) {
        const double weight = weights[static_cast<std::size_t>(r) * count + k];
        double* const to = x.data() + static_cast<std::size_t>(r) * n;
        for (std::size_t c = 0; c < n; ++c) to[c] += weight * vectors[k * n + c];
      }
    }
  }
}

RandomStream data_stream(std::uint64_t seed, const char* kind, const char* purpose) {
  return RandomStream::named(seed, fmt::format("data/{}/{}", kind, purpose));
}

void Noise::add(std::int64_t row, std::span<double> x) {
  if (deviation_ == 0.0) return;
  xi_.resize(x.size());
  fill_normals(stream_, static_cast<std::uint64_t>(row) * x.size(), xi_);
  for (std::size_t c = 0; c < x.size(); ++c) x[c] += deviation_ * xi_[c];
}

std::string OptionChecks::text(double value) { return fmt::format("{}", value); }

void OptionChecks::fail(const std::string& key, const std::string& expected,
                        const std::string& got) const {
  throw ArgumentError(fmt::format("[{}] {}: expected {}, got {}", kind_, key, expected, got));
}

void OptionChecks::number(const std::string& key, double value, double least, double most) const {
  if (value >= least && value <= most) return;
  if (most < kLargestOption) {
    fail(key, fmt::format("a number from {} to {}", least, most), fmt::format("{}", value));
  }
  fail(key,
       least > -kLargestOption ? fmt::format("a number of at least {}", least) : "a finite number",
       fmt::format("{}", value));
}

void OptionChecks::positive(const std::string& key, double value, double most) const {
  if (value > 0.0 && value <= most) return;
  fail(key,
       most < kLargestOption ? fmt::format("a number above 0, at most {}", most)
                             : std::string("a number above 0"),
       fmt::format("{}", value));
}

void OptionChecks::integer(const std::string& key, std::int64_t value, std::int64_t least,
                           std::int64_t most) const {
  if (value >= least && value <= most) return;
  fail(key, fmt::format("an integer from {} to {}", least, most), fmt::format("{}", value));
}

void OptionChecks::numbers(const std::string& key, std::span<const double> values, double least,
                           double most) const {
  if (values.empty()) fail(key, "at least one number", "none");
  for (std::size_t i = 0; i < values.size(); ++i) {
    number(fmt::format("{}[{}]", key, i), values[i], least, most);
  }
}

void OptionChecks::length(const std::string& key, std::size_t got, std::size_t count,
                          const char* of) const {
  if (got == count) return;
  fail(key, fmt::format("{} numbers, one for each of {}", count, of), fmt::format("{}", got));
}

void OptionChecks::matrix(const std::string& key, std::int64_t channels, std::int64_t count) const {
  integer(key, channels, 1, kMostChannels);
  if (channels > kMostElements / count) {
    fail(key, fmt::format("at most {} channels for {} vectors", kMostElements / count, count),
         fmt::format("{}", channels));
  }
}

void OptionChecks::noise(double deviation) const {
  number("noise", deviation, 0.0, kLargestOption);
}

void OptionChecks::rows(std::int64_t rows, std::int64_t width) const {
  if (rows < 1) fail("rows", "at least 1", fmt::format("{}", rows));
  if (!checked_multiply(rows, width)) {
    fail("rows", "as many as 64 bits can count", fmt::format("{} rows of {} numbers", rows, width));
  }
}

double power(double base, double exponent) {
  if (exponent != std::floor(exponent) || exponent < 0.0 || exponent > 64.0) {
    return std::pow(base, exponent);
  }
  double product = 1.0;
  for (auto left = static_cast<int>(exponent); left > 0; left /= 2) {
    if (left % 2 == 1) product *= base;
    base *= base;
  }
  return product;
}

}  // namespace gaia
