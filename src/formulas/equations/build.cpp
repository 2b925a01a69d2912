// SPDX-License-Identifier: MIT
#include "build.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "evaluate.h"

namespace gaia::equation_language {
namespace {

using Of = EquationPlace::Of;

/// Places of one kind, of which those that are free again are taken first.
class PlacePool {
 public:
  PlacePool(Of of, std::size_t first) : of_(of), next_(first) {}

  EquationPlace take() {
    std::size_t index = next_;
    if (free_.empty()) {
      ++next_;
    } else {
      index = free_.top();
      free_.pop();
    }
    return {of_, static_cast<std::uint16_t>(index)};
  }
  void give_back(EquationPlace place) { free_.push(place.index); }
  /// How many places there are, with those that no step writes to.
  std::uint16_t count() const { return static_cast<std::uint16_t>(next_); }

 private:
  Of of_;
  std::size_t next_;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free_;
};

class Builder {
 public:
  Builder(const EquationText& rule, const KnownNames& names, const Analysis& analysis,
          const MultipliedOut& sums)
      : rule_(rule),
        names_(names),
        analysis_(analysis),
        graph_(analysis.graph),
        sums_(sums),
        at_(graph_.size()) {}

  EquationProgram run() {
    describe();
    const std::vector<NodeId> held = held_when_learning();
    used_ = used_by(graph_, held);
    note_reads();
    place_constants();
    tick(program_.learning, analysis_.memory, held);
    place_update();
    // The numbers of the other tick lie elsewhere.
    const std::vector<NodeId> memory = memory_when_still();
    std::vector<NodeId> held_when_still = memory;
    held_when_still.push_back(analysis_.output);
    tick(program_.still, memory, held_when_still);
    return std::move(program_);
  }

 private:
  void describe() {
    using Class = EquationProgram::Class;
    program_.rule_class = sums_.is_sum ? Class::matrix : Class::weights;
    program_.why = sums_.why;
    for (const auto& parameter : rule_.parameters) program_.parameters.push_back(parameter.first);
    for (const std::string& name : names_.memories()) program_.memories.push_back({name});
    for (const auto& [name, tau] : rule_.traces) program_.traces.push_back({name, tau});
    for (const auto& [name, of_neurons] : rule_.signals) {
      program_.signals.push_back({name, of_neurons});
      if (rule_.hears_above && name == kFromAbove) program_.reads_from_above = true;
    }
    program_.draws = analysis_.draws;
    program_.assigns_output = analysis_.assigns_output;
    program_.has_eligibility = analysis_.de.has_value();
  }

  std::vector<NodeId> memory_when_still() const {
    std::vector<NodeId> memory = analysis_.memory;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (!analysis_.goes_on_when_still[i]) memory[i] = analysis_.old_memory[i];
    }
    return memory;
  }

  std::vector<NodeId> update_roots() const {
    std::vector<NodeId> roots;
    if (analysis_.dw) roots.push_back(*analysis_.dw);
    if (analysis_.de) roots.push_back(*analysis_.de);
    return roots;
  }

  bool is_vector_step(NodeId node) const {
    return graph_[node].kind == GraphNode::Kind::step && graph_[node].of == Of::vector;
  }

  /// Numbers that something reads when the steps of a tick are done.
  std::vector<NodeId> held_when_learning() const {
    std::vector<NodeId> held = analysis_.memory;
    held.push_back(analysis_.output);
    for (const Analysis::Back& back : analysis_.backs) held.push_back(back.factors);
    for (const VectorSum* const sum : {&sums_.dw, &sums_.de}) {
      for (const auto& entry : *sum) held.push_back(entry.second);
    }
    const std::vector<NodeId> roots = update_roots();
    const std::vector<bool> used = used_by(graph_, roots);
    for (const NodeId root : roots) held.push_back(root);
    for (NodeId node = 0; node < graph_.size(); ++node) {
      if (!used[node] || !is_vector_step(node)) continue;
      const GraphNode& step = graph_[node];
      held.insert(held.end(), step.operands.begin(), step.operands.begin() + step.operand_count);
    }
    return held;
  }

  void note_reads() {
    for (NodeId node = 0; node < graph_.size(); ++node) {
      const GraphNode& read = graph_[node];
      if (!used_[node]) continue;
      if (read.kind == GraphNode::Kind::place) {
        at_[node] = read.place;
        const bool is_activated =
            read.place == EquationPlace{Of::neuron, EquationProgram::kActivated};
        const bool is_square = read.place == EquationPlace{Of::layer, EquationProgram::kSquare};
        program_.reads_activation = program_.reads_activation || is_activated;
        const bool is_weight_square =
            read.place == EquationPlace{Of::neuron, EquationProgram::kWeightSquare};
        program_.reads_square = program_.reads_square || is_square;
        program_.reads_weight_square = program_.reads_weight_square || is_weight_square;
      } else if (read.kind == GraphNode::Kind::step) {
        program_.crosses_layer = program_.crosses_layer || crosses_layer(read.op);
      }
    }
  }

  EquationStep step_of(NodeId node) const {
    const GraphNode& made = graph_[node];
    EquationStep step;
    step.op = made.op;
    step.result = at_[node];
    step.a = at_[made.operands[0]];
    if (made.operand_count > 1) step.b = at_[made.operands[1]];
    if (made.operand_count > 2) step.c = at_[made.operands[2]];
    return step;
  }

