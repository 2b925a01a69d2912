// SPDX-License-Identifier: MIT
#include "top_down_options.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../../core/message.h"
#include "../../core/names.h"

namespace gaia {
namespace {

using As = TopDownOptions::As;

constexpr NumberRange kRateOfMap = {0.0, 1e6};
constexpr std::int64_t kLongestDelay = 1000000;

const char* rule_that_is_usual(As as) { return as == As::prior ? "softmax_regression" : "delta"; }

/// A text that is not the catalogue's.
bool is_own_text(const std::optional<PlasticityRule>& rule) {
  return rule && std::holds_alternative<EquationRule>(*rule) && entry_of(*rule) == nullptr;
}

}  // namespace

std::string to_string(As as) { return as == As::gain ? "gain" : as == As::bias ? "bias" : "prior"; }

As top_down_as_from_name(std::string_view name) {
  for (const As as : {As::gain, As::bias, As::prior}) {
    if (to_string(as) == name) return as;
  }
  const std::vector<std::string> known = {"gain", "bias", "prior"};
  fail<ArgumentError>("top_down cannot be '{}'{}; known: {}", name, did_you_mean(name, known),
                      join(known));
}

PlasticityRule TopDownOptions::rule_of_map() const {
  PlasticityRule made = rule ? *rule : rule_from_name(rule_that_is_usual(as));
  if (!is_own_text(rule)) learning_rate_of(made) = learning_rate;
  return made;
}

std::string TopDownOptions::quantity_of(const EquationSignalSource& signal) const {
  if (!is_own_text(rule)) {
    if (signal.name != "target") return {};
    return as == As::gain ? "wanted" : as == As::bias ? "plain" : "answer";
  }
  if (signal.is_labels || signal.is_list) return {};
  for (const char* const known : {"wanted", "answer", "plain", "drive"}) {
    if (signal.columns.front() == known) return known;
  }
  return {};
}

bool TopDownOptions::reads_wanted() const {
  if (random) return false;
  const PlasticityRule made = rule_of_map();
  const auto* const text = std::get_if<EquationRule>(&made);
  if (text == nullptr) return false;
  const std::vector<EquationSignalSource>& signals = text->options().signals;
  return std::any_of(signals.begin(), signals.end(), [&](const EquationSignalSource& signal) {
    return quantity_of(signal) == "wanted";
  });
}

std::vector<std::string> TopDownOptions::signal_columns() const {
  std::vector<std::string> columns;
  if (random) return columns;
  const auto add = [&](const std::string& column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  };
  for (const std::string& column : target) add(column);
  const PlasticityRule made = rule_of_map();
  const auto* const text = std::get_if<EquationRule>(&made);
  if (text == nullptr) return columns;
  for (const EquationSignalSource& signal : text->options().signals) {
    if (!quantity_of(signal).empty()) continue;
    if (signal.is_labels) add("labels");
    for (const std::string& column : signal.columns) add(column);
  }
  return columns;
}

std::string TopDownOptions::why_not_together(const TopDownOptions& other) const {
  const auto differs = [](const char* what) { return std::string("top_down differs in ") + what; };
  if (other.from != from) return differs("from");
  if (other.as != as) return differs("as");
  if (other.delay != delay) return differs("delay");
  if (other.bias != bias) return differs("bias");
  if (other.random != random) return differs("random");
  if (other.target != target) return differs("target");
  const PlasticityRule mine = rule_of_map();
  const PlasticityRule theirs = other.rule_of_map();
  if (rule_name(mine) != rule_name(theirs)) return differs("rule");
  const auto* const text = std::get_if<EquationRule>(&mine);
  const auto* const their_text = std::get_if<EquationRule>(&theirs);
  if (text == nullptr || their_text == nullptr) return {};
  return text->why_not_together(*their_text).empty() ? "" : differs("rule");
}

std::pair<const char*, std::string> TopDownOptions::problem(Activation activation) const {
  if (rule && !std::holds_alternative<EquationRule>(*rule) && entry_of(*rule) == nullptr) {
    return {"rule", "a map learns by a text, and " + rule_name(*rule) +
                        " is the program's own code; take one of the catalogue, or equations"};
  }
  if (as == As::prior && activation != Activation::softmax) {
    return {"as", "a prior is softmax(z + td), and needs activation: softmax; got " +
                      to_string(activation)};
  }
  if (as != As::gain && !target.empty()) {
    return {"target", "only a gain learns from a target; a " + to_string(as) +
                          " learns from the layer's own answer"};
  }
  if (as != As::gain && reads_wanted()) {
    return {"rule", "`wanted` is what a gain learns from; a " + to_string(as) +
                        " has `answer`, `plain` and `drive`"};
  }
  if (!target.empty() && !random && !reads_wanted()) {
    return {"target",
            "the rule does not read what a gain wants (`wanted`); leave target out, or "
            "name its column as a signal of the rule"};
  }
  if (reads_wanted() && target.empty()) {
    return {"target",
            "a gain learns what its neurons are worth for a target; name a column of "
            "data.targets, or a list of one for each neuron"};
  }
  return {nullptr, ""};
}

void TopDownOptions::check(Activation activation, std::int64_t outputs) const {
  if (delay < 1 || delay > kLongestDelay) {
    fail<ArgumentError>("[top_down] delay must be 1 to {} ticks, got {}", kLongestDelay, delay);
  }
  if (!(learning_rate >= 0.0) || !std::isfinite(learning_rate)) {
    fail<ArgumentError>("[top_down] learning_rate must be finite and at least 0, got {}",
                        learning_rate);
  }
  if (const auto [key, why] = problem(activation); key != nullptr) {
    fail<ArgumentError>("[top_down] {}: {}", key, why);
  }
  const auto columns = std::ssize(target);
  if (columns > 1 && columns != outputs) {
    fail<ArgumentError>(
        "[top_down] target has {} columns, one for each of {} neurons expected; make the layer of "
        "size {}, or name one column",
        columns, outputs, columns);
  }
}

void TopDownOptions::keys(ConfigVisitor& v, Activation activation) {
  v.integer({"from", "the level above that sends, by its place among the levels", true}, from,
            {0, 1000000});
  v.choice({"as",
            "what td does to the answer: a factor, an addend of the drive, or one of the "
            "drive of a softmax"},
           choice_of({"gain", "bias", "prior"}, as, top_down_as_from_name));
  v.flag({"random", "td by a random map that is not learnt"}, random);
  bool is_map = is_own_text(rule);
  const auto name = [&] {
    if (is_map) return std::string("map");
    return rule ? rule_name(*rule) : std::string(rule_that_is_usual(as));
  };
  v.word_or_map({"rule",
                 "how V changes: the name of a rule, or its equations, in which x is what "
                 "the level above shows, and z is td"},
                {rule_names(), name,
                 [&](const std::string& word) {
                   is_map = word == "map";
                   if (is_map && !is_own_text(rule)) rule.reset();
                   if (!is_map && name() != word) rule = rule_from_name(word);
                 }},
                "map", [&] {
                  PlasticityRule text = rule ? *rule : PlasticityRule(HebbRule{});
                  describe_rule_text(v, text);
                  if (std::holds_alternative<EquationRule>(text)) rule = text;
                });
  if (is_map) {
    v.forbid({"learning_rate", ""},
             "a rule that is a map has its own numbers; write rule.parameters.learning_rate");
  } else {
    v.number({"learning_rate", "size of a step of V"}, learning_rate, kRateOfMap);
  }
  if (as == As::gain) {
    v.where(!random || !target.empty(), "random: false", [&] {
      v.word_or_words({"target",
                       "a column of data.targets that a gain learns from, or a list of "
                       "one for each neuron"},
                      target);
    });
  } else {
    v.forbid({"target", ""}, "a " + to_string(as) + " learns from the layer's own answer");
  }
  v.integer({"delay", "ticks of the level above until the layer hears of them"}, delay,
            {1, kLongestDelay});
  v.flag({"bias", "whether a 1 follows what the level above shows"}, bias);
  if (const auto [key, why] = problem(activation); key != nullptr) v.refuse({key, ""}, why);
}

void describe_top_down(ConfigVisitor& v, std::optional<TopDownOptions>& top_down,
                       Activation activation) {
  bool is_map = top_down.has_value();
  TopDownOptions options = top_down.value_or(TopDownOptions{});
  v.word_or_map(
      {"top_down", "a connection from a level above to this layer, the last of its level"},
      {{"none"},
       [&] { return is_map ? "map" : "none"; },
       [&](const std::string& word) { is_map = word == "map"; }},
      "map", [&] { options.keys(v, activation); });
  top_down = is_map ? std::optional(options) : std::nullopt;
}

}  // namespace gaia
