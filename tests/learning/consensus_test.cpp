// SPDX-License-Identifier: MIT
#include "../../src/learning/consensus.h"

#include <limits>

#include "../../src/core/error.h"
#include "../../src/formulas/chi_squared.h"
#include "../support/catch.h"
#include "../support/long_tests.h"
#include "consensus_reference.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// What is said of estimates of which some are off.
struct Shares {
  double called = 0.0;  ///< Share of estimates called outliers where none is off.
  double found = 0.0;   ///< Share of the estimates that are off which were called outliers.
  double blamed = 0.0;  ///< Share of the others which were called outliers.
};

/// `off` estimates are off by 10 standard deviations of their difference to the fusion of the
/// others, in one direction.  `errors`: from how many S is estimated, anew for every trial; 0: S is
/// given.
Shares shares(std::size_t l, std::size_t d, std::size_t off, int trials, double common = 0.0,
              std::size_t errors = 0) {
  std::mt19937_64 random(100 * l + d);
  Shares sums;
  for (int trial = 0; trial < trials; ++trial) {
    const Rows s = random_covariance(random, l, d, common);
    const Rows factor = cholesky(s);
    std::vector<double> known = flat(s);
    if (errors > 0) {
      std::vector<double> drawn;
      for (std::size_t k = 0; k < errors; ++k) {
        const std::vector<double> e = draw(random, factor);
        drawn.insert(drawn.end(), e.begin(), e.end());
      }
      known = second_moment(drawn, static_cast<std::int64_t>(l * d));
    }
    Consensus consensus(known, static_cast<std::int64_t>(l), static_cast<std::int64_t>(d));
    std::vector<double> m = draw(random, factor);
    for (const std::int64_t one : consensus.fuse(m).outlier) {
      sums.called += static_cast<double>(one) / static_cast<double>(l);
    }
    std::vector<std::size_t> places(l);
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::shuffle(places.begin(), places.end(), random);
    const std::vector<std::size_t> wrong(places.begin(),
                                         places.begin() + static_cast<std::ptrdiff_t>(off));
    const std::vector<std::size_t> rest(places.begin() + static_cast<std::ptrdiff_t>(off),
                                        places.end());
    std::vector<double> u = normals(random, d);
    double length = 0.0;
    for (const double x : u) length += x * x;
    const PlainConsensus plain(s, l, d, 0.0);
    Rows weights;
    Rows p;
    plain.fuse(rest, weights, p);
    for (const std::size_t i : wrong) {
      Rows a = zero_rows(d, l * d);
      for (std::size_t r = 0; r < d; ++r) {
        a[r][i * d + r] = 1.0;
        for (std::size_t o = 0; o < rest.size(); ++o) {
          for (std::size_t c = 0; c < d; ++c) a[r][rest[o] * d + c] -= weights[r][o * d + c];
        }
      }
      const Rows root = cholesky(product(product(a, s), transposed(a)));
      for (std::size_t r = 0; r < d; ++r) {
        for (std::size_t c = 0; c <= r; ++c)
          m[i * d + r] += 10.0 * root[r][c] * u[c] / std::sqrt(length);
      }
    }
    const std::vector<std::int64_t> outlier = consensus.fuse(m).outlier;
    for (const std::size_t i : wrong) {
      sums.found += static_cast<double>(outlier[i]) / static_cast<double>(off);
    }
    for (const std::size_t i : rest) {
      sums.blamed += static_cast<double>(outlier[i]) / static_cast<double>(rest.size());
    }
  }
  for (double* const sum : {&sums.called, &sums.found, &sums.blamed}) *sum /= trials;
  return sums;
}

}  // namespace

TEST_CASE("a consensus equals plain loops in mean, covariance and outliers") {
  std::mt19937_64 random(3);
  int left_out = 0;
  for (const std::size_t l : {2u, 3u, 4u, 5u, 8u}) {
    for (const std::size_t d : {1u, 3u}) {
      for (const double common : {0.0, 0.6}) {
        for (const bool joint : {true, false}) {
          const Rows s = random_covariance(random, l, d, common);
          Consensus consensus(
              flat(s), static_cast<std::int64_t>(l), static_cast<std::int64_t>(d),
              joint ? ConsensusCovariance::joint : ConsensusCovariance::intersection);
          const PlainConsensus plain(s, l, d, chi_squared_quantile(0.999, static_cast<double>(d)),
                                     joint);
          const Rows factor = cholesky(s);
          for (int trial = 0; trial < 12; ++trial) {
            std::vector<double> m = draw(random, factor);
            // Some trials have none off, others one or two, by little and by much.
            for (int k = 0; k < trial % 3; ++k) {
              m[random() % m.size()] += 2.0 * static_cast<double>(trial);
            }
            const Consensus::Fused fused = consensus.fuse(m);
            const PlainFused expected = plain(rows_of(m, d));
            for (std::size_t i = 0; i < l; ++i) {
              CHECK(fused.outlier[i] == expected.outlier[i]);
              left_out += expected.outlier[i];
            }
            for (std::size_t a = 0; a < d; ++a) {
              CHECK(fused.mean[a] == Approx(expected.mean[a]).epsilon(1e-10).margin(1e-10));
              for (std::size_t b = 0; b < d; ++b) {
                CHECK(fused.covariance[a * d + b] ==
                      Approx(expected.covariance[a][b]).epsilon(1e-10).margin(1e-10));
              }
            }
          }
        }
      }
    }
  }
  CHECK(left_out > 100);
}

