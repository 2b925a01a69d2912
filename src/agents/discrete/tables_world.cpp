// SPDX-License-Identifier: MIT
#include "tables_world.h"

#include <set>
#include <utility>

#include "../../core/message.h"

namespace gaia::agents {
namespace {

std::string name_or_number(const std::string& name, std::size_t index) {
  return name.empty() ? std::to_string(index) : name;
}

ProbabilityTable table_of(const NestedNumbers& numbers) { return {numbers.shape, numbers.values}; }

void check_names(const std::string& key, const std::vector<std::string>& names,
                 std::int64_t count) {
  if (names.empty() || static_cast<std::int64_t>(names.size()) == count) return;
  fail<ArgumentError>("[tables] {}: expected {} names, got {}", key, count, names.size());
}

void check_are_different(const char* key, const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) continue;
    fail<ArgumentError>("[tables] {}: expected names that differ, got '{}' twice", key, name);
  }
}

}  // namespace

void TablesOptions::keys(ConfigVisitor& v) {
  v.list(
      {"factors", "the factors of hidden states", true}, factors.size(),
      [&](std::size_t n) { factors.resize(n); },
      [&](std::size_t i) {
        Factor& factor = factors[i];
        v.name({"name", "what the factor is called; default its number"}, factor.name);
        v.nested(
            {"transitions", "B: P(next state given state and action), [next][state][action]", true},
            factor.transitions, {0.0, 1.0}, 3, 3);
        v.numbers({"initial", "D: probabilities of the states at the beginning; default all equal"},
                  factor.initial, {0.0, 1.0});
        v.words({"states", "names of the states"}, factor.states);
        v.words({"actions", "names of the actions"}, factor.actions);
      });
  v.list(
      {"modalities", "the modalities of outcomes", true}, modalities.size(),
      [&](std::size_t n) { modalities.resize(n); },
      [&](std::size_t i) {
        Modality& modality = modalities[i];
        v.name({"name", "what the modality is called; default its number"}, modality.name);
        v.nested({"likelihood",
                  "A: P(outcome given states), [outcome][state of the first factor] ...", true},
                 modality.likelihood, {0.0, 1.0}, 2, 16);
        v.numbers(
            {"preferences",
             "C: how much each outcome is preferred, in nats up to a constant; default all 0"},
            modality.preferences, kAnyNumber);
        v.integers({"depends_on", "the factors that it depends on, ascending; default all"},
                   modality.depends_on, {0, 1000});
        v.words({"outcomes", "names of the outcomes"}, modality.outcomes);
      });
  v.numbers({"habits", "E: prior probabilities of an agent's policies; default all equal"}, habits,
            {0.0, 1.0});
}

WorldNames TablesOptions::names() const {
  WorldNames names;
  for (std::size_t f = 0; f < factors.size(); ++f) {
    names.factors.push_back(name_or_number(factors[f].name, f));
    names.states.push_back(factors[f].states);
    names.actions.push_back(factors[f].actions);
  }
  for (std::size_t m = 0; m < modalities.size(); ++m) {
    names.modalities.push_back(name_or_number(modalities[m].name, m));
    names.outcomes.push_back(modalities[m].outcomes);
  }
  return names;
}

DiscreteWorld TablesOptions::make() const {
  const WorldNames all = names();
  check_are_different("factors", all.factors);
  check_are_different("modalities", all.modalities);
  ModelTables tables;
  bool are_all_initial = true, are_none_initial = true, is_any_preferred = false;
  bool depends = false;
  for (const Factor& factor : factors) {
    tables.transitions.push_back(table_of(factor.transitions));
    (factor.initial.empty() ? are_all_initial : are_none_initial) = false;
  }
  for (const Factor& factor : factors) {
    if (are_none_initial) break;
    const auto states = static_cast<std::size_t>(factor.transitions.shape.at(0));
    tables.initial.push_back(factor.initial.empty()
                                 ? std::vector<double>(states, 1.0 / static_cast<double>(states))
                                 : factor.initial);
  }
  for (const Modality& modality : modalities) {
    tables.likelihoods.push_back(table_of(modality.likelihood));
    is_any_preferred = is_any_preferred || !modality.preferences.empty();
    depends = depends || !modality.depends_on.empty();
  }
  for (const Modality& modality : modalities) {
    const auto outcomes = static_cast<std::size_t>(modality.likelihood.shape.at(0));
    if (is_any_preferred) {
      tables.preferences.push_back(modality.preferences.empty() ? std::vector<double>(outcomes, 0.0)
                                                                : modality.preferences);
    }
    if (!depends) continue;
    std::vector<std::int64_t> on = modality.depends_on;
    for (std::size_t f = 0; modality.depends_on.empty() && f < factors.size(); ++f) {
      on.push_back(static_cast<std::int64_t>(f));
    }
    tables.depends_on.push_back(std::move(on));
  }
  tables.habits = habits;
  GenerativeModel model(std::move(tables));
  for (std::size_t f = 0; f < factors.size(); ++f) {
    check_names("factors[" + std::to_string(f) + "].states", factors[f].states, model.states()[f]);
    check_names("factors[" + std::to_string(f) + "].actions", factors[f].actions,
                model.actions()[f]);
  }
  for (std::size_t m = 0; m < modalities.size(); ++m) {
    check_names("modalities[" + std::to_string(m) + "].outcomes", modalities[m].outcomes,
                model.outcomes()[m]);
  }
  return {std::move(model), random};
}

}  // namespace gaia::agents
