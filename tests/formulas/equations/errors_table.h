// SPDX-License-Identifier: MIT
/// \file
/// The rows of the table of errors in docs/rules.md.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../../../src/formulas/equations/equations.h"

namespace gaia::test {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t i = text.find(from); i != std::string::npos;
       i = text.find(from, i + to.size())) {
    text.replace(i, from.size(), to);
  }
  return text;
}

/// Pairs of "a: b, c: d".
inline std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t colon = text.find(": ", begin);
    const std::size_t end = std::min(text.find(", ", colon), text.size());
    pairs.emplace_back(text.substr(begin, colon - begin), text.substr(colon + 2, end - colon - 2));
    begin = end + 2;
  }
  return pairs;
}

/// `equations` with ⏎ for ends of lines, and what stands beside them as one line of YAML.
inline EquationText rule_in_table(const std::string& equations, const std::string& beside) {
  EquationText rule{.equations = replaced(equations, " ⏎ ", "\n")};
  const auto number = [](std::string text) {
    if (text.front() == '.') text.erase(0, 1);
    return std::strtod(text.c_str(), nullptr);
  };
  for (std::size_t begin = 0; begin < beside.size();) {
    const std::size_t open = beside.find(": {", begin);
    const std::size_t close = beside.find('}', open);
    const std::string key = beside.substr(begin, open - begin);
    for (const auto& [name, value] : pairs_of(beside.substr(open + 3, close - open - 3))) {
      const bool is_number = value.find_first_of("0123456789.") != std::string::npos;
      if (key == "parameters") rule.parameters.emplace_back(name, number(value));
      if (key == "memory") rule.memory.emplace_back(name, number(value));
      if (key == "signals") rule.signals.push_back({name, value == "labels"});
      if (key == "traces" && is_number) rule.traces.emplace_back(name, number(value));
      if (key == "traces" && !is_number) rule.traces.emplace_back(name, value);
    }
    begin = close + 3;
  }
  return rule;
}

}  // namespace gaia::test
