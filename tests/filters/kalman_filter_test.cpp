// SPDX-License-Identifier: MIT
#include "../../src/filters/kalman_filter.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/formulas/chi_squared.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"
#include "linear_reference.h"

namespace gaia {
namespace {

using namespace test;

/// Rows of which a fifth of the values, and some whole rows, are missing.
std::vector<std::vector<double>> random_rows(std::size_t ticks, std::size_t observed,
                                             std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<std::vector<double>> rows;
  for (std::size_t t = 0; t < ticks; ++t) {
    rows.emplace_back();
    const bool is_missing = uniform(random) < 0.05;
    for (std::size_t i = 0; i < observed; ++i) {
      rows.back().push_back(is_missing || uniform(random) < 0.2 ? kNaN : 2.0 * normal(random));
    }
  }
  return rows;
}

/// The largest difference of a filter's stream from the reference.
double apart(const KalmanFilter& filter, std::size_t stream, const FilterTick& found,
             const LinearReference& expected) {
  const auto n = static_cast<std::size_t>(filter.states());
  double most = std::abs(found.log_likelihood[stream] - expected.log_likelihood);
  if (!std::isnan(expected.nis)) most = std::max(most, std::abs(found.nis[stream] - expected.nis));
  for (std::size_t i = 0; i < n; ++i) {
    most = std::max(most, std::abs(filter.mean()[stream * n + i] - expected.m[i][0]));
    for (std::size_t j = 0; j < n; ++j) {
      most = std::max(most,
                      std::abs(filter.covariance()[(stream * n + i) * n + j] - expected.P[i][j]));
    }
  }
  return most;
}

TEST_CASE("random linear models with missing values are filtered as plain loops do") {
  std::mt19937 random(5);
  for (const KalmanForm form : {KalmanForm::joseph, KalmanForm::root}) {
    for (const auto& [n, m] :
         {std::pair(1, 1), std::pair(3, 2), std::pair(2, 4), std::pair(6, 3)}) {
      INFO(n << " states, " << m << " observed, form " << static_cast<int>(form));
      const auto states = static_cast<std::size_t>(n);
      const auto observed = static_cast<std::size_t>(m);
      KalmanOptions options;
      options.model = random_model(states, observed, random);
      options.form = form;
      constexpr std::size_t streams = 3;
      KalmanFilter filter(options, m, streams);
      std::vector<LinearReference> expected(streams, LinearReference(filter.model()));
      std::vector<std::vector<std::vector<double>>> rows;
      for (std::size_t s = 0; s < streams; ++s) rows.push_back(random_rows(120, observed, random));
      FilterTick found;
      double most = 0.0;
      for (std::size_t t = 0; t < 120; ++t) {
        std::vector<double> all;
        for (std::size_t s = 0; s < streams; ++s) {
          all.insert(all.end(), rows[s][t].begin(), rows[s][t].end());
        }
        filter.predict();
        filter.update(all, true, found);
        for (std::size_t s = 0; s < streams; ++s) {
          expected[s].tick(rows[s][t]);
          most = std::max(most, apart(filter, s, found, expected[s]));
          REQUIRE(std::isnan(found.nis[s]) == std::isnan(expected[s].nis));
          for (std::size_t i = 0; i < observed; ++i) {
            REQUIRE(std::isnan(found.innovation[s * observed + i]) == std::isnan(rows[s][t][i]));
          }
        }
      }
      CHECK(most < 1e-10);
    }
  }
}

TEST_CASE("noise that adapts moves as plain loops move it, and only where it is asked to") {
  for (const char adapts : {'R', 'Q'}) {
    for (const KalmanForm form : {KalmanForm::joseph, KalmanForm::root}) {
      INFO(adapts);
      std::mt19937 random(8);
      KalmanOptions options;
      options.model = random_model(3, 2, random);
      options.form = form;
      options.adapt = adapts == 'R' ? NoiseAdaption::R : NoiseAdaption::Q;
      options.forgetting = 0.98;
      KalmanFilter filter(options, 2);
      LinearReference expected(filter.model());
      expected.adapts = adapts;
      expected.forgetting = 0.98;
      FilterTick found;
      double most = 0.0;
      for (const std::vector<double>& row : random_rows(300, 2, random)) {
        filter.predict();
        filter.update(row, true, found);
        expected.tick(row);
        most = std::max(most, apart(filter, 0, found, expected));
        const auto noise = adapts == 'R' ? filter.observation_noise() : filter.state_noise();
        const auto& right = adapts == 'R' ? expected.R : expected.Q;
        for (std::size_t i = 0; i < noise.size(); ++i) {
          most = std::max(most, std::abs(noise[i] - right[i / right.size()][i % right.size()]));
        }
      }
      CHECK(most < 1e-10);
      const std::vector<double> before = filter.adapted();
      filter.predict();
      filter.update(std::vector<double>{1.0, 2.0}, false, found);
      CHECK(filter.adapted() == before);
    }
  }
}

TEST_CASE("R that adapts stays positive over a long gap of one of two inputs that err alike") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    KalmanOptions options;
    options.model.R = {{1.0, 0.9}, {0.9, 1.0}};
    options.adapt = NoiseAdaption::R;
    KalmanFilter filter(options, 2);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    FilterTick found;
    for (int t = 0; t < 4000; ++t) {
      const double common = normal(random);
      const double loud = t < 2000 ? 1.0 : 0.3;  // the first is quieter from there on
      const double first = loud * (0.949 * common + 0.316 * normal(random));
      const double second = 0.949 * common + 0.316 * normal(random);
      filter.predict();
      filter.update(std::vector<double>{first, t >= 2000 && t < 3000 ? kNaN : second}, true, found);
      const auto R = filter.observation_noise();
      REQUIRE(R[0] > 0.0);
      REQUIRE(R[0] * R[3] > R[1] * R[2]);
    }
  }
}

