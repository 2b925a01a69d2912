// SPDX-License-Identifier: MIT
#include "rule_list.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

#include "../core/keys.h"
#include "../core/message.h"
#include "../core/names.h"
#include "../core/text.h"
#include "../formulas/representable.h"
#include "catalogue/catalogue.h"
#include "rule_keys.h"
#include "rule_parameters.h"

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

/// Memories of a rule of the catalogue, and of the neuron before it, that go on across trials.
MemoriesKept memories_kept_of(const NamedRule& entry, const std::string& neuron) {
  if (entry.memory_across_trials) return true;
  MemoriesKept kept = gaia::memories_kept_of(neuron);
  for (const NamedMemory& memory : entry.memories) {
    if (memory.across_trials) kept.names.emplace_back(memory.name);
  }
  kept.any = !kept.names.empty();
  return kept;
}

/// A rule of the catalogue by its text.
EquationRule by_text(const NamedRule& entry, const std::string& neuron) {
  EquationRuleOptions options{.parameters = {{"rate", entry.learning_rate}, {"decay", 0.0}},
                              .memory_across_trials = memories_kept_of(entry, neuron),
                              .name = entry.name,
                              .neuron = neuron};
  for (const NamedParameter& one : entry.parameters) {
    options.parameters.emplace_back(one.name, one.value);
  }
  for (const NamedMemory& one : entry.memories) options.memory.emplace_back(one.name, one.initial);
  for (const NamedTrace& one : entry.traces) options.traces.emplace_back(one.name, one.tau);
  for (const NamedSignal& one : entry.signals) options.signals.push_back(source_of(one));
  return EquationRule(entry.equations, std::move(options));
}

/// What is known of a memory of a rule by its equations, where rule or neuron are in the catalogue.
const NamedMemory* named_memory(const EquationRule& rule, const std::string& name) {
  const auto look = [&](const auto* entry) -> const NamedMemory* {
    if (entry == nullptr) return nullptr;
    for (const NamedMemory& memory : entry->memories) {
      if (memory.name == name) return &memory;
    }
    return nullptr;
  };
  const NamedMemory* const of_rule = look(named_rule(rule.name()));
  return of_rule != nullptr ? of_rule : look(named_neuron(rule.options().neuron));
}

template <class R>
constexpr bool is_custom = std::is_same_v<std::remove_cv_t<R>, CustomRule>;

/// A parameter under which other rules have a key.
double& parameter_of(EquationRule& rule, const char* name) {
  double* const found = rule.parameter(name);
  if (found != nullptr) return *found;
  fail<ArgumentError>(
      "[rule] the equations have no parameter '{}', by which it could be changed; give them one",
      name);
}

/// A number of a range: whole ones without a point.
std::string limit_text(double value) {
  const bool is_whole = std::abs(value) < 1e15 && std::floor(value) == value;
  return is_whole ? std::to_string(static_cast<std::int64_t>(value)) : number_text(value);
}

/// The built-in functor of that name, with its default parameters.
std::optional<Rule> functor_of(const std::string& name) {
  std::optional<Rule> found;
  const auto look = [&]<class... R>(std::type_identity<std::variant<R...>>) {
    const auto take = [&]<class Own>(std::type_identity<Own>) {
      if constexpr (is_neuron_rule<Own>) {
        if (name == Own::name) found = Own{};
      }
    };
    (take(std::type_identity<R>{}), ...);
  };
  look(std::type_identity<Rule>{});
  return found;
}

/// The rules of gaia, with their default parameters, in the order of the catalogue.  They are
/// created once, since every text of the catalogue is compiled for it.
const std::vector<PlasticityRule>& library_rules() {
  static const std::vector<PlasticityRule> all = [] {
    std::vector<PlasticityRule> rules;
    for (const NamedRule& entry : named_rules()) {
      const std::optional<Rule> functor = functor_of(entry.name);
      if (functor) {
        rules.emplace_back(*functor);
      } else {
        rules.emplace_back(by_text(entry, {}));
      }
    }
    return rules;
  }();
  return all;
}

