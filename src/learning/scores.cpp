// SPDX-License-Identifier: MIT
#include "scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "../core/message.h"

namespace gaia::scores {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kNoRows = "there are no rows";

void expect_length(const char* function, const char* what, std::size_t got, std::size_t expected) {
  if (got == expected) return;
  fail<ShapeError>("[{}] expected {} {}, got {}", function, expected, what, got);
}

void expect_columns(const char* function, std::size_t numbers, std::int64_t columns) {
  if (columns >= 1 && numbers % static_cast<std::size_t>(columns) == 0) return;
  fail<ShapeError>("[{}] expected rows of 1 or more columns, got {} targets and {} columns",
                   function, numbers, columns);
}

/// Sum of squared distances of a column from its mean; exactly 0 where it does not vary.
double squares_of(std::span<const double> numbers, std::size_t column, std::size_t columns) {
  const double origin = numbers[column];
  const auto rows = static_cast<double>(numbers.size() / columns);
  double sum = 0.0;
  for (std::size_t i = column; i < numbers.size(); i += columns) sum += numbers[i] - origin;
  const double mean = sum / rows;
  double squares = 0.0;
  for (std::size_t i = column; i < numbers.size(); i += columns) {
    const double distance = (numbers[i] - origin) - mean;
    squares += distance * distance;
  }
  return squares;
}

/// The mean over columns of the squared error over the squares of the targets, or NaN.
double relative_error(const char* function, std::span<const double> targets,
                      std::span<const double> predictions, std::int64_t columns) {
  expect_columns(function, targets.size(), columns);
  expect_length(function, "predictions", predictions.size(), targets.size());
  if (targets.empty()) return kUndefined;
  const auto width = static_cast<std::size_t>(columns);
  double total = 0.0;
  for (std::size_t column = 0; column < width; ++column) {
    const double squares = squares_of(targets, column, width);
    if (squares == 0.0) return kUndefined;
    double error = 0.0;
    for (std::size_t i = column; i < targets.size(); i += width) {
      const double distance = predictions[i] - targets[i];
      error += distance * distance;
    }
    total += error / squares;
  }
  return total / static_cast<double>(columns);
}

/// How often a class is there, predicted, and both.
struct Tally {
  std::int64_t truth = 0;
  std::int64_t predicted = 0;
  std::int64_t both = 0;
};

std::map<std::int64_t, Tally> tally(const char* function, Codes truth, Codes predicted) {
  expect_length(function, "predicted classes", predicted.size(), truth.size());
  std::map<std::int64_t, Tally> tallies;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    Tally& own = tallies[truth[i]];
    ++own.truth;
    ++tallies[predicted[i]].predicted;
    if (truth[i] == predicted[i]) ++own.both;
  }
  return tallies;
}

double ratio(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// The place of a code among the classes, or their number.
std::size_t place_of(std::int64_t code, Codes classes) {
  return static_cast<std::size_t>(std::find(classes.begin(), classes.end(), code) -
                                  classes.begin());
}

}  // namespace

double nrmse(std::span<const double> targets, std::span<const double> predictions,
             std::int64_t columns) {
  return std::sqrt(relative_error("nrmse", targets, predictions, columns));
}

double r2(std::span<const double> targets, std::span<const double> predictions,
          std::int64_t columns) {
  return 1.0 - relative_error("r2", targets, predictions, columns);
}

std::string undefined_regression(std::span<const double> targets,
                                 std::span<const double> predictions, std::int64_t columns) {
  expect_columns("undefined_regression", targets.size(), columns);
  expect_length("undefined_regression", "predictions", predictions.size(), targets.size());
  if (targets.empty()) return kNoRows;
  const auto width = static_cast<std::size_t>(columns);
  for (std::size_t column = 0; column < width; ++column) {
    const auto name = [&](const char* one, const char* several) {
      return columns == 1 ? std::string(one) : message("column {}{}", column, several);
    };
    const double squares = squares_of(targets, column, width);
    if (squares == 0.0) return name("the target", " of the targets") + " does not vary";
    if (!std::isfinite(squares)) return name("the target", " of the targets") + " is not finite";
    if (!std::isfinite(squares_of(predictions, column, width))) {
      return name("the prediction", " of the predictions") + " is not finite";
    }
  }
  return {};
}

