// SPDX-License-Identifier: MIT
#include "../../../src/agents/bandits/fixed_share.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "../../../src/core/error.h"
#include "../../support/catch.h"

using namespace gaia;
using agents::FixedShare;

namespace {

using Losses = std::vector<double>;

/// The least losses of a sequence of experts with `changes` changes, by dynamic programming.
double best_sequence(const std::vector<Losses>& losses, std::size_t changes) {
  const std::size_t n = losses.front().size();
  std::vector<Losses> least(changes + 1, Losses(n, std::numeric_limits<double>::infinity()));
  least[0] = losses[0];
  for (std::size_t t = 1; t < losses.size(); ++t) {
    for (std::size_t k = changes + 1; k-- > 0;) {
      Losses next = least[k];
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; k > 0 && j < n; ++j) {
          if (j != i) next[i] = std::min(next[i], least[k - 1][j]);
        }
      }
      for (std::size_t i = 0; i < n; ++i) least[k][i] = next[i] + losses[t][i];
    }
  }
  return *std::min_element(least[changes].begin(), least[changes].end());
}

double bound_above(double experts, double steps, double changes, double rate, double share) {
  return (std::log(experts) + changes * std::log((experts - 1) / share) +
          (steps - 1 - changes) * std::log(1 / (1 - share))) /
         rate;
}

}  // namespace

TEST_CASE("weights are those of the paper, written as a plain loop") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform;
  for (const double share : {0.0, 0.001, 0.2, 1.0}) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{5}}) {
      constexpr double eta = 1.7;
      FixedShare shares(static_cast<std::int64_t>(n), {.rate = eta, .share = share});
      std::vector<double> w(n, 1.0 / static_cast<double>(n));
      for (int t = 0; t < 60; ++t) {
        Losses losses(n);
        for (double& one : losses) one = uniform(random);
        shares.learn(losses);
        // Loss update, pool, share update: Herbster & Warmuth 1998, Figure 1, not normalised.
        std::vector<double> v(n);
        double pool = 0;
        for (std::size_t i = 0; i < n; ++i) v[i] = w[i] * std::exp(-eta * losses[i]);
        for (std::size_t i = 0; i < n; ++i) pool += share * v[i];
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          w[i] = (1 - share) * v[i] + (pool - share * v[i]) / static_cast<double>(n - 1);
          sum += w[i];
        }
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) {
          REQUIRE(std::abs(shares.weights()[i] - w[i] / sum) < 1e-10);
          total += shares.weights()[i];
        }
        REQUIRE(std::abs(total - 1) < 1e-12);
      }
    }
  }
}

TEST_CASE("the losses of fixed share are within its bounds over 50 runs") {
  constexpr std::size_t n = 4, steps = 1000;
  for (unsigned run = 0; run < 50; ++run) {
    std::mt19937_64 random(run);
    std::uniform_real_distribution<double> uniform;
    // Forecasts of a target in [0, 1]; another expert is good after every 250 steps.
    for (const double share : {0.003, 0.03}) {
      constexpr double rate = 0.5;  // exp(-(p - y)^2/2) is concave in p there
      FixedShare mixed(n, {.rate = rate, .share = share});
      FixedShare drawn(n, {.rate = 0.3, .share = share});
      std::vector<Losses> losses;
      double of_mean = 0, of_drawn = 0;
      for (std::size_t t = 0; t < steps; ++t) {
        const double y = uniform(random);
        Losses& now = losses.emplace_back();
        double forecast = 0, expected = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const double p = i == t / 250 ? 0.8 * y + 0.2 * uniform(random) : uniform(random);
          now.push_back((p - y) * (p - y));
          forecast += mixed.weights()[i] * p;
          expected += drawn.weights()[i] * now.back();
        }
        of_mean += (forecast - y) * (forecast - y);
        of_drawn += expected;
        mixed.learn(now);
        drawn.learn(now);
      }
      for (std::size_t k = 0; k < 6; ++k) {
        const double best = best_sequence(losses, k);
        const auto changes = static_cast<double>(k);
        CHECK(of_mean <= best + bound_above(n, steps, changes, rate, share));
        CHECK(of_drawn <= best + bound_above(n, steps, changes, 0.3, share) + 0.3 * steps / 8);
      }
      // It follows: a single expert cannot.
      if (share == 0.003) CHECK(of_mean < 0.6 * best_sequence(losses, 0));
    }
  }
}

TEST_CASE("without a share the weights of experts that are far behind are not lost for good") {
  FixedShare hedge(2, {.rate = 10, .share = 0});
  for (int t = 0; t < 1000; ++t) hedge.learn(Losses{0, 1});
  CHECK(hedge.weights()[1] == 0.0);
  for (int t = 0; t < 1001; ++t) hedge.learn(Losses{1, 0});
  CHECK(hedge.weights()[1] == Approx(1 / (1 + std::exp(-10))));
}

TEST_CASE("fixed share goes on from what it has saved, and refuses what does not fit") {
  FixedShare shares(3, {.rate = 2, .share = 0.01}), other(3, {.rate = 2, .share = 0.01});
  shares.learn(Losses{0, 0.5, 1});
  other.restore(shares.save());
  shares.learn(Losses{0.2, 0.1, 0});
  other.learn(Losses{0.2, 0.1, 0});
  CHECK(other.weights() == shares.weights());
  CHECK(FixedShare(1).weights() == Losses{1.0});
  CHECK_THROWS_AS(FixedShare(2).restore(shares.save()), ArgumentError);
  CHECK_THROWS_AS(FixedShare(1).restore({{"log_weights", {1.0}}}), ArgumentError);
  CHECK_THROWS_AS(FixedShare(0), ArgumentError);
  CHECK_THROWS_AS(FixedShare(2, {.rate = 0}), ArgumentError);
  CHECK_THROWS_AS(FixedShare(2, {.share = 1.5}), ArgumentError);
  CHECK_THROWS_WITH(shares.learn(Losses{1, 2}),
                    Catch::Matchers::ContainsSubstring("expected one for each of 3 experts"));
  CHECK_THROWS_WITH(shares.learn(Losses{0, std::numeric_limits<double>::quiet_NaN(), 0}),
                    Catch::Matchers::ContainsSubstring("expected finite numbers, got .nan of 1"));
}
