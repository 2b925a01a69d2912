// SPDX-License-Identifier: MIT
#include "latencies.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace gaia {
namespace {

constexpr int kBits = 5;  // bits of a time that tell its class, below the first
constexpr std::uint64_t kClasses = std::uint64_t{1} << kBits;

/// Times below 2^kBits have a class each.
std::size_t class_of_time(std::uint64_t time) {
  if (time < kClasses) return time;
  const auto shift = static_cast<int>(std::bit_width(time)) - 1 - kBits;
  return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) << kBits) + (time >> shift));
}

/// Middle of a class, in nanoseconds.
double middle_of(std::size_t index) {
  if (index < kClasses) return static_cast<double>(index);
  const auto shift = static_cast<int>(index / kClasses) - 1;
  const double least = std::ldexp(static_cast<double>(index % kClasses + kClasses), shift);
  return least + 0.5 * (std::ldexp(1.0, shift) - 1.0);
}

}  // namespace

Latencies::Latencies() : counts_((64 - kBits + 1) * kClasses, 0) {}

void Latencies::add(std::int64_t nanoseconds, std::int64_t count) {
  counts_[class_of_time(static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0)))] +=
      count;
  count_ += count;
}

double Latencies::quantile(double q) const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto wanted = std::max(
      std::int64_t{1}, static_cast<std::int64_t>(std::ceil(q * static_cast<double>(count_))));
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return 1e-9 * middle_of(i);
  }
  return 1e-9 * middle_of(counts_.size() - 1);
}

}  // namespace gaia
