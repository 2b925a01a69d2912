// SPDX-License-Identifier: MIT
/// \file
/// What a rule computes: operations on numbers and vectors, each of which is there once however
/// often the text has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "program.h"

namespace gaia::equation_language {

using NodeId = std::uint32_t;

struct GraphNode {
  enum class Kind : std::uint8_t { place, literal, step };
  Kind kind = Kind::literal;
  EquationPlace::Of of = EquationPlace::Of::constant;  ///< Kind of what its value belongs to.
  EquationOp op = EquationOp::copy;                    ///< Operation of a step.
  std::uint8_t operand_count = 0;
  std::array<NodeId, 3> operands = {};
  EquationPlace place = {};  ///< Which no step writes to.
  double value = 0.0;        ///< Value of a literal.
};

/// Operands have smaller ids than what is computed from them.
class Graph {
 public:
  /// What is there before any step.
  NodeId place(EquationPlace place);
  NodeId literal(double value);
  /// op(a, b, c); simplified where that does not change its value.
  NodeId step(EquationOp op, NodeId a, NodeId b = 0, NodeId c = 0);
  /// base ^ exponent: small whole powers as products.
  NodeId power(NodeId base, NodeId exponent);
  /// The node as numbers of neurons, where it may be one number for all of them.
  NodeId of_neurons(NodeId node);

  const GraphNode& operator[](NodeId node) const { return nodes_[node]; }
  std::size_t size() const { return nodes_.size(); }
  bool is_literal(NodeId node, double value) const;
  /// Whether the rule has too many steps; what is computed then means nothing.
  bool full() const { return full_; }

 private:
  struct Key {
    std::uint64_t head;
    std::uint64_t tail;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  NodeId shared(const Key& key, const GraphNode& node);
  std::optional<NodeId> simplified(EquationOp op, NodeId a, NodeId b);

  std::vector<GraphNode> nodes_;
  std::unordered_map<Key, NodeId, KeyHash> known_;
  bool full_ = false;
};

}  // namespace gaia::equation_language
