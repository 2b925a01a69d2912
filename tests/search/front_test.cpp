// SPDX-License-Identifier: MIT
/// \file
/// Dominance, crowding and hypervolume of several objectives, compared with plain counting.
#include "../../src/search/front.h"

#include <algorithm>

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// Vectors of whole numbers from 0 to `most`, so that many are equal in something.
std::vector<Objectives> random_grid(std::uint64_t seed, std::size_t count, std::size_t objectives,
                                    std::int64_t most) {
  const RandomStream random{seed, 1};
  std::vector<Objectives> values(count, Objectives(objectives));
  std::uint64_t next = 0;
  for (Objectives& one : values) {
    for (double& value : one) value = static_cast<double>(random.integer(next++, most + 1));
  }
  return values;
}

/// How many cells of the unit grid below the reference are dominated.
double cells(const std::vector<Objectives>& values, const Objectives& reference) {
  std::int64_t count = 0;
  Objectives cell(reference.size(), 0.0);
  for (;;) {
    count += std::any_of(values.begin(), values.end(), [&](const Objectives& one) {
      for (std::size_t j = 0; j < cell.size(); ++j) {
        if (one[j] > cell[j]) return false;
      }
      return true;
    });
    std::size_t j = 0;
    while (j < cell.size() && (cell[j] += 1.0) >= reference[j]) cell[j++] = 0.0;
    if (j == cell.size()) return static_cast<double>(count);
  }
}

bool is_dominated_by(const Objectives& a, const Objectives& b) {
  bool somewhere = false;
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (b[j] > a[j]) return false;
    somewhere = somewhere || b[j] < a[j];
  }
  return somewhere;
}

}  // namespace

TEST_CASE("the hypervolume is the number of cells that are dominated") {
  for (const std::size_t objectives : {1U, 2U, 3U, 4U, 5U}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      CAPTURE(objectives, seed);
      const auto values = random_grid(seed, 12, objectives, 5);
      // Some lie beyond a reference of 4 or on it, and add nothing.
      const Objectives reference(objectives, 4.0);
      std::vector<Objectives> inside;
      for (const Objectives& one : values) {
        if (std::all_of(one.begin(), one.end(), [](double x) { return x < 4.0; })) {
          inside.push_back(one);
        }
      }
      const double expected = cells(inside, reference);
      CHECK(hypervolume(values, reference) == expected);
      const std::vector<double> contributions = hypervolume_contributions(values, reference);
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::vector<Objectives> others = values;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK(contributions[i] == expected - hypervolume(others, reference));
      }
    }
  }
}

TEST_CASE("a hypervolume of real numbers is that of inclusion and exclusion") {
  const RandomStream random{3, 2};
  for (const std::size_t objectives : {2U, 3U, 4U}) {
    std::vector<Objectives> values(9, Objectives(objectives));
    std::uint64_t next = 1000 * objectives;
    for (Objectives& one : values) {
      random.uniforms(next, one);
      next += objectives;
    }
    const Objectives reference(objectives, 0.9);
    double expected = 0.0;
    for (unsigned subset = 1; subset < (1u << values.size()); ++subset) {
      double volume = 1.0;
      for (std::size_t j = 0; j < objectives; ++j) {
        double corner = -kInfinity;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if ((subset >> i) % 2 != 0) corner = std::max(corner, values[i][j]);
        }
        volume *= std::max(0.0, reference[j] - corner);
      }
      expected += __builtin_popcount(subset) % 2 != 0 ? volume : -volume;
    }
    CHECK_THAT(hypervolume(values, reference), Catch::Matchers::WithinAbs(expected, 1e-12));
  }
}

TEST_CASE("what is not below the reference, or not a number, has no volume") {
  CHECK(hypervolume({}, Objectives{1.0, 1.0}) == 0.0);
  CHECK(hypervolume({{0.0, 1.0}, {1.0, 0.0}, {2.0, -5.0}}, Objectives{1.0, 1.0}) == 0.0);
  CHECK(hypervolume({{kNaN, 0.0}, {0.5, kInfinity}, {0.5, 0.5}}, Objectives{1.0, 1.0}) == 0.25);
  CHECK(hypervolume_contributions({{0.5, 0.5}, {0.5, 0.5}}, Objectives{1.0, 1.0}) ==
        std::vector<double>{0.0, 0.0});
  CHECK_THROWS_WITH_TEXT(hypervolume({{0.0, 1.0}}, Objectives{1.0}), ArgumentError,
                         "expected a reference of 2 objectives, got 1");
  CHECK_THROWS_WITH_TEXT(hypervolume({{0.0, 1.0}}, (Objectives{1.0, kInfinity})), ArgumentError,
                         "the reference must be finite");
  CHECK_THROWS_WITH_TEXT(non_dominated_ranks({{0.0, 1.0}, {1.0}}), ArgumentError,
                         "expected 2 objectives, as the first has, got 1");
  CHECK_THROWS_WITH_TEXT(dominates(Objectives{0.0, 1.0}, Objectives{1.0}), ArgumentError,
                         "as many objectives of both, got 2 and 1");
}

