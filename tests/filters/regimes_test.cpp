// SPDX-License-Identifier: MIT
#include "../../src/filters/regimes.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../../src/filters/kalman_filter.h"
#include "../reference/rows.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

namespace gaia::test {
namespace {

using Matrix = Rows;
using Row = std::vector<double>;

struct Model {
  Matrix A, H, Q, R, P0;
};

/// What one tick of the plain loop found.
struct Found {
  Row mean, probabilities, innovation;
  Matrix covariance;
  double log_likelihood = 0.0;
  double nis = kNaN;
};

/// Interacting multiple models of one stream as Blom and Bar-Shalom (1988) have it, in loops.
class Plain {
 public:
  Plain(std::vector<Model> models, Matrix transition, Row initial)
      : models_(std::move(models)), p_(std::move(transition)), mu_(std::move(initial)) {
    for (const Model& model : models_) {
      m_.push_back(Row(model.A.size(), 0.0));
      P_.push_back(model.P0);
    }
  }

  Found tick(const Row& z) {
    const std::size_t J = models_.size();
    const std::size_t n = m_[0].size();
    Row c(J, 0.0);
    for (std::size_t j = 0; j < J; ++j) {
      for (std::size_t i = 0; i < J; ++i) c[j] += p_[i][j] * mu_[i];
    }
    std::vector<Row> m0(J, Row(n, 0.0));
    std::vector<Matrix> P0(J, Matrix(n, Row(n, 0.0)));
    for (std::size_t j = 0; j < J; ++j) {
      for (std::size_t i = 0; i < J; ++i) {
        for (std::size_t k = 0; k < n; ++k) m0[j][k] += p_[i][j] * mu_[i] / c[j] * m_[i][k];
      }
      for (std::size_t i = 0; i < J; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
          for (std::size_t l = 0; l < n; ++l) {
            P0[j][k][l] += p_[i][j] * mu_[i] / c[j] *
                           (P_[i][k][l] + (m_[i][k] - m0[j][k]) * (m_[i][l] - m0[j][l]));
          }
        }
      }
    }
    std::vector<std::size_t> there;
    for (std::size_t k = 0; k < z.size(); ++k) {
      if (!std::isnan(z[k])) there.push_back(k);
    }
    const std::size_t d = there.size();
    Found found{
        .mean = {}, .probabilities = {}, .innovation = Row(z.size(), kNaN), .covariance = {}};
    std::vector<Row> v(J, Row(d, 0.0));
    std::vector<Matrix> S(J);
    Row likelihood(J, 1.0);
    for (std::size_t j = 0; j < J; ++j) {
      const Model& model = models_[j];
      for (std::size_t k = 0; k < n; ++k) {
        m_[j][k] = 0.0;
        for (std::size_t l = 0; l < n; ++l) m_[j][k] += model.A[k][l] * m0[j][l];
      }
      P_[j] = sum(product(product(model.A, P0[j]), transposed(model.A)), model.Q);
      if (d == 0) continue;
      Matrix H(d), R(d, Row(d));
      for (std::size_t a = 0; a < d; ++a) {
        H[a] = model.H[there[a]];
        for (std::size_t b = 0; b < d; ++b) R[a][b] = model.R[there[a]][there[b]];
        v[j][a] = z[there[a]];
        for (std::size_t l = 0; l < n; ++l) v[j][a] -= H[a][l] * m_[j][l];
      }
      S[j] = sum(product(product(H, P_[j]), transposed(H)), R);
      double determinant = 0.0;
      const Matrix J_of_S = inverse(S[j], &determinant);
      const Matrix K = product(product(P_[j], transposed(H)), J_of_S);
      double nis = 0.0;
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < d; ++b) nis += v[j][a] * J_of_S[a][b] * v[j][b];
        for (std::size_t k = 0; k < n; ++k) m_[j][k] += K[k][a] * v[j][a];
      }
      P_[j] = sum(P_[j], product(product(K, S[j]), transposed(K)), -1.0);
      likelihood[j] =
          std::exp(-0.5 * nis) /
          std::sqrt(determinant * std::pow(2.0 * std::numbers::pi, static_cast<double>(d)));
    }
    double total = 0.0;
    for (std::size_t j = 0; j < J; ++j) total += c[j] * likelihood[j];
    if (d > 0) {
      found.log_likelihood = std::log(total);
      Row mixed(d, 0.0);
      for (std::size_t j = 0; j < J; ++j) {
        for (std::size_t a = 0; a < d; ++a) mixed[a] += c[j] * v[j][a];
      }
      Matrix all(d, Row(d, 0.0));
      for (std::size_t j = 0; j < J; ++j) {
        for (std::size_t a = 0; a < d; ++a) {
          for (std::size_t b = 0; b < d; ++b) {
            all[a][b] += c[j] * (S[j][a][b] + (v[j][a] - mixed[a]) * (v[j][b] - mixed[b]));
          }
        }
      }
      double determinant = 0.0;
      const Matrix inverse_of_all = inverse(all, &determinant);
      found.nis = 0.0;
      for (std::size_t a = 0; a < d; ++a) {
        found.innovation[there[a]] = mixed[a];
        for (std::size_t b = 0; b < d; ++b) found.nis += mixed[a] * inverse_of_all[a][b] * mixed[b];
      }
    }
    for (std::size_t j = 0; j < J; ++j) mu_[j] = c[j] * likelihood[j] / total;
    found.probabilities = mu_;
    found.mean = Row(n, 0.0);
    for (std::size_t j = 0; j < J; ++j) {
      for (std::size_t k = 0; k < n; ++k) found.mean[k] += mu_[j] * m_[j][k];
    }
    found.covariance = Matrix(n, Row(n, 0.0));
    for (std::size_t j = 0; j < J; ++j) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t l = 0; l < n; ++l) {
          found.covariance[k][l] +=
              mu_[j] * (P_[j][k][l] + (m_[j][k] - found.mean[k]) * (m_[j][l] - found.mean[l]));
        }
      }
    }
    return found;
  }

 private:
  std::vector<Model> models_;
  Matrix p_;
  Row mu_;
  std::vector<Row> m_;
  std::vector<Matrix> P_;
};

