// SPDX-License-Identifier: MIT
#include "../../../src/agents/continuous/expected_free_energy.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/core/error.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::agents;

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

/// Members' means and log variances, [members, candidates, dimensions].
struct Members {
  std::int64_t members, candidates, dimensions;
  std::vector<double> means, logs;
  double mean(std::int64_t e, std::int64_t n, std::int64_t d) const {
    return means[static_cast<std::size_t>((e * candidates + n) * dimensions + d)];
  }
  double log_variance(std::int64_t e, std::int64_t n, std::int64_t d) const {
    return logs[static_cast<std::size_t>((e * candidates + n) * dimensions + d)];
  }
  Array array(const std::vector<double>& values) const {
    return from_values(values, {members, candidates, dimensions});
  }
};

Members some(std::int64_t members, std::int64_t candidates, std::int64_t dimensions) {
  Members m{members, candidates, dimensions, {}, {}};
  m.means.resize(static_cast<std::size_t>(members * candidates * dimensions));
  m.logs = m.means;
  RandomStream{1, 1}.normals(0, m.means);
  RandomStream{1, 2}.uniforms(0, m.logs);
  for (double& l : m.logs) l = 2 * l - 1.5;
  return m;
}

/// ln det by Leibniz's sum over permutations of 3 rows.
double log_det3(const double (&s)[3][3]) {
  return std::log(s[0][0] * s[1][1] * s[2][2] + s[0][1] * s[1][2] * s[2][0] +
                  s[0][2] * s[1][0] * s[2][1] - s[0][2] * s[1][1] * s[2][0] -
                  s[0][1] * s[1][0] * s[2][2] - s[0][0] * s[1][2] * s[2][1]);
}

}  // namespace

TEST_CASE("The parts of the expected free energy are what loops give") {
  const Members m = some(4, 5, 3);
  const std::vector<double> target = {0.3, -1, 2}, precision = {2, 0.5, 7};
  test::on_each_device([&] {
    const GaussianFreeEnergy found =
        gaussian_free_energy(m.array(m.means), m.array(m.logs), {target, precision});
    for (std::int64_t n = 0; n < 5; ++n) {
      double mu[3] = {}, s[3][3] = {}, logs = 0;
      for (std::int64_t e = 0; e < 4; ++e) {
        for (int d = 0; d < 3; ++d) mu[d] += m.mean(e, n, d) / 4;
      }
      for (std::int64_t e = 0; e < 4; ++e) {
        for (int i = 0; i < 3; ++i) {
          logs += m.log_variance(e, n, i) / 4;
          s[i][i] += std::exp(m.log_variance(e, n, i)) / 4;
          for (int j = 0; j < 3; ++j) {
            s[i][j] += (m.mean(e, n, i) - mu[i]) * (m.mean(e, n, j) - mu[j]) / 4;
          }
        }
      }
      double cross = 0;
      for (int d = 0; d < 3; ++d) {
        const auto k = static_cast<std::size_t>(d);
        cross += 0.5 * (precision[k] * ((mu[d] - target[k]) * (mu[d] - target[k]) + s[d][d]) -
                        std::log(precision[k] / kTwoPi));
      }
      const double entropy = 0.5 * (log_det3(s) + 3 * std::log(kTwoPi) + 3);
      const double ambiguity = 0.5 * (logs + 3 * std::log(kTwoPi) + 3);
      const auto at = [n](const Array& x) { return x.to_vector<double>()[std::size_t(n)]; };
      CHECK(at(found.cross_entropy) == Approx(cross).epsilon(1e-10));
      CHECK(at(found.ambiguity) == Approx(ambiguity).epsilon(1e-10));
      CHECK(at(found.information_gain) == Approx(entropy - ambiguity).epsilon(1e-10));
      CHECK(at(found.risk) == Approx(cross - entropy).epsilon(1e-10));
      CHECK(at(found.risk) > 0);  // a divergence
      CHECK(at(found.risk + found.ambiguity) ==
            Approx(at(found.cross_entropy - found.information_gain)).epsilon(1e-12));
    }
  });
}

TEST_CASE("Cross-entropy and risk are the means over draws") {
  const Members m = some(3, 1, 2);
  const std::vector<double> target = {0.5, -0.5}, precision = {1.5, 3};
  const GaussianFreeEnergy found =
      gaussian_free_energy(m.array(m.means), m.array(m.logs), {target, precision});
  const auto log_preferred = [&](const double* o) {
    double sum = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      sum += 0.5 * (std::log(precision[d] / kTwoPi) -
                    precision[d] * (o[d] - target[d]) * (o[d] - target[d]));
    }
    return sum;
  };
  constexpr std::size_t kDraws = 300000;
  std::vector<double> z(2 * kDraws);
  RandomStream{2, 1}.normals(0, z);
  // Values of the mixture itself, member by member.
  double cross = 0, squares = 0;
  double gain = 0;  // the mixture's mutual information of o and the member
  for (std::size_t k = 0; k < kDraws; ++k) {
    const auto e = static_cast<std::int64_t>(k % 3);
    double o[2];
    for (int d = 0; d < 2; ++d) {
      o[d] = m.mean(e, 0, d) +
             std::exp(0.5 * m.log_variance(e, 0, d)) * z[2 * k + static_cast<std::size_t>(d)];
    }
    cross -= log_preferred(o) / kDraws;
    squares += log_preferred(o) * log_preferred(o) / kDraws;
    double density[3], all = 0;
    for (std::int64_t other = 0; other < 3; ++other) {
      density[other] = 1;
      for (int d = 0; d < 2; ++d) {
        const double v = std::exp(m.log_variance(other, 0, d)), a = o[d] - m.mean(other, 0, d);
        density[other] *= std::exp(-0.5 * a * a / v) / std::sqrt(kTwoPi * v);
      }
      all += density[other] / 3;
    }
    gain += std::log(density[e] / all) / kDraws;
  }
  const double error = std::sqrt((squares - cross * cross) / kDraws);
  CHECK(found.cross_entropy.item() == Approx(cross).margin(4 * error));
  CHECK(error < 0.02);
  // The normal distribution of the same covariance has the most entropy.
  CHECK(found.information_gain.item() > gain);
  CHECK(gain > 0.1);
}

