// SPDX-License-Identifier: MIT
/// \file
/// Models of a hidden state that are written as text, with their derivatives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gaia {

/// A nonlinear model as its user writes it, in the language of rules (docs/rules.md): one
/// assignment a line, from top to bottom.
struct TextModelOptions {
  /// One step of the states.  Every name that is assigned is a state, in the order of their first
  /// assignments; above its own assignment it has the value before the step, below it the new one.
  std::string state;
  /// One assignment for each observed number, in their order, of the states after the step and of
  /// what stands above it.
  std::string observation;
  std::vector<std::pair<std::string, double>> parameters = {};  ///< Names with values.
};

/// x <- f(x, t) and y = h(x, t), with the matrices of their derivatives, which follow from the text
/// step by step (forward accumulation), exactly.  Where a function has a kink its derivative is the
/// one that PyTorch takes: 0 for abs and relu at 0 and for floor, sign and comparisons anywhere,
/// half of each for min and max of equal numbers.  t is the index of the tick in its trial, from 0.
class TextModel {
 public:
  /// \throws EquationError with all errors of both texts and where they stand, of the keys "state",
  ///         "observation" and "parameters.NAME": unknown names, functions over neurons and draws,
  ///         which mean nothing here, a parameter that is assigned or that nothing reads, a text
  ///         without an assignment.
  explicit TextModel(const TextModelOptions& options);
  TextModel(const TextModel& other);
  TextModel& operator=(const TextModel& other) = delete;
  ~TextModel();

  std::int64_t states() const;
  std::int64_t observed() const;
  const std::vector<std::string>& observation_names() const;

  /// Replaces x [states] by f(x, t); writes the derivatives [states, states], a row for each new
  /// state, unless `jacobian` is empty.
  void step(std::span<double> x, double t, std::span<double> jacobian = {}) const;
  /// Writes h(x, t) to y [observed], and its derivatives [observed, states] unless `jacobian` is
  /// empty.
  void observe(std::span<const double> x, double t, std::span<double> y,
               std::span<double> jacobian = {}) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace gaia