/// Random numbers for a test, one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : stream_(RandomStream::named(seed, "test")) {}
  double normal() {
    double value = 0.0;
    stream_.normals(next_++, {&value, 1});
    return value;
  }
  double uniform() {
    double value = 0.0;
    stream_.uniforms(next_++, {&value, 1});
    return value;
  }
  Matrix matrix(std::size_t rows, std::size_t columns, double scale) {
    Matrix made(rows, Row(columns));
    for (Row& row : made) {
      for (double& value : row) value = scale * normal();
    }
    return made;
  }
  Matrix covariance(std::size_t size, double scale) {
    const Matrix root = matrix(size, size + 2, std::sqrt(scale / static_cast<double>(size + 2)));
    return product(root, transposed(root));
  }
  Row probabilities(std::size_t size) {
    Row made(size);
    double total = 0.0;
    for (double& value : made) total += value = 0.05 + uniform();
    for (double& value : made) value /= total;
    return made;
  }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

Model random_model(Draws& draws, std::size_t states, std::size_t observed) {
  return {.A = draws.matrix(states, states, 0.7 / std::sqrt(static_cast<double>(states))),
          .H = draws.matrix(observed, states, 1.0),
          .Q = draws.covariance(states, 0.1 + draws.uniform()),
          .R = draws.covariance(observed, 0.2 + draws.uniform()),
          .P0 = draws.covariance(states, 1.0)};
}

std::unique_ptr<GaussianFilter> kalman(const Model& model, std::int64_t streams,
                                       KalmanForm form = KalmanForm::joseph) {
  return std::make_unique<KalmanFilter>(LinearModel{.states = std::ssize(model.A),
                                                    .observed = std::ssize(model.H),
                                                    .A = flat(model.A),
                                                    .H = flat(model.H),
                                                    .Q = flat(model.Q),
                                                    .R = flat(model.R),
                                                    .P0 = flat(model.P0)},
                                        form, NoiseAdaption::none, 0.995, streams);
}

RegimesFilter regimes(const std::vector<Model>& models, const Matrix& transition,
                      const Row& initial, std::int64_t streams,
                      KalmanForm form = KalmanForm::joseph) {
  std::vector<std::unique_ptr<GaussianFilter>> filters;
  for (const Model& model : models) filters.push_back(kalman(model, streams, form));
  return {std::move(filters), {.transition = flat(transition), .initial = initial}};
}

