// SPDX-License-Identifier: MIT
#include "analysis.h"

#include <algorithm>

#include "../../core/message.h"
#include "../../core/text.h"

namespace gaia::equation_language {
namespace {

using Of = EquationPlace::Of;

/// What an expression comes to; nothing where a part of it is wrong.
struct Value {
  NodeId node = 0;
  Kind kind = Kind::of_layer;
};
using Known = std::optional<Value>;

/// y, or a memory by its index, with the line that gave it the value that is read (-1: none yet).
struct Reading {
  static constexpr std::size_t kOutput = static_cast<std::size_t>(-1);
  std::size_t name = kOutput;
  int line = -1;
};

class Analyser {
 public:
  Analyser(const SyntaxTree& tree, KnownNames& names, ProblemList& problems)
      : tree_(tree), names_(names), problems_(problems) {}

  Analysis run() {
    const std::size_t memories = names_.memories().size();
    output_ = Value{graph_.place({Of::neuron, EquationProgram::kActivated}), Kind::of_neurons};
    eligibility_ = Value{graph_.place({Of::vector, EquationProgram::kEligibility}), Kind::vector};
    for (std::size_t i = 0; i < memories; ++i) {
      memory_.push_back(Value{graph_.place(memory_place(i)), Kind::of_neurons});
    }
    memory_line_.assign(memories, -1);
    readings_.resize(tree_.statements.size());
    for (const SyntaxStatement& line : tree_.statements) has_de_ = has_de_ || line.target == "de";
    for (line_ = 0; line_ < static_cast<int>(tree_.statements.size()); ++line_) statement();
    find_what_goes_on();
    settle();
    result_.graph = std::move(graph_);
    return std::move(result_);
  }

 private:
  static EquationPlace memory_place(std::size_t index) {
    return {Of::neuron, static_cast<std::uint16_t>(EquationProgram::kFirstMemory + index)};
  }

  void statement() {
    const SyntaxStatement& line = tree_.statements[static_cast<std::size_t>(line_)];
    values_.clear();
    for (std::uint32_t i = line.first; i < line.end; ++i) {
      values_.push_back(value_of(tree_.nodes[i]));
      result_.origin.resize(graph_.size(), i);
      if (graph_.full() && !told_full_) {
        told_full_ = true;
        problems_.at(line.target_span.begin, too_many_steps());
      }
    }
    assign(line, line.whole() ? values_.back() : std::nullopt);
  }

  static std::string too_many_steps() {
    return "with this line the rule has more than " + grouped(kMostSteps) +
           " steps; make it shorter";
  }

  Known operand(const SyntaxNode& node, std::size_t i) const {
    const SyntaxStatement& line = tree_.statements[static_cast<std::size_t>(line_)];
    return values_[node.operands[i] - line.first];
  }

  std::string quote(const SyntaxNode& node, std::size_t i) const {
    return problems_.quote(tree_.nodes[node.operands[i]].span);
  }

  Known wrong(const SyntaxNode& node, const std::string& message) {
    problems_.at(node.span.begin, message);
    return std::nullopt;
  }

  Known value_of(const SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxNode::Kind::number:
        return Value{graph_.literal(node.value), Kind::of_layer};
      case SyntaxNode::Kind::name:
        return name(node);
      case SyntaxNode::Kind::call:
        return call(node);
      case SyntaxNode::Kind::operation:
        break;
    }
    return plain(node, node.op,
                 node.op == EquationOp::negate || node.op == EquationOp::logical_not ? 1 : 2);
  }

  /// An operation on each number by itself.
  Known plain(const SyntaxNode& node, EquationOp op, std::size_t count) {
    std::array<NodeId, 3> operands = {};
    Kind kind = Kind::of_layer;
    for (std::size_t i = 0; i < count; ++i) {
      const Known value = operand(node, i);
      if (!value) return std::nullopt;
      operands[i] = value->node;
      kind = std::max(kind, value->kind);
    }
    if (op == EquationOp::power) return Value{graph_.power(operands[0], operands[1]), kind};
    return Value{graph_.step(op, operands[0], operands[1], operands[2]), kind};
  }

