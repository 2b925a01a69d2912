// SPDX-License-Identifier: MIT
/// \file
/// A layer whose rule is a function in C++, to compare with what the same rule's text comes to.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "interpreter.h"

namespace gaia::test {

/// Values of the parameters that texts of tests have.
inline const std::map<std::string, double>& parameter_values() {
  static const std::map<std::string, double> values = {
      {"rate", 0.05}, {"tau", 4.0},     {"theta", 0.3}, {"k", 2.0},       {"temperature", 0.7},
      {"a", 0.3},     {"b", -0.2},      {"c", 0.15},    {"d", 0.01},      {"tau_post", 3.0},
      {"leak", 0.8},  {"a_plus", 0.04}, {"delta", 0.4}, {"a_minus", 0.05}};
  return values;
}

/// What a rule written in C++ reads and sets at a tick.
struct Layer {
  static constexpr std::size_t kNeurons = 4, kInputs = 5;

  double p(const std::string& name) const { return parameter_values().at(name); }
  double x(std::size_t j) const { return in.x[j]; }
  double z(std::size_t i) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < kInputs; ++j) sum += w(i, j) * x(j);
    return sum;
  }
  double f(std::size_t i) const { return std::tanh(z(i)); }
  double w(std::size_t i, std::size_t j) const { return weights[i * kInputs + j]; }
  double e(std::size_t i, std::size_t j) const { return eligibility[i * kInputs + j]; }
  double trace(const std::string& name, std::size_t j) const { return traces.at(name)[j]; }
  double& m(const std::string& name, std::size_t i) { return memory.at(name)[i]; }
  double& dw(std::size_t i, std::size_t j) { return change[i * kInputs + j]; }
  double& de(std::size_t i, std::size_t j) { return eligibility_change[i * kInputs + j]; }

  /// Calls what(i) for every neuron.
  template <class What>
  void neurons(const What& what) {
    for (std::size_t i = 0; i < kNeurons; ++i) what(i);
  }
  /// Calls what(i, j) for every weight.
  template <class What>
  void weights_each(const What& what) {
    for (std::size_t i = 0; i < kNeurons; ++i) {
      for (std::size_t j = 0; j < kInputs; ++j) what(i, j);
    }
  }
  /// Sum of what(i) over the neurons 0 to last.
  template <class What>
  static double sum(const What& what, std::size_t last = kNeurons - 1) {
    double all = 0.0;
    for (std::size_t i = 0; i <= last; ++i) all += what(i);
    return all;
  }
  static std::size_t rank(const Numbers& a, std::size_t i) {
    std::size_t ahead = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[k] > a[i] || (a[k] == a[i] && k < i)) ++ahead;
    }
    return ahead;
  }
  double xx() const {
    double all = 0.0;
    for (const double one : in.x) all += one * one;
    return all;
  }

  double ww(std::size_t i) const {
    double all = 0.0;
    for (std::size_t j = 0; j < kInputs; ++j) all += w(i, j) * w(i, j);
    return all;
  }

  TickInput in;
  Numbers weights, eligibility, change, eligibility_change, y;
  std::map<std::string, Numbers> memory, traces;
};

/// A text, and the same rule in C++.
struct Rule {
  std::string equations;
  std::vector<std::string> parameters;
  std::function<void(Layer&)> tick;
  bool is_matrix = true;
  std::vector<std::pair<std::string, double>> memory = {};
  std::vector<std::pair<std::string, std::variant<double, std::string>>> traces = {};
  std::vector<EquationText::Signal> signals = {};
  std::vector<std::string> goes_on = {};  ///< Memories on which y depends.
};

inline EquationText text_of(const Rule& rule) {
  EquationText text{.equations = rule.equations,
                    .memory = rule.memory,
                    .traces = rule.traces,
                    .signals = rule.signals};
  for (const std::string& name : rule.parameters) {
    text.parameters.emplace_back(name, parameter_values().at(name));
  }
  return text;
}

}  // namespace gaia::test