void check_close(std::span<const double> got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(i);
    if (std::isnan(expected[i])) {
      CHECK(std::isnan(got[i]));
    } else {
      CHECK(std::abs(got[i] - expected[i]) <= 1e-10 * std::max(1.0, std::abs(expected[i])));
    }
  }
}

/// Level with little or much noise of the state.
Model level(double Q, double R = 1.0) { return {{{1.0}}, {{1.0}}, {{Q}}, {{R}}, {{1.0}}}; }

const Matrix kSticky = {{0.95, 0.05}, {0.1, 0.9}};

}  // namespace

TEST_CASE("Regimes agree with a plain loop over random models with missing values") {
  struct Size {
    std::size_t models, states, observed;
  };
  for (const Size size :
       {Size{1, 2, 1}, Size{2, 1, 1}, Size{2, 3, 2}, Size{3, 4, 3}, Size{5, 2, 2}}) {
    for (const KalmanForm form : {KalmanForm::joseph, KalmanForm::root}) {
      Draws draws(size.models * 100 + size.states * 10 + size.observed);
      std::vector<Model> models;
      Matrix transition;
      for (std::size_t j = 0; j < size.models; ++j) {
        models.push_back(random_model(draws, size.states, size.observed));
        transition.push_back(draws.probabilities(size.models));
      }
      const Row initial = draws.probabilities(size.models);
      constexpr std::size_t streams = 2;
      RegimesFilter filter = regimes(models, transition, initial, streams, form);
      std::vector<Plain> plain(streams, Plain(models, transition, initial));
      FilterTick tick;
      for (int t = 0; t < 60; ++t) {
        std::vector<double> rows;
        for (std::size_t i = 0; i < streams * size.observed; ++i) {
          const double z = 1.5 * draws.normal();
          rows.push_back(t % 9 == 4 || draws.uniform() < 0.25 ? kNaN : z);
        }
        filter.predict();
        filter.update(rows, true, tick);
        std::vector<double> mean, covariance, probabilities, innovation, nis, likelihood;
        for (std::size_t s = 0; s < streams; ++s) {
          const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(s * size.observed);
          const Found found =
              plain[s].tick({begin, begin + static_cast<std::ptrdiff_t>(size.observed)});
          const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
            to.insert(to.end(), more.begin(), more.end());
          };
          append(mean, found.mean);
          append(covariance, flat(found.covariance));
          append(probabilities, found.probabilities);
          append(innovation, found.innovation);
          nis.push_back(found.nis);
          likelihood.push_back(found.log_likelihood);
        }
        INFO("tick " << t << " of " << size.models << " models, " << size.states << " states");
        check_close(filter.mean(), mean);
        check_close(filter.covariance(), covariance);
        check_close(filter.probabilities(), probabilities);
        check_close(tick.innovation, innovation);
        check_close(tick.nis, nis);
        check_close(tick.log_likelihood, likelihood);
      }
    }
  }
}

TEST_CASE("One model alone is its Kalman filter") {
  Draws draws(3);
  const Model model = random_model(draws, 3, 2);
  RegimesFilter filter = regimes({model}, {{1.0}}, {}, 1);
  const auto alone = kalman(model, 1);
  FilterTick tick, of_alone;
  for (int t = 0; t < 30; ++t) {
    const std::vector<double> row = {draws.normal(), t % 5 == 2 ? kNaN : draws.normal()};
    filter.predict();
    filter.update(row, false, tick);
    alone->predict();
    alone->update(row, false, of_alone);
    check_close(filter.mean(), {alone->mean().begin(), alone->mean().end()});
    check_close(filter.covariance(), {alone->covariance().begin(), alone->covariance().end()});
    check_close(tick.nis, of_alone.nis);
    check_close(tick.log_likelihood, of_alone.log_likelihood);
    CHECK(filter.probabilities()[0] == 1.0);
  }
}

TEST_CASE("Where nothing is observed probabilities move by the transitions alone") {
  RegimesFilter filter = regimes({level(0.01), level(1.0)}, kSticky, {1.0, 0.0}, 1);
  FilterTick tick;
  double p = 1.0;
  for (int t = 0; t < 40; ++t) {
    filter.predict();
    filter.update(std::vector<double>{kNaN}, true, tick);
    p = 0.95 * p + 0.1 * (1.0 - p);
    CHECK(filter.probabilities()[0] == Approx(p).epsilon(1e-12));
    CHECK(filter.probabilities()[1] == Approx(1.0 - p).epsilon(1e-12));
    CHECK(tick.log_likelihood[0] == 0.0);
    CHECK(std::isnan(tick.nis[0]));
    CHECK(std::isnan(tick.innovation[0]));
  }
}

