// SPDX-License-Identifier: MIT
#include "../../src/learning/logistic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../../src/core/error.h"
#include "../../src/core/parallel.h"
#include "../../src/core/random.h"
#include "../reference/scikit_learn/balanced.h"
#include "../reference/scikit_learn/logistic.h"
#include "../support/catch.h"

using namespace gaia;
namespace balanced = gaia::test::scikit_balanced;
namespace scikit = gaia::test::scikit_logistic;

namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

Integers integers(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

/// Fits, and compares with what scikit-learn found.
void check(const Numbers& rows, const Numbers& codes, double l2, const Numbers& weights,
           const Numbers& intercepts, const Numbers& probabilities,
           ClassWeight class_weight = ClassWeight::none) {
  const std::size_t features = rows.size() / codes.size();
  LogisticRegression logistic(static_cast<std::int64_t>(features), l2, class_weight);
  logistic.fit(rows, integers(codes));
  CHECK(logistic.converged());
  const std::size_t classes = logistic.classes().size();
  REQUIRE(logistic.weights().size() == classes * features);
  if (classes == 2) {
    for (std::size_t j = 0; j < features; ++j) {
      CHECK(logistic.weights()[features + j] - logistic.weights()[j] ==
            Approx(weights[j]).epsilon(1e-5));
    }
    CHECK(logistic.intercepts()[1] - logistic.intercepts()[0] ==
          Approx(intercepts[0]).epsilon(1e-5));
  } else {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      CHECK(logistic.weights()[i] == Approx(weights[i]).epsilon(1e-5).margin(1e-12));
    }
    for (std::size_t k = 0; k < classes; ++k) {
      CHECK(logistic.intercepts()[k] == Approx(intercepts[k]).epsilon(1e-5));
    }
  }
  const Numbers p = logistic.probabilities(std::span(rows).first(6 * features));
  REQUIRE(p.size() == probabilities.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    CHECK(p[i] == Approx(probabilities[i]).epsilon(1e-5).margin(1e-12));
  }
}

/// Rows [count, features] around a centre for each class, and the classes.
struct Clouds {
  Numbers rows;
  Integers codes;
  Clouds(std::int64_t count, std::int64_t features, std::int64_t classes, double apart) {
    const RandomStream stream{7, 1};
    rows.resize(static_cast<std::size_t>(count * features));
    stream.normals(0, rows);
    Numbers centres(static_cast<std::size_t>(classes * features));
    stream.normals(std::uint64_t{1} << 40, centres);
    for (std::int64_t i = 0; i < count; ++i) {
      codes.push_back(i % classes);
      for (std::int64_t j = 0; j < features; ++j) {
        rows[static_cast<std::size_t>(i * features + j)] +=
            apart * centres[static_cast<std::size_t>(codes.back() * features + j)];
      }
    }
  }
};

}  // namespace

TEST_CASE("logistic regression of several classes equals scikit-learn's") {
  check(scikit::four_rows, scikit::four_codes, scikit::four_l2, scikit::four_weights,
        scikit::four_intercepts, scikit::four_probabilities);
}

TEST_CASE("logistic regression of two classes equals scikit-learn's") {
  const auto first = scikit::four_rows.begin();
  check({first, first + 40 * 5}, scikit::two_codes, scikit::two_l2, scikit::two_weights,
        scikit::two_intercepts, scikit::two_probabilities);
}

TEST_CASE("logistic regression of classes that can be told apart equals scikit-learn's") {
  check(scikit::apart_rows, scikit::apart_codes, scikit::apart_l2, scikit::apart_weights,
        scikit::apart_intercepts, scikit::apart_probabilities);
}

TEST_CASE("logistic regression takes features of very different sizes") {
  check(scikit::scaled_rows, scikit::scaled_codes, scikit::scaled_l2, scikit::scaled_weights,
        scikit::scaled_intercepts, scikit::scaled_probabilities);
}

TEST_CASE("logistic regression of balanced classes equals scikit-learn's") {
  check(balanced::three_rows, balanced::three_codes, balanced::three_l2, balanced::three_weights,
        balanced::three_intercepts, balanced::three_probabilities, ClassWeight::balanced);
  check(balanced::two_rows, balanced::two_codes, balanced::two_l2, balanced::two_weights,
        balanced::two_intercepts, balanced::two_probabilities, ClassWeight::balanced);
}

