// SPDX-License-Identifier: MIT
/// \file
/// Everything that is wrong with the text of a rule, collected so that it can be reported in one
/// go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equations.h"

namespace gaia::equation_language {

/// Bytes [begin, end) of the equations.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class ProblemList {
 public:
  /// `key` names the text, `what` says in the error what has problems.
  explicit ProblemList(std::string_view equations, std::string key = "equations",
                       std::string what = "[compile_equations] the rule")
      : equations_(equations), key_(std::move(key)), what_(std::move(what)) {}

  /// A problem of the equations, at a byte of theirs.
  void at(std::size_t offset, const std::string& message);
  /// A problem of something else: "memory.m".
  void of_key(const std::string& key, const std::string& message);

  bool empty() const { return count_ == 0; }
  /// Whether further ones are only counted, and their messages need not be built.
  bool full() const { return noted_.size() >= kMost; }

  /// The line of a byte, from 1.
  int line_at(std::size_t offset) const;

  /// The piece of the equations as it stands there, on one line and not longer than a line.
  std::string quote(Span span) const;

  /// \throws EquationError with all of them, in the order of the text, if there are any.
  void throw_if_any() const;

 private:
  static constexpr std::size_t kMost = 200;

  struct Noted {
    std::size_t offset;  ///< npos for those of another key.
    std::string key;
    std::string message;
  };

  void add(Noted noted);
  std::string text_of(const EquationProblem& problem) const;

  std::string_view equations_;
  std::string key_;
  std::string what_;
  std::vector<Noted> noted_;
  std::size_t count_ = 0;
};

}  // namespace gaia::equation_language
