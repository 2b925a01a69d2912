// SPDX-License-Identifier: MIT
#include "../../src/learning/scores.h"

#include <cmath>

#include "../../src/core/error.h"
#include "../../src/learning/ranking_scores.h"
#include "../reference/scikit_learn/scores.h"
#include "../support/catch.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;
namespace scikit = gaia::test::scikit_scores;

namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

Integers codes(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

/// Within the 1e-9 in which scores equal those of scikit-learn.
Approx near(double value) { return Approx(value).epsilon(1e-9).margin(1e-12); }

}  // namespace

TEST_CASE("scores of regression equal scikit-learn's") {
  CHECK(scores::r2(scikit::targets, scikit::predictions, 3) == near(scikit::r2));
  CHECK(scores::nrmse(scikit::targets, scikit::predictions, 3) ==
        near(std::sqrt(1.0 - scikit::r2)));
  for (std::size_t column = 0; column < 3; ++column) {
    Numbers targets;
    Numbers predictions;
    for (std::size_t i = column; i < scikit::targets.size(); i += 3) {
      targets.push_back(scikit::targets[i]);
      predictions.push_back(scikit::predictions[i]);
    }
    CHECK(scores::r2(targets, predictions) == near(scikit::r2_of_columns[column]));
  }
  CHECK(scores::undefined_regression(scikit::targets, scikit::predictions, 3).empty());
}

TEST_CASE("scores of regression that are not defined are NaN and say why") {
  const auto undefined = [](const Numbers& targets, const Numbers& predictions,
                            std::int64_t columns) {
    CHECK(std::isnan(scores::r2(targets, predictions, columns)));
    CHECK(std::isnan(scores::nrmse(targets, predictions, columns)));
    return scores::undefined_regression(targets, predictions, columns);
  };
  CHECK(undefined({}, {}, 1) == "there are no rows");
  CHECK(undefined({}, {}, 3) == "there are no rows");
  CHECK(undefined({0.1, 0.1, 0.1}, {0, 1, 2}, 1) == "the target does not vary");
  CHECK(undefined({1, 0.1, 2, 0.1}, {1, 2, 3, 4}, 2) == "column 1 of the targets does not vary");
  CHECK(undefined({1, kNaN}, {1, 2}, 1) == "the target is not finite");
  CHECK(undefined({1, 2}, {1, kNaN}, 1) == "the prediction is not finite");
  CHECK_THROWS_WITH_TEXT(scores::r2(Numbers(4), Numbers(3)), ShapeError,
                         "[r2] expected 4 predictions, got 3");
  CHECK_THROWS_WITH_TEXT(scores::nrmse(Numbers(4), Numbers(4), 3), ShapeError,
                         "got 4 targets and 3 columns");
  CHECK_THROWS_AS(scores::r2(Numbers(4), Numbers(4), 0), ShapeError);
}

TEST_CASE("scores of classes equal scikit-learn's") {
  const Integers truth = codes(scikit::truth);
  const Integers predicted = codes(scikit::predicted);
  CHECK(scores::accuracy(truth, predicted) == near(scikit::accuracy));
  CHECK(scores::balanced_accuracy(truth, predicted) == near(scikit::balanced_accuracy));
  CHECK(scores::macro_f1(truth, predicted) == near(scikit::macro_f1));
  CHECK(scores::classes_of(truth) == codes(scikit::classes));
  const Integers all = scores::classes_of(truth, predicted);
  CHECK(all == Integers{0, 1, 2, 3, 5, 7});
  CHECK(scores::confusion(truth, predicted, all) == codes(scikit::confusion));
  CHECK(scores::log_loss(truth, scikit::probabilities, codes(scikit::classes)) ==
        near(scikit::log_loss));
  CHECK(scores::undefined_accuracy(truth).empty());
}

TEST_CASE("the majority is that of the training part") {
  CHECK(scores::majority_class(Integers{4, 2, 2, 4, 9}) == 2);
  CHECK(scores::majority_accuracy(Integers{1, 1, 0}, Integers{0, 0, 1, 0}) == 0.25);
  CHECK(scores::majority_accuracy(Integers{8}, Integers{0, 0}) == 0.0);
  CHECK(std::isnan(scores::majority_accuracy(Integers{}, Integers{0})));
  CHECK_THROWS_AS(scores::majority_class(Integers{}), ArgumentError);
}

