// SPDX-License-Identifier: MIT
/// \file
/// Gradients against central differences, in float64.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/autograd/ops.h"
#include "../../src/autograd/tensor.h"
#include "../support/catch.h"
#include "../support/operands.h"

namespace gaia::test {

using Inputs = std::vector<Tensor>;

/// A function, and where its gradient by each of its inputs is checked.
struct GradientCase {
  std::string name;
  std::vector<Operand> inputs;
  std::function<Tensor(const Inputs&)> f;
};

/// sum of weights * f, with the weights of `dy`.
inline double weighted(const GradientCase& c, const std::vector<Values>& points,
                       const std::vector<double>& dy) {
  const NoGrad no_grad;
  Inputs inputs;
  for (const Values& point : points) inputs.emplace_back(from_values(point.numbers, point.shape));
  const std::vector<double> y = c.f(inputs).value().to_vector<double>();
  double sum = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += dy[i] * y[i];
  return sum;
}

/// What is wrong with the gradients of `c`, or nothing.  They are taken where the inputs lie as the
/// case says; the differences are taken from contiguous copies.
inline std::string gradient_complaint(const GradientCase& c) {
  constexpr double kStep = 1e-6;
  Inputs inputs;
  std::vector<Values> points;
  for (const Operand& input : c.inputs) {
    inputs.emplace_back(input.array, true);
    points.push_back(input.values);
  }
  const Tensor y = c.f(inputs);
  std::mt19937_64 engine(7);
  const Operand dy = random_operand(engine, y.shape(), DType::float64);
  const std::vector<Array> gradients =
      grad({y}, inputs, {.seeds = {dy.array}, .allow_unused = false});
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(gradients[i].shape() == points[i].shape)) {
      return "gradient " + std::to_string(i) + " has shape " + to_string(gradients[i].shape());
    }
    const std::vector<double> got = gradients[i].to_vector<double>();
    for (std::size_t k = 0; k < got.size(); ++k) {
      double& number = points[i].numbers[k];
      const double before = number;
      number = before + kStep;
      const double above = weighted(c, points, dy.values.numbers);
      number = before - kStep;
      const double below = weighted(c, points, dy.values.numbers);
      number = before;
      const double wanted = (above - below) / (2.0 * kStep);
      if (!(std::abs(got[k] - wanted) <= 1e-5 + 1e-3 * std::abs(wanted))) {
        return "gradient " + std::to_string(i) + "[" + std::to_string(k) + "] is " +
               std::to_string(got[k]) + ", differences give " + std::to_string(wanted);
      }
    }
  }
  return "";
}

/// Random float64 operands away from the points that functions have kinks at.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  Operand operator()(const Shape& shape, Layout layout = Layout::contiguous, double low = -2.0,
                     double high = 2.0) {
    Operand operand = random_operand(engine_, shape, DType::float64, layout, low, high);
    for (double& number : operand.values.numbers) {
      for (const double kink : {-1.0, 0.0, 1.0}) {
        if (std::abs(number - kink) < 1e-3) number = kink + 2e-3;
      }
    }
    operand.array = laid_out(operand.values, DType::float64, layout);
    return operand;
  }

  /// int64 numbers of [low, high).
  Array indices(const Shape& shape, std::int64_t low, std::int64_t high) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count_elements(shape)));
    std::uniform_int_distribution<std::int64_t> draw(low, high - 1);
    for (std::int64_t& number : numbers) number = draw(engine_);
    return from_values(numbers, shape);
  }

 private:
  std::mt19937_64 engine_;
};

/// A shape in one layout.
struct Form {
  Shape shape;
  Layout layout;
};

/// {(), (0), (1), (3, 4), (2, 3, 4)}, the larger ones in every layout.
inline std::vector<Form> forms() {
  std::vector<Form> result;
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}}) {
    result.push_back({shape, Layout::contiguous});
  }
  for (const Shape& shape : {Shape{3, 4}, Shape{2, 3, 4}}) {
    for (const Layout layout : all_layouts()) result.push_back({shape, layout});
  }
  return result;
}

// The cases of each group of functions.
std::vector<GradientCase> pointwise_cases();
std::vector<GradientCase> binary_cases();
std::vector<GradientCase> reduce_cases();
std::vector<GradientCase> shaping_cases();
std::vector<GradientCase> view_cases();
std::vector<GradientCase> product_cases();
std::vector<GradientCase> indexing_cases();
std::vector<GradientCase> sliding_cases();
std::vector<GradientCase> order_cases();
std::vector<GradientCase> fused_cases();

}  // namespace gaia::test
