// SPDX-License-Identifier: MIT
/// \file
/// The words of the language of plasticity rules, and its limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"

namespace gaia::equation_language {

// Far above what a rule needs; they bound the time and the memory that a text can cost.
constexpr std::size_t kLongestText = 65536;  ///< Bytes.
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostNames = 1000;  ///< Names of all kinds that a rule may bring along.
constexpr std::size_t kMostTraces = 64;
constexpr std::size_t kMostBacks = 64;  ///< Different ones.
constexpr std::size_t kDeepest = 200;   ///< Parentheses, signs and powers in each other.
constexpr std::size_t kMostSteps = 20000;

/// What a number belongs to.
enum class Kind : std::uint8_t { of_layer, of_neurons, vector };

/// "a number of the layer", "a number of neurons", "a vector".
const char* kind_text(Kind kind);

struct Function {
  enum class Form : std::uint8_t {
    plain,    ///< A number from each number by itself.
    summary,  ///< One number of the layer from all neurons' numbers.
    contest,  ///< A number for each neuron from all neurons' numbers, which differ.
    back,     ///< A vector from all neurons' numbers.
    draw,     ///< A random number for each neuron, from no argument.
  };
  const char* name;
  const char* usage;  ///< "min(a, b)"
  int arguments;
  Form form;
  EquationOp op = EquationOp::copy;
};

/// Nothing where there is no function of this name.
const Function* function_named(std::string_view name);

/// What a rule reads without having brought it along.
struct Quantity {
  const char* name;
  Kind kind;
  EquationPlace place;
  const char* instead;  ///< What to do rather than to assign it.
};

const Quantity* quantity_named(std::string_view name);

/// and, or, not.
bool is_operator_word(std::string_view name);

/// What comes from a level above (`td`) and the answer without it (`plain`), which a text reads
/// where its layer hears one.  Elsewhere nobody may take the name `td`.
constexpr std::string_view kFromAbove = "td";
constexpr std::string_view kPlainAnswer = "plain";
bool is_heard(std::string_view name);

/// What the language itself means by a name ("a function", "a quantity of the layer"), or nothing
/// where a rule may take it.
std::optional<std::string> own_meaning(std::string_view name);

/// Letters, digits and _, not beginning with a digit.
bool is_name(std::string_view text);

std::vector<std::string> function_names();
std::vector<std::string> quantity_names();

}  // namespace gaia::equation_language
