// SPDX-License-Identifier: MIT
#include "thompson_sampling.h"

#include <cmath>

#include "bandit_checks.h"

namespace gaia::agents {
namespace {

// Places in the stream at which uniform numbers of each purpose begin; normal ones begin at 0.
constexpr std::uint64_t kUniforms = 1ULL << 60, kPowers = 2ULL << 60, kCoins = 3ULL << 60;

}  // namespace

ThompsonSampling::ThompsonSampling(std::int64_t arms, const ThompsonOptions& options)
    : options_(options) {
  require(arms >= 1, "[ThompsonSampling] arms: expected at least 1, got {}", arms);
  for (const double prior : {options.prior_wins, options.prior_losses}) {
    require(prior > 0 && std::isfinite(prior),
            "[ThompsonSampling] prior_wins and prior_losses: expected numbers above 0, got {}",
            prior);
  }
  wins_.assign(static_cast<std::size_t>(arms), 0.0);
  losses_ = wins_;
}

/// The logarithm of a gamma variate of scale 1: Marsaglia & Tsang 2000, ACM Trans. Math. Softw. 26,
/// 363.  In logarithms, since those of small shapes are below the least double.
double ThompsonSampling::gamma(double shape) {
  const bool is_small = shape < 1;
  const double d = (is_small ? shape + 1 : shape) - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    double x = 0, u = 0, power = 0;
    options_.random.normals(draws_, {&x, 1});
    options_.random.uniforms(kUniforms + draws_, {&u, 1});
    options_.random.uniforms(kPowers + draws_, {&power, 1});
    ++draws_;
    const double root = 1.0 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    // 1 - u is in (0, 1], whose logarithm is finite.
    if (!(std::log1p(-u) < 0.5 * x * x + d - d * v + d * std::log(v))) continue;
    const double of_larger = std::log(d) + std::log(v);
    return is_small ? of_larger + std::log1p(-power) / shape : of_larger;
  }
}

std::int64_t ThompsonSampling::choose() {
  std::size_t best = 0;
  double highest = 0.0;
  for (std::size_t i = 0; i < wins_.size(); ++i) {
    // Beta is g/(g + h) of two gamma variates, which rises with ln g - ln h.
    const double g = gamma(options_.prior_wins + wins_[i]);
    const double h = gamma(options_.prior_losses + losses_[i]);
    if (i > 0 && !(g - h > highest)) continue;
    best = i;
    highest = g - h;
  }
  return static_cast<std::int64_t>(best);
}

void ThompsonSampling::learn(std::int64_t arm, double reward) {
  check_play("ThompsonSampling", arm, arms(), reward);
  double u = 0;
  options_.random.uniforms(kCoins + coins_++, {&u, 1});
  (u < reward ? wins_ : losses_)[static_cast<std::size_t>(arm)] += 1.0;
}

SavedState ThompsonSampling::save() const {
  return {{"wins", wins_},
          {"losses", losses_},
          {"draws", {static_cast<double>(draws_)}},
          {"coins", {static_cast<double>(coins_)}}};
}

void ThompsonSampling::restore(const SavedState& saved) {
  std::vector<double> wins = saved_numbers(saved, "wins", wins_.size());
  std::vector<double> losses = saved_numbers(saved, "losses", wins_.size());
  const double draws = saved_numbers(saved, "draws", 1).front();
  const double coins = saved_numbers(saved, "coins", 1).front();
  for (const double count : wins) check_count("ThompsonSampling", "wins", count);
  for (const double count : losses) check_count("ThompsonSampling", "losses", count);
  check_count("ThompsonSampling", "draws", draws);
  check_count("ThompsonSampling", "coins", coins);
  wins_ = std::move(wins);
  losses_ = std::move(losses);
  draws_ = static_cast<std::uint64_t>(draws);
  coins_ = static_cast<std::uint64_t>(coins);
}

}  // namespace gaia::agents