TEST_CASE("streams that share noise move it by their mean") {
  KalmanOptions options;
  options.adapt = NoiseAdaption::R;
  KalmanFilter two(options, 1, 2);
  KalmanFilter first(options, 1);
  KalmanFilter second(options, 1);
  FilterTick found;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int t = 0; t < 21; ++t) {  // noise moves for the first time at the last of them
    const double a = normal(random);
    const double b = 3.0 * normal(random);
    for (KalmanFilter* const filter : {&two, &first, &second}) filter->predict();
    two.update(std::vector<double>{a, b}, true, found);
    first.update(std::vector<double>{a}, true, found);
    second.update(std::vector<double>{b}, true, found);
  }
  CHECK(first.observation_noise()[0] != 1.0);
  CHECK(std::abs(two.observation_noise()[0] -
                 (first.observation_noise()[0] + second.observation_noise()[0]) / 2) < 1e-14);
}

/// States and rows that a model makes.
class Made {
 public:
  Made(const LinearModel& model, unsigned seed) : model_(model), random_(seed) {
    const auto n = static_cast<std::size_t>(model.states);
    state_ = test::zero_rows(n, 1);
    move(root(model.P0));
  }
  std::vector<double> next() {
    state_ = test::product(test::rows_of(model_.A, state_.size()), state_);
    move(root(model_.Q));
    const test::Rows noise = drawn(root(model_.R));
    test::Rows y = test::product(test::rows_of(model_.H, state_.size()), state_);
    y = test::sum(y, noise);
    std::vector<double> row;
    for (const auto& value : y) row.push_back(value[0]);
    return row;
  }
  /// Normalised estimation error squared, (x - m)ᵀ P⁻¹ (x - m).
  double nees(const KalmanFilter& filter) const {
    const std::size_t n = state_.size();
    test::Rows error = state_;
    for (std::size_t i = 0; i < n; ++i) error[i][0] -= filter.mean()[i];
    const test::Rows P = test::rows_of({filter.covariance().begin(), filter.covariance().end()}, n);
    return test::product(test::product(test::transposed(error), test::inverse(P)), error)[0][0];
  }