TEST_CASE("Without initial probabilities the models begin with those of the long run") {
  const auto initial = [](const Matrix& transition) {
    const std::vector<Model> models(transition.size(), level(0.1));
    const RegimesFilter filter = regimes(models, transition, {}, 1);
    return std::vector<double>(filter.initial().begin(), filter.initial().end());
  };
  check_close(initial(kSticky), {2.0 / 3.0, 1.0 / 3.0});
  check_close(initial({{0.0, 1.0}, {1.0, 0.0}}), {0.5, 0.5});
  // Every model for itself; and one that cannot be left, which is reached from all.
  check_close(initial({{1.0, 0.0}, {0.0, 1.0}}), {0.5, 0.5});
  check_close(initial({{1.0, 0.0}, {0.3, 0.7}}), {1.0, 0.0});
  // Of three, the last goes to either of the others, which stay.
  check_close(initial({{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.2, 0.6, 0.2}}),
              {(1.0 + 0.25) / 3.0, (1.0 + 0.75) / 3.0, 0.0});
}

TEST_CASE("A regime that switches is found, and what is sure of it goes with it") {
  // A level that hardly moves, then one that jumps about.
  Draws draws(11);
  RegimesFilter filter = regimes({level(1e-4), level(4.0)}, {{0.99, 0.01}, {0.01, 0.99}}, {}, 1);
  FilterTick tick;
  double x = 0.0;
  double still = 0.0;
  double moving = 0.0;
  for (int t = 0; t < 400; ++t) {
    x += (t < 200 ? 0.01 : 2.0) * draws.normal();
    filter.predict();
    filter.update(std::vector<double>{x + draws.normal()}, false, tick);
    if (t >= 100 && t < 200) still += filter.probabilities()[0] / 100.0;
    if (t >= 300) moving += filter.probabilities()[1] / 100.0;
  }
  CHECK(still > 0.95);
  CHECK(moving > 0.9);
  CHECK(filter.covariance()[0] > 0.5);
}

TEST_CASE("A model that has long been improbable is not lost to rounding") {
  // Without transitions nothing but the likelihood decides, and it says the second model by far
  // more than e^-745, then the first.
  RegimesFilter filter =
      regimes({level(0.0, 1.0), level(0.0, 1e4)}, {{1.0, 0.0}, {0.0, 1.0}}, {}, 1);
  FilterTick tick;
  for (int t = 0; t < 10; ++t) {
    filter.predict();
    filter.update(std::vector<double>{t % 2 == 0 ? 100.0 : -100.0}, false, tick);
  }
  CHECK(filter.probabilities()[0] == 0.0);
  CHECK(filter.probabilities()[1] == 1.0);
  for (int t = 0; t < 20000 && filter.probabilities()[0] < 0.9; ++t) {
    filter.predict();
    filter.update(std::vector<double>{0.0}, false, tick);
  }
  CHECK(filter.probabilities()[0] > 0.9);
}

TEST_CASE("Regimes go on bit for bit from what they carry, and begin anew with a trial") {
  Draws draws(5);
  std::vector<Model> models = {random_model(draws, 2, 2), random_model(draws, 2, 2)};
  RegimesFilter filter = regimes(models, kSticky, {}, 3);
  FilterTick tick;
  const auto run = [&](RegimesFilter& on, std::uint64_t seed) {
    Draws rows_of(seed);
    std::vector<double> likelihoods;
    for (int t = 0; t < 20; ++t) {
      std::vector<double> rows;
      for (int i = 0; i < 6; ++i) rows.push_back(rows_of.normal());
      on.predict();
      on.update(rows, false, tick);
      likelihoods.insert(likelihoods.end(), tick.log_likelihood.begin(), tick.log_likelihood.end());
    }
    return likelihoods;
  };
  const std::vector<double> first = run(filter, 1);
  const std::vector<double> carried = filter.carried();
  const auto copy = filter.clone();
  const std::vector<double> second = run(filter, 2);
  RegimesFilter other = regimes(models, kSticky, {}, 3);
  other.set_carried(carried);
  CHECK(run(other, 2) == second);
  CHECK(run(dynamic_cast<RegimesFilter&>(*copy), 2) == second);
  CHECK(other.carried() == filter.carried());
  filter.begin();
  CHECK(run(filter, 1) == first);
  // A stream alone is what it is beside others.
  filter.set_streams(1);
  filter.begin();
  RegimesFilter alone = regimes(models, kSticky, {}, 1);
  CHECK(filter.carried() == alone.carried());
  CHECK_THROWS_WITH_TEXT(filter.set_carried(carried), ShapeError, "for each of 1 streams");
}

