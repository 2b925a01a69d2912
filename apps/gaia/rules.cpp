// SPDX-License-Identifier: MIT
/// \file
/// gaia rules: the catalogue of rules and neurons, and all of one of them, ready to paste.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/core/names.h"
#include "../../src/core/text.h"
#include "../../src/formulas/equations/cuda_text.h"
#include "../../src/formulas/equations/how_it_runs.h"
#include "../../src/learning/catalogue/catalogue.h"
#include "../../src/learning/rule_execution.h"
#include "../../src/learning/rule_list.h"
#include "commands.h"
#include "console.h"
#include "exit_codes.h"

namespace gaia::app {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

/// How a rule runs in a layer with nothing beside it, on the CPU, in a single series.
RuleExecution execution_of_rule(const NamedRule& rule) {
  return execution_of({.plasticity = {.rule = rule_from_name(rule.name)}});
}

std::string stability_of(const NamedRule& rule) {
  if (!rule.stability_limit) return rule.stability_note;
  return fmt::format("learning_rate |x|^2 below {}{}{}", number_text(*rule.stability_limit),
                     rule.stability_divisor == nullptr ? "" : " / ",
                     rule.stability_divisor == nullptr ? "" : rule.stability_divisor);
}

// ------------------------------------------------------------------------- all of them, in short

void print_entry(const char* name, const std::string& rule_class, const char* source,
                 const char* equations) {
  answer("{:24}{:9}{}\n", name, rule_class, source);
  for (const std::string& line : lines_of(equations)) answer("    {}\n", line);
}

void print_all() {
  answer("{:24}{:9}{}\n", "rule", "class", "source");
  for (const NamedRule& rule : named_rules()) {
    print_entry(rule.name, execution_of_rule(rule).rule_class, rule.source, rule.equations);
  }
  answer("\n{:33}{}\n", "neuron", "source");
  for (const NamedNeuron& neuron : named_neurons()) {
    print_entry(neuron.name, "", neuron.source, neuron.equations);
  }
  answer("\n`gaia rules NAME` says all of one, ready to paste.\n");
}

/// Text of a table's cell.
std::string cell_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

/// The tables of docs/catalogue.md.
void print_markdown() {
  const auto code = [](const char* equations) {
    std::string cell;
    for (const std::string& line : lines_of(equations)) {
      cell += (cell.empty() ? "`" : "<br>`") + line + "`";
    }
    return cell;
  };
  const auto keys = [](const auto& entry) {
    std::string cell;
    const auto add = [&](const char* name, double value) {
      cell += fmt::format("{}`{}: {}`", cell.empty() ? "" : ", ", name, number_text(value));
    };
    if constexpr (requires { entry.learning_rate; }) add("learning_rate", entry.learning_rate);
    for (const NamedParameter& one : entry.parameters) add(one.name, one.value);
    for (const NamedMemory& one : entry.memories) {
      if (one.is_key) add(one.name, one.initial);
    }
    return cell;
  };
  answer("| rule | equations | keys | class | source |\n|---|---|---|---|---|\n");
  for (const NamedRule& rule : named_rules()) {
    answer("| `{}`: {} | {} | {} | {} | {} |\n", rule.name, cell_of(rule.summary),
           code(rule.equations), keys(rule), execution_of_rule(rule).rule_class, rule.source);
  }
  answer("\n| neuron | equations | keys | source |\n|---|---|---|---|\n");
  for (const NamedNeuron& neuron : named_neurons()) {
    answer("| `{}`: {} | {} | {} | {} |\n", neuron.name, cell_of(neuron.summary),
           code(neuron.equations), keys(neuron), neuron.source);
  }
}

// -------------------------------------------------------------------------------- all of one

/// name: value pairs of a YAML map on one line, `{a: 1, b: 2}`.
class FlowMap {
 public:
  void add(const std::string& name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + name + ": " + value;
  }
  /// Prints the rule as a key of the layer, or of the map behind its key `rule`.
  void print(const char* key, bool in_rule) const {
    if (!text_.empty()) answer("{}{}: {{{}}}\n", std::string(in_rule ? 12 : 10, ' '), key, text_);
  }

