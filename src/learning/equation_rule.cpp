// SPDX-License-Identifier: MIT
#include "equation_rule.h"

#include <algorithm>
#include <cmath>

#include "../core/message.h"
#include "../core/names.h"
#include "catalogue/catalogue.h"

namespace gaia {
namespace {

EquationText text_of(const std::string& equations, const EquationRuleOptions& options) {
  EquationText text{equations, options.parameters, options.memory, options.traces, {}};
  for (const EquationSignalSource& signal : options.signals) {
    text.signals.push_back(
        {signal.name, signal.is_list || signal.is_labels || signal.is_handed_over});
  }
  text.hears_above = options.hears_above;
  return text;
}

/// Whether a text has a word outside of its comments.
bool has_word(const std::string& equations, std::string_view word) {
  const auto is_of_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  bool is_comment = false;
  for (std::size_t i = 0; i < equations.size();) {
    std::size_t end = i;
    while (end < equations.size() && is_of_word(equations[end])) ++end;
    if (!is_comment && std::string_view(equations).substr(i, end - i) == word) return true;
    if (end == i) {
      if (equations[i] == '#') is_comment = true;
      if (equations[i] == '\n') is_comment = false;
      ++end;
    }
    i = end;
  }
  return false;
}

/// What the text reads of what its layer hears becomes its signals.
void add_heard(const std::string& equations, EquationRuleOptions& options) {
  const auto is_there = [&](const char* name) {
    return std::any_of(options.signals.begin(), options.signals.end(),
                       [&](const EquationSignalSource& signal) { return signal.name == name; });
  };
  if (!options.hears_above) return;
  for (const auto& [name, passed_as] :
       {std::pair{"td", kFromAboveSignal}, std::pair{"plain", kPlainAnswerSignal}}) {
    if (!has_word(equations, name) || is_there(name)) continue;
    options.signals.push_back({.name = name, .columns = {passed_as}, .is_handed_over = true});
  }
}

/// \throws EquationError for the name of no memory.
void check_memories_kept(const EquationProgram& program, const MemoriesKept& kept) {
  std::vector<std::string> known;
  for (const EquationMemory& memory : program.memories) known.push_back(memory.name);
  for (const std::string& name : kept.names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string why =
        message("memory_across_trials: '{}' is no memory of the equations{}; known: {}", name,
                did_you_mean(name, known), known.empty() ? "none" : join(known));
    throw EquationError(why, {{.key = "memory_across_trials", .message = why}});
  }
}

/// The lines of a neuron, whose parameters, memories and signals become the rule's.
std::string lines_of_neuron(EquationRuleOptions& options) {
  if (options.neuron.empty()) return {};
  const NamedNeuron* const neuron = named_neuron(options.neuron);
  if (neuron == nullptr) {
    const std::vector<std::string> names = neuron_names();
    fail<ArgumentError>("unknown neuron '{}'{}; known: {}", options.neuron,
                        did_you_mean(options.neuron, names), join(names));
  }
  const auto lacks = [](const auto& pairs, const char* name) {
    return std::none_of(pairs.begin(), pairs.end(),
                        [&](const auto& pair) { return pair.first == name; });
  };
  for (const NamedParameter& own : neuron->parameters) {
    if (lacks(options.parameters, own.name)) options.parameters.emplace_back(own.name, own.value);
  }
  for (const NamedSignal& own : neuron->signals) {
    const bool is_there =
        std::any_of(options.signals.begin(), options.signals.end(),
                    [&](const EquationSignalSource& signal) { return signal.name == own.name; });
    if (!is_there) options.signals.push_back(source_of(own));
  }
  return std::string(neuron->equations) + "\n";
}

}  // namespace

MemoriesKept memories_kept_of(const std::string& neuron) {
  std::vector<std::string> names;
  const NamedNeuron* const known = named_neuron(neuron);
  if (known == nullptr) return {};
  for (const NamedMemory& memory : known->memories) {
    if (memory.across_trials) names.emplace_back(memory.name);
  }
  return MemoriesKept(std::move(names));
}

EquationSignalSource source_of(const NamedSignal& signal) {
  EquationSignalSource source{.name = signal.name};
  source.is_labels = std::string_view(signal.column) == "labels";
  if (!source.is_labels) source.columns = {signal.column};
  return source;
}

EquationRule::EquationRule(std::string equations, EquationRuleOptions options)
    : options_(std::move(options)) {
  equations_ = lines_of_neuron(options_);
  neuron_length_ = equations_.size();
  equations_ += equations;
  add_heard(equations_, options_);
  program_ =
      std::make_shared<const EquationProgram>(compile_equations(text_of(equations_, options_)));
  if (!options_.memory_across_trials) {
    options_.memory_across_trials = memories_kept_of(options_.neuron);
  }
  check_memories_kept(*program_, memories_kept());
  for (EquationSignalSource& signal : options_.signals) {
    if (signal.columns.empty() && !signal.is_labels) signal.columns = {signal.name};
  }
}

double* EquationRule::parameter(const std::string& name) {
  return const_cast<double*>(std::as_const(*this).parameter(name));
}

const double* EquationRule::parameter(const std::string& name) const {
  for (const auto& [known, value] : options_.parameters) {
    if (known == name) return &value;
  }
  return nullptr;
}

std::vector<double> EquationRule::parameters() const {
  std::vector<double> values;
  for (const std::string& name : program_->parameters) {
    values.push_back(*parameter(name));
  }
  return values;
}

double& EquationRule::initial(const std::string& memory) {
  for (auto& [known, value] : options_.memory) {
    if (known == memory) return value;
  }
  return options_.memory.emplace_back(memory, 0.0).second;
}

double EquationRule::initial(const std::string& memory) const {
  for (const auto& [known, value] : options_.memory) {
    if (known == memory) return value;
  }
  return 0.0;
}

std::vector<double> EquationRule::trace_keeps() const {
  std::vector<double> keeps;
  for (const EquationTrace& trace : program_->traces) {
    const auto* const number = std::get_if<double>(&trace.tau);
    const double tau = number != nullptr ? *number : *parameter(std::get<std::string>(trace.tau));
    if (!(tau > 0.0)) {
      fail<ArgumentError>(
          "[rule] the trace {} has the time constant {}; expected a number of ticks above 0",
          trace.name, tau);
    }
    keeps.push_back(std::exp(-1.0 / tau));
  }
  return keeps;
}

std::string EquationRule::why_not_together(const EquationRule& other) const {
  if (equations_ != other.equations_) return "equations differ";
  const auto names = [](const auto& pairs) {
    std::vector<std::string> found;
    for (const auto& pair : pairs) found.push_back(pair.first);
    return found;
  };
  if (names(options_.parameters) != names(other.options_.parameters) ||
      names(options_.traces) != names(other.options_.traces)) {
    return "parameters or traces have other names";
  }
  return {};
}

}  // namespace gaia
