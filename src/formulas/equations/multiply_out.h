// SPDX-License-Identifier: MIT
/// \file
/// Updates as sums of known vectors with factors that are numbers, where they are such sums.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis.h"
#include "problem_list.h"
#include "syntax.h"

namespace gaia::equation_language {

/// Factors by vector, in the order of the vectors, of which each is there at most once.
using VectorSum = std::vector<std::pair<EquationVector, NodeId>>;

struct MultipliedOut {
  bool is_sum = true;  ///< Both are; else there are no sums.
  VectorSum dw = {}, de = {};
  std::string why = {};
};

/// Adds the factors to the graph.
MultipliedOut multiply_out(Analysis& analysis, const SyntaxTree& tree, const EquationText& rule,
                           const ProblemList& problems);

/// Whether one of `roots` is computed from a node, for each node.
std::vector<bool> used_by(const Graph& graph, const std::vector<NodeId>& roots);

}  // namespace gaia::equation_language
