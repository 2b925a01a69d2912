// SPDX-License-Identifier: MIT
/// \file
/// Gradients of modules in float64 against central differences, by the input and every parameter.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/autograd/grad_mode.h"
#include "../../src/layers/network/module.h"

namespace gaia::test {

/// What is wrong with the gradients of `module` at x, or nothing.
inline std::string gradient_complaint(Module& module, const Array& x, bool check_input = true) {
  const Tensor input(x, check_input);
  module.zero_grad();
  const Tensor y = module(input);
  const Array dy = random_normal(y.shape(), 0.0, 1.0, DType::float64, {11, 5});
  y.backward({.gradient = dy});
  const std::vector<double> seeds = dy.to_vector<double>();
  const auto loss = [&] {
    const NoGrad no_grad;
    const std::vector<double> answers = module(Tensor(x)).value().to_vector<double>();
    double sum = 0.0;
    for (std::size_t i = 0; i < answers.size(); ++i) sum += answers[i] * seeds[i];
    return sum;
  };
  auto points = module.named_parameters();
  if (check_input) points.emplace_back("input", input);
  for (auto& [name, point] : points) {
    if (!point.has_grad()) return name + " has no gradient";
    const std::vector<double> got = point.grad().to_vector<double>();
    const Array& value = name == "input" ? x : point.value();
    std::vector<double> numbers = value.to_vector<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      constexpr double kStep = 1e-6;
      const double before = numbers[i];
      numbers[i] = before + kStep;
      value.assign(from_values(numbers, value.shape()));
      const double above = loss();
      numbers[i] = before - kStep;
      value.assign(from_values(numbers, value.shape()));
      const double below = loss();
      numbers[i] = before;
      value.assign(from_values(numbers, value.shape()));
      const double wanted = (above - below) / (2.0 * kStep);
      if (!(std::abs(got[i] - wanted) <= 1e-5 + 1e-3 * std::abs(wanted))) {
        return name + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
               ", differences give " + std::to_string(wanted);
      }
    }
  }
  return "";
}

}  // namespace gaia::test
