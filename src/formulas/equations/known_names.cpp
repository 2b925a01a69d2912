// SPDX-License-Identifier: MIT
#include "known_names.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "../../core/message.h"
#include "../../core/names.h"
#include "../../core/text.h"

namespace gaia::equation_language {
namespace {

using Of = EquationPlace::Of;

constexpr std::size_t kMostListed = 40;
constexpr std::size_t kMostLooked = 20;

/// The key of the rule that brings names of a role along.
const char* role_key(KnownName::Role role) {
  switch (role) {
    case KnownName::Role::parameter:
      return "parameters.";
    case KnownName::Role::trace:
      return "traces.";
    case KnownName::Role::signal:
      return "signals.";
    case KnownName::Role::memory:
      return "memory.";
  }
  return "";
}

void check_value(const std::string& key, double value, const char* what, ProblemList& problems) {
  if (std::isfinite(value)) return;
  problems.of_key(key, message("{} is a finite number, but this one is {}", what, value));
}

EquationPlace place_of(Of of, std::size_t index) { return {of, static_cast<std::uint16_t>(index)}; }

}  // namespace

const char* role_text(KnownName::Role role) {
  switch (role) {
    case KnownName::Role::parameter:
      return "a parameter";
    case KnownName::Role::trace:
      return "a trace";
    case KnownName::Role::signal:
      return "a signal";
    case KnownName::Role::memory:
      return "a memory";
  }
  return "";
}

std::string nearest_and_known(std::string_view name, const std::vector<std::string>& known,
                              const char* label) {
  std::vector<std::string> listed(
      known.begin(),
      known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMostListed)));
  if (known.size() > kMostListed) listed.emplace_back("...");
  return message("{}; {}: {}", did_you_mean(name, known), label,
                 listed.empty() ? "none" : join(listed));
}

KnownNames::KnownNames(const EquationText& rule, const SyntaxTree& tree, ProblemList& problems) {
  trace_count_ = rule.traces.size();
  for (const auto& [name, value] : rule.parameters) {
    add(Role::parameter, name, Kind::of_layer, problems);
    check_value("parameters." + name, value, "a parameter", problems);
  }
  for (const auto& trace : rule.traces) add(Role::trace, trace.first, Kind::vector, problems);
  for (const auto& [name, of_neurons] : rule.signals) {
    if (rule.hears_above && is_heard(name)) {
      add_heard(name, problems);
    } else {
      add(Role::signal, name, of_neurons ? Kind::of_neurons : Kind::of_layer, problems);
    }
  }
  check_taus(rule, problems);
  find_memories(tree);
  check_memory(rule, tree, problems);
  if (names_.size() > kMostNames) {
    problems.of_key("equations", message("the rule has {} names; at most {} are possible",
                                         grouped(static_cast<std::int64_t>(names_.size())),
                                         grouped(kMostNames)));
  }
  place_all(rule);
}

void KnownNames::add_heard(const std::string& name, ProblemList& problems) {
  if (const KnownName* const known = find(name)) {
    return problems.of_key(role_key(known->role) + name,
                           "'" + name +
                               "' is a name of the language itself under top_down; take "
                               "another one");
  }
  insert(Role::signal, name, Kind::of_neurons);
}

void KnownNames::add(Role role, const std::string& name, Kind kind, ProblemList& problems) {
  const std::string key = role_key(role) + name;
  if (!is_name(name)) {
    return problems.of_key(key, "'" + name +
                                    "' is not a name; names have letters a to z, A to Z, "
                                    "digits and _, and do not begin with a digit");
  }
  if (name.size() > kLongestName) {
    return problems.of_key(key, message("the name has {} characters; at most {} are possible",
                                        name.size(), kLongestName));
  }
  if (const auto meaning = own_meaning(name)) {
    return problems.of_key(key, "'" + name + "' is a name of the language itself (" + *meaning +
                                    "); take another one");
  }
  if (const KnownName* known = find(name)) {
    return problems.of_key(
        key, message("'{}' is {} already; take another name", name, role_text(known->role)));
  }
  insert(role, name, kind);
}

void KnownNames::insert(Role role, const std::string& name, Kind kind) {
  const auto same = [&](const std::string& other) { return names_.at(other).role == role; };
  const auto index = static_cast<std::size_t>(std::count_if(order_.begin(), order_.end(), same));
  names_.emplace(name, KnownName{.role = role, .index = index, .kind = kind});
  order_.push_back(name);
}