 private:
  /// Cholesky's factor of a covariance, whose diagonal may have zeros.
  static test::Rows root(const std::vector<double>& covariance) {
    const auto n = static_cast<std::size_t>(std::lround(std::sqrt(covariance.size())));
    test::Rows a = test::rows_of(covariance, n);
    test::Rows l = test::zero_rows(n, n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) {
        double left = a[i][j];
        for (std::size_t k = 0; k < j; ++k) left -= l[i][k] * l[j][k];
        l[i][j] = i == j ? std::sqrt(std::max(0.0, left)) : l[j][j] > 0.0 ? left / l[j][j] : 0.0;
      }
    }
    return l;
  }
  test::Rows drawn(const test::Rows& factor) {
    test::Rows white = test::zero_rows(factor.size(), 1);
    for (auto& value : white) value[0] = normal_(random_);
    return test::product(factor, white);
  }
  void move(const test::Rows& factor) { state_ = test::sum(state_, drawn(factor)); }

  LinearModel model_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  test::Rows state_;
};

TEST_CASE("errors are as large as the filter says") {
  KalmanOptions options;
  options.model.kind = LinearModelOptions::Kind::velocity;
  options.model.Q = {{1e-4, 5e-4}, {5e-4, 1e-2}};
  options.model.R = {{0.3}};
  constexpr int runs = 200;
  constexpr int ticks = 100;
  std::vector<double> nees(ticks), nis(ticks);
  for (unsigned run = 0; run < runs; ++run) {
    KalmanFilter filter(options, 1);
    Made made(filter.model(), run);
    FilterTick found;
    for (std::size_t t = 0; t < ticks; ++t) {
      filter.predict();
      filter.update(made.next(), false, found);
      nees[t] += made.nees(filter) / runs;
      nis[t] += found.nis[0] / runs;
    }
  }
  const auto check = [&](const std::vector<double>& means, double size) {
    const double low = chi_squared_quantile(0.025, size * runs) / runs;
    const double high = chi_squared_quantile(0.975, size * runs) / runs;
    int inside = 0;
    double mean = 0.0;
    for (const double value : means) {
      inside += value > low && value < high ? 1 : 0;
      mean += value / ticks;
    }
    CHECK(inside >= 90);
    CHECK(std::abs(mean / size - 1.0) < 0.03);
  };
  check(nees, 2.0);
  check(nis, 1.0);
}

TEST_CASE("R is found where it was given nine times wrong") {
  for (const double wrong : {9.0, 1.0 / 9.0}) {
    double mean = 0.0;
    constexpr unsigned seeds = 10;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      KalmanOptions options;
      options.model.kind = LinearModelOptions::Kind::velocity;
      options.model.Q = {{0.0, 1e-3}};
      options.model.R = {{0.5}};
      Made made(make_linear_model(options.model, 1), 100 + seed);
      options.model.R = {{0.5 * wrong}};
      options.adapt = NoiseAdaption::R;
      options.forgetting = 0.998;
      KalmanFilter filter(options, 1);
      FilterTick found;
      for (int t = 0; t < 4000; ++t) {
        filter.predict();
        filter.update(made.next(), true, found);
      }
      mean += filter.observation_noise()[0] / seeds;
    }
    INFO(wrong << " times: " << mean);
    CHECK(std::abs(mean / 0.5 - 1.0) < 0.1);
  }
}

