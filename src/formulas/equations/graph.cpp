// SPDX-License-Identifier: MIT
#include "graph.h"

#include <algorithm>
#include <cstring>

#include "evaluate.h"
#include "language.h"

namespace gaia::equation_language {
namespace {

using Of = EquationPlace::Of;

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

bool commutes(EquationOp op) {
  return op == EquationOp::add || op == EquationOp::multiply || op == EquationOp::equal ||
         op == EquationOp::not_equal || op == EquationOp::logical_and ||
         op == EquationOp::logical_or;
}

}  // namespace

std::size_t Graph::KeyHash::operator()(const Key& key) const {
  const std::uint64_t mixed = (key.head ^ (key.tail << 32 | key.tail >> 32)) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(mixed ^ mixed >> 29);
}

NodeId Graph::shared(const Key& key, const GraphNode& node) {
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (nodes_.size() >= kMostSteps) {
    full_ = true;
    return 0;
  }
  nodes_.push_back(node);
  const auto id = static_cast<NodeId>(nodes_.size() - 1);
  known_.emplace(key, id);
  return id;
}

NodeId Graph::place(EquationPlace place) {
  const std::uint64_t number = static_cast<std::uint64_t>(place.of) << 16 | place.index;
  return shared({std::uint64_t{1} << 56, number},
                {.kind = GraphNode::Kind::place, .of = place.of, .place = place});
}

NodeId Graph::literal(double value) {
  return shared({std::uint64_t{2} << 56, bits_of(value)}, {.value = value});
}

bool Graph::is_literal(NodeId node, double value) const {
  return nodes_[node].kind == GraphNode::Kind::literal &&
         bits_of(nodes_[node].value) == bits_of(value);
}

std::optional<NodeId> Graph::simplified(EquationOp op, NodeId a, NodeId b) {
  if (op == EquationOp::multiply && is_literal(a, 1.0)) return b;
  if ((op == EquationOp::multiply || op == EquationOp::divide) && is_literal(b, 1.0)) return a;
  const GraphNode& inner = nodes_[a];
  const bool is_step = inner.kind == GraphNode::Kind::step;
  if (op == EquationOp::negate && is_step && inner.op == EquationOp::negate) {
    return inner.operands[0];
  }
  // A number that all neurons share is their mean, and its sum needs no neurons.
  if (inner.of == Of::constant || inner.of == Of::layer) {
    if (op == EquationOp::layer_sum) {
      return step(EquationOp::multiply, place({Of::constant, EquationProgram::kOutputs}), a);
    }
    if (op == EquationOp::layer_mean || op == EquationOp::layer_largest ||
        op == EquationOp::layer_smallest) {
      return a;
    }
  }
  return std::nullopt;
}

NodeId Graph::step(EquationOp op, NodeId a, NodeId b, NodeId c) {
  if (full_) return 0;
  if (commutes(op) && b < a) std::swap(a, b);
  if (const std::optional<NodeId> simpler = simplified(op, a, b)) return *simpler;
  const bool crosses = crosses_layer(op);
  const bool to_layer = op >= EquationOp::layer_sum && op <= EquationOp::layer_smallest;
  if (crosses && !to_layer) a = of_neurons(a);
  GraphNode node{.kind = GraphNode::Kind::step, .op = op};
  node.operand_count = static_cast<std::uint8_t>(operand_count(op));
  node.operands = {a, node.operand_count > 1 ? b : 0, node.operand_count > 2 ? c : 0};
  bool literals = !crosses;
  for (std::size_t i = 0; i < node.operand_count; ++i) {
    const GraphNode& operand = nodes_[node.operands[i]];
    literals = literals && operand.kind == GraphNode::Kind::literal;
    node.of = std::max(node.of, operand.of);
  }
  if (literals && op != EquationOp::copy) {
    return literal(evaluate(op, nodes_[a].value, nodes_[b].value, nodes_[c].value));
  }
  if (to_layer) node.of = Of::layer;
  if (crosses && !to_layer) node.of = Of::neuron;
  if (op == EquationOp::copy) node.of = Of::neuron;
  const std::uint64_t head =
      std::uint64_t{3} << 56 | static_cast<std::uint64_t>(op) << 32 | node.operands[0];
  const std::uint64_t tail = static_cast<std::uint64_t>(node.operands[1]) << 32 | node.operands[2];
  return shared({head, tail}, node);
}

NodeId Graph::power(NodeId base, NodeId exponent) {
  if (is_literal(exponent, 1.0)) return base;
  if (is_literal(exponent, -1.0)) return step(EquationOp::divide, literal(1.0), base);
  const bool square = is_literal(exponent, 2.0);
  const bool cube = is_literal(exponent, 3.0);
  const bool fourth = is_literal(exponent, 4.0);
  if (!square && !cube && !fourth) return step(EquationOp::power, base, exponent);
  const NodeId squared = step(EquationOp::multiply, base, base);
  if (square) return squared;
  return step(EquationOp::multiply, squared, cube ? base : squared);
}

NodeId Graph::of_neurons(NodeId node) {
  const GraphNode& made = nodes_[node];
  return made.of == Of::neuron ? node : step(EquationOp::copy, node);
}

}  // namespace gaia::equation_language
