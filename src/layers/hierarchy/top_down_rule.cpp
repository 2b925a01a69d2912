// SPDX-License-Identifier: MIT
#include "top_down_rule.h"

#include <algorithm>
#include <utility>

#include "../../core/message.h"
#include "../../learning/rule_text.h"

namespace gaia {
namespace {

using As = TopDownOptions::As;

EquationRule text_of_map(const PlasticityRule& rule) {
  if (auto text = text_of(rule)) return *std::move(text);
  fail<ArgumentError>(
      "[top_down] rule '{}' is a program's own and has no text; write it as its equations "
      "(EquationRule, docs/rules.md)",
      rule_name(rule));
}

/// Lines by which `name` becomes f(drive + z).
std::string activated(Activation activation, const std::string& name, const std::string& drive) {
  const std::string sum = drive + " + z";
  const std::string first = name + " = " + sum + "\n" + name + " = ";
  switch (activation) {
    case Activation::linear:
      return name + " = " + sum + "\n";
    case Activation::leaky_relu:
      return first + "where(" + name + " < 0, 0.01*" + name + ", " + name + ")\n";
    case Activation::gelu:
      return first + name + "*sigmoid(1.59576912160573071176*(" + name + " + 0.044715*" + name +
             "^3))\n";
    case Activation::mish:
      return first + name + "*tanh(log(1 + exp(" + name + ")))\n";
    case Activation::hardswish:
      return first + "where(" + name + " <= -3, 0, where(" + name + " >= 3, " + name + ", " + name +
             "*(" + name + " + 3)/6))\n";
    case Activation::coates:
      return first + "max(" + name + " - mean(" + name + "), 0)\n";
    case Activation::relu:
    case Activation::tanh:
    case Activation::sigmoid:
    case Activation::softmax:
      break;
  }
  return first + to_string(activation) + "(" + name + ")\n";
}

class Composer {
 public:
  Composer(const TopDownOptions& options, Activation activation, bool answer_is_given)
      : options_(options),
        activation_(activation),
        answer_is_given_(answer_is_given),
        text_(text_of_map(options.rule_of_map())),
        made_(text_.options()) {}

  TopDownRule run() {
    made_.signals.clear();
    for (const EquationSignalSource& signal : text_.options().signals) {
      const std::string what = options_.quantity_of(signal);
      if (what.empty()) {
        made_.signals.push_back(signal);
      } else {
        define(signal.name, what);
      }
    }
    made_.memory_across_trials = true;  // which holds of V itself too
    // Whatever the text makes of y, what the layer hears is z.
    EquationRule rule(lines_ + text_.own_equations() + "\ny = z\n", made_);
    return {std::move(rule), std::move(passing_), reads_drive_};
  }

 private:
  void define(const std::string& name, const std::string& what) {
    if (what == "plain") return pass(name, kPlainAnswerSignal);
    if (what == "drive") return pass(name, kDriveSignal);
    if (what == "wanted") return define_wanted(name);
    if (answer_is_given_) return pass(name, kAnswerSignal);
    passing_.push_back(name);
    if (options_.as == As::gain) {
      lines_ += name + " = " + own_signal("plain_answer", kPlainAnswerSignal) + "*(1 + z)\n";
    } else {
      const Activation f = options_.as == As::prior ? Activation::softmax : activation_;
      lines_ += activated(f, name, own_signal("drive_below", kDriveSignal));
    }
  }

  /// What a neuron is worth for the target, in units of its mean square: m is its running mean and
  /// M the largest so far, which keeps silence from dividing by 0.
  void define_wanted(const std::string& name) {
    for (const char* const taken : {"m", "M"}) {
      if (is_taken(taken)) {
        fail<ArgumentError>(
            "[top_down] the rule has a name {} of its own, and so has what a gain wants; give it "
            "another one",
            taken);
      }
    }
    const std::string drive = own_signal("drive_below", kDriveSignal);
    const std::string wish = free_name("wished");
    made_.signals.push_back(
        {.name = wish, .columns = options_.target, .is_list = options_.target.size() > 1});
    lines_ += name + " = " + wish + "*" + drive + "/max(m, M/1000) - 1\n" + "m = m + (" + drive +
              "^2 - m)/1000\n" + "M = max(M, m)\n";
    made_.memory.emplace_back("m", 1.0);
    made_.memory.emplace_back("M", 1.0);
    passing_.push_back(name);
  }

  void pass(const std::string& name, const char* as) {
    if (as == std::string_view(kDriveSignal)) reads_drive_ = true;
    made_.signals.push_back({.name = name, .columns = {as}, .is_handed_over = true});
  }

  /// The name of a signal beside those of the text.
  std::string own_signal(const std::string& name, const char* passed_as) {
    const std::string free = free_name(name);
    pass(free, passed_as);
    return free;
  }

  std::string free_name(std::string name) const {
    while (is_taken(name)) name += "_";
    return name;
  }

  bool is_taken(const std::string& name) const {
    const EquationProgram& program = text_.program();
    const auto named = [&](const auto& one) { return one.name == name; };
    return text_.parameter(name) != nullptr || std::ranges::any_of(program.memories, named) ||
           std::ranges::any_of(program.traces, named) ||
           std::ranges::any_of(text_.options().signals, named) ||
           std::ranges::any_of(made_.signals, named);
  }

  const TopDownOptions& options_;
  Activation activation_;
  bool answer_is_given_;
  EquationRule text_;
  EquationRuleOptions made_;
  std::string lines_;
  std::vector<std::string> passing_;
  bool reads_drive_ = false;
};

}  // namespace

TopDownRule top_down_rule(const TopDownOptions& options, Activation activation,
                          bool answer_is_given) {
  return Composer(options, activation, answer_is_given).run();
}

}  // namespace gaia
