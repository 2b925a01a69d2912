// SPDX-License-Identifier: MIT
#include "../../src/learning/online_regression.h"

#include <cmath>
#include <limits>

#include "../../src/core/error.h"
#include "../../src/core/random.h"
#include "../reference/scikit_learn/online.h"
#include "../support/catch.h"

using namespace gaia;
namespace reference = gaia::test::scikit_online;

namespace {

using Numbers = std::vector<double>;

/// What [targets, features + 1] weights of the reference have, intercept last.
void check_weights(const OnlineRegression& online, const Numbers& expected, double within) {
  const Numbers weights = online.weights();
  const Numbers intercepts = online.intercepts();
  const auto features = static_cast<std::size_t>(online.features());
  REQUIRE(expected.size() == weights.size() + intercepts.size());
  for (std::size_t k = 0; k < intercepts.size(); ++k) {
    for (std::size_t j = 0; j < features; ++j) {
      CHECK(weights[k * features + j] == Approx(expected[k * (features + 1) + j]).epsilon(within));
    }
    CHECK(intercepts[k] == Approx(expected[k * (features + 1) + features]).epsilon(within));
  }
}

Numbers normals(std::size_t count, std::uint64_t from) {
  Numbers numbers(count);
  const RandomStream stream{11, 1};
  stream.normals(from, numbers);
  return numbers;
}

}  // namespace

TEST_CASE("rls without forgetting is ridge regression on all rows") {
  OnlineRegression online(3, 2, {.forgetting = 1.0, .delta = reference::delta});
  online.predict_and_learn(reference::rows, reference::targets);
  CHECK(online.count() == 50);
  check_weights(online, reference::ridge_weights, 1e-10);
  // Its prediction is that of these weights.
  const std::span<const double> x(&reference::rows[6], 3);
  for (std::size_t k = 0; k < 2; ++k) {
    const double* w = &reference::ridge_weights[4 * k];
    CHECK(online.predict(x)[k] == Approx(w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3]));
  }
}

TEST_CASE("rls with forgetting solves the normal equations that forget") {
  OnlineRegression online(3, 2, {.forgetting = reference::forgetting, .delta = reference::delta});
  online.predict_and_learn(reference::rows, reference::targets);
  check_weights(online, reference::forgetful_weights, 1e-10);
}

TEST_CASE("nlms makes the steps of its formula, and predicts before it learns") {
  OnlineRegression online(
      3, 2, {.method = OnlineMethod::nlms, .step = reference::step, .epsilon = reference::epsilon});
  const Numbers predictions = online.predict_and_learn(reference::rows, reference::targets);
  REQUIRE(predictions.size() == reference::nlms_predictions.size());
  CHECK(predictions[0] == 0.0);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    CHECK(predictions[i] == Approx(reference::nlms_predictions[i]).epsilon(1e-10).margin(1e-12));
  }
  check_weights(online, reference::nlms_weights, 1e-10);
}

TEST_CASE("rls stays exact from a start that all but leaves the weights free") {
  // P begins at 1e12: where it is updated by differences, its digits are gone after the first rows.
  const std::size_t rows = 2000;
  const Numbers x = normals(rows * 4, 0);
  OnlineRegression online(4, 1, {.forgetting = 1.0, .delta = 1e-12});
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<const double> row(&x[4 * i], 4);
    online.learn(row, Numbers{row[0] - 2 * row[1] + 3 * row[2] - 4 * row[3] + 5});
  }
  for (std::size_t j = 0; j < 4; ++j) {
    CHECK(online.weights()[j] ==
          Approx((j % 2 == 0 ? 1.0 : -1.0) * (1.0 + static_cast<double>(j))).epsilon(1e-9));
  }
  CHECK(online.intercepts()[0] == Approx(5.0).epsilon(1e-9));
}

TEST_CASE("a million rows with silent and repeated features leave rls as good as it was") {
  // Forgotten, the regularisation of the silent third feature would be 0.99^1000000.
  constexpr std::size_t kBlock = 1000;
  for (const double forgetting : {0.99, 1.0}) {
    const int blocks = forgetting < 1.0 ? 1000 : 100;
    OnlineRegression online(4, 1, {.forgetting = forgetting, .delta = 1e-3});
    const Numbers block = normals(kBlock * 2, 1000);
    for (int repeat = 0; repeat < blocks; ++repeat) {
      const double change = repeat < blocks - 1 ? 3.0 : -3.0;
      for (std::size_t i = 0; i < kBlock; ++i) {
        const double a = block[2 * i];
        const Numbers x = {a, a, 0.0, block[2 * i + 1]};
        online.learn(x, Numbers{2 * a + change * x[3] - 1});
      }
    }
    const Numbers weights = online.weights();
    // The regularisation alone divides between the two that are equal: by what it is for each,
    // which is renewed at other rows.
    CHECK(weights[0] == Approx(weights[1]).epsilon(1.0 - std::pow(forgetting, 4) + 1e-6));
    CHECK(weights[2] == Approx(0.0).margin(1e-12));
    if (forgetting < 1.0) {  // the last thousand rows are what it remembers
      CHECK(weights[0] + weights[1] == Approx(2.0).epsilon(1e-4));
      CHECK(weights[3] == Approx(-3.0).epsilon(1e-3));
    } else {  // the mean of 99 parts of 3 and one of -3
      CHECK(weights[3] == Approx(3.0 - 6.0 / 100).epsilon(1e-6));
    }
    // A feature that speaks up at last is learnt in a few rows, without a leap.
    for (int i = 0; i < 30; ++i) {
      const double s = i % 3 - 1.0;
      online.learn(Numbers{0.0, 0.0, s, 0.0}, Numbers{-1 + 4 * s});
    }
    CHECK(online.weights()[2] == Approx(4.0).epsilon(1e-2));
  }
}

