// SPDX-License-Identifier: MIT
#include "pooling.h"

#include <cmath>

#include "../core/checked.h"
#include "../core/message.h"
#include "../core/names.h"

namespace gaia {
namespace {

constexpr NameTable<Pooling, 6> kPoolings = {{{"last", Pooling::last},
                                              {"mean", Pooling::mean},
                                              {"max", Pooling::max},
                                              {"ema", Pooling::ema},
                                              {"concat", Pooling::concat},
                                              {"legendre", Pooling::legendre}}};

}  // namespace

std::string to_string(Pooling pooling) { return name_of(kPoolings, pooling); }

std::vector<std::string> pooling_names() {
  std::vector<std::string> names = names_of(kPoolings);
  names.pop_back();
  return names;
}

Pooling pooling_from_name(std::string_view name) { return from_name(kPoolings, name, "pooling"); }

std::optional<std::int64_t> pooled_size(Pooling pooling, std::int64_t resolution, std::int64_t n,
                                        std::int64_t rows) {
  if (pooling == Pooling::legendre) return checked_multiply(rows, n);
  return pooling == Pooling::concat ? checked_multiply(resolution, n) : n;
}

std::vector<double> legendre_rows(std::int64_t rows, std::int64_t steps) {
  if (rows < 1 || rows > steps) {
    fail<ArgumentError>("[legendre_rows] expected 1 to {} rows for {} steps, got {}", steps, steps,
                        rows);
  }
  const auto r = static_cast<std::size_t>(steps);
  const auto d = static_cast<std::size_t>(rows);
  std::vector<double> all(d * r, 1.0);
  for (std::size_t k = 0; k < d; ++k) {
    double* const row = all.data() + k * r;
    // u times the row before spans the same as u^k, and loses fewer digits.
    for (std::size_t i = 0; k > 0 && i < r; ++i) {
      const double u = -1.0 + 2.0 * static_cast<double>(i) / static_cast<double>(r - 1);
      row[i] = u * all[(k - 1) * r + i];
    }
    for (int again = 0; again < 2; ++again) {
      for (std::size_t j = 0; j < k; ++j) {
        const double* const other = all.data() + j * r;
        double product = 0.0;
        for (std::size_t i = 0; i < r; ++i) product += row[i] * other[i];
        for (std::size_t i = 0; i < r; ++i) row[i] -= product * other[i];
      }
    }
    double square = 0.0;
    for (std::size_t i = 0; i < r; ++i) square += row[i] * row[i];
    const double length = std::sqrt(square);
    for (std::size_t i = 0; i < r; ++i) row[i] /= length;
  }
  return all;
}

}  // namespace gaia
