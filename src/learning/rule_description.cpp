// SPDX-License-Identifier: MIT
/// \file
/// The keys of rules: of one that has a name beside those of all others, and of one that is written
/// as its equations.
#include <algorithm>
#include <string_view>
#include <utility>

#include "../core/keys.h"
#include "rule_parameters.h"

namespace gaia {
namespace {

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

  void add(const std::string& name, bool applies, const RuleParameters& rule) {
    name_ = name;
    applies_ = applies;
    rule.keys(*this);
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
    const Listed made{key, value, {}, {}, applies_, "rule: " + name_};
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

/// The keys of a rule that is a map.  It is made anew where they say something else than before.
void describe_equations(ConfigVisitor& v, PlasticityRule& rule) {
  std::string equations;
  EquationRuleOptions options;
  if (const auto* const own = std::get_if<EquationRule>(&rule)) {
    equations = own->equations();
    options = own->options();
  }
  std::vector<NamedEntry> parameters = entries_of(options.parameters);
  std::vector<NamedEntry> memory = entries_of(options.memory);
  std::vector<NamedEntry> traces;
  for (const auto& [name, tau] : options.traces) {
    const auto* const number = std::get_if<double>(&tau);
    traces.push_back({name, {}});
    if (number != nullptr) traces.back().value = *number;
    if (number == nullptr) traces.back().value = std::get<std::string>(tau);
  }
  std::vector<NamedEntry> signals;
  for (const EquationSignalSource& signal : options.signals) {
    signals.push_back({signal.name, {}});
    if (signal.is_list) {
      signals.back().value = signal.columns;
    } else {
      signals.back().value = signal.is_labels ? "labels" : signal.columns.front();
    }
  }
  v.text({"equations", "one assignment a line, in order", true}, equations);
  v.entries({"parameters", "numbers of the equations by name"}, EntryForm::number, parameters);
  v.entries({"memory", "initial values of memories; 0 where not named"}, EntryForm::number, memory);
  v.entries({"traces", "filters of the input: their time constant in ticks, or a parameter"},
            EntryForm::number_or_name, traces);
  v.entries({"signals",
             "numbers from outside: a column of data.targets, a list of one for each neuron, or "
             "labels"},
            EntryForm::name_or_names, signals);
  v.flag({"memory_across_trials", "whether memories go on where a trial begins"},
         options.memory_across_trials);
  if (equations.empty()) return;
  options.parameters = numbers_of(parameters);
  options.memory = numbers_of(memory);
  options.traces.clear();
  for (const NamedEntry& trace : traces) {
    const auto* const number = std::get_if<double>(&trace.value);
    options.traces.emplace_back(trace.name, 0.0);
    if (number != nullptr) options.traces.back().second = *number;
    if (number == nullptr) options.traces.back().second = std::get<std::string>(trace.value);
  }
  options.signals.clear();
  for (const NamedEntry& signal : signals) {
    EquationSignalSource source{.name = signal.name};
    if (const auto* const list = std::get_if<std::vector<std::string>>(&signal.value)) {
      source.columns = *list;
      source.is_list = true;
    } else {
      const std::string& word = std::get<std::string>(signal.value);
      source.is_labels = word == "labels";
      if (!source.is_labels) source.columns = {word};
    }
    options.signals.push_back(std::move(source));
  }
  try {
    rule = EquationRule(equations, options);
  } catch (const EquationError& error) {
    for (const EquationProblem& problem : error.problems()) {
      v.refuse({problem.key.c_str(), ""}, problem.message, problem.line, problem.column);
    }
  }
}

}  // namespace

void describe_rule(ConfigVisitor& v, PlasticityRule& rule, bool& automatic) {
  const auto by_equations = [&] { return std::holds_alternative<EquationRule>(rule); };
  bool is_map = by_equations();
  v.word_or_map({"rule", "how the weights change: the name of a rule, or its equations"},
                {rule_names(), [&] { return is_map ? std::string("map") : rule_name(rule); },
                 [&](const std::string& name) {
                   is_map = name == "map";
                   if (!is_map && rule_name(rule) != name) rule = rule_from_name(name);
                 }},
                "map", [&] { describe_equations(v, rule); });
  if (is_map) {
    for (const char* const key : {"learning_rate", "decay", "tau", "theta"}) {
      v.forbid({key, ""}, "a rule that is a map has its own numbers; write rule.parameters." +
                              std::string(key));
    }
    return;
  }
  const RuleParameters own = parameters_of(rule);
  v.number_or({"learning_rate",
               "size of a step of the rule; auto: a tenth of what is stable on the data at hand, "
               "of rules with a known limit"},
              "auto", automatic, own.learning_rate, {0.0, 1e6});
  v.number({"decay", "share of every weight that is lost at a tick"}, own.decay, {0.0, 1.0});
  const std::string name = rule_name(rule);
  std::vector<PlasticityRule> all = all_rules();  // with the values of those that have no effect
  AllKeys keys;
  for (PlasticityRule& other : all) {
    const std::string other_name = rule_name(other);
    const bool applies = other_name == name;
    keys.add(other_name, applies, applies ? own : parameters_of(other));
  }
  for (const AllKeys::Listed& one : keys.listed()) {
    v.where(one.applies, one.condition.c_str(), [&] {
      std::visit(
          [&](auto* value) {
            using T = std::decay_t<decltype(*value)>;
            if constexpr (std::is_same_v<T, double>) v.number(one.key, *value, one.numbers);
            if constexpr (std::is_same_v<T, std::int64_t>) v.integer(one.key, *value, one.integers);
            if constexpr (std::is_same_v<T, bool>) v.flag(one.key, *value);
          },
          one.value);
    });
  }
}

}  // namespace gaia
