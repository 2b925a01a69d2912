// SPDX-License-Identifier: MIT
/// \file
/// The keys of rules: of one that has a name beside those of all others, and of one that is written
/// as its equations.
#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

#include "../core/keys.h"
#include "../core/message.h"
#include "../core/names.h"
#include "catalogue/catalogue.h"
#include "rule_parameters.h"

namespace gaia {
namespace {

constexpr const char* kNoNeuron = "none";

/// The keys of all rules, each once: those of one rule where their values are, and of the others
/// as one key with a range that has room for what each of them takes.
class AllKeys final : public RuleKeys {
 public:
  struct Listed {
    Key key;
    std::variant<double*, std::int64_t*, bool*> value;
    NumberRange numbers;
    IntegerRange integers;
    bool applies;
    std::string condition;  ///< "rule: bcm"
  };

  /// `kind`: "rule" or "neuron".
  void begin(const std::string& kind, const std::string& name, bool applies) {
    kind_ = kind;
    name_ = name;
    applies_ = applies;
  }
  std::vector<Listed>& listed() { return listed_; }

  void number(const Key& key, double& value, NumberRange range) override {
    if (Listed* const known = place(key, &value)) {
      known->numbers.least = std::min(known->numbers.least, range.least);
      known->numbers.most = std::max(known->numbers.most, range.most);
      known->numbers.above_least = known->numbers.above_least && range.above_least;
      known->numbers.below_most = known->numbers.below_most && range.below_most;
    } else {
      listed_.back().numbers = range;
    }
  }
  void integer(const Key& key, std::int64_t& value, IntegerRange range) override {
    if (Listed* const known = place(key, &value)) {
      known->integers.least = std::min(known->integers.least, range.least);
      known->integers.most = std::max(known->integers.most, range.most);
    } else {
      listed_.back().integers = range;
    }
  }
  void flag(const Key& key, bool& value) override { place(key, &value); }

 private:
  /// The key of that name and type where other rules have it too; else null, and it is the last one
  /// now.
  template <class T>
  Listed* place(const Key& key, T* value) {
    const auto found = std::find_if(listed_.begin(), listed_.end(), [&](const Listed& one) {
      return std::string_view(one.key.name) == key.name;
    });
    const Listed made{key, value, {}, {}, applies_, message("{}: {}", kind_, name_)};
    if (found == listed_.end()) {
      listed_.push_back(made);
      return nullptr;
    }
    if (found->applies) return &(unused_ = made);
    if (applies_ || found->value.index() != made.value.index()) {
      listed_.erase(found);
      listed_.push_back(made);
      return nullptr;
    }
    found->condition += " or " + name_;
    return &*found;
  }

