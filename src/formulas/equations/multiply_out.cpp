// SPDX-License-Identifier: MIT
#include "multiply_out.h"

#include <algorithm>
#include <optional>

#include "../../core/message.h"

namespace gaia::equation_language {
namespace {

using Of = EquationPlace::Of;
using VectorKind = EquationVector::Kind;

bool comes_before(const EquationVector& a, const EquationVector& b) {
  return std::pair(a.kind, a.index) < std::pair(b.kind, b.index);
}

class Multiplier {
 public:
  Multiplier(Analysis& analysis, const SyntaxTree& tree, const EquationText& rule,
             const ProblemList& problems)
      : analysis_(analysis),
        graph_(analysis.graph),
        tree_(tree),
        rule_(rule),
        problems_(problems),
        // Factors that are computed on the way are numbers, of which no sums are needed.
        sums_(graph_.size()) {}

  MultipliedOut run() {
    MultipliedOut result;
    std::string why;
    for (const auto& [name, root, sum] :
         {std::tuple{"dw", analysis_.dw, &result.dw}, std::tuple{"de", analysis_.de, &result.de}}) {
      if (!root) continue;
      if (const std::optional<NodeId> product = first_without_sum(*root)) {
        return {.is_sum = false, .why = why_not(*product)};
      }
      *sum = sum_of(*root);
      why += message("{}{} is {}", why.empty() ? "" : "; ", name, why_so(*sum));
    }
    result.why = why.empty() ? "there is neither dw nor de, so that no weight changes" : why;
    return result;
  }

 private:
  /// Makes the sums of all that the root is made of; the first node that has none, if there is one.
  std::optional<NodeId> first_without_sum(NodeId root) {
    const std::vector<bool> used = used_by(graph_, {root});
    for (NodeId node = 0; node <= root; ++node) {
      if (!used[node] || graph_[node].of != Of::vector || sums_[node]) continue;
      sums_[node] = vector_sum(node);
      if (!sums_[node]) return node;
    }
    return std::nullopt;
  }

  VectorSum sum_of(NodeId node) const {
    if (graph_[node].of != Of::vector) return {{{VectorKind::ones}, node}};
    return *sums_[node];
  }

  EquationVector vector_at(std::size_t place) const {
    if (place == EquationProgram::kWeights) return {VectorKind::w};
    if (place == EquationProgram::kSample) return {VectorKind::x};
    if (place == EquationProgram::kEligibility) return {VectorKind::e};
    const std::size_t index = place - EquationProgram::kFirstTrace;
    if (index < rule_.traces.size()) {
      return {VectorKind::trace, static_cast<std::uint16_t>(index)};
    }
    return {VectorKind::back, static_cast<std::uint16_t>(index - rule_.traces.size())};
  }

  std::optional<VectorSum> vector_sum(NodeId id) {
    const GraphNode node = graph_[id];
    if (node.kind == GraphNode::Kind::place) {
      return VectorSum{{vector_at(node.place.index), graph_.literal(1.0)}};
    }
    const auto [a, b, c] = node.operands;
    const bool a_is_vector = graph_[a].of == Of::vector;
    const bool b_is_vector = graph_[b].of == Of::vector;
    switch (node.op) {
      case EquationOp::add:
      case EquationOp::subtract:
        return added(node.op, sum_of(a), sum_of(b));
      case EquationOp::negate:
        return each(sum_of(a), [&](NodeId factor) { return graph_.step(node.op, factor); });
      case EquationOp::multiply:
        if (a_is_vector && b_is_vector) return std::nullopt;
        return each(sum_of(a_is_vector ? a : b), [&, number = a_is_vector ? b : a](NodeId factor) {
          return graph_.step(EquationOp::multiply, number, factor);
        });
      case EquationOp::divide:
        if (b_is_vector) return std::nullopt;
        return each(sum_of(a), [&, number = b](NodeId factor) {
          return graph_.step(EquationOp::divide, factor, number);
        });
      case EquationOp::where:
        if (a_is_vector) return std::nullopt;
        return merged(sum_of(b), sum_of(c), [&, condition = a](NodeId left, NodeId right) {
          return graph_.step(EquationOp::where, condition, left, right);
        });
      default:
        return std::nullopt;
    }
  }

  template <class Change>
  static VectorSum each(VectorSum sum, const Change& change) {
    for (auto& entry : sum) entry.second = change(entry.second);
    return sum;
  }