TEST_CASE("balanced classes are those of data in which each row stands as often as it counts") {
  // The classes have 900, 200 and 100 of 1200 rows: repeated 2, 9 and 18 times all have 1800.  Many
  // rows and features, so that blocks of rows and of the Hessian are computed.
  constexpr std::size_t kFeatures = 30;
  Clouds clouds(1200, kFeatures, 12, 0.0);
  for (std::int64_t& code : clouds.codes) code = code < 9 ? 0 : code < 11 ? 1 : 2;
  for (std::size_t i = 0; i < clouds.codes.size(); ++i) {
    clouds.rows[i * kFeatures + static_cast<std::size_t>(clouds.codes[i])] += 1.0;
  }
  Numbers rows;
  Integers codes;
  for (std::size_t i = 0; i < clouds.codes.size(); ++i) {
    for (int turn = 0; turn < std::array{2, 9, 18}[static_cast<std::size_t>(clouds.codes[i])];
         ++turn) {
      rows.insert(rows.end(), clouds.rows.begin() + static_cast<std::ptrdiff_t>(i * kFeatures),
                  clouds.rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * kFeatures));
      codes.push_back(clouds.codes[i]);
    }
  }
  // l2 counts by the mean variance of all rows, which repeating changes.
  const auto mean_variance = [](const Numbers& of) {
    double sum = 0.0;
    const double count = static_cast<double>(of.size() / kFeatures);
    for (std::size_t j = 0; j < kFeatures; ++j) {
      double mean = 0.0;
      for (std::size_t i = j; i < of.size(); i += kFeatures) mean += of[i] / count;
      for (std::size_t i = j; i < of.size(); i += kFeatures) {
        sum += std::pow(of[i] - mean, 2) / count;
      }
    }
    return sum / kFeatures;
  };
  LogisticRegression weighted(kFeatures, 1e-3, ClassWeight::balanced);
  weighted.fit(clouds.rows, clouds.codes);
  LogisticRegression repeated(kFeatures, 1e-3 * mean_variance(clouds.rows) / mean_variance(rows));
  repeated.fit(rows, codes);
  CHECK(weighted.converged());
  for (std::size_t i = 0; i < weighted.weights().size(); ++i) {
    CHECK(weighted.weights()[i] == Approx(repeated.weights()[i]).margin(1e-6));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(weighted.intercepts()[k] == Approx(repeated.intercepts()[k]).margin(1e-6));
  }
  LogisticRegression plain(kFeatures, 1e-3);
  plain.fit(clouds.rows, clouds.codes);
  CHECK(plain.intercepts()[2] < weighted.intercepts()[2] - 0.5);
}

TEST_CASE("balanced classes are alike where features say nothing") {
  LogisticRegression logistic(2, 1e-4, ClassWeight::balanced);
  logistic.fit(Numbers(8, 0.1), Integers{5, 5, 2, 5});
  CHECK(logistic.probabilities(Numbers{0.1, 0.1}) == Numbers{0.5, 0.5});
}

TEST_CASE("logistic regression finds where the gradient is 0, with many features and classes") {
  // More rows than one sum takes, features that copy each other and one that is constant.
  constexpr std::size_t kRows = 3000;
  constexpr std::size_t kFeatures = 20;
  // Where classes overlap little, few rows shape the loss, and each class others.
  const double apart = GENERATE(0.3, 0.8);
  Clouds clouds(kRows, kFeatures, 5, apart);
  for (std::size_t i = 0; i < kRows; ++i) {
    double* row = &clouds.rows[i * kFeatures];
    row[3] = row[2] + 1e-4 * row[3];
    row[7] = 0.1;
  }
  constexpr double kL2 = 1e-5;
  LogisticRegression logistic(kFeatures, kL2);
  logistic.fit(clouds.rows, clouds.codes);
  CHECK(logistic.converged());
  CHECK(logistic.steps() < 20);
  const Numbers p = logistic.probabilities(clouds.rows);
  double mean_variance = 0.0;
  for (std::size_t j = 0; j < kFeatures; ++j) {
    double mean = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < kRows; ++i) mean += clouds.rows[i * kFeatures + j] / kRows;
    for (std::size_t i = 0; i < kRows; ++i) {
      squares += std::pow(clouds.rows[i * kFeatures + j] - mean, 2) / kRows;
    }
    mean_variance += squares / kFeatures;
  }
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(logistic.weights()[k * kFeatures + 7] == 0.0);
    double share = 0.0;
    for (std::size_t j = 0; j < kFeatures; ++j) {
      double gradient = kL2 * mean_variance * logistic.weights()[k * kFeatures + j];
      for (std::size_t i = 0; i < kRows; ++i) {
        const double wrong =
            p[i * 5 + k] - (clouds.codes[i] == static_cast<std::int64_t>(k) ? 1 : 0);
        gradient += wrong * clouds.rows[i * kFeatures + j] / kRows;
        if (j == 0) share += wrong / kRows;
      }
      CHECK(std::abs(gradient) < 1e-9);
    }
    CHECK(std::abs(share) < 1e-9);
  }
}

TEST_CASE("a logistic regression does not depend on the number of threads") {
  const Clouds clouds(1500, 70, 4, GENERATE(0.2, 0.35));
  set_num_threads(1);
  LogisticRegression one(70);
  one.fit(clouds.rows, clouds.codes);
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    LogisticRegression several(70);
    several.fit(clouds.rows, clouds.codes);
    CHECK(one.weights() == several.weights());
    CHECK(one.intercepts() == several.intercepts());
  }
  set_num_threads(0);
}