  std::vector<Listed> listed_;
  Listed unused_{{}, static_cast<bool*>(nullptr), {}, {}, false, {}};
  std::string kind_;
  std::string name_;
  bool applies_ = false;
};

/// Names with numbers behind them, or with a number or a name.
std::vector<NamedEntry> entries_of(const std::vector<std::pair<std::string, double>>& pairs) {
  std::vector<NamedEntry> entries;
  for (const auto& [name, number] : pairs) entries.push_back({name, number});
  return entries;
}
std::vector<std::pair<std::string, double>> numbers_of(const std::vector<NamedEntry>& entries) {
  std::vector<std::pair<std::string, double>> pairs;
  for (const NamedEntry& entry : entries) {
    pairs.emplace_back(entry.name, std::get<double>(entry.value));
  }
  return pairs;
}

std::vector<NamedEntry> entries_of(const std::vector<EquationSignalSource>& signals) {
  std::vector<NamedEntry> entries;
  for (const EquationSignalSource& signal : signals) {
    if (signal.is_handed_over) continue;
    entries.push_back({signal.name, {}});
    if (signal.is_list) {
      entries.back().value = signal.columns;
    } else {
      entries.back().value = signal.is_labels ? "labels" : signal.columns.front();
    }
  }
  return entries;
}
std::vector<EquationSignalSource> signals_of(const std::vector<NamedEntry>& entries) {
  std::vector<EquationSignalSource> signals;
  for (const NamedEntry& entry : entries) {
    EquationSignalSource source{.name = entry.name};
    if (const auto* const list = std::get_if<std::vector<std::string>>(&entry.value)) {
      source.columns = *list;
      source.is_list = true;
    } else {
      const std::string& word = std::get<std::string>(entry.value);
      source.is_labels = word == "labels";
      if (!source.is_labels) source.columns = {word};
    }
    signals.push_back(std::move(source));
  }
  return signals;
}

/// Whether a rule is a map in YAML: a text that is not the catalogue's.
bool is_written(const PlasticityRule& rule) {
  return std::holds_alternative<EquationRule>(rule) && entry_of(rule) == nullptr;
}

bool has_parameter(const NamedNeuron* neuron, const std::string& name) {
  if (neuron == nullptr) return false;
  return std::any_of(neuron->parameters.begin(), neuron->parameters.end(),
                     [&](const NamedParameter& one) { return one.name == name; });
}

/// Errors of a text below the lines of a neuron.
void refuse_text(ConfigVisitor& v, const EquationError& error, const std::string& neuron) {
  int above = 0;
  if (const NamedNeuron* const own = named_neuron(neuron)) {
    const std::string_view lines = own->equations;
    above = 1 + static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
  }
  for (const EquationProblem& problem : error.problems()) {
    if (problem.line > 0 && problem.line <= above) {
      v.refuse({"neuron", ""},
               message("the lines of {} do not fit these equations: {}", neuron, problem.message));
      continue;
    }
    const int line = problem.line == 0 ? 0 : problem.line - above;
    v.refuse({problem.key.c_str(), ""}, problem.message, line, problem.column);
  }
}

/// The keys of a rule that is a map.  It is built anew where they say something else than before.
/// What belongs to its neuron stands beside the map.
void describe_equations(ConfigVisitor& v, PlasticityRule& rule, const std::string& neuron,
                        bool hears_above) {
  std::string equations;
  EquationRuleOptions options;
  std::vector<std::pair<std::string, double>> of_neuron;
  if (is_written(rule)) {
    const auto& own = std::get<EquationRule>(rule);
    equations = own.own_equations();
    options = own.options();
    const NamedNeuron* const before = named_neuron(options.neuron);
    std::vector<std::pair<std::string, double>> others;
    for (const auto& pair : options.parameters) {
      (has_parameter(before, pair.first) ? of_neuron : others).push_back(pair);
    }
    options.parameters = std::move(others);
    if (options.neuron != neuron) of_neuron.clear();
  }
  MemoriesKept kept = options.memory_across_trials.value_or(memories_kept_of(neuron));
  if (kept == memories_kept_of(options.neuron)) kept = memories_kept_of(neuron);
  options.neuron = neuron;
  options.hears_above = hears_above;
  std::vector<NamedEntry> parameters = entries_of(options.parameters);
  std::vector<NamedEntry> memory = entries_of(options.memory);
  std::vector<NamedEntry> traces;
  for (const auto& [name, tau] : options.traces) {
    const auto* const number = std::get_if<double>(&tau);
    traces.push_back({name, {}});
    if (number != nullptr) traces.back().value = *number;
    if (number == nullptr) traces.back().value = std::get<std::string>(tau);
  }
  std::vector<NamedEntry> signals = entries_of(options.signals);
  v.text({"equations", "one assignment a line, in order", true}, equations);
  v.entries({"parameters", "numbers of the equations by name"}, EntryForm::number, parameters);
  v.entries({"memory", "initial values of memories; 0 where not named"}, EntryForm::number, memory);
  v.entries({"traces", "filters of the input: their time constant in ticks, or a parameter"},
            EntryForm::number_or_name, traces);
  v.entries({"signals",
             "numbers from outside: a column of data.targets, a list of one for each neuron, or "
             "labels"},
            EntryForm::name_or_names, signals);
  v.flag_or_words(
      {"memory_across_trials", "whether memories go on where a trial begins, or which of them do"},
      kept.any, kept.names);
  options.memory_across_trials = kept;
  if (equations.empty()) return;
  options.parameters = numbers_of(parameters);
  options.parameters.insert(options.parameters.end(), of_neuron.begin(), of_neuron.end());
  options.memory = numbers_of(memory);
  options.traces.clear();
  for (const NamedEntry& trace : traces) {
    const auto* const number = std::get_if<double>(&trace.value);
    options.traces.emplace_back(trace.name, 0.0);
    if (number != nullptr) options.traces.back().second = *number;
    if (number == nullptr) options.traces.back().second = std::get<std::string>(trace.value);
  }
  options.signals = signals_of(signals);
  try {
    rule = EquationRule(equations, options);
  } catch (const EquationError& error) {
    refuse_text(v, error, neuron);
  }
}

/// The neuron of a rule with a name.
void take_neuron(ConfigVisitor& v, PlasticityRule& rule, const std::string& neuron) {
  if (neuron_of(rule) == neuron) return;
  try {
    rule =
        neuron.empty() ? rule_from_name(rule_name(rule)) : rule_from_name(rule_name(rule), neuron);
  } catch (const ArgumentError& error) {
    v.refuse({"neuron", ""}, error.what());
  }
}

/// From where a rule of the catalogue has its signals, which its text is made for.
void describe_signals(ConfigVisitor& v, PlasticityRule& rule) {
  std::vector<NamedEntry> signals;
  auto* const own = std::get_if<EquationRule>(&rule);
  if (own != nullptr) signals = entries_of(own->options().signals);
  const std::vector<NamedEntry> before = signals;
  v.where(!signals.empty(), "rules and neurons that read signals", [&] {
    v.entries({"signals",
               "numbers from outside of a rule or neuron that reads some: a column of "
               "data.targets, a list of one for each neuron, or labels"},
              EntryForm::name_or_names, signals);
  });
  const auto same = [](const NamedEntry& a, const NamedEntry& b) {
    return a.name == b.name && a.value == b.value;
  };
  if (own == nullptr ||
      std::equal(signals.begin(), signals.end(), before.begin(), before.end(), same)) {
    return;
  }
  EquationRuleOptions options = own->options();
  for (const NamedEntry& entry : signals) {
    const auto named = [&](const EquationSignalSource& one) { return one.name == entry.name; };
    const auto found = std::find_if(options.signals.begin(), options.signals.end(), named);
    if (found != options.signals.end()) {
      *found = signals_of({entry}).front();
      continue;
    }
    std::vector<std::string> known;
    for (const EquationSignalSource& one : options.signals) known.push_back(one.name);
    v.refuse({"signals", ""}, message("'{}' is read by nobody{}; known: {}", entry.name,
                                      did_you_mean(entry.name, known), join(known)));
  }
  rule = EquationRule(own->own_equations(), std::move(options));
}

/// Shows the keys of all rules and neurons, those of other ones as without effect.
class RuleAndNeuronKeys {
 public:
  explicit RuleAndNeuronKeys(PlasticityRule& rule) : rule_(rule) {}