TEST_CASE("Members that agree have nothing to tell, and neither has a single one") {
  Members m = some(5, 4, 3);
  for (std::int64_t e = 1; e < 5; ++e) {
    for (std::size_t k = 0; k < 12; ++k) {
      m.means[static_cast<std::size_t>(e) * 12 + k] = m.means[k];
      m.logs[static_cast<std::size_t>(e) * 12 + k] = m.logs[k];
    }
  }
  const GaussianPreference preference{{0, 0, 0}, {1, 1, 1}};
  const Array same =
      gaussian_free_energy(m.array(m.means), m.array(m.logs), preference).information_gain;
  const Members one = some(1, 4, 3);
  const Array single =
      gaussian_free_energy(one.array(one.means), one.array(one.logs), preference).information_gain;
  for (const Array& gain : {same, single}) CHECK(max(abs(gain)).item() < 1e-12);
}

TEST_CASE("Dimensions that do not matter change nothing but ambiguity and gain") {
  Members m = some(3, 2, 2);
  const GaussianPreference preference{{1, 0}, {2, 0}};
  const GaussianFreeEnergy before =
      gaussian_free_energy(m.array(m.means), m.array(m.logs), preference);
  for (std::size_t k = 1; k < m.means.size(); k += 2) m.means[k] += 100;
  const GaussianFreeEnergy after =
      gaussian_free_energy(m.array(m.means), m.array(m.logs), preference);
  CHECK(max(abs(after.cross_entropy - before.cross_entropy)).item() == 0);
  CHECK(max(abs(after.information_gain - before.information_gain)).item() < 1e-9);
}

TEST_CASE(
    "Of draws of the posterior of a linear model the gain is its mutual information, and "
    "falls as one over the data") {
  // y = w x + noise of variance v, w ~ N(0, 1) a priori: the posterior's variance is
  // 1 / (1 + sum x^2 / v), and I(y; w) at x is 1/2 ln(1 + x^2 variance / v).
  constexpr double kNoise = 0.25, kAt = 1.5;
  constexpr std::int64_t kMembers = 20000;
  std::vector<double> gains;
  for (const int data : {100, 200, 400, 800}) {
    double squares = 0;
    std::vector<double> x(static_cast<std::size_t>(data));
    RandomStream{3, 1}.normals(0, x);
    for (const double one : x) squares += one * one;
    const double variance = 1 / (1 + squares / kNoise);
    std::vector<double> w(kMembers), logs(kMembers, std::log(kNoise));
    RandomStream{3, 2}.normals(0, w);
    for (double& one : w) one = (0.7 + std::sqrt(variance) * one) * kAt;
    const double gain = gaussian_free_energy(from_values(w, {kMembers, 1, 1}),
                                             from_values(logs, {kMembers, 1, 1}), {{0}, {1}})
                            .information_gain.item();
    CHECK(gain == Approx(0.5 * std::log(1 + kAt * kAt * variance / kNoise)).epsilon(0.04));
    gains.push_back(gain);
  }
  for (std::size_t k = 1; k < gains.size(); ++k) {
    CHECK(gains[k - 1] / gains[k] == Approx(2).epsilon(0.15));
  }
}

TEST_CASE("Of two actions that are known the one is chosen that the closed form prefers") {
  // Action u gives o ~ N(u, v): the cross-entropy with N(1, 1/p) is least at u = 1, and a noisier
  // action loses p (v' - v) / 2.
  const std::vector<double> means = {0.2, 0.6, 1.0, 1.4, 1.0},
                            logs = {-2, -2, -2, -2, std::log(0.5)};
  const GaussianFreeEnergy found =
      gaussian_free_energy(from_values(means, {1, 5, 1}), from_values(logs, {1, 5, 1}), {{1}, {4}});
  const Array G = found.risk + found.ambiguity;
  CHECK(argmin(G).item() == 2);
  CHECK(G[4].item() - G[2].item() == Approx(4 * (0.5 - std::exp(-2)) / 2).epsilon(1e-12));
  CHECK(G[0].item() - G[2].item() == Approx(4 * 0.64 / 2).epsilon(1e-12));
}

TEST_CASE("Predictions and preferences that do not fit are refused") {
  const Array x = zeros({2, 3, 2});
  CHECK_THROWS_AS(gaussian_free_energy(x, zeros({2, 3, 1}), {{0, 0}, {1, 1}}), ShapeError);
  CHECK_THROWS_WITH_TEXT(gaussian_free_energy(x, x, {{0}, {1}}), ArgumentError, "each of 2");
  CHECK_THROWS_WITH_TEXT(gaussian_free_energy(x, x, {{0, 0}, {1, -1}}), ArgumentError, "precision");
  CHECK_THROWS_WITH_TEXT(gaussian_free_energy(x, x, {{0, NAN}, {1, 1}}), ArgumentError, "target");
}
