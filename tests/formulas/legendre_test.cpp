// SPDX-License-Identifier: MIT
/// \file
/// Products with discrete Legendre polynomials, and levels that tick at a phase, compared with
/// plain loops.
#include <cmath>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/joining.h"
#include "../../src/array/random_arrays.h"
#include "../../src/formulas/pooling.h"
#include "../../src/hierarchy/temporal_pool.h"
#include "../support/catch.h"

using namespace gaia;

namespace {

using Numbers = std::vector<double>;

/// 1, u, u^2 ... by Gram and Schmidt, in long double.
std::vector<std::vector<long double>> plain_polynomials(std::int64_t rows, std::int64_t steps) {
  const auto r = static_cast<std::size_t>(steps);
  std::vector<std::vector<long double>> all;
  for (std::int64_t k = 0; k < rows; ++k) {
    std::vector<long double> row(r);
    for (std::size_t i = 0; i < r; ++i) {
      const long double u =
          r == 1 ? 0.0L
                 : -1.0L + 2.0L * static_cast<long double>(i) / static_cast<long double>(r - 1);
      row[i] = k == 0 ? 1.0L : std::pow(u, static_cast<long double>(k));
    }
    for (int again = 0; again < 3; ++again) {
      for (const auto& other : all) {
        long double product = 0.0L;
        for (std::size_t i = 0; i < r; ++i) product += row[i] * other[i];
        for (std::size_t i = 0; i < r; ++i) row[i] -= product * other[i];
      }
    }
    long double square = 0.0L;
    for (const long double x : row) square += x * x;
    for (long double& x : row) x /= std::sqrt(square);
    all.push_back(row);
  }
  return all;
}

/// What a level reads at its ticks among steps [0, steps) of x [steps][n], held by a source.
std::vector<Numbers> plain_inputs(const std::vector<Numbers>& source, TickTimes from, TickTimes own,
                                  Pooling pooling, std::int64_t rows, std::int64_t steps) {
  const std::size_t n = source[0].size();
  std::vector<Numbers> shown;
  Numbers held(n);
  std::size_t tick = 0;
  std::vector<Numbers> read;
  const auto polynomials = plain_polynomials(std::max<std::int64_t>(rows, 1), own.resolution);
  for (std::int64_t t = 0; t < steps; ++t) {
    if (t >= from.phase && (t - from.phase) % from.resolution == 0) held = source[tick++];
    shown.push_back(held);
    if (t < own.phase || (t - own.phase) % own.resolution != 0) continue;
    const std::int64_t begin = std::max<std::int64_t>(0, t - own.resolution + 1);
    Numbers made;
    if (pooling == Pooling::last) made = held;
    if (pooling == Pooling::mean) {
      made.assign(n, 0.0);
      for (std::int64_t s = begin; s <= t; ++s) {
        for (std::size_t j = 0; j < n; ++j) {
          made[j] += shown[static_cast<std::size_t>(s)][j] / static_cast<double>(t + 1 - begin);
        }
      }
    }
    if (pooling == Pooling::legendre) {
      for (std::int64_t k = 0; k < rows; ++k) {
        for (std::size_t j = 0; j < n; ++j) {
          long double sum = 0.0L;
          for (std::int64_t s = begin; s <= t; ++s) {
            const auto place = static_cast<std::size_t>(own.resolution - 1 - (t - s));
            sum += polynomials[static_cast<std::size_t>(k)][place] *
                   static_cast<long double>(shown[static_cast<std::size_t>(s)][j]);
          }
          made.push_back(static_cast<double>(sum));
        }
      }
    }
    read.push_back(made);
  }
  return read;
}

}  // namespace

TEST_CASE("Rows of discrete Legendre polynomials are orthonormal, and those of Gram and Schmidt") {
  for (const std::int64_t steps : {1, 2, 5, 8, 32}) {
    for (std::int64_t rows = 1; rows <= std::min<std::int64_t>(steps, 9); ++rows) {
      const Numbers found = legendre_rows(rows, steps);
      const auto expected = plain_polynomials(rows, steps);
      double largest = 0.0;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        for (std::size_t i = 0; i < expected[k].size(); ++i) {
          largest = std::max(largest, std::abs(found[k * expected[k].size() + i] -
                                               static_cast<double>(expected[k][i])));
        }
      }
      INFO(rows << " rows over " << steps << " steps");
      CHECK(largest <= 1e-12);
    }
  }
  // All of a longer window stay orthonormal, where powers of u would not.
  const Numbers all = legendre_rows(64, 64);
  for (std::size_t a = 0; a < 64; ++a) {
    for (std::size_t b = 0; b < 64; ++b) {
      double product = 0.0;
      for (std::size_t i = 0; i < 64; ++i) product += all[a * 64 + i] * all[b * 64 + i];
      REQUIRE(std::abs(product - (a == b ? 1.0 : 0.0)) <= 1e-12);
    }
  }
  CHECK_THROWS_WITH_TEXT(legendre_rows(5, 4), ArgumentError, "expected 1 to 4 rows");
}

