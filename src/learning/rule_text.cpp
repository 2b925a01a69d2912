// SPDX-License-Identifier: MIT
#include "rule_text.h"

#include "rule_parameters.h"

namespace gaia {
namespace {

/// Writes the numbers of a rule with a functor into its text.
class NumbersOfText final : public RuleKeys {
 public:
  explicit NumbersOfText(EquationRule& text) : text_(text) {}
  void number(const Key& key, double& value, NumberRange /*range*/) override {
    double* const parameter = text_.parameter(key.name);
    (parameter != nullptr ? *parameter : text_.initial(key.name)) = value;
  }
  void integer(const Key& key, std::int64_t& value, IntegerRange /*range*/) override {
    auto as_number = static_cast<double>(value);
    number(key, as_number, {});
  }
  void flag(const Key& key, bool& value) override {
    double as_number = value ? 1.0 : 0.0;
    number(key, as_number, {});
  }

 private:
  EquationRule& text_;
};

}  // namespace

std::optional<EquationRule> text_of(const PlasticityRule& rule) {
  if (const auto* const own = std::get_if<EquationRule>(&rule)) return *own;
  if (entry_of(rule) == nullptr) return {};
  PlasticityRule text = rule_from_name(rule_name(rule), std::string());
  PlasticityRule given = rule;
  const RuleParameters numbers = parameters_of(given);
  learning_rate_of(text) = numbers.learning_rate;
  decay_of(text) = numbers.decay;
  auto& made = std::get<EquationRule>(text);
  NumbersOfText into(made);
  numbers.keys(into);
  return made;
}

}  // namespace gaia