  void place_constants() {
    program_.constants.assign(EquationProgram::kFirstParameter + rule_.parameters.size(), 0.0);
    const auto add = [&](NodeId node, double value) {
      at_[node] = {Of::constant, static_cast<std::uint16_t>(program_.constants.size())};
      program_.constants.push_back(value);
    };
    for (NodeId node = 0; node < graph_.size(); ++node) {
      if (used_[node] && graph_[node].kind == GraphNode::Kind::literal)
        add(node, graph_[node].value);
    }
    for (NodeId node = 0; node < graph_.size(); ++node) {
      const GraphNode& made = graph_[node];
      if (!used_[node] || made.kind != GraphNode::Kind::step || made.of != Of::constant) continue;
      add(node, 0.0);
      program_.constant_steps.push_back(step_of(node));
    }
  }

  /// Steps to those that are held, of what `is_step` says is one, with places from the pools.
  template <class IsStep, class PoolOf>
  std::vector<EquationStep> steps_to(const std::vector<NodeId>& held, const IsStep& is_step,
                                     const PoolOf& pool_of) {
    const std::vector<bool> used = used_by(graph_, held);
    constexpr NodeId kNever = static_cast<NodeId>(-1);
    std::vector<NodeId> last_read(graph_.size(), 0);
    std::vector<NodeId> nodes;
    for (NodeId node = 0; node < graph_.size(); ++node) {
      if (!used[node] || !is_step(graph_[node])) continue;
      nodes.push_back(node);
      for (const NodeId operand : operands_of(node)) last_read[operand] = node;
    }
    for (const NodeId node : held) last_read[node] = kNever;
    std::vector<EquationStep> steps;
    for (const NodeId node : nodes) {
      // Before places of operands are free: no step writes where it reads.
      at_[node] = pool_of(graph_[node].of).take();
      steps.push_back(step_of(node));
      for (const NodeId operand : operands_of(node)) {
        if (last_read[operand] != node || !is_step(graph_[operand])) continue;
        pool_of(graph_[operand].of).give_back(at_[operand]);
        last_read[operand] = kNever;
      }
    }
    return steps;
  }

  std::vector<NodeId> operands_of(NodeId node) const {
    const GraphNode& made = graph_[node];
    return {made.operands.begin(), made.operands.begin() + made.operand_count};
  }

  void tick(EquationTick& result, const std::vector<NodeId>& memory,
            const std::vector<NodeId>& held) {
    const auto signals = static_cast<std::size_t>(
        std::count_if(rule_.signals.begin(), rule_.signals.end(),
                      [](const EquationText::Signal& signal) { return !signal.of_neurons; }));
    PlacePool of_layer(Of::layer, EquationProgram::kFirstLayerSignal + signals);
    PlacePool of_neurons(Of::neuron, program_.first_draw() + program_.draws.size());
    const auto is_step = [](const GraphNode& node) {
      return node.kind == GraphNode::Kind::step && (node.of == Of::layer || node.of == Of::neuron);
    };
    result.steps = steps_to(held, is_step, [&](Of of) -> PlacePool& {
      return of == Of::layer ? of_layer : of_neurons;
    });
    for (const NodeId node : memory) result.memory.push_back(place_of(node));
    result.output = place_of(analysis_.output);
    program_.layer_places = std::max(program_.layer_places, of_layer.count());
    program_.neuron_places = std::max(program_.neuron_places, of_neurons.count());
  }

  EquationPlace place_of(NodeId node) const {
    return graph_[node].kind == GraphNode::Kind::place ? graph_[node].place : at_[node];
  }

  void place_update() {
    for (const Analysis::Back& back : analysis_.backs) {
      program_.backs.push_back({at_[back.factors], back.upto});
    }
    for (const auto& [vector, factor] : sums_.dw)
      program_.dw_terms.push_back({vector, at_[factor]});
    for (const auto& [vector, factor] : sums_.de)
      program_.de_terms.push_back({vector, at_[factor]});
    PlacePool vectors(Of::vector,
                      EquationProgram::kFirstTrace + rule_.traces.size() + analysis_.backs.size());
    const auto is_step = [](const GraphNode& node) {
      return node.kind == GraphNode::Kind::step && node.of == Of::vector;
    };
    program_.vector_steps =
        steps_to(update_roots(), is_step, [&](Of) -> PlacePool& { return vectors; });
    program_.vector_places = vectors.count();
    if (analysis_.dw) program_.dw = at_[*analysis_.dw];
    if (analysis_.de) program_.de = at_[*analysis_.de];
  }

  const EquationText& rule_;
  const KnownNames& names_;
  const Analysis& analysis_;
  const Graph& graph_;
  const MultipliedOut& sums_;
  EquationProgram program_;
  std::vector<bool> used_;
  std::vector<EquationPlace> at_;
};

}  // namespace

EquationProgram build_program(const EquationText& rule, const KnownNames& names,
                              const Analysis& analysis, const MultipliedOut& sums) {
  return Builder(rule, names, analysis, sums).run();
}

}  // namespace gaia::equation_language