TEST_CASE("a consensus calls few outliers that are none and finds those that are off") {
  // Few trials have at most as many wrong as one of many more would leave.
  const int trials = few_or_many(60, 1000);
  for (const std::size_t l : {3u, 5u, 8u}) {
    for (const std::size_t d : {1u, 4u, 16u}) {
      if (d == 16 && !long_tests() && l != 5) continue;
      const int tried = d == 16 ? few_or_many(12, 500) : trials;
      const Shares one = shares(l, d, 1, tried);
      UNSCOPED_INFO(l << " estimates of " << d << ": called " << one.called << ", found "
                      << one.found << ", blamed " << one.blamed);
      CHECK(one.called <= 0.01);
      CHECK(one.found >= 0.99);
      CHECK(one.blamed <= 0.02);
      if (l < 5) continue;
      const Shares two = shares(l, d, 2, tried);
      UNSCOPED_INFO("two off: found " << two.found << ", blamed " << two.blamed);
      CHECK(two.found >= 0.99);
      CHECK(two.blamed <= 0.02);
    }
  }
}

TEST_CASE("a consensus by a covariance that was estimated from 600 errors is as careful") {
  for (const std::size_t l : {3u, 5u, 8u}) {
    for (const std::size_t d : {1u, 4u, 16u}) {
      if (d * l > 20 && !long_tests()) continue;
      const Shares one = shares(l, d, 1, few_or_many(40, 500), 0.0, 600);
      UNSCOPED_INFO(l << " estimates of " << d << ": called " << one.called << ", found "
                      << one.found << ", blamed " << one.blamed);
      CHECK(one.called <= 0.01);
      CHECK(one.found >= 0.99);
    }
  }
}

TEST_CASE("a covariance from too few errors calls too many outliers") {
  if (!long_tests()) return;  // 500 times 150 errors of 80 numbers
  const Shares few = shares(5, 16, 1, 500, 0.0, 150);
  UNSCOPED_INFO("called " << few.called);
  CHECK(few.called > 0.02);
  CHECK(few.called < 0.06);
}

TEST_CASE("a consensus finds what is off where errors are half in common") {
  for (const std::size_t l : {3u, 5u, 8u}) {
    for (const std::size_t d : {1u, 4u}) {
      const Shares one = shares(l, d, 1, few_or_many(40, 500), 0.5);
      UNSCOPED_INFO(l << " estimates of " << d << ": called " << one.called << ", found "
                      << one.found << ", blamed " << one.blamed);
      CHECK(one.called <= 0.01);
      CHECK(one.found >= 0.99);
    }
  }
}

TEST_CASE("errors that are half in common are not counted twice") {
  constexpr std::size_t l = 5;
  constexpr std::size_t d = 4;
  Rows s = zero_rows(l * d, l * d);
  Rows alone = s;
  for (std::size_t a = 0; a < l * d; ++a) {
    for (std::size_t b = 0; b < l * d; ++b) {
      if (a % d == b % d) s[a][b] = a == b ? 1.0 : 0.5;
    }
    alone[a][a] = 1.0;
  }
  Consensus joint(flat(s), l, d);
  Consensus independent(flat(alone), l, d);
  Consensus careful(flat(s), l, d, ConsensusCovariance::intersection);
  const Rows factor = cholesky(s);
  std::mt19937_64 random(11);
  const auto trials = few_or_many<std::size_t>(2000, 20000);
  double sums[3] = {};
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const std::vector<double> m = draw(random, factor);
    Consensus* const all[] = {&joint, &independent, &careful};
    for (std::size_t k = 0; k < 3; ++k) {
      const Consensus::Fused fused = all[k]->fuse(m);
      const Rows p = inverse(rows_of(fused.covariance, d));
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < d; ++b) {
          sums[k] += fused.mean[a] * p[a][b] * fused.mean[b] / static_cast<double>(d * trials);
        }
      }
    }
  }
  // The variance of the mean of five is .6 where .5 of each is in common; .2 is told as if it were
  // not, and 1 where nothing is known of it.
  UNSCOPED_INFO("NEES " << sums[0] << ", " << sums[1] << ", " << sums[2]);
  CHECK(sums[0] == Approx(1.0).margin(0.05));
  CHECK(sums[1] == Approx(3.0).margin(0.15));
  CHECK(sums[2] == Approx(0.6).margin(0.03));
}