TEST_CASE("Regimes refuse models and probabilities that do not fit") {
  const auto make = [](std::vector<Model> models, const Matrix& transition, const Row& initial) {
    regimes(models, transition, initial, 1);
  };
  const Model one = level(0.1);
  CHECK_THROWS_WITH_TEXT(make({}, {}, {}), ArgumentError,
                         "[regimes] models: expected at least one");
  CHECK_THROWS_WITH_TEXT(make({one, one}, {{1.0}}, {}), ShapeError,
                         "[regimes] transition: expected 2 rows of 2 numbers");
  CHECK_THROWS_WITH_TEXT(make({one, one}, {{0.5, 0.4}, {0.5, 0.5}}, {}), ArgumentError,
                         "[regimes] transition[0]: expected probabilities that sum to 1, got 0.9");
  CHECK_THROWS_WITH_TEXT(make({one, one}, {{0.5, 0.5}, {-0.5, 1.5}}, {}), ArgumentError,
                         "[regimes] transition[1]: expected probabilities, in [0, 1], got -0.5");
  CHECK_THROWS_AS(make({one, one}, {{kNaN, 0.5}, {0.5, 0.5}}, {}), ArgumentError);
  CHECK_THROWS_WITH_TEXT(make({one, one}, kSticky, {1.0}), ShapeError,
                         "[regimes] initial: expected 2 numbers, one for each model, got 1");
  CHECK_THROWS_WITH_TEXT(make({one, one}, kSticky, {0.7, 0.7}), ArgumentError,
                         "[regimes] initial: expected probabilities that sum to 1, got 1.4");
  Draws draws(1);
  CHECK_THROWS_WITH_TEXT(
      make({one, random_model(draws, 2, 1)}, kSticky, {}), ShapeError,
      "[regimes] models[1]: expected 1 states, 1 observed numbers and 1 streams");
  const auto adapt = [] {
    std::vector<std::unique_ptr<GaussianFilter>> adapts;
    adapts.push_back(std::make_unique<KalmanFilter>(KalmanOptions{.adapt = NoiseAdaption::R}, 1));
    RegimesFilter(std::move(adapts), {.transition = {1.0}});
  };
  CHECK_THROWS_WITH_TEXT(adapt(), ArgumentError,
                         "[regimes] models[0]: expected noise that stays as it is");
}

TEST_CASE("What a model cannot do is told with its number") {
  Model grows = level(0.1);
  grows.A = {{1e200}};
  const auto grow = [&] {
    regimes({level(0.1), grows}, {{1.0, 0.0}, {0.0, 1.0}}, {}, 1).predict();
  };
  CHECK_THROWS_WITH_TEXT(grow(), ArgumentError, "[regimes] models[1]: [kalman] expected a model");
  FilterTick tick;
  Model exact = level(0.0, 0.0);
  exact.P0 = {{0.0}};
  const auto observe = [&] {
    RegimesFilter filter = regimes({exact, level(0.1)}, {{1.0, 0.0}, {0.0, 1.0}}, {1.0, 0.0}, 1);
    filter.predict();
    filter.update(std::vector<double>{1.0}, false, tick);
  };
  CHECK_THROWS_WITH_TEXT(observe(), ArgumentError,
                         "[regimes] models[0]: [kalman] expected an innovation");
  const RegimesFilter two = regimes({level(0.1), level(0.2)}, kSticky, {}, 1);
  CHECK_THROWS_AS(two.model(2), ArgumentError);
  CHECK(two.model(1).states() == 1);
}

}  // namespace gaia::test
