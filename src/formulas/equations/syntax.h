// SPDX-License-Identifier: MIT
/// \file
/// The text of a rule as a tree, which says how it is written and not yet whether it makes sense.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "language.h"
#include "problem_list.h"

namespace gaia::equation_language {

/// A number, a name, a function with its arguments, or an operator with its operands.
struct SyntaxNode {
  enum class Kind : std::uint8_t { number, name, call, operation };
  Kind kind = Kind::number;
  EquationOp op = EquationOp::copy;            ///< Operator of an operation.
  std::uint32_t argument_count = 0;            ///< Count of arguments of a call, as written.
  std::array<std::uint32_t, 3> operands = {};  ///< Places in SyntaxTree::nodes.
  double value = 0.0;
  std::string_view name = {};  ///< Text of a name or a function.
  Span span;                   ///< Without the parentheses around it.
  Span outer;                  ///< With them.
};

/// TARGET = expression.
struct SyntaxStatement {
  std::string_view target;
  Span target_span;
  /// Its nodes, from the first to the last, which is the root; none where the expression is wrong.
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  bool whole() const { return end > first; }
};

/// Operands stand before what is computed from them, so that a loop goes through a tree of any
/// depth.
struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  std::vector<SyntaxStatement> statements;
  bool lost_target = false;  ///< Some line is wrong before its = comes.
};

/// Reads what can be read; what cannot is in `problems`.
SyntaxTree parse_equations(std::string_view text, ProblemList& problems);

}  // namespace gaia::equation_language
