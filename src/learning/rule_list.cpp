// SPDX-License-Identifier: MIT
#include "rule_list.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

#include "../core/keys.h"
#include "../core/names.h"
#include "../core/text.h"
#include "rule_keys.h"

namespace gaia {
namespace {

/// A text of that content that is there as long as the program.
const char* lasting(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::lock_guard lock(mutex);
  return texts.insert(text).first->c_str();
}

/// Those that a program has registered, in that order.
std::vector<std::shared_ptr<const TickRule>>& registered() {
  static std::vector<std::shared_ptr<const TickRule>> rules;
  return rules;
}

/// Appends every alternative of a family of rules with its default parameters.
template <class... R>
void add_defaults(const std::variant<R...>* /*family*/, std::vector<PlasticityRule>& rules) {
  const auto add = [&](auto tag) {
    using Own = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<Own, CustomRule>) rules.emplace_back(std::variant<R...>(Own{}));
  };
  (add(std::type_identity<R>{}), ...);
}

/// Every rule with its default parameters, in the order in which they are told of.
std::vector<PlasticityRule> all_rules() {
  std::vector<PlasticityRule> rules;
  add_defaults(static_cast<const Rule*>(nullptr), rules);
  add_defaults(static_cast<const CoupledRule*>(nullptr), rules);
  for (const auto& rule : registered()) rules.emplace_back(Rule(CustomRule(rule)));
  return rules;
}

template <class R>
constexpr bool is_by_equations = std::is_same_v<R, EquationRule>;

/// Calls f with the rule inside both variants: a struct of the list, a CustomRule or an
/// EquationRule.
template <class AnyRule, class F>
decltype(auto) visit_rule(AnyRule& rule, const F& f) {
  return std::visit(
      [&](auto& family) -> decltype(auto) {
        if constexpr (is_by_equations<std::decay_t<decltype(family)>>) {
          return f(family);
        } else {
          return std::visit(f, family);
        }
      },
      rule);
}

template <class R>
constexpr bool is_custom = std::is_same_v<std::remove_cv_t<R>, CustomRule>;

/// The parameters of a rule.
struct Parameters {
  double& learning_rate;
  double& decay;
  std::function<void(RuleKeys&)> keys;
};

/// A parameter under which other rules have a key.
double& parameter_of(EquationRule& rule, const char* name) {
  double* const found = rule.parameter(name);
  if (found != nullptr) return *found;
  throw ArgumentError("[rule] the equations have no parameter '" + std::string(name) +
                      "', by which it could be changed; give them one");
}

Parameters parameters_of(PlasticityRule& rule) {
  return visit_rule(rule, [](auto& r) -> Parameters {
    if constexpr (is_custom<std::decay_t<decltype(r)>>) {
      TickRule& own = r.own();
      return {own.learning_rate(), own.decay(), [&own](RuleKeys& visitor) { own.keys(visitor); }};
    } else if constexpr (is_by_equations<std::decay_t<decltype(r)>>) {
      return {parameter_of(r, "rate"), parameter_of(r, "decay"), [](RuleKeys&) {}};
    } else {
      return {r.learning_rate, r.decay, [&r](RuleKeys& visitor) {
                if constexpr (requires { r.keys(visitor); }) r.keys(visitor);
              }};
    }
  });
}

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

  void add(const std::string& name, bool applies, const Parameters& rule) {
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

void require(bool holds, const char* parameter, const std::string& range,
             const std::string& value) {
  if (holds) return;
  throw ArgumentError("[plasticity] " + std::string(parameter) + " must be " + range + ", got " +
                      value);
}

/// A number of a range: whole ones without a point.
std::string limit_text(double value) {
  const bool is_whole = std::abs(value) < 1e15 && std::floor(value) == value;
  return is_whole ? std::to_string(static_cast<std::int64_t>(value)) : number_text(value);
}

class RuleRanges final : public RuleKeys {
 public:
  void number(const Key& key, double& value, NumberRange range) override {
    const bool is_above = range.above_least ? value > range.least : value >= range.least;
    const bool is_below = range.below_most ? value < range.most : value <= range.most;
    if (std::isfinite(value) && is_above && !is_below) {
      require(false, key.name, (range.below_most ? "< " : "<= ") + limit_text(range.most),
              number_text(value));
    }
    const bool has_least = range.least > -kLargest;
    require(std::isfinite(value) && is_above, key.name,
            has_least ? (range.above_least ? "> " : ">= ") + limit_text(range.least) : "finite",
            number_text(value));
  }
  void integer(const Key& key, std::int64_t& value, IntegerRange range) override {
    require(value >= range.least, key.name, ">= " + std::to_string(range.least),
            std::to_string(value));
    require(value <= range.most, key.name, "<= " + std::to_string(range.most),
            std::to_string(value));
  }
  void flag(const Key&, bool&) override {}
};

/// What a registered rule may not be called, nor a key or memory of it.
class NameCheck final : public RuleKeys {
 public:
  explicit NameCheck(const TickRule& rule) : rule_(rule.name()) {
    use("name", rule_, rule_names());
    std::vector<std::string> memories = {"weights"};
    for (const RuleMemory& memory : rule.memories()) {
      use("memory", memory.name, memories);
      memories.emplace_back(memory.name);
    }
    rule.clone()->keys(*this);
  }

  void number(const Key& key, double&, NumberRange) override { use_key(key); }
  void integer(const Key& key, std::int64_t&, IntegerRange) override { use_key(key); }
  void flag(const Key& key, bool&) override { use_key(key); }

 private:
  void use_key(const Key& key) {
    use("key", key.name, keys_);
    keys_.emplace_back(key.name);
  }

  void use(const char* what, const std::string& name, const std::vector<std::string>& taken) const {
    const std::string tag = "[register_rule] " + rule_ + ": " + what + " '" + name + "'";
    const bool is_plain =
        !name.empty() && name.size() <= 64 &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (!is_plain) throw ArgumentError(tag + " must be 1 to 64 of a-z, 0-9 and _");
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      throw ArgumentError(tag + " is taken; choose another (taken: " + join(taken) + ")");
    }
  }

  std::string rule_;
  /// Those of every plastic layer, which stand beside a rule's own.
  std::vector<std::string> keys_ = {"type",          "size",  "learn",         "activation",
                                    "init",          "rule",  "learning_rate", "decay",
                                    "normalization", "bound", "homeostasis"};
};

}  // namespace