TEST_CASE("Q that is right stays so, and errors stay as large as the filter says") {
  using Kind = LinearModelOptions::Kind;
  struct Case {
    const char* name;
    LinearModelOptions model;
  };
  std::vector<Case> cases(4);
  cases[0] = {"level", {.kind = Kind::level, .Q = {{0.05}}}};
  cases[1] = {"velocity", {.kind = Kind::velocity, .Q = {{0.02, 0.005}}}};
  cases[2] = {"AR(1)", {.kind = Kind::ar, .ar = {0.9}, .Q = {{0.2}}}};
  cases[3] = {"AR(2)", {.kind = Kind::ar, .ar = {1.5, -0.7}, .Q = {{0.2, 0.0}}}};
  for (Case& one : cases) {
    INFO(one.name);
    double trace = 0.0;
    double right = 0.0;
    double nees = 0.0;
    constexpr unsigned seeds = 10;
    constexpr int ticks = 3000;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      KalmanOptions options{.model = one.model};
      options.adapt = NoiseAdaption::Q;
      options.forgetting = 0.999;
      KalmanFilter filter(options, 1);
      Made made(filter.model(), 50 + seed);
      for (std::size_t i = 0; i < filter.model().Q.size();
           i += static_cast<std::size_t>(filter.states()) + 1) {
        right += filter.model().Q[i] / seeds;
      }
      FilterTick found;
      for (int t = 0; t < ticks; ++t) {
        filter.predict();
        filter.update(made.next(), true, found);
        // P is singular where a state is known from others.
        if (one.model.kind != Kind::ar || one.model.ar.size() == 1) {
          nees += made.nees(filter) / (seeds * ticks) / static_cast<double>(filter.states());
        } else {
          nees += found.nis[0] / (seeds * ticks);
        }
      }
      for (std::size_t i = 0; i < filter.model().Q.size();
           i += static_cast<std::size_t>(filter.states()) + 1) {
        trace += filter.model().Q[i] / seeds;
      }
    }
    INFO("Q " << trace << " of " << right << ", NEES of a number " << nees);
    CHECK(std::abs(trace / right - 1.0) < 0.1);
    CHECK(std::abs(nees - 1.0) < 0.05);
  }
}

TEST_CASE("square roots keep small eigenvalues that are lost beside large ones") {
  KalmanOptions options;
  options.model.kind = LinearModelOptions::Kind::matrices;
  options.model.A = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  options.model.H = {{1, 1, 1}, {1, 1, 1 + 1e-6}};
  options.model.Q = {{0.0}};
  options.model.R = {{1e-14}};
  options.model.P0 = {{100.0}};
  options.form = KalmanForm::root;
  KalmanFilter root(options, 2);
  FilterTick found;
  for (int t = 0; t < 50; ++t) {
    root.predict();
    root.update(std::vector<double>{0.0, 0.0}, false, found);
  }
  for (std::size_t i = 0; i < 9; i += 4) CHECK(root.covariance()[i] >= 0.0);
}

TEST_CASE("what is carried and what has adapted goes on bit for bit") {
  for (const KalmanForm form : {KalmanForm::joseph, KalmanForm::root}) {
    std::mt19937 random(2);
    KalmanOptions options;
    options.model = random_model(3, 2, random);
    options.form = form;
    options.adapt = NoiseAdaption::Q;
    KalmanFilter filter(options, 2, 2);
    const auto go = [&](KalmanFilter& one, unsigned seed) {
      std::mt19937 own(seed);
      std::normal_distribution<double> normal;
      FilterTick found;
      for (int t = 0; t < 40; ++t) {
        one.predict();
        one.update(std::vector<double>{normal(own), normal(own), normal(own), kNaN}, true, found);
      }
    };
    go(filter, 1);
    KalmanFilter other(options, 2, 2);
    other.set_adapted(filter.adapted());
    other.set_carried(filter.carried());
    const std::unique_ptr<StateFilter> copy = filter.clone();
    go(filter, 2);
    go(other, 2);
    CHECK(other.carried() == filter.carried());
    CHECK(other.adapted() == filter.adapted());
    CHECK(copy->carried() != filter.carried());
    filter.begin();
    CHECK(filter.mean()[0] == 0.0);
    CHECK(filter.adapted() == other.adapted());
  }
}