TEST_CASE("Pools at a phase, and of legendre, read their window wherever a block is cut") {
  constexpr std::int64_t steps = 41;
  for (const Pooling pooling : {Pooling::last, Pooling::mean, Pooling::legendre}) {
    for (const TickTimes from : {TickTimes(1, 0), TickTimes(2, 1), TickTimes(3, 0)}) {
      for (const TickTimes own :
           {TickTimes(4, 0), TickTimes(4, 3), TickTimes(6, 1), TickTimes(1, 0)}) {
        const std::int64_t rows = std::min<std::int64_t>(3, own.resolution);
        const std::int64_t ticks = count_ticks(0, steps, from.resolution, from.phase);
        const Array source = random_normal({1, ticks, 2}, 0.0, 1.0, DType::float64, {3, 8});
        std::vector<Numbers> given;
        for (std::int64_t k = 0; k < ticks; ++k) given.push_back(source[0][k].to_vector<double>());
        Numbers expected;
        for (const Numbers& row : plain_inputs(given, from, own, pooling, rows, steps)) {
          expected.insert(expected.end(), row.begin(), row.end());
        }
        for (const std::int64_t cut : {0, 1, 2, 7, 24, 41}) {
          TemporalPool pool(pooling, own.resolution, rows, own.phase);
          const Array held = zeros({1, 2}, DType::float64);
          const std::int64_t before = count_ticks(0, cut, from.resolution, from.phase);
          // A copy: what a pool that picks rows gives is a view of the source.
          const Array first = pool.process(source.slice(1, 0, before), from, 0, cut, held).copy();
          const bool has_shown = before > 0;
          if (has_shown) held.assign(source.select(1, before - 1));
          const Array second =
              pool.process(source.slice(1, before, {}), from, cut, steps - cut, held);
          const Numbers found = concatenate({first, second}, 1).to_vector<double>();
          INFO(to_string(pooling) << ", " << own.resolution << " at " << own.phase << " of "
                                  << from.resolution << " at " << from.phase << ", cut " << cut);
          REQUIRE(found.size() == expected.size());
          double largest = 0.0;
          for (std::size_t i = 0; i < found.size(); ++i) {
            largest = std::max(largest, std::abs(found[i] - expected[i]));
          }
          CHECK(largest <= 1e-12);
        }
      }
    }
  }
}

TEST_CASE("Ticks at a phase are counted and found") {
  for (std::int64_t resolution = 1; resolution <= 5; ++resolution) {
    for (std::int64_t phase = 0; phase < resolution; ++phase) {
      const auto is_tick = [&](std::int64_t t) {
        return t >= phase && (t - phase) % resolution == 0;
      };
      for (std::int64_t first = 0; first <= 11; ++first) {
        for (std::int64_t steps = 0; steps <= 11; ++steps) {
          std::int64_t count = 0;
          for (std::int64_t t = first; t < first + steps; ++t) count += is_tick(t);
          CHECK(count_ticks(first, steps, resolution, phase) == count);
        }
        std::int64_t next = first;
        while (!is_tick(next)) ++next;
        CHECK(next_tick(first, resolution, phase) == next);
      }
    }
  }
}

TEST_CASE("A pool refuses a phase that no step has, and more numbers than steps") {
  CHECK_THROWS_WITH_TEXT(TemporalPool(Pooling::last, 4, 0, 4), ArgumentError,
                         "phase must be at least 0 and below temporal_resolution 4, got 4");
  CHECK_THROWS_WITH_TEXT(TemporalPool(Pooling::legendre, 4, 5), ArgumentError, "got 5");
  CHECK(pooled_size(Pooling::legendre, 8, 6, 3) == 18);
}