class RuleRanges final : public RuleKeys {
 public:
  void number(const Key& key, double& value, NumberRange range) override {
    const bool is_above = range.above_least ? value > range.least : value >= range.least;
    const bool is_below = range.below_most ? value < range.most : value <= range.most;
    require(!std::isfinite(value) || !is_above || is_below, "[plasticity] {} must be {}{}, got {}",
            key.name, range.below_most ? "< " : "<= ", limit_text(range.most), value);
    const bool has_least = range.least > -kLargest;
    require(std::isfinite(value) && is_above, "[plasticity] {} must be {}, got {}", key.name,
            has_least ? (range.above_least ? "> " : ">= ") + limit_text(range.least) : "finite",
            value);
  }
  void integer(const Key& key, std::int64_t& value, IntegerRange range) override {
    require(value >= range.least, "[plasticity] {} must be >= {}, got {}", key.name, range.least,
            value);
    require(value <= range.most, "[plasticity] {} must be <= {}, got {}", key.name, range.most,
            value);
  }
  void flag(const Key&, bool&) override {}
};

/// \throws ArgumentError for a number of a rule that its dtype cannot hold.
class RuleNumbers final : public RuleKeys {
 public:
  explicit RuleNumbers(DType dtype) : dtype_(dtype) {}
  void number(const Key& key, double& value, NumberRange) override { check(key.name, value); }
  void integer(const Key&, std::int64_t&, IntegerRange) override {}
  void flag(const Key&, bool&) override {}
  void check(const std::string& name, double value) const {
    check_representable("[plasticity] " + name, value, dtype_);
  }

 private:
  DType dtype_;
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
    const std::string tag = message("[register_rule] {}: {} '{}'", rule_, what, name);
    const bool is_plain =
        !name.empty() && name.size() <= 64 &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (!is_plain) throw ArgumentError(tag + " must be 1 to 64 of a-z, 0-9 and _");
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      fail<ArgumentError>("{} is taken; choose another (taken: {})", tag, join(taken));
    }
  }

  std::string rule_;
  /// Those of every plastic layer, which stand beside a rule's own.
  std::vector<std::string> keys_ = {"type",          "size",  "learn",         "activation",
                                    "init",          "rule",  "learning_rate", "decay",
                                    "normalization", "bound", "homeostasis",   "top_down"};
};

}  // namespace

namespace {

template <class R>
EquationRule by_name(const R& rule) {
  PlasticityRule text = rule_from_name(R::name);
  learning_rate_of(text) = rule.learning_rate;
  decay_of(text) = rule.decay;
  return std::get<EquationRule>(text);
}

}  // namespace

SangerRule::operator EquationRule() const { return by_name(*this); }
OjaSubspaceRule::operator EquationRule() const { return by_name(*this); }

bool is_component_rule(const EquationRule& rule) {
  return rule.options().neuron.empty() &&
         (rule.name() == SangerRule::name || rule.name() == OjaSubspaceRule::name);
}

std::vector<PlasticityRule> all_rules() {
  std::vector<PlasticityRule> rules = library_rules();
  for (const auto& rule : registered()) rules.emplace_back(Rule(CustomRule(rule)));
  return rules;
}

RuleParameters parameters_of(PlasticityRule& rule) {
  return visit_rule(rule, [](auto& r) -> RuleParameters {
    if constexpr (is_custom<std::decay_t<decltype(r)>>) {
      TickRule& own = r.own();
      return {own.learning_rate(), own.decay(), [&own](RuleKeys& visitor) { own.keys(visitor); }};
    } else if constexpr (is_by_equations<std::decay_t<decltype(r)>>) {
      return {parameter_of(r, "rate"), parameter_of(r, "decay"), [&r](RuleKeys& visitor) {
                const NamedRule* const entry = named_rule(r.name());
                if (entry == nullptr) return;
                for (const NamedParameter& one : entry->parameters) {
                  visitor.number({one.name, one.meaning}, *r.parameter(one.name), one.range);
                }
                for (const NamedMemory& one : entry->memories) {
                  if (!one.is_key) continue;
                  visitor.number({one.name, lasting(std::string("initial ") + one.meaning)},
                                 r.initial(one.name), kAnyNumber);
                }
              }};
    } else if constexpr (requires(RuleKeys& visitor) { r.keys(visitor); }) {
      return {r.learning_rate, r.decay, [&r](RuleKeys& visitor) { r.keys(visitor); }};
    } else {
      return {r.learning_rate, r.decay, [](RuleKeys&) {}};
    }
  });
}

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
  for (const PlasticityRule& rule : library_rules()) names.push_back(rule_name(rule));
  for (const auto& rule : registered()) names.push_back(rule->name());
  return names;
}