  Known name(const SyntaxNode& node) {
    const std::string name(node.name);
    if (name == "y") {
      note_reading({Reading::kOutput, output_line_});
      return output_;
    }
    if (name == "e") {
      if (has_de_) return eligibility_;
      return wrong(node, "'e' is read, but no line assigns de; e changes by de, from 0");
    }
    if (const Quantity* const quantity = quantity_named(name)) {
      return Value{graph_.place(quantity->place), quantity->kind};
    }
    if (KnownName* const known = names_.find(name)) {
      known->read = true;
      if (known->role != KnownName::Role::memory)
        return Value{graph_.place(known->place), known->kind};
      note_reading({known->index, memory_line_[known->index]});
      return memory_[known->index];
    }
    if (problems_.full()) return wrong(node, "");
    if (const Function* const function = function_named(name)) {
      return wrong(node, message("'{}' is a function; write {}", name, function->usage));
    }
    if (name == "dw" || name == "de") {
      return wrong(node, message("'{}' is what {} changes by and cannot be read; give it a name if "
                                 "it is a number, or write it once more",
                                 name, name.substr(1)));
    }
    if (is_heard(name)) {
      return wrong(node,
                   message("'{}' is there only for a layer that hears a level above; give the "
                           "layer a top_down",
                           name));
    }
    return wrong(node, message("unknown name '{}'{}", name, names_.readable(name)));
  }

  void note_reading(Reading reading) {
    readings_[static_cast<std::size_t>(line_)].push_back(reading);
  }

  Known call(const SyntaxNode& node) {
    if (problems_.full()) return wrong(node, "");
    const std::string name(node.name);
    const Function* const function = function_named(name);
    if (function == nullptr) {
      if (own_meaning(name) || names_.find(name) != nullptr) {
        return wrong(node,
                     message("'{}' is not a function; write {}*(...) to multiply", name, name));
      }
      return wrong(node, message("unknown function '{}'{}", name,
                                 nearest_and_known(name, function_names())));
    }
    if (node.argument_count != static_cast<std::uint32_t>(function->arguments)) {
      const int takes = function->arguments;
      return wrong(node, message("{} takes {}{}, but {}{}", function->usage,
                                 takes == 0 ? "no" : std::to_string(takes),
                                 takes < 2 ? " argument" : " arguments", node.argument_count,
                                 node.argument_count == 1 ? " comes" : " come"));
    }
    const auto count = static_cast<std::size_t>(function->arguments);
    if (function->form == Function::Form::plain) return plain(node, function->op, count);
    if (function->form == Function::Form::draw) return draw(name);
    std::array<NodeId, 2> arguments = {};
    Known first;
    for (std::size_t i = 0; i < count; ++i) {
      const Known value = operand(node, i);
      if (!value) return std::nullopt;
      if (value->kind == Kind::vector) {
        return wrong(node, message("{} goes over neurons and takes numbers, but {} is a vector",
                                   function->usage, quote(node, i)));
      }
      if (i == 0) first = value;
      arguments[i] = value->node;
    }
    if (function->form == Function::Form::back) return back(node, arguments[0]);
    if (function->form == Function::Form::summary) {
      return Value{graph_.step(function->op, arguments[0]), Kind::of_layer};
    }
    if (first->kind == Kind::of_layer) {
      return wrong(
          node,
          message("{} takes a number of neurons, but {} is one of the layer, the same for all",
                  function->usage, quote(node, 0)));
    }
    return Value{graph_.step(function->op, arguments[0], arguments[1]), Kind::of_neurons};
  }

  /// Each call has a place of its own, so that no two are taken for the same.
  Known draw(const std::string& name) {
    const std::size_t place = names_.first_draw() + result_.draws.size();
    result_.draws.push_back(name == "normal" ? EquationDraw::normal : EquationDraw::uniform);
    return Value{graph_.place({Of::neuron, static_cast<std::uint16_t>(place)}), Kind::of_neurons};
  }

  Known back(const SyntaxNode& node, NodeId factors) {
    factors = graph_.of_neurons(factors);
    const bool upto = node.name == "back_upto";
    const auto same = [&](const Analysis::Back& known) {
      return known.factors == factors && known.upto == upto;
    };
    const auto found = std::find_if(result_.backs.begin(), result_.backs.end(), same);
    const auto index = static_cast<std::size_t>(found - result_.backs.begin());
    if (found == result_.backs.end()) {
      if (index == kMostBacks) {
        return wrong(node, message("this is the {}th different back; at most {} are possible",
                                   kMostBacks + 1, kMostBacks));
      }
      result_.backs.push_back({factors, upto});
    }
    const std::size_t place = EquationProgram::kFirstTrace + names_.trace_count() + index;
    return Value{graph_.place({Of::vector, static_cast<std::uint16_t>(place)}), Kind::vector};
  }