std::string rule_name(const PlasticityRule& rule) {
  return visit_rule(rule, [](const auto& r) -> std::string {
    if constexpr (is_custom<std::decay_t<decltype(r)>>) {
      return r->name();
    } else if constexpr (is_by_equations<std::decay_t<decltype(r)>>) {
      return r.name();
    } else {
      return r.name;
    }
  });
}

std::vector<std::string> rule_names() {
  std::vector<std::string> names;
  for (const PlasticityRule& rule : all_rules()) names.push_back(rule_name(rule));
  return names;
}

PlasticityRule rule_from_name(std::string_view name) {
  for (PlasticityRule& rule : all_rules()) {
    if (rule_name(rule) == name) return std::move(rule);
  }
  const std::vector<std::string> names = rule_names();
  throw ArgumentError("unknown rule '" + std::string(name) + "'" + did_you_mean(name, names) +
                      "; known: " + join(names));
}

double& learning_rate_of(PlasticityRule& rule) {
  if (auto* const own = std::get_if<EquationRule>(&rule)) return parameter_of(*own, "rate");
  return parameters_of(rule).learning_rate;
}
double& decay_of(PlasticityRule& rule) {
  if (auto* const own = std::get_if<EquationRule>(&rule)) return parameter_of(*own, "decay");
  return parameters_of(rule).decay;
}

std::vector<RuleMemory> memories_of(const PlasticityRule& rule) {
  return visit_rule(rule, [](const auto& r) -> std::vector<RuleMemory> {
    using R = std::decay_t<decltype(r)>;
    if constexpr (is_custom<R>) {
      return r->memories();
    } else if constexpr (is_by_equations<R>) {
      std::vector<RuleMemory> memories;
      for (const EquationMemory& memory : r.program().memories) {
        memories.push_back({.name = lasting(memory.name),
                            .meaning = "memory",
                            .initial = memory.initial,
                            .across_trials = r.options().memory_across_trials});
      }
      return memories;
    } else if constexpr (memory_count<R>() > 0) {
      const auto own = r.memories();
      return {own.begin(), own.end()};
    } else {
      return {};
    }
  });
}

std::optional<double> stability_limit(const PlasticityRule& rule) {
  return visit_rule(rule, [](const auto& r) -> std::optional<double> {
    if constexpr (is_custom<std::decay_t<decltype(r)>>) {
      return r->stability_limit();
    } else if constexpr (requires { r.stability_limit(); }) {
      return r.stability_limit();
    } else {
      return std::nullopt;
    }
  });
}

std::string stability_note(const PlasticityRule& rule) {
  return visit_rule(rule, [](const auto& r) -> std::string {
    if constexpr (requires { r.stability_note; }) return r.stability_note;
    return {};
  });
}

std::string look_for(const PlasticityRule& rule) {
  return visit_rule(rule, [](const auto& r) -> std::string {
    if constexpr (is_custom<std::decay_t<decltype(r)>>) {
      return r->look_for();
    } else if constexpr (requires { r.look_for; }) {
      return r.look_for;
    } else {
      return {};
    }
  });
}

namespace {

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
  const Parameters own = parameters_of(rule);
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

void check_rule(const PlasticityRule& rule) {
  if (std::holds_alternative<EquationRule>(rule)) return;  // its text was checked when it was made
  PlasticityRule copy = rule;
  const Parameters own = parameters_of(copy);
  require(own.learning_rate >= 0 && std::isfinite(own.learning_rate), "learning_rate", ">= 0",
          number_text(own.learning_rate));
  require(own.decay >= 0 && own.decay <= 1, "decay", "in [0, 1]", number_text(own.decay));
  RuleRanges ranges;
  own.keys(ranges);
}

void register_rule(std::shared_ptr<const TickRule> rule) {
  NameCheck check(*rule);
  registered().push_back(std::move(rule));
}

}  // namespace gaia