PlasticityRule rule_from_name(std::string_view name) {
  for (const PlasticityRule& rule : library_rules()) {
    if (rule_name(rule) == name) return rule;
  }
  for (const auto& rule : registered()) {
    if (rule->name() == name) return Rule(CustomRule(rule));
  }
  const std::vector<std::string> names = rule_names();
  fail<ArgumentError>("unknown rule '{}'{}; known: {}", name, did_you_mean(name, names),
                      join(names));
}

PlasticityRule rule_from_name(std::string_view name, const std::string& neuron) {
  const NamedRule* const entry = named_rule(name);
  if (entry == nullptr) {
    const PlasticityRule registered = rule_from_name(name);
    throw ArgumentError("rule " + rule_name(registered) +
                        " has no text in which lines of a neuron could stand; leave neuron out");
  }
  if (by_text(*entry, {}).program().assigns_output) {
    fail<ArgumentError>("rule {} says itself what its neurons answer; leave neuron out", name);
  }
  return by_text(*entry, neuron);
}

const NamedRule* entry_of(const PlasticityRule& rule) { return named_rule(rule_name(rule)); }

std::string neuron_of(const PlasticityRule& rule) {
  const auto* const own = std::get_if<EquationRule>(&rule);
  return own == nullptr ? std::string() : own->options().neuron;
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
        const NamedMemory* const named = named_memory(r, memory.name);
        memories.push_back({.name = lasting(memory.name),
                            .meaning = named == nullptr ? "memory" : named->meaning,
                            .initial = r.initial(memory.name),
                            .symbol = named == nullptr ? nullptr : named->symbol,
                            .across_trials = r.memories_kept().has(memory.name)});
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
    } else if constexpr (is_by_equations<std::decay_t<decltype(r)>>) {
      const NamedRule* const entry = named_rule(r.name());
      if (entry == nullptr || !entry->stability_limit) return std::nullopt;
      const char* const divisor = entry->stability_divisor;
      return *entry->stability_limit / (divisor == nullptr ? 1.0 : *r.parameter(divisor));
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
    if constexpr (is_by_equations<std::decay_t<decltype(r)>>) {
      if (const NamedRule* const entry = named_rule(r.name())) return entry->stability_note;
    }
    return {};
  });
}

std::string look_for(const PlasticityRule& rule) {
  return visit_rule(rule, [](const auto& r) -> std::string {
    if constexpr (is_custom<std::decay_t<decltype(r)>>) {
      return r->look_for();
    } else if constexpr (is_by_equations<std::decay_t<decltype(r)>>) {
      const NamedRule* const entry = named_rule(r.name());
      return entry == nullptr ? "" : entry->look_for;
    } else if constexpr (requires { r.look_for; }) {
      return r.look_for;
    } else {
      return {};
    }
  });
}

void check_rule(const PlasticityRule& rule) {
  const bool has_keys = !std::holds_alternative<EquationRule>(rule) || entry_of(rule) != nullptr;
  if (!has_keys) return;  // a text was checked when it was created
  PlasticityRule copy = rule;
  const RuleParameters own = parameters_of(copy);
  require(own.learning_rate >= 0 && std::isfinite(own.learning_rate),
          "[plasticity] learning_rate must be >= 0, got {}", own.learning_rate);
  require(own.decay >= 0 && own.decay <= 1, "[plasticity] decay must be in [0, 1], got {}",
          own.decay);
  RuleRanges ranges;
  own.keys(ranges);
}

void check_rule(const PlasticityRule& rule, DType dtype) {
  check_rule(rule);
  RuleNumbers numbers(dtype);
  if (const auto* const text = std::get_if<EquationRule>(&rule)) {
    for (const double value : text->program().literals()) {
      numbers.check("a number in the equations", value);
    }
    for (const auto& [name, value] : text->options().parameters) numbers.check(name, value);
    for (const auto& [name, value] : text->options().memory) numbers.check("memory " + name, value);
    return;
  }
  PlasticityRule copy = rule;
  const RuleParameters own = parameters_of(copy);
  numbers.check("learning_rate", own.learning_rate);
  numbers.check("decay", own.decay);
  own.keys(numbers);
}

void register_rule(std::shared_ptr<const TickRule> rule) {
  NameCheck check(*rule);
  registered().push_back(std::move(rule));
}

}  // namespace gaia
