// SPDX-License-Identifier: MIT
/// \file
/// Confusion matrices: which classes are mistaken for which.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "decimate.h"
#include "result.h"

namespace gaia::report {

/// Classes beyond which only the pairs that are mistaken most are reported.
inline constexpr std::int64_t kMostDrawnClasses = 30;

/// The dataset [true, predicted]; nothing where it is missing, not square or all 0.
Matrix read_confusion(const Result& result, const std::string& dataset);

/// A figure of the page: the matrix with counts and shares of each true class, and what was found
/// of every class; of more than kMostDrawnClasses a list of the pairs that are mistaken most.
std::string confusion_figure(const std::string& id, const std::string& title,
                             const Matrix& confusion,
                             const std::function<std::string(std::int64_t)>& class_name);

/// How often each class was shown, answered, and told right.
struct ClassFigures {
  double shown = 0.0;
  double answered = 0.0;
  double right = 0.0;
};
std::vector<ClassFigures> count_classes(const Matrix& confusion);

}  // namespace gaia::report