  void add_rules() {
    const std::string name = rule_name(rule_);
    for (PlasticityRule& other : others_) {
      const std::string other_name = rule_name(other);
      const bool applies = other_name == name;
      keys_.begin("rule", other_name, applies);
      parameters_of(applies ? rule_ : other).keys(keys_);
    }
  }
  void add_neurons() {
    const std::string name = neuron_of(rule_);
    for (const NamedNeuron& neuron : named_neurons()) {
      const bool applies = neuron.name == name;
      keys_.begin("neuron", neuron.name, applies);
      for (const NamedParameter& one : neuron.parameters) {
        unused_.push_back(one.value);
        double* const own = applies ? std::get<EquationRule>(rule_).parameter(one.name) : nullptr;
        keys_.number({one.name, one.meaning}, own == nullptr ? unused_.back() : *own, one.range);
      }
    }
  }
  void show(ConfigVisitor& v) {
    for (const AllKeys::Listed& one : keys_.listed()) {
      v.where(one.applies, one.condition.c_str(), [&] {
        std::visit(
            [&](auto* value) {
              using T = std::decay_t<decltype(*value)>;
              if constexpr (std::is_same_v<T, double>) v.number(one.key, *value, one.numbers);
              if constexpr (std::is_same_v<T, std::int64_t>) {
                v.integer(one.key, *value, one.integers);
              }
              if constexpr (std::is_same_v<T, bool>) v.flag(one.key, *value);
            },
            one.value);
      });
    }
  }

 private:
  PlasticityRule& rule_;
  std::vector<PlasticityRule> others_ = all_rules();  // with the values of those without effect
  std::deque<double> unused_;
  AllKeys keys_;
};

}  // namespace

void describe_rule_text(ConfigVisitor& v, PlasticityRule& rule) {
  describe_equations(v, rule, {}, false);
}

void describe_rule(ConfigVisitor& v, PlasticityRule& rule, bool& automatic, bool hears_above) {
  std::string neuron = neuron_of(rule);
  std::vector<std::string> neurons = neuron_names();
  neurons.insert(neurons.begin(), kNoNeuron);
  v.choice({"neuron", "what makes a neuron's answer of its drive; none: its activation"},
           {neurons, [&] { return neuron.empty() ? kNoNeuron : neuron; },
            [&](const std::string& name) { neuron = name == kNoNeuron ? "" : name; }});
  bool is_map = is_written(rule);
  v.word_or_map({"rule", "how the weights change: the name of a rule, or its equations"},
                {rule_names(), [&] { return is_map ? std::string("map") : rule_name(rule); },
                 [&](const std::string& name) {
                   is_map = name == "map";
                   if (!is_map && rule_name(rule) != name) rule = rule_from_name(name);
                 }},
                "map", [&] { describe_equations(v, rule, neuron, hears_above); });
  RuleAndNeuronKeys keys(rule);
  if (is_map) {
    for (const char* const key : {"learning_rate", "decay", "tau", "theta"}) {
      v.forbid({key, ""},
               message("a rule that is a map has its own numbers; write rule.parameters.{}", key));
    }
    keys.add_neurons();
    return keys.show(v);
  }
  take_neuron(v, rule, neuron);
  describe_signals(v, rule);
  const RuleParameters own = parameters_of(rule);
  v.number_or({"learning_rate",
               "size of a step of the rule; auto: a tenth of what is stable on the data at hand, "
               "of rules with a known limit"},
              "auto", automatic, own.learning_rate, {0.0, 1e6});
  v.number({"decay", "share of every weight that is lost at a tick"}, own.decay, {0.0, 1.0});
  keys.add_rules();
  keys.add_neurons();
  keys.show(v);
}

}  // namespace gaia