TEST_CASE("an online regression goes on from its state bit for bit") {
  for (const OnlineMethod method : {OnlineMethod::rls, OnlineMethod::nlms}) {
    const OnlineOptions options{.method = method, .forgetting = 0.98};
    const std::span<const double> x(reference::rows);
    const std::span<const double> y(reference::targets);
    OnlineRegression whole(3, 2, options);
    whole.predict_and_learn(x.first(3 * 17), y.first(2 * 17));
    OnlineRegression other(3, 2, options);
    other.predict_and_learn(x.subspan(60, 30), y.subspan(40, 20));
    other.set_state(whole.state());
    CHECK(other.count() == 17);
    CHECK(whole.predict_and_learn(x.subspan(51), y.subspan(34)) ==
          other.predict_and_learn(x.subspan(51), y.subspan(34)));
    CHECK(whole.state() == other.state());
  }
}

TEST_CASE("what an online regression does not take") {
  OnlineRegression online(2, 1);
  CHECK(online.predict(Numbers{1, 2}) == Numbers{0});
  CHECK_THROWS_WITH_TEXT(online.predict(Numbers(3)), ShapeError, "expected 2 features, got 3");
  CHECK_THROWS_WITH_TEXT(online.learn(Numbers(2), Numbers(2)), ShapeError,
                         "expected 1 targets, got 2");
  CHECK_THROWS_WITH_TEXT(online.predict_and_learn(Numbers(3), Numbers(2)), ShapeError,
                         "expected 4 numbers of features, got 3");
  online.learn(Numbers{1, 2}, Numbers{3});
  const Numbers before = online.state();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Numbers& x : {Numbers{1, std::nan("")}, Numbers{infinity, 0}, Numbers{1e200, 1}}) {
    CHECK_THROWS_WITH_TEXT(online.learn(x, Numbers{1}), ArgumentError, "row 1 holds NaN");
  }
  CHECK_THROWS_AS(online.learn(Numbers{1, 2}, Numbers{std::nan("")}), ArgumentError);
  CHECK(online.state() == before);

  CHECK_THROWS_WITH_TEXT(online.set_state(Numbers(3)), ShapeError,
                         "expected a state of 13 numbers, got 3");
  Numbers state = before;
  state[0] = -1;
  CHECK_THROWS_WITH_TEXT(online.set_state(state), ArgumentError, "got -1.0");
  state = before;
  state[5] = std::nan("");
  CHECK_THROWS_WITH_TEXT(online.set_state(state), ArgumentError, "finite");
  CHECK(online.state() == before);

  CHECK_THROWS_WITH_TEXT(OnlineRegression(0, 1), ArgumentError, "got 0 and 1");
  CHECK_THROWS_WITH_TEXT(OnlineRegression(2, 1, {.forgetting = 1.5}), ArgumentError,
                         "expected forgetting above 0 and up to 1, got 1.5");
  CHECK_THROWS_AS(OnlineRegression(2, 1, {.forgetting = 0.0}), ArgumentError);
  CHECK_THROWS_AS(OnlineRegression(2, 1, {.delta = 0.0}), ArgumentError);
  CHECK_THROWS_AS(OnlineRegression(2, 1, {.method = OnlineMethod::nlms, .step = 2.0}),
                  ArgumentError);
  CHECK_THROWS_AS(OnlineRegression(2, 1, {.method = OnlineMethod::nlms, .epsilon = 0.0}),
                  ArgumentError);
  CHECK_THROWS_WITH_TEXT(OnlineRegression(10000, 1), ArgumentError, "the method nlms takes more");
  CHECK(OnlineRegression(10000, 1, {.method = OnlineMethod::nlms}).features() == 10000);
  CHECK(online_method_from_name("nlms") == OnlineMethod::nlms);
  CHECK(to_string(OnlineMethod::rls) == "rls");
  CHECK_THROWS_WITH_TEXT(online_method_from_name("lms"), ArgumentError, "did you mean");
}
