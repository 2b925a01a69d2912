// SPDX-License-Identifier: MIT
/// \file
/// Roots of unity and what else plans of transforms are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <list>
#include <numbers>
#include <utility>
#include <vector>

#include "fourier_rows.h"

namespace gaia::fourier {

/// exp(-2 pi i k / n), 0 <= k < n, by angles of at most an eighth of a turn.
inline std::complex<double> root_of_unity(std::int64_t k, std::int64_t n) {
  if (2 * k > n) return std::conj(root_of_unity(n - k, n));
  const auto at = [n](std::int64_t numerator) {  // share of n quarter turns
    return 0.5 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(n);
  };
  const auto turn = [](double c, double s) { return std::complex<double>(c, -s); };
  switch (8 * k / n) {
    case 0:
      return turn(std::cos(at(4 * k)), std::sin(at(4 * k)));
    case 1:
      return turn(std::sin(at(n - 4 * k)), std::cos(at(n - 4 * k)));
    case 2:
      return turn(-std::sin(at(4 * k - n)), std::cos(at(4 * k - n)));
    default:
      return turn(-std::cos(at(2 * n - 4 * k)), std::sin(at(2 * n - 4 * k)));
  }
}

/// All roots of unity of one order: those of large orders are products of two, which takes less
/// time and is wrong by a unit in the last place of a double at most.
class RootsOfUnity {
 public:
  explicit RootsOfUnity(std::int64_t n) : n_(n) {
    while (step_ * step_ < n && n > kSmall) step_ *= 2;
    for (std::int64_t k = 0; k < n; k += step_) coarse_.push_back(root_of_unity(k, n));
    for (std::int64_t k = 0; k < step_; ++k) fine_.push_back(root_of_unity(k, n));
  }
  std::complex<double> operator()(std::int64_t k) const {
    const std::complex<double>& a = coarse_[static_cast<std::size_t>(k / step_)];
    if (step_ == 1) return a;
    const std::complex<double>& b = fine_[static_cast<std::size_t>(k % step_)];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  static constexpr std::int64_t kSmall = 4096;
  std::int64_t n_;
  std::int64_t step_ = 1;
  std::vector<std::complex<double>> coarse_;
  std::vector<std::complex<double>> fine_;
};

/// What was used last, by length: the last `kMost`, and of those that are long, and so take much
/// memory, the last two.
template <class Value>
class Recent {
 public:
  template <class Make>
  Value& of(std::int64_t length, const Make& make) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [length](const auto& one) { return one.first == length; });
    if (found != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, found);
      return kept_.front().second;
    }
    kept_.emplace_front(length, make(length));
    if (kept_.size() > kMost) kept_.pop_back();
    std::size_t long_ones = 0;
    kept_.remove_if(
        [&long_ones](const auto& one) { return one.first >= kLong && ++long_ones > 2; });
    return kept_.front().second;
  }

 private:
  static constexpr std::size_t kMost = 16;
  static constexpr std::int64_t kLong = std::int64_t{1} << 18;
  std::list<std::pair<std::int64_t, Value>> kept_;
};

/// Numbers that a plan has, which all threads read.
template <class T>
struct ComplexNumbers {
  std::vector<T> real;
  std::vector<T> imag;
  void push_back(const std::complex<double>& z) {
    real.push_back(static_cast<T>(z.real()));
    imag.push_back(static_cast<T>(z.imag()));
  }
  ComplexPointers<const T> at(std::int64_t place) const {
    return {real.data() + place, imag.data() + place};
  }
};
/// Memory of a thread for its transforms, kept from call to call unless it is large.
template <class T>
class Workspace {
 public:
  explicit Workspace(std::int64_t count) {
    std::vector<std::vector<T>>& spare = spares();
    if (!spare.empty()) {
      numbers_ = std::move(spare.back());
      spare.pop_back();
    }
    if (numbers_.size() < static_cast<std::size_t>(count)) {
      numbers_.resize(static_cast<std::size_t>(count));
    }
  }
  ~Workspace() {
    if (numbers_.size() * sizeof(T) <= kMostKept) spares().push_back(std::move(numbers_));
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  T* data() { return numbers_.data(); }

 private:
  static constexpr std::size_t kMostKept = std::size_t{1} << 25;
  static std::vector<std::vector<T>>& spares() {
    thread_local std::vector<std::vector<T>> spare;
    return spare;
  }
  std::vector<T> numbers_;
};
}  // namespace gaia::fourier