TEST_CASE("ranks are those of taking away what none dominates, again and again") {
  for (const std::size_t objectives : {1U, 2U, 3U}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      CAPTURE(objectives, seed);
      const auto values = random_grid(seed, 25, objectives, 6);
      std::vector<std::int64_t> expected(values.size(), -1);
      for (std::int64_t rank = 0; std::count(expected.begin(), expected.end(), -1) > 0; ++rank) {
        std::vector<std::size_t> front;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (expected[i] >= 0) continue;
          bool is_free = true;
          for (std::size_t k = 0; k < values.size(); ++k) {
            is_free = is_free && !(expected[k] < 0 && is_dominated_by(values[i], values[k]));
          }
          if (is_free) front.push_back(i);
        }
        for (const std::size_t i : front) expected[i] = rank;
      }
      CHECK(non_dominated_ranks(values) == expected);
      std::vector<std::size_t> first;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (expected[i] == 0) first.push_back(i);
      }
      CHECK(non_dominated(values) == first);
    }
  }
  // What is not finite comes behind everything.
  CHECK(non_dominated_ranks({{kNaN, 0.0}, {5.0, 5.0}, {1.0, -kInfinity}, {6.0, 6.0}}) ==
        std::vector<std::int64_t>{2, 0, 2, 1});
  CHECK(non_dominated({{kNaN, 0.0}}).empty());
}

TEST_CASE("crowding is the distance of both neighbours in shares of the range") {
  const std::vector<Objectives> values = {{0.0, 8.0}, {4.0, 0.0}, {1.0, 4.0}, {3.0, 2.0}};
  const std::vector<double> distances = crowding_distances(values);
  CHECK(distances[0] == kInfinity);
  CHECK(distances[1] == kInfinity);
  CHECK_THAT(distances[2], Catch::Matchers::WithinAbs(3.0 / 4 + 6.0 / 8, 1e-15));
  CHECK_THAT(distances[3], Catch::Matchers::WithinAbs(3.0 / 4 + 4.0 / 8, 1e-15));
  CHECK(crowding_distances({}).empty());
  CHECK_THROWS_WITH_TEXT(crowding_distances({{0.0, kNaN}}), ArgumentError, "expected finite");
}

TEST_CASE("in order, that of least contribution is taken away before the next is looked for") {
  for (const std::size_t objectives : {2U, 3U}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      CAPTURE(objectives, seed);
      const auto values = random_grid(seed, 16, objectives, 7);
      const std::vector<std::int64_t> ranks = non_dominated_ranks(values);
      std::vector<std::size_t> expected;
      for (std::int64_t rank = 0; rank <= *std::max_element(ranks.begin(), ranks.end()); ++rank) {
        std::vector<std::size_t> left;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (ranks[i] == rank) left.push_back(i);
        }
        Objectives reference;
        std::vector<std::size_t> ends;
        for (std::size_t j = 0; j < objectives; ++j) {
          double least = kInfinity;
          double most = -kInfinity;
          for (const std::size_t i : left) {
            least = std::min(least, values[i][j]);
            most = std::max(most, values[i][j]);
          }
          reference.push_back(most + (most > least ? most - least : 1.0));
          std::size_t end = left.front();
          for (const std::size_t i : left) {
            if (values[i][j] < values[end][j] ||
                (values[i][j] == values[end][j] && values[i] < values[end])) {
              end = i;
            }
          }
          ends.push_back(end);
        }
        std::vector<std::size_t> taken;
        while (!left.empty()) {
          std::vector<Objectives> there;
          for (const std::size_t i : left) there.push_back(values[i]);
          std::size_t last = 0;
          double least = kInfinity;
          for (std::size_t k = 0; k < left.size(); ++k) {
            std::vector<Objectives> others = there;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
            const bool is_end = std::find(ends.begin(), ends.end(), left[k]) != ends.end();
            const double adds =
                is_end ? kInfinity : hypervolume(there, reference) - hypervolume(others, reference);
            if (adds <= least) {
              least = adds;
              last = k;
            }
          }
          taken.push_back(left[last]);
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(last));
        }
        expected.insert(expected.end(), taken.rbegin(), taken.rend());
      }
      CHECK(order_by_dominance(values) == expected);
    }
  }
  CHECK(order_by_dominance({}).empty());
  CHECK(order_by_dominance({{kNaN, 0.0}, {1.0, 1.0}, {kInfinity, 0.0}}) ==
        std::vector<std::size_t>{1, 0, 2});
}