TEST_CASE("what cannot be filtered is refused") {
  const auto filter = [](const LinearModelOptions& model, std::int64_t observed = 1) {
    return KalmanFilter(KalmanOptions{.model = model}, observed);
  };
  using Kind = LinearModelOptions::Kind;
  const auto says = [](const std::string& text) { return ContainsSubstring(text); };
  CHECK_THROWS_WITH(filter({.Q = {{1.0, 2.0}, {3.0, 1.0}}}, 2),
                    says("Q: expected a covariance, which is symmetric, got 3.0 at [1, 0]"));
  CHECK_THROWS_WITH(
      filter({.R = {{1.0, 2.0}, {2.0, 1.0}}}, 2),
      says("R: expected a covariance, whose eigenvalues are not negative, got one of -"));
  CHECK_THROWS_WITH(filter({.P0 = {{-1.0}}}), says("P0: expected a covariance"));
  CHECK_THROWS_WITH(
      filter({.Q = {{1.0, 2.0, 3.0}}}, 2),
      says("Q: expected a number, 2 numbers of a diagonal, or 2 rows of 2, got a row of 3"));
  CHECK_THROWS_WITH(filter({.Q = {{kNaN}}}), says("Q: expected finite numbers"));
  CHECK_THROWS_WITH(filter({.kind = Kind::acceleration}, 22),
                    says("expected 1 to 64 states, got 66"));
  CHECK_THROWS_WITH(filter({.kind = Kind::seasonal, .period = 1}), says("2 steps or more, got 1"));
  CHECK_THROWS_WITH(filter({.kind = Kind::ar}), says("1 coefficient or more"));
  CHECK_THROWS_WITH(filter({.kind = Kind::matrices, .A = {{1.0}}, .H = {{1.0, 2.0}}}),
                    says("model.H: expected rows of 1 numbers, got one of 2"));
  CHECK_THROWS_WITH(KalmanFilter(KalmanOptions{.forgetting = 1.0}, 1), says("forgetting"));
  CHECK_THROWS_WITH(KalmanFilter(KalmanOptions{}, 1, 0), says("streams: expected 1 or more"));
  FilterTick found;
  KalmanFilter sure = filter({.Q = {{0.0}}, .R = {{0.0}}, .P0 = {{0.0}}});
  sure.predict();
  CHECK_THROWS_WITH(sure.update(std::vector<double>{1.0}, false, found), says("can be inverted"));
  CHECK_THROWS_WITH(sure.update(std::vector<double>{HUGE_VAL}, false, found),
                    says("finite numbers, or NaN"));
  CHECK_THROWS_AS(sure.update(std::vector<double>{1.0, 2.0}, false, found), ShapeError);
  KalmanFilter wild = filter({.kind = Kind::matrices, .A = {{1e100}}, .H = {{1.0}}});
  CHECK_THROWS_WITH(
      [&] {
        for (int t = 0; t < 10; ++t) wild.predict();
      }(),
      says("whose prediction is finite"));
}

TEST_CASE("models with names have a block for each input") {
  using Kind = LinearModelOptions::Kind;
  const LinearModel velocity = make_linear_model({.kind = Kind::velocity}, 2);
  CHECK(velocity.A == std::vector<double>{1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1});
  CHECK(velocity.H == std::vector<double>{1, 0, 0, 0, 0, 0, 1, 0});
  const LinearModel acceleration = make_linear_model({.kind = Kind::acceleration}, 1);
  CHECK(acceleration.A == std::vector<double>{1, 1, 0.5, 0, 1, 1, 0, 0, 1});
  const LinearModel ar = make_linear_model({.kind = Kind::ar, .ar = {0.5, 0.3, -0.2}}, 1);
  CHECK(ar.A == std::vector<double>{0.5, 0.3, -0.2, 1, 0, 0, 0, 1, 0});
  const LinearModel seasonal = make_linear_model({.kind = Kind::seasonal, .period = 4}, 1);
  CHECK(seasonal.A == std::vector<double>{-1, -1, -1, 1, 0, 0, 0, 1, 0});
  CHECK(seasonal.Q == std::vector<double>{0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01});
  const LinearModel level = make_linear_model({.Q = {{1, 2}}, .R = {{3, 1}, {1, 4}}}, 2);
  CHECK(level.Q == std::vector<double>{1, 0, 0, 2});
  CHECK(level.R == std::vector<double>{3, 1, 1, 4});
}

}  // namespace
}  // namespace gaia