TEST_CASE("of two estimates none is an outlier, and of equals the first are taken") {
  Consensus two(std::vector<double>{1.0, 0.0, 0.0, 3.0}, 2, 1);
  const Consensus::Fused far = two.fuse(std::vector<double>{0.0, 1000.0});
  CHECK(far.outlier == std::vector<std::int64_t>{0, 0});
  CHECK(far.mean.front() == Approx(250.0));
  CHECK(far.covariance.front() == Approx(0.75));

  // Four that are as far from the median, 0: the set begins with the first three, of which 0 and 1
  // agree and 2 does not.
  std::vector<double> s(16);
  for (std::size_t i = 0; i < 4; ++i) s[5 * i] = 1e-4;
  Consensus four(s, 4, 1);
  CHECK(four.fuse(std::vector<double>{-1.0, -1.0, 1.0, 1.0}).outlier ==
        std::vector<std::int64_t>{0, 0, 1, 1});
  CHECK(four.fuse(std::vector<double>{1.0, -1.0, -1.0, 1.0}).outlier ==
        std::vector<std::int64_t>{1, 0, 0, 1});
  CHECK(four.limit() == Approx(chi_squared_quantile(0.999, 1.0)));
  // All of them at odds: no group can be made out, and the one nearest to the others is left.
  const std::vector<std::int64_t> odd =
      four.fuse(std::vector<double>{0.0, 5.0, 11.0, 30.0}).outlier;
  CHECK(std::count(odd.begin(), odd.end(), 0) == 1);
}

TEST_CASE("rows are fused one by one, and what is not finite stays unknown") {
  std::mt19937_64 random(5);
  const Rows s = random_covariance(random, 3, 2, 0.3);
  Consensus consensus(flat(s), 3, 2);
  const Rows factor = cholesky(s);
  std::vector<double> rows;
  for (int row = 0; row < 5; ++row) {
    const std::vector<double> m = draw(random, factor);
    rows.insert(rows.end(), m.begin(), m.end());
  }
  rows[6 * 3 + 1] = std::numeric_limits<double>::quiet_NaN();
  const Consensus::FusedRows all = consensus.fuse_rows(rows);
  CHECK(all.means.size() == 10);
  CHECK(all.covariances.size() == 20);
  CHECK(all.outlier.size() == 15);
  for (std::size_t row = 0; row < 5; ++row) {
    const Consensus::Fused one = consensus.fuse(std::span(rows).subspan(6 * row, 6));
    for (std::size_t k = 0; k < 2; ++k) {
      if (row == 3) {
        CHECK(std::isnan(all.means[2 * row + k]));
        CHECK(all.outlier[3 * row + k] == 0);
      } else {
        CHECK(all.means[2 * row + k] == one.mean[k]);
      }
    }
  }
  const std::vector<double> of_all = consensus.covariance_of_all();
  const PlainConsensus plain(s, 3, 2, 0.0);
  Rows weights;
  Rows p;
  plain.fuse({0, 1, 2}, weights, p);
  for (std::size_t k = 0; k < 4; ++k) CHECK(of_all[k] == Approx(p[k / 2][k % 2]));
}

TEST_CASE("the second moment of errors is about 0, over their number") {
  const std::vector<double> s = second_moment(std::vector<double>{1.0, 2.0, 3.0, -2.0}, 2);
  CHECK(s == std::vector<double>{5.0, -2.0, -2.0, 4.0});
  CHECK_THROWS_AS(second_moment(std::vector<double>{1.0, 2.0, 3.0}, 2), ShapeError);
  CHECK_THROWS_AS(second_moment(std::vector<double>{}, 2), ShapeError);
}

TEST_CASE("a covariance of errors that is none is refused") {
  const auto make = [](std::vector<double> s, std::int64_t l, std::int64_t d) {
    return Consensus(s, l, d);
  };
  CHECK_THROWS_WITH_TEXT(make({1.0}, 1, 1), ArgumentError, "2 to 1024 estimates");
  CHECK_THROWS_WITH_TEXT(make({1.0, 0.0, 0.0}, 2, 1), ShapeError, "[2, 2], got 3 numbers");
  CHECK_THROWS_WITH_TEXT(make({1.0, 0.1, 0.2, 1.0}, 2, 1), ArgumentError, "not symmetric");
  CHECK_THROWS_WITH_TEXT(make({1.0, NAN, NAN, 1.0}, 2, 1), ArgumentError, "NaN or infinity");
  CHECK_THROWS_WITH_TEXT(make({1.0, 1.0, 1.0, 1.0}, 2, 1), ArgumentError, "singular");
  CHECK_THROWS_WITH_TEXT(make({1.0, 0.0, 0.0, 0.0}, 2, 1), ArgumentError,
                         "the variance of estimate 1 is 0");
  CHECK_THROWS_WITH_TEXT(make({1.0, 2.0, 2.0, 1.0}, 2, 1), ArgumentError, "singular");
  Consensus right = make({1.0, 0.5, 0.5, 1e6}, 2, 1);
  CHECK_THROWS_WITH_TEXT(right.fuse(std::vector<double>{1.0}), ShapeError, "got 1 numbers");
  CHECK_THROWS_AS(right.fuse_rows(std::vector<double>{1.0, 2.0, 3.0}), ShapeError);
  CHECK_THROWS_WITH_TEXT(consensus_covariance_from_name("joined"), ArgumentError, "joint");
}