  void assign(const SyntaxStatement& line, const Known& value) {
    const std::string name(line.target);
    if (name == "dw" || name == "de") return change(line, value);
    KnownName* const known = names_.find(name);
    const bool is_memory = known != nullptr && known->role == KnownName::Role::memory;
    if (name != "y" && !is_memory) {
      problems_.at(line.target_span.begin, refusal(name, known));
      return;
    }
    Known assigned = value;
    if (value && value->kind == Kind::vector) {
      const std::string text = problems_.quote(tree_.nodes[line.end - 1].span);
      problems_.at(
          line.target_span.begin,
          message("'{}' is one number for each neuron, but {} is a vector{}", name, text,
                  is_memory ? "; write it where " + name + " is read"
                            : "; the sums over inputs that a rule can read are z, ww and xx"));
      assigned = std::nullopt;
    }
    if (assigned) assigned->kind = Kind::of_neurons;
    if (is_memory) {
      memory_[known->index] = assigned;
      memory_line_[known->index] = line_;
    } else {
      output_ = assigned;
      output_line_ = line_;
      result_.assigns_output = true;
    }
  }

  std::string refusal(const std::string& name, const KnownName* known) const {
    const std::string not_assigned = " and cannot be assigned; ";
    if (const Quantity* const quantity = quantity_named(name)) {
      return message("'{}' cannot be assigned: {}", name, quantity->instead);
    }
    if (known != nullptr) {
      return message("'{}' is {}{}give the result a name of its own", name, role_text(known->role),
                     not_assigned);
    }
    return message("'{}' is {}{}give the result another name", name,
                   own_meaning(name).value_or("unknown"), not_assigned);
  }

  void change(const SyntaxStatement& line, const Known& value) {
    const bool of_weights = line.target == "dw";
    std::optional<std::size_t>& before = of_weights ? dw_at_ : de_at_;
    if (before) {
      problems_.at(line.target_span.begin,
                   message("'{}' is assigned in line {} already; write one line with the sum",
                           line.target, problems_.line_at(*before)));
      return;
    }
    before = result_.change_at = line.target_span.begin;
    if (!value) {
      if (!of_weights) eligibility_ = std::nullopt;
      return;
    }
    if (of_weights) {
      result_.dw = value->node;
    } else {
      result_.de = value->node;
      eligibility_->node = graph_.step(EquationOp::add, eligibility_->node, value->node);
      result_.origin.resize(graph_.size(), line.end - 1);
    }
  }

  /// Answers and memories lie where no input lies, and are of neurons.
  NodeId made(const Known& value) {
    if (!value) return 0;
    const bool is_step = graph_[value->node].kind == GraphNode::Kind::step;
    return is_step ? graph_.of_neurons(value->node) : graph_.step(EquationOp::copy, value->node);
  }

  void settle() {
    const NodeId activated = graph_.place({Of::neuron, EquationProgram::kActivated});
    result_.output = output_ && output_->node == activated ? activated : made(output_);
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const NodeId old = graph_.place(memory_place(i));
      result_.old_memory.push_back(old);
      result_.memory.push_back(memory_[i] && memory_[i]->node == old ? old : made(memory_[i]));
    }
    result_.origin.resize(graph_.size(), 0);
  }

  /// Memories that y is computed from, and what these are computed from.
  void find_what_goes_on() {
    std::vector<bool>& goes_on = result_.goes_on_when_still;
    goes_on.assign(memory_.size(), false);
    std::vector<bool> seen(readings_.size(), false);
    std::vector<int> lines = {output_line_};
    while (!lines.empty()) {
      const int line = lines.back();
      lines.pop_back();
      if (line < 0 || seen[static_cast<std::size_t>(line)]) continue;
      seen[static_cast<std::size_t>(line)] = true;
      for (const Reading& reading : readings_[static_cast<std::size_t>(line)]) {
        lines.push_back(reading.line);
        if (reading.name == Reading::kOutput || goes_on[reading.name]) continue;
        goes_on[reading.name] = true;
        lines.push_back(memory_line_[reading.name]);
      }
    }
  }

  const SyntaxTree& tree_;
  KnownNames& names_;
  ProblemList& problems_;
  Graph graph_;
  Analysis result_;
  std::vector<Known> values_;  ///< Values of the nodes of this line.
  Known output_, eligibility_;
  std::vector<Known> memory_;
  int line_ = 0;
  int output_line_ = -1;
  std::vector<int> memory_line_;
  std::vector<std::vector<Reading>> readings_;  ///< Readings of each line.
  std::optional<std::size_t> dw_at_, de_at_;
  bool has_de_ = false;
  bool told_full_ = false;
};

}  // namespace

Analysis analyse(const SyntaxTree& tree, KnownNames& names, ProblemList& problems) {
  return Analyser(tree, names, problems).run();
}

}  // namespace gaia::equation_language
