// SPDX-License-Identifier: MIT
/// \file
/// How well a number for each row ranks the rows of a class before the others.
///
/// Rows with the same number are ties, which no order breaks.  A score that the rows do not define
/// is NaN, and `undefined_...` says why.  All of them throw ShapeError where lengths do not fit.
/// Values are those of the functions of scikit-learn that are named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scores.h"

namespace gaia::scores {

/// The probability that a row of class `positive` has a larger value than one of another class,
/// ties counted half (Hanley & McNeil, 1982, Radiology 143, 29-36): roc_auc_score.
double roc_auc(Codes truth, std::int64_t positive, std::span<const double> values);
/// The sum over thresholds, falling, of (recall_n - recall_{n-1}) precision_n:
/// average_precision_score.
double average_precision(Codes truth, std::int64_t positive, std::span<const double> values);
/// Why both are undefined: "there are no rows", "no row is of the class", "all rows are of the
/// class", "a value is NaN".  average_precision needs no row of another class, so its reason is
/// asked for with `others` false.
std::string undefined_ranking(Codes truth, std::int64_t positive, std::span<const double> values,
                              bool others = true);

/// The mean of roc_auc, one class against the rest, over the classes of the truth, with a column of
/// values [rows, classes] each: roc_auc_score of several classes, one against the rest.  Classes
/// without a row are left out; one of the truth that is not among `classes` counts 0.5, which is
/// what saying the same of all rows gives.  Of two classes it is that of the second.
double mean_roc_auc(Codes truth, std::span<const double> values, Codes classes);
/// "there are no rows", "all rows are of one class", "a value is NaN".
std::string undefined_mean_auc(Codes truth, std::span<const double> values);

struct RocPoint {
  double false_positives = 0.0;  ///< Share of the other rows whose value is at or above it.
  double true_positives = 0.0;   ///< Share of the rows of the class whose value is.
  double threshold = 0.0;        ///< Infinity at the first point, (0, 0).
};

/// The curve that roc_auc is the area under, from (0, 0) to (1, 1), for drawing: roc_curve.  Points
/// on a straight line between others are left out; if there are more than `most` (2 or more) then,
/// points at equal distances along the curve are taken.  Empty where it is not defined.
/// \throws ArgumentError if `most` is less than 2.
std::vector<RocPoint> roc_curve(Codes truth, std::int64_t positive, std::span<const double> values,
                                std::int64_t most);

}  // namespace gaia::scores