TEST_CASE("scores of classes that are not defined are NaN and say why") {
  CHECK(std::isnan(scores::accuracy({}, {})));
  CHECK(std::isnan(scores::balanced_accuracy({}, {})));
  CHECK(std::isnan(scores::macro_f1({}, {})));
  CHECK(std::isnan(scores::majority_accuracy(Integers{1}, {})));
  CHECK(scores::undefined_accuracy({}) == "there are no rows");
  CHECK(std::isnan(scores::log_loss({}, {}, Integers{0, 1})));
  CHECK(scores::undefined_log_loss({}, {}) == "there are no rows");
  CHECK(std::isnan(scores::log_loss(Integers{0}, Numbers{1.0, kNaN}, Integers{0, 1})));
  CHECK(scores::undefined_log_loss(Integers{0}, Numbers{1.0, kNaN}) == "a probability is NaN");
  CHECK_THROWS_WITH_TEXT(scores::confusion(Integers{1, 2}, Integers{1, 1}, Integers{1}),
                         ArgumentError, "class 2 is not among the classes");
  CHECK_THROWS_WITH_TEXT(scores::accuracy(Integers{1}, Integers{}), ShapeError,
                         "[accuracy] expected 1 predicted classes, got 0");
  CHECK_THROWS_WITH_TEXT(scores::log_loss(Integers{1}, Numbers(3), Integers{0, 1}), ShapeError,
                         "expected 2 probabilities, got 3");
}

TEST_CASE("a class that a model has not seen had no probability") {
  // -log(2^-52) for it, -log(1 - 2^-52) for what is sure and right.
  CHECK(scores::log_loss(Integers{5, 0}, Numbers{0.5, 0.5, 1.0, 0.0}, Integers{0, 1}) ==
        Approx(52 * std::log(2.0) / 2).epsilon(1e-12));
}

TEST_CASE("the most probable class") {
  CHECK(scores::most_probable(Numbers{.2, .8, .5, .5, .9, .1}, Integers{-1, 4}) ==
        Integers{4, -1, -1});
  CHECK_THROWS_AS(scores::most_probable(Numbers(3), Integers{0, 1}), ShapeError);
}

TEST_CASE("scores of rankings with ties equal scikit-learn's") {
  const Integers flags = codes(scikit::flags);
  CHECK(scores::roc_auc(flags, 1, scikit::values) == near(scikit::roc_auc));
  CHECK(scores::average_precision(flags, 1, scikit::values) == near(scikit::average_precision));
  CHECK(scores::mean_roc_auc(codes(scikit::truth), scikit::probabilities, codes(scikit::classes)) ==
        near(scikit::mean_auc));
  // With two classes the values of the second alone count.
  Numbers both;
  for (const double value : scikit::values) both.insert(both.end(), {0.0, value});
  CHECK(scores::mean_roc_auc(flags, both, Integers{0, 1}) == near(scikit::roc_auc));
}

TEST_CASE("what rankings are worth in the simplest cases") {
  // One of 2 x 2 pairs is right, one a tie, two are wrong.
  CHECK(scores::roc_auc(Integers{1, 0, 1, 0}, 1, Numbers{2, 2, 0, 1}) == 0.375);
  CHECK(scores::roc_auc(Integers{1, 0}, 0, Numbers{2, 3}) == 1.0);
  CHECK(scores::roc_auc(Integers{3, 0, 3}, 3, Numbers(3)) == 0.5);
  // Precision 1/2 at recall 1/2 (the tie), then 2/4.
  CHECK(scores::average_precision(Integers{1, 0, 1, 0}, 1, Numbers{2, 2, 0, 1}) == 0.5);
  CHECK(scores::average_precision(Integers{1, 1}, 1, Numbers{2, 2}) == 1.0);
  // Class 9 is not known: half; the others are ranked without fault.
  CHECK(scores::mean_roc_auc(Integers{0, 1, 9}, Numbers{.9, .1, .1, .9, .5, .5}, Integers{0, 1}) ==
        Approx(2.5 / 3));
}

