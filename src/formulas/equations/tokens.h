// SPDX-License-Identifier: MIT
/// \file
/// The words and signs of a text.
#pragma once

#include <string_view>
#include <vector>

#include "problem_list.h"

namespace gaia::equation_language {

struct Token {
  enum class Kind : std::uint8_t {
    number,
    name,   ///< Also and, or, not.
    sign,   ///< An operator, a parenthesis, a comma or =.
    wrong,  ///< What is reported already.
    end_of_line,
    end_of_text,
  };
  Kind kind = Kind::end_of_text;
  Span span;
  std::string_view text;
  double value = 0.0;  ///< Value of a number.
};

/// Tokens of the text, of which the last is end_of_text.
std::vector<Token> tokens_of(std::string_view text, ProblemList& problems);

}  // namespace gaia::equation_language