TEST_CASE("classes without overlap, and no regularisation asked for, have a solution") {
  const Clouds clouds(60, 4, 3, 30.0);
  LogisticRegression logistic(4, 0.0);
  logistic.fit(clouds.rows, clouds.codes);
  const Numbers p = logistic.probabilities(clouds.rows);
  for (std::size_t i = 0; i < 60; ++i) {
    CHECK(p[3 * i + static_cast<std::size_t>(clouds.codes[i])] > 0.999);
  }
  for (const double weight : logistic.weights()) CHECK(std::abs(weight) < 1e3);
}

TEST_CASE("a single class is sure, and features that never change give the shares of classes") {
  LogisticRegression logistic(2);
  logistic.fit(Numbers{1, 2, 3, 4}, Integers{-6, -6});
  CHECK(logistic.classes() == Integers{-6});
  CHECK(logistic.probabilities(Numbers{9, 9, 1e300, 0}) == Numbers{1, 1});
  CHECK(logistic.weights() == Numbers(2));

  logistic.fit(Numbers(8, 0.1), Integers{5, 5, 2, 5});
  CHECK(logistic.classes() == Integers{2, 5});
  const Numbers p = logistic.probabilities(Numbers{0.1, 0.1});
  CHECK(p[0] == Approx(0.25));
  CHECK(p[1] == Approx(0.75));
}

TEST_CASE("probabilities of far away rows stay probabilities") {
  LogisticRegression logistic(1, 1e-6);
  logistic.fit(Numbers{0, 1, 2, 3}, Integers{0, 0, 1, 1});
  const Numbers p = logistic.probabilities(Numbers{-1e5, 1e5});
  CHECK(p[0] == 1.0);
  CHECK(p[1] < 1e-300);
  CHECK(p[2] < 1e-300);
  CHECK(p[3] == 1.0);
}

TEST_CASE("a logistic solution is taken over as it is") {
  const Clouds clouds(50, 3, 3, 1.0);
  LogisticRegression first(3);
  CHECK_FALSE(first.is_fitted());
  first.fit(clouds.rows, clouds.codes);
  LogisticRegression second(3);
  second.set_solution(first.solution());
  CHECK(second.is_fitted());
  CHECK(second.probabilities(clouds.rows) == first.probabilities(clouds.rows));

  // softmax(0, log 3) at x = 1.
  LogisticRegression small(1);
  small.set_solution({{4, 9}, {0.0, std::log(3.0)}, {0.0, 0.0}});
  CHECK(small.probabilities(Numbers{1})[1] == Approx(0.75).epsilon(1e-14));
  CHECK_THROWS_WITH_TEXT(small.set_solution({{4, 9}, {0.0}, {0.0, 0.0}}), ShapeError,
                         "got 2 classes, 2 intercepts and 1 weights");
  CHECK_THROWS_AS(small.set_solution({}), ShapeError);
  CHECK_THROWS_WITH_TEXT(small.set_solution({{9, 4}, {0, 0}, {0, 0}}), ArgumentError, "rise");
  CHECK_THROWS_WITH_TEXT(small.set_solution({{4, 9}, {0, std::nan("")}, {0, 0}}), ArgumentError,
                         "finite");
}

TEST_CASE("what a logistic regression does not take") {
  LogisticRegression logistic(2);
  CHECK_THROWS_WITH_TEXT(logistic.probabilities(Numbers(2)), ArgumentError, "call fit first");
  CHECK_THROWS_WITH_TEXT(logistic.fit(Numbers(3), Integers{0, 1}), ShapeError,
                         "2 codes need 4 numbers of features, got 3");
  CHECK_THROWS_WITH_TEXT(logistic.fit({}, {}), ArgumentError, "got none");
  CHECK_THROWS_WITH_TEXT(logistic.fit(Numbers{1, 2, 3, std::nan("")}, Integers{0, 1}),
                         ArgumentError, "feature 1 of row 1 is .nan");
  CHECK_THROWS_WITH_TEXT(logistic.fit(Numbers{1, 2, 1e300, 3}, Integers{0, 1}), ArgumentError,
                         "feature 0 has a variance too large");
  CHECK_FALSE(logistic.is_fitted());
  CHECK_THROWS_WITH_TEXT(LogisticRegression(0), ArgumentError, "1 or more features, got 0");
  CHECK_THROWS_WITH_TEXT(LogisticRegression(1, -1.0), ArgumentError, "got -1.0");
  CHECK_THROWS_AS(LogisticRegression(1, std::numeric_limits<double>::infinity()), ArgumentError);
  logistic.fit(Numbers{1, 2, 3, 5}, Integers{0, 1});
  CHECK_THROWS_WITH_TEXT(logistic.probabilities(Numbers(3)), ShapeError, "rows of 2 features");
}