 private:
  std::string text_;
};

void print_signals(const std::vector<NamedSignal>& signals, FlowMap& map) {
  for (const NamedSignal& one : signals) map.add(one.name, one.column);
}

/// The beginning of a layer, with the neuron, the bounds and the weights that the rule is built
/// for.
void print_layer(const NamedRule& rule) {
  // Orthonormal rows are at most as many as inputs: few, whatever the data.
  answer("        - type: hebbian\n          size: {}\n", rule.made_for_init == nullptr ? 10 : 2);
  if (rule.made_for_neuron != nullptr) answer("          neuron: {}\n", rule.made_for_neuron);
  if (rule.made_for_bounds)
    answer("          init: uniform\n          bounds: {low: 0, high: 1}\n");
  if (rule.made_for_init != nullptr) answer("          init: {}\n", rule.made_for_init);
}

/// A layer under the rule, as YAML.
void print_by_name(const NamedRule& rule) {
  answer("\nby its name:\n\n");
  print_layer(rule);
  answer("          rule: {}\n          learning_rate: {}\n          decay: 0\n", rule.name,
         number_text(rule.learning_rate));
  for (const NamedParameter& one : rule.parameters) {
    answer("          {}: {}\n", one.name, number_text(one.value));
  }
  for (const NamedMemory& one : rule.memories) {
    if (one.is_key) answer("          {}: {}\n", one.name, number_text(one.initial));
  }
  FlowMap signals;
  print_signals(rule.signals, signals);
  signals.print("signals", false);
}

/// The same as its equations.
void print_as_map(const NamedRule& rule) {
  answer("\nas equations, to change them:\n\n");
  print_layer(rule);
  answer("          rule:\n            equations: |\n");
  for (const std::string& line : lines_of(rule.equations)) answer("              {}\n", line);
  FlowMap parameters;
  parameters.add("rate", number_text(rule.learning_rate));
  parameters.add("decay", "0");
  for (const NamedParameter& one : rule.parameters) {
    parameters.add(one.name, number_text(one.value));
  }
  parameters.print("parameters", true);
  FlowMap memory;
  for (const NamedMemory& one : rule.memories) {
    if (one.initial != 0.0) memory.add(one.name, number_text(one.initial));
  }
  memory.print("memory", true);
  FlowMap traces;
  for (const NamedTrace& one : rule.traces) traces.add(one.name, one.tau);
  traces.print("traces", true);
  FlowMap signals;
  print_signals(rule.signals, signals);
  signals.print("signals", true);
  if (rule.memory_across_trials) answer("            memory_across_trials: true\n");
}

void print_field(const char* name, const std::string& text) {
  if (!text.empty()) answer("{:11}{}\n", name, text);
}

/// What rules and neurons have in common.
template <class Entry>
void print_entry_whole(const Entry& entry) {
  answer("{}: {}\n\n", entry.name, entry.summary);
  print_field("source", entry.source);
  const char* label = "equations";
  for (const std::string& line : lines_of(entry.equations)) {
    print_field(std::exchange(label, ""), line);
  }
  label = "keys";
  const auto key = [&](const char* name, double value, const std::string& meaning) {
    print_field(std::exchange(label, ""),
                fmt::format("{:15}{:>8}  {}", name, number_text(value), meaning));
  };
  if constexpr (requires { entry.learning_rate; }) {
    key("learning_rate", entry.learning_rate, "rate: size of a step");
    key("decay", 0.0, "share of every weight that is lost at a tick");
  }
  for (const NamedParameter& one : entry.parameters) key(one.name, one.value, one.meaning);
  for (const NamedMemory& one : entry.memories) {
    if (one.is_key) key(one.name, one.initial, std::string("initial ") + one.meaning);
  }
  label = "memories";
  for (const NamedMemory& one : entry.memories) {
    print_field(std::exchange(label, ""), fmt::format("{:25}{}", one.name, one.meaning));
  }
  label = "signals";
  for (const NamedSignal& one : entry.signals) {
    print_field(std::exchange(label, ""), fmt::format("{:25}{}", one.name, one.meaning));
  }
}

void print_rule(const NamedRule& rule) {
  print_entry_whole(rule);
  print_field("traces", [&] {
    std::string text;
    for (const NamedTrace& one : rule.traces) {
      text += fmt::format("{}{} of the inputs, time constant {}", text.empty() ? "" : ", ",
                          one.name, one.tau);
    }
    return text;
  }());
  const std::string class_text = execution_of_rule(rule).text();
  print_field("class", class_text.substr(class_text.find(' ') + 1));
  print_field("stability", stability_of(rule));
  print_field("look for", rule.look_for);
  print_by_name(rule);
  print_as_map(rule);
}

void print_neuron(const NamedNeuron& neuron) {
  print_entry_whole(neuron);
  answer(
      "\nbeside any rule that leaves y alone:\n\n        - type: hebbian\n          size: 10\n"
      "          rule: stdp\n          neuron: {}\n",
      neuron.name);
  for (const NamedParameter& one : neuron.parameters) {
    answer("          {}: {}\n", one.name, number_text(one.value));
  }
  FlowMap signals;
  print_signals(neuron.signals, signals);
  signals.print("signals", false);
}

void print_one(const std::string& name) {
  if (const NamedRule* const rule = named_rule(name)) return print_rule(*rule);
  if (const NamedNeuron* const neuron = named_neuron(name)) return print_neuron(*neuron);
  std::vector<std::string> known;
  for (const NamedRule& rule : named_rules()) known.emplace_back(rule.name);
  for (const NamedNeuron& neuron : named_neurons()) known.emplace_back(neuron.name);
  throw ConfigError("gaia rules: no rule or neuron '" + name + "'" + did_you_mean(name, known) +
                    "; known: " + join(known));
}

/// The kernel of a tick that learns, of a single series of 784 inputs in float32.
void print_cuda(const std::string& name) {
  if (named_rule(name) == nullptr) {
    throw ConfigError(
        "gaia rules: --cuda prints the kernel of a rule; name one, as in gaia rules oja --cuda");
  }
  PlasticityRule rule = rule_from_name(name);
  if (!std::holds_alternative<EquationRule>(rule)) rule = rule_from_name(name, "");
  const EquationProgram& program = std::get<EquationRule>(rule).program();
  CudaTextOptions options;
  if (!sees_layer(program, options.activation)) {
    options.owners = OwnersLayout{.streams = 1, .team = 32, .weights = 25};
  }
  answer("{}", cuda_text(program, options));
}

// ---------------------------------------------------------------------------------------- JSON

template <class Entry>
Json json_of(const Entry& entry) {
  Json json = {{"name", entry.name},           {"summary", entry.summary},
               {"source", entry.source},       {"equations", entry.equations},
               {"parameters", Json::object()}, {"memory", Json::object()},
               {"signals", Json::object()}};
  for (const NamedParameter& one : entry.parameters) json["parameters"][one.name] = one.value;
  for (const NamedMemory& one : entry.memories) json["memory"][one.name] = one.initial;
  for (const NamedSignal& one : entry.signals) json["signals"][one.name] = one.column;
  return json;
}

Json catalogue_as_json() {
  Json rules = Json::array();
  for (const NamedRule& rule : named_rules()) {
    Json json = json_of(rule);
    json["traces"] = Json::object();
    for (const NamedTrace& one : rule.traces) json["traces"][one.name] = one.tau;
    json["learning_rate"] = rule.learning_rate;
    json["memory_across_trials"] = rule.memory_across_trials;
    json["class"] = execution_of_rule(rule).rule_class;
    json["stability"] = stability_of(rule);
    rules.push_back(std::move(json));
  }
  Json neurons = Json::array();
  for (const NamedNeuron& neuron : named_neurons()) neurons.push_back(json_of(neuron));
  return {{"rules", rules}, {"neurons", neurons}};
}

}  // namespace

void add_rules(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("rules", "List the rules and neurons that have a name");
  const auto name = std::make_shared<std::string>();
  const auto form = std::make_shared<std::string>();
  verb->add_option("NAME", *name, "Say all of this one, as YAML too");
  const auto flag = [&](const char* option, const char* value, const char* meaning) {
    verb->add_flag_callback(option, [form, value] { *form = value; }, meaning);
  };
  flag("--json", "json", "Print all as JSON");
  flag("--markdown", "markdown", "Print all as tables of docs/catalogue.md");
  flag("--cuda", "cuda", "Print the CUDA C++ that the rule NAME is compiled to on a GPU");
  verb->callback([&action, name, form] {
    action = [name, form] {
      if (*form == "cuda") {
        print_cuda(*name);
      } else if (!name->empty()) {
        print_one(*name);
      } else if (*form == "json") {
        answer(json_text(catalogue_as_json()));
      } else if (*form == "markdown") {
        print_markdown();
      } else {
        print_all();
      }
      return static_cast<int>(kDone);
    };
  });
}

}  // namespace gaia::app