KnownName* KnownNames::find(std::string_view name) {
  const auto found = names_.find(std::string(name));
  return found == names_.end() ? nullptr : &found->second;
}

void KnownNames::find_memories(const SyntaxTree& tree) {
  for (const SyntaxStatement& statement : tree.statements) {
    const std::string name(statement.target);
    if (own_meaning(name) || names_.count(name) != 0) continue;
    names_.emplace(name, KnownName{.role = Role::memory, .index = memories_.size()});
    order_.push_back(name);
    memories_.push_back(name);
  }
}

void KnownNames::place_all(const EquationText& rule) {
  std::size_t of_layer = EquationProgram::kFirstLayerSignal;
  std::size_t of_neurons = EquationProgram::kFirstMemory + memories_.size();
  for (const EquationText::Signal& signal : rule.signals) {
    KnownName* const known = find(signal.name);
    if (known == nullptr || known->role != Role::signal) continue;
    known->place =
        signal.of_neurons ? place_of(Of::neuron, of_neurons++) : place_of(Of::layer, of_layer++);
  }
  first_draw_ = of_neurons;
  for (auto& [name, known] : names_) {
    if (known.role == Role::parameter) {
      known.place = place_of(Of::constant, EquationProgram::kFirstParameter + known.index);
    } else if (known.role == Role::trace) {
      known.place = place_of(Of::vector, EquationProgram::kFirstTrace + known.index);
    } else if (known.role == Role::memory) {
      known.place = place_of(Of::neuron, EquationProgram::kFirstMemory + known.index);
    }
  }
}

void KnownNames::check_memory(const EquationText& rule, const SyntaxTree& tree,
                              ProblemList& problems) const {
  std::unordered_set<std::string> seen;
  for (const auto& [name, value] : rule.memory) {
    const std::string key = "memory." + name;
    check_value(key, value, "an initial value", problems);
    if (!seen.insert(name).second) {
      problems.of_key(key, "'" + name + "' is there twice; leave one out");
      continue;
    }
    if (const auto meaning = own_meaning(name)) {
      problems.of_key(key, "'" + name + "' is a name of the language itself (" + *meaning +
                               ") and not a memory; leave it out");
      continue;
    }
    const auto known = names_.find(name);
    if (known != names_.end() && known->second.role != Role::memory) {
      problems.of_key(key, message("'{}' is {} already; take another name", name,
                                   role_text(known->second.role)));
    } else if (known == names_.end() && !tree.lost_target) {
      problems.of_key(key, message("no equation assigns '{}'{}", name,
                                   nearest_and_known(name, memories_, "memories")));
    }
  }
}

void KnownNames::check_taus(const EquationText& rule, ProblemList& problems) {
  for (const auto& [name, tau] : rule.traces) {
    const std::string key = "traces." + name;
    if (const double* const ticks = std::get_if<double>(&tau)) {
      if (!std::isfinite(*ticks) || *ticks <= 0.0) {
        problems.of_key(key, message("tau is a number of ticks above 0, but it is {}", *ticks));
      }
      continue;
    }
    const std::string& parameter = std::get<std::string>(tau);
    KnownName* const known = find(parameter);
    if (known == nullptr || known->role != Role::parameter) {
      std::vector<std::string> parameters;
      for (const auto& entry : rule.parameters) parameters.push_back(entry.first);
      problems.of_key(
          key, message("tau is a number of ticks or the name of a parameter, but '{}' is neither{}",
                       parameter, nearest_and_known(parameter, parameters, "parameters")));
      continue;
    }
    known->read = true;
    const double value = rule.parameters[known->index].second;
    if (!(value > 0.0)) {
      problems.of_key(key, message("tau is a number of ticks above 0, but the parameter '{}' is {}",
                                   parameter, value));
    }
  }
}

std::string KnownNames::readable(std::string_view name) {
  if (++looked_for_ > kMostLooked) return "";
  std::vector<std::string> known = order_;
  const std::vector<std::string> quantities = quantity_names();
  known.insert(known.end(), quantities.begin(), quantities.end());
  return nearest_and_known(name, known);
}

void KnownNames::check_read(ProblemList& problems) const {
  for (const std::string& name : order_) {
    const KnownName& known = names_.at(name);
    if (known.read || known.role == Role::memory) continue;
    problems.of_key(role_key(known.role) + name,
                    message("nothing reads {} '{}'; leave it out, or read it in an equation",
                            role_text(known.role) + 2, name));
  }
}

}  // namespace gaia::equation_language