  VectorSum added(EquationOp op, const VectorSum& left, const VectorSum& right) {
    VectorSum sum;
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
      if (r == right.end() || (l != left.end() && comes_before(l->first, r->first))) {
        sum.push_back(*l++);
      } else if (l == left.end() || comes_before(r->first, l->first)) {
        const bool minus = op == EquationOp::subtract;
        sum.emplace_back(r->first, minus ? graph_.step(EquationOp::negate, r->second) : r->second);
        ++r;
      } else {
        sum.emplace_back(l->first, graph_.step(op, l->second, r->second));
        ++l;
        ++r;
      }
    }
    return sum;
  }

  /// Both sums together; where only one side has a vector, the other's factor is 0.
  template <class Merge>
  VectorSum merged(const VectorSum& left, const VectorSum& right, const Merge& merge) {
    const NodeId none = graph_.literal(0.0);
    VectorSum sum;
    auto l = left.begin();
    auto r = right.begin();
    while (l != left.end() || r != right.end()) {
      const bool only_left =
          r == right.end() || (l != left.end() && comes_before(l->first, r->first));
      const bool only_right =
          l == left.end() || (r != right.end() && comes_before(r->first, l->first));
      const EquationVector vector = only_right ? r->first : l->first;
      sum.emplace_back(vector, merge(only_right ? none : l->second, only_left ? none : r->second));
      if (!only_right) ++l;
      if (!only_left) ++r;
    }
    return sum;
  }

  std::string text_of(const EquationVector& vector) const {
    switch (vector.kind) {
      case VectorKind::w:
        return "w";
      case VectorKind::e:
        return "e";
      case VectorKind::x:
        return "x";
      case VectorKind::trace:
        return rule_.traces[vector.index].first;
      case VectorKind::ones:
        return "1";
      case VectorKind::back:
        break;
    }
    const std::size_t place = EquationProgram::kFirstTrace + rule_.traces.size() + vector.index;
    const NodeId node = graph_.place({Of::vector, static_cast<std::uint16_t>(place)});
    return problems_.quote(origin_of(node).span);
  }

  const SyntaxNode& origin_of(NodeId node) const { return tree_.nodes[analysis_.origin[node]]; }

  /// "a sum of w, x and 1, each times a number".
  std::string why_so(const VectorSum& sum) const {
    if (sum.size() == 1) return text_of(sum.front().first) + " times a number";
    std::string listed;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      listed += (i == 0 ? "" : i + 1 == sum.size() ? " and " : ", ") + text_of(sum[i].first);
    }
    return "a sum of " + listed + ", each times a number";
  }

  /// "dw multiplies w by (1 - w), so it is not a sum of known vectors".
  std::string why_not(NodeId product) const {
    const SyntaxNode& node = origin_of(product);
    const auto line = std::find_if(tree_.statements.begin(), tree_.statements.end(),
                                   [&](const SyntaxStatement& statement) {
                                     return analysis_.origin[product] < statement.end;
                                   });
    const auto operand = [&](std::size_t i) {
      return problems_.quote(tree_.nodes[node.operands[i]].outer);
    };
    std::string does;
    if (node.kind == SyntaxNode::Kind::call) {
      does = node.name == "where"
                 ? "chooses by the vector " + operand(0)
                 : "has " + problems_.quote(node.span) + ", a function of a vector";
    } else if (node.op == EquationOp::multiply) {
      does = message("multiplies {} by {}", operand(0), operand(1));
    } else if (node.op == EquationOp::divide) {
      does = message("divides {} by {}", operand(0), operand(1));
    } else if (node.op == EquationOp::power) {
      does = message("raises {} to the power {}", operand(0), operand(1));
    } else {
      does = "has " + problems_.quote(node.span) + ", a choice by a vector";
    }
    return message("{} {}, so it is not a sum of known vectors", line->target, does);
  }

  Analysis& analysis_;
  Graph& graph_;
  const SyntaxTree& tree_;
  const EquationText& rule_;
  const ProblemList& problems_;
  std::vector<std::optional<VectorSum>> sums_;
};

}  // namespace

MultipliedOut multiply_out(Analysis& analysis, const SyntaxTree& tree, const EquationText& rule,
                           const ProblemList& problems) {
  return Multiplier(analysis, tree, rule, problems).run();
}

std::vector<bool> used_by(const Graph& graph, const std::vector<NodeId>& roots) {
  std::vector<bool> used(graph.size(), false);
  for (const NodeId root : roots) used[root] = true;
  for (std::size_t i = graph.size(); i-- > 0;) {
    if (!used[i]) continue;
    const GraphNode& node = graph[static_cast<NodeId>(i)];
    for (std::size_t k = 0; k < node.operand_count; ++k) used[node.operands[k]] = true;
  }
  return used;
}

}  // namespace gaia::equation_language
