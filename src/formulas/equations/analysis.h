// SPDX-License-Identifier: MIT
/// \file
/// What the lines of a rule mean, one after another: kinds, versions of names, and all that is
/// wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph.h"
#include "known_names.h"
#include "problem_list.h"
#include "syntax.h"

namespace gaia::equation_language {

/// A rule as a graph, with what each of its names is when all lines are done.
struct Analysis {
  struct Back {
    NodeId factors = 0;
    bool upto = false;
  };

  Graph graph;
  NodeId output = 0;  ///< f(z) itself, or computed by a step.
  bool assigns_output = false;
  std::vector<NodeId> old_memory;
  std::vector<NodeId> memory;            ///< The new values: the old ones, or computed by steps.
  std::vector<bool> goes_on_when_still;  ///< Whether y depends on it, for each memory.
  std::optional<NodeId> dw, de;
  std::size_t change_at = 0;  ///< The byte of the equations where the last of the two is assigned.
  std::vector<Back> backs;
  std::vector<EquationDraw> draws;    ///< In the order of the text.
  std::vector<std::uint32_t> origin;  ///< Node of the tree that each node of the graph came from.
};

Analysis analyse(const SyntaxTree& tree, KnownNames& names, ProblemList& problems);

}  // namespace gaia::equation_language
