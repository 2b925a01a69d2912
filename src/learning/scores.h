// SPDX-License-Identifier: MIT
/// \file
/// How well predictions of numbers and of classes agree with the truth; scores of rankings are in
/// ranking_scores.h.
///
/// Classes are codes, any integers.  A score that the rows do not define is NaN, and the function
/// `undefined_...` beside it says why in words, or nothing where it is defined.  All of them throw
/// ShapeError where lengths do not fit.  Values are those of the functions of scikit-learn that are
/// named (Pedregosa et al., 2011, J. Mach. Learn. Res. 12, 2825-2830).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gaia::scores {

/// Targets and predictions are [rows, columns].  With the mean square error of a column over the
/// variance of its targets, e_k, this is the root of the mean of e_k over columns: of one column
/// the root mean square error over the standard deviation.
double nrmse(std::span<const double> targets, std::span<const double> predictions,
             std::int64_t columns = 1);
/// 1 - nrmse^2: r2_score, uniform average over columns.
double r2(std::span<const double> targets, std::span<const double> predictions,
          std::int64_t columns = 1);
/// Why both are undefined: "there are no rows", "column 2 of the targets does not vary", "column 0
/// of the predictions is not finite".
std::string undefined_regression(std::span<const double> targets,
                                 std::span<const double> predictions, std::int64_t columns = 1);

using Codes = std::span<const std::int64_t>;

/// The codes that occur in either, rising.
std::vector<std::int64_t> classes_of(Codes codes, Codes more = {});

/// The share of rows whose class is right: accuracy_score.
double accuracy(Codes truth, Codes predicted);
/// The mean over the classes of the truth of the share of their rows that is right:
/// balanced_accuracy_score.
double balanced_accuracy(Codes truth, Codes predicted);
/// The mean over the classes of both of 2 tp / (2 tp + fp + fn): f1_score, average macro, with 0
/// for a class that is never right.
double macro_f1(Codes truth, Codes predicted);
/// The code that occurs most often, of several the smallest.  \throws ArgumentError for no codes.
std::int64_t majority_class(Codes codes);
/// The accuracy of always predicting the class that occurs most often in the training part.  NaN
/// where that part has no rows.
double majority_accuracy(Codes trained, Codes truth);
/// Why all of these are undefined: "there are no rows".
std::string undefined_accuracy(Codes truth);

/// How many rows of class i (row) were taken for class j (column), [classes, classes]:
/// confusion_matrix.  \throws ArgumentError for a code that is not among the classes.
std::vector<std::int64_t> confusion(Codes truth, Codes predicted, Codes classes);

/// Minus the mean logarithm of the probability of the true class, with probabilities [rows,
/// classes] kept between 2^-52 and 1 - 2^-52: log_loss.  A class of the truth that is not among
/// `classes` had a probability of 0.
double log_loss(Codes truth, std::span<const double> probabilities, Codes classes);
/// "there are no rows", or "a probability is NaN".
std::string undefined_log_loss(Codes truth, std::span<const double> probabilities);

/// For each row the class of the largest of its values [rows, classes], of several the first.
std::vector<std::int64_t> most_probable(std::span<const double> probabilities, Codes classes);

}  // namespace gaia::scores