TEST_CASE("scores of rankings that are not defined are NaN and say why") {
  const auto undefined = [](const Integers& truth, const Numbers& values) {
    CHECK(std::isnan(scores::roc_auc(truth, 1, values)));
    CHECK(scores::roc_curve(truth, 1, values, 10).empty());
    return scores::undefined_ranking(truth, 1, values);
  };
  CHECK(undefined({}, {}) == "there are no rows");
  CHECK(undefined({0, 0}, {1, 2}) == "no row is of the class");
  CHECK(undefined({1, 1}, {1, 2}) == "all rows are of the class");
  CHECK(undefined({1, 0}, {1, kNaN}) == "a value is NaN");
  CHECK(std::isnan(scores::average_precision(Integers{0, 0}, 1, Numbers{1, 2})));
  CHECK(scores::undefined_ranking(Integers{1, 1}, 1, Numbers{1, 2}, false).empty());
  CHECK(std::isnan(scores::mean_roc_auc(Integers{1, 1}, Numbers(4), Integers{0, 1})));
  CHECK(scores::undefined_mean_auc(Integers{1, 1}, Numbers(4)) == "all rows are of one class");
  CHECK(scores::undefined_mean_auc({}, {}) == "there are no rows");
  CHECK(scores::undefined_mean_auc(Integers{1, 0}, Numbers{1, kNaN}) == "a value is NaN");
  CHECK_THROWS_WITH_TEXT(scores::roc_auc(Integers{1}, 1, Numbers(2)), ShapeError,
                         "[roc_auc] expected 1 values, got 2");
  CHECK_THROWS_AS(scores::average_precision(Integers{1}, 1, Numbers(2)), ShapeError);
  CHECK_THROWS_AS(scores::mean_roc_auc(Integers{1}, Numbers(3), Integers{0, 1}), ShapeError);
}

TEST_CASE("a roc curve has the corners of scikit-learn's") {
  const std::vector<scores::RocPoint> curve =
      scores::roc_curve(codes(scikit::flags), 1, scikit::values, 1000);
  REQUIRE(curve.size() > 2);
  CHECK(std::isinf(curve.front().threshold));
  // Every point is one of scikit-learn's, and what was left out lies between two of them.
  std::size_t next = 0;
  double sum = 0.0;
  for (std::size_t i = 0; i < scikit::curve_true.size(); ++i) {
    const scores::RocPoint point{scikit::curve_false[i], scikit::curve_true[i], 0.0};
    if (next < curve.size() && point.false_positives == near(curve[next].false_positives) &&
        point.true_positives == near(curve[next].true_positives)) {
      if (i > 0) CHECK(curve[next].threshold == scikit::curve_thresholds[i - 1]);
      ++next;
      continue;
    }
    const scores::RocPoint& before = curve[next - 1];
    const scores::RocPoint& after = curve[next];
    CHECK((point.false_positives - before.false_positives) *
              (after.true_positives - before.true_positives) ==
          near((point.true_positives - before.true_positives) *
               (after.false_positives - before.false_positives)));
  }
  CHECK(next == curve.size());
  CHECK(curve.size() < scikit::curve_true.size());
  for (std::size_t i = 1; i < curve.size(); ++i) {
    sum += (curve[i].false_positives - curve[i - 1].false_positives) *
           (curve[i].true_positives + curve[i - 1].true_positives) / 2;
  }
  CHECK(sum == near(scikit::roc_auc));
}

TEST_CASE("a roc curve is thinned to what fits, with both ends") {
  Integers truth;
  Numbers values;
  for (int i = 0; i < 3000; ++i) {
    truth.push_back(i * 7919 % 13 < 4 ? 1 : 0);
    values.push_back(i * 104729 % 3001 + 500.0 * static_cast<double>(truth.back()));
  }
  const std::size_t whole = scores::roc_curve(truth, 1, values, 100000).size();
  CHECK(whole > 500);
  for (const std::int64_t most : {2, 3, 50, 200}) {
    const std::vector<scores::RocPoint> curve = scores::roc_curve(truth, 1, values, most);
    CHECK(std::ssize(curve) <= most);
    CHECK(std::ssize(curve) > most * 3 / 4);
    CHECK(curve.front().false_positives == 0.0);
    CHECK(curve.front().true_positives == 0.0);
    CHECK(curve.back().false_positives == 1.0);
    CHECK(curve.back().true_positives == 1.0);
    double area = 0.0;
    for (std::size_t i = 1; i < curve.size(); ++i) {
      CHECK(curve[i].false_positives >= curve[i - 1].false_positives);
      CHECK(curve[i].true_positives >= curve[i - 1].true_positives);
      CHECK(curve[i].threshold < curve[i - 1].threshold);
      area += (curve[i].false_positives - curve[i - 1].false_positives) *
              (curve[i].true_positives + curve[i - 1].true_positives) / 2;
    }
    if (most >= 50) CHECK(area == Approx(scores::roc_auc(truth, 1, values)).margin(2e-3));
  }
  CHECK_THROWS_WITH_TEXT(scores::roc_curve(truth, 1, values, 1), ArgumentError,
                         "expected 2 points or more, got 1");
}