std::vector<std::int64_t> classes_of(Codes codes, Codes more) {
  std::vector<std::int64_t> classes(codes.begin(), codes.end());
  classes.insert(classes.end(), more.begin(), more.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

double accuracy(Codes truth, Codes predicted) {
  expect_length("accuracy", "predicted classes", predicted.size(), truth.size());
  if (truth.empty()) return kUndefined;
  std::int64_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == predicted[i] ? 1 : 0;
  return ratio(right, static_cast<std::int64_t>(truth.size()));
}

double balanced_accuracy(Codes truth, Codes predicted) {
  double sum = 0.0;
  std::int64_t classes = 0;
  for (const auto& [code, count] : tally("balanced_accuracy", truth, predicted)) {
    if (count.truth == 0) continue;
    sum += ratio(count.both, count.truth);
    ++classes;
  }
  return classes == 0 ? kUndefined : sum / static_cast<double>(classes);
}

double macro_f1(Codes truth, Codes predicted) {
  const std::map<std::int64_t, Tally> tallies = tally("macro_f1", truth, predicted);
  if (tallies.empty()) return kUndefined;
  double sum = 0.0;
  for (const auto& [code, count] : tallies) {
    sum += ratio(2 * count.both, count.truth + count.predicted);
  }
  return sum / static_cast<double>(tallies.size());
}

std::int64_t majority_class(Codes codes) {
  if (codes.empty()) throw ArgumentError("[majority_class] expected codes of classes, got none");
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t code : codes) ++counts[code];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

double majority_accuracy(Codes trained, Codes truth) {
  if (trained.empty() || truth.empty()) return kUndefined;
  return ratio(std::count(truth.begin(), truth.end(), majority_class(trained)),
               static_cast<std::int64_t>(truth.size()));
}

std::string undefined_accuracy(Codes truth) { return truth.empty() ? kNoRows : ""; }

std::vector<std::int64_t> confusion(Codes truth, Codes predicted, Codes classes) {
  expect_length("confusion", "predicted classes", predicted.size(), truth.size());
  std::vector<std::int64_t> counts(classes.size() * classes.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::size_t row = place_of(truth[i], classes);
    const std::size_t column = place_of(predicted[i], classes);
    if (row == classes.size() || column == classes.size()) {
      const std::int64_t code = row == classes.size() ? truth[i] : predicted[i];
      fail<ArgumentError>(
          "[confusion] class {} is not among the classes; classes_of(truth, predicted) has all",
          code);
    }
    ++counts[row * classes.size() + column];
  }
  return counts;
}

double log_loss(Codes truth, std::span<const double> probabilities, Codes classes) {
  expect_length("log_loss", "probabilities", probabilities.size(), truth.size() * classes.size());
  if (!undefined_log_loss(truth, probabilities).empty()) return kUndefined;
  constexpr double kLeast = std::numeric_limits<double>::epsilon();
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const std::size_t place = place_of(truth[i], classes);
    const double own = place < classes.size() ? probabilities[i * classes.size() + place] : 0.0;
    sum -= std::log(std::clamp(own, kLeast, 1.0 - kLeast));
  }
  return sum / static_cast<double>(truth.size());
}

std::string undefined_log_loss(Codes truth, std::span<const double> probabilities) {
  if (truth.empty()) return kNoRows;
  for (const double probability : probabilities) {
    if (std::isnan(probability)) return "a probability is NaN";
  }
  return {};
}

std::vector<std::int64_t> most_probable(std::span<const double> probabilities, Codes classes) {
  if (classes.empty() || probabilities.size() % classes.size() != 0) {
    fail<ShapeError>("[most_probable] expected rows of {} probabilities, got {} numbers",
                     classes.size(), probabilities.size());
  }
  std::vector<std::int64_t> codes;
  codes.reserve(probabilities.size() / classes.size());
  for (std::size_t first = 0; first < probabilities.size(); first += classes.size()) {
    const auto row = probabilities.subspan(first, classes.size());
    codes.push_back(
        classes[static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin())]);
  }
  return codes;
}

}  // namespace gaia::scores
