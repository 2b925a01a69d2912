// SPDX-License-Identifier: MIT
#include "learning_connection.h"

#include <algorithm>
#include <cctype>

#include "../../array/create.h"
#include "../../array/ops.h"
#include "../../core/message.h"
#include "../../learning/rule_text.h"

namespace gaia {
namespace {

// What stands for z and for y in a text; too long for anyone to have named a memory so.
constexpr const char* kDrive = "drive_of_the_layer";
constexpr const char* kAnswer = "answer_of_the_layer";

/// The rule as a text.
EquationRule as_text(const PlasticityRule& rule, DType dtype) {
  check_rule(rule, dtype);
  if (auto text = text_of(rule)) return *std::move(text);
  fail<ArgumentError>(
      "[temporal layer] rule '{}' is a program's own functor, which makes its own drive; write it "
      "as equations (EquationRule, docs/rules.md)",
      rule_name(rule));
}

/// A text with another name in the place of z, comments left as they are.
std::string with_drive(const std::string& text) {
  const auto is_name_byte = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::string made;
  bool in_comment = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') in_comment = true;
    if (c == '\n') in_comment = false;
    std::size_t end = at;
    while (end < text.size() && is_name_byte(text[end])) ++end;
    const std::string word = text.substr(at, std::max<std::size_t>(end - at, 1));
    made += !in_comment && word == "z" ? kDrive : word;
    at += word.size();
  }
  return made;
}

/// The rule with y and, where it reads it, z as signals of neurons.  Its neuron's lines are in its
/// text already.
EquationRule with_given_answer(const EquationRule& rule, std::int64_t outputs) {
  EquationRuleOptions options = rule.options();
  options.neuron.clear();
  const std::string text = with_drive(rule.equations());
  for (const char* const name : {kAnswer, kDrive}) {
    if (name == kDrive && text == rule.equations()) continue;
    options.signals.push_back(
        {.name = name,
         .columns = std::vector<std::string>(static_cast<std::size_t>(outputs), name),
         .is_list = true});
  }
  return EquationRule("y = " + std::string(kAnswer) + "\n" + text, std::move(options));
}

}  // namespace

LearningConnection::LearningConnection(const PlasticityRule& rule, std::int64_t inputs,
                                       std::int64_t outputs, DType dtype,
                                       const RandomStream& random)
    : rule_(as_text(rule, dtype)),
      given_(with_given_answer(rule_, outputs)),
      state_(given_, inputs, outputs, dtype, random) {}

std::vector<std::string> LearningConnection::signal_columns() const {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  };
  for (const EquationSignalSource& signal : rule_.options().signals) {
    if (signal.is_labels) add("labels");
    for (const std::string& column : signal.columns) add(column);
  }
  return columns;
}

void LearningConnection::begin_block(const TickSignals& signals, std::int64_t streams,
                                     std::int64_t ticks, bool learns) {
  const auto outputs = static_cast<std::int64_t>(given_.options().signals.back().columns.size());
  const DType dtype = state_.memory().dtype();
  block_ = gather_signals(rule_, signals, {streams, ticks, outputs, dtype, learns});
  const std::size_t given = given_.options().signals.size() - rule_.options().signals.size();
  table_ = zeros(
      {streams, 1, block_.of_neurons.shape(2) + static_cast<std::int64_t>(given), outputs}, dtype);
}

void LearningConnection::tick(std::int64_t tick, const Array& weights, const Array& x,
                              const Array& drive, const Array& answer, bool learns,
                              const Array& y) {
  const std::int64_t own = block_.of_neurons.shape(2);
  if (own > 0) table_.slice(2, 0, own).assign(block_.of_neurons.slice(1, tick, tick + 1));
  table_.slice(2, own, own + 1).assign(answer.expand_dims(2));
  if (table_.shape(2) > own + 1) table_.slice(2, own + 1, own + 2).assign(drive.expand_dims(2));
  const EquationSignals signals{block_.of_layer.slice(1, tick, tick + 1).contiguous(), table_};
  const EquationPlan plan{.activation = Activation::linear, .executor = Executor::stepwise};
  if (rate_factor_ == 1.0) return state_.process(given_, plan, weights, x, learns, signals, y);
  EquationRule slower = given_;
  if (double* const rate = slower.parameter("rate")) *rate *= rate_factor_;
  state_.process(slower, plan, weights, x, learns, signals, y);
}

LearningConnection LearningConnection::copy() const {
  LearningConnection twin = *this;
  twin.state_ = state_.copy();
  twin.table_ = Array();  // created anew by the next block
  twin.block_ = {};
  return twin;
}

void LearningConnection::add_arrays(const std::string& prefix,
                                    std::vector<NamedArray>& arrays) const {
  using Role = NamedArray::Role;
  // The array of a single stream has no axis of streams.
  const auto of_stream = [](const Array& x) { return x.shape(0) == 1 ? x.squeeze({0}) : x; };
  const auto row = [&](const Array& x, std::size_t number) {
    const auto first = static_cast<std::int64_t>(number);
    return of_stream(x.slice(1, first, first + 1).squeeze({1}));
  };
  const std::vector<RuleMemory> memories = memories_of(PlasticityRule(rule_));
  for (const RuleMemory& memory : memories) {
    // By its name: the lines before a text may have moved its place in the program.
    const auto& of_program = given_.program().memories;
    const auto place = std::find_if(of_program.begin(), of_program.end(),
                                    [&](const auto& one) { return one.name == memory.name; });
    arrays.push_back({prefix + memory.name, Role::memory,
                      row(state_.memory(), static_cast<std::size_t>(place - of_program.begin())),
                      memory});
  }
  const EquationProgram& program = given_.program();
  for (std::size_t k = 0; k < program.traces.size(); ++k) {
    arrays.push_back(
        {"trace/" + prefix + program.traces[k].name, Role::trace, row(state_.traces(), k)});
  }
  if (program.has_eligibility) {
    arrays.push_back({prefix + "eligibility", Role::eligibility, of_stream(state_.eligibility())});
  }
  arrays.push_back({prefix + "tick", Role::state, state_.tick()});
  if (!program.draws.empty()) {
    arrays.push_back({prefix + "ticks_before", Role::state, state_.ticks_before()});
  }
}

void LearningConnection::add_attributes(
    const std::string& prefix, std::vector<std::pair<std::string, std::string>>& attributes) const {
  const EquationProgram& program = rule_.program();
  const bool is_matrix = program.rule_class == EquationProgram::Class::matrix;
  attributes.emplace_back(prefix + "rule_class", is_matrix ? "matrix" : "weights");
  attributes.emplace_back(prefix + "rule_class_why", program.why);
}

}  // namespace gaia
