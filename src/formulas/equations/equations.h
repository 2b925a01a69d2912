// SPDX-License-Identifier: MIT
/// \file
/// The language of plasticity rules: text in, program out (docs/rules.md).
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../core/error.h"
#include "program.h"

namespace gaia {

/// A rule as its user writes it.
struct EquationText {
  std::string equations;                                        ///< One assignment a line.
  std::vector<std::pair<std::string, double>> parameters = {};  ///< Names with values.
  std::vector<std::pair<std::string, double>> memory = {};  ///< Initial values; 0 where not named.
  /// Filters of the input, with their tau: a number of ticks, or the name of a parameter.
  std::vector<std::pair<std::string, std::variant<double, std::string>>> traces = {};
  struct Signal {
    std::string name;
    bool of_neurons = false;  ///< Bound to a list of columns or to labels, else to one column.
  };
  std::vector<Signal> signals = {};
  /// Whether the layer hears a level above: `td` and `plain` are names of the language, and signals
  /// of neurons where the text reads them.
  bool hears_above = false;
};

/// One thing that is wrong with a rule.
struct EquationProblem {
  std::string key;  ///< "equations", or what else was written: "memory.m", "traces.pre".
  int line = 0;     ///< Line of the equations, from 1; 0 for a problem of another key.
  int column = 0;   ///< In characters, from 1.
  std::string message;

  bool operator==(const EquationProblem&) const = default;
};

/// Everything that is wrong with a rule: in the message with lines and carets, and as a list in the
/// order of the text.  Of a text with very many errors the list has the first 200.
class EquationError : public ArgumentError {
 public:
  EquationError(const std::string& what, std::vector<EquationProblem> problems)
      : ArgumentError(what), problems_(std::move(problems)) {}
  const std::vector<EquationProblem>& problems() const { return problems_; }

 private:
  std::vector<EquationProblem> problems_;
};

/// What the text of a rule comes to.
/// \throws EquationError with all errors of the text.
EquationProgram compile_equations(const EquationText& text);

}  // namespace gaia
