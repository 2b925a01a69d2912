// SPDX-License-Identifier: MIT
/// \file
/// The part of linear.h that reads equations.
#include <algorithm>
#include <map>
#include <string>

#include "../core/message.h"
#include "einsum_steps.h"
#include "linear.h"

namespace gaia {
namespace detail {
namespace {

constexpr std::size_t kNone = std::string::npos;
constexpr const char* kEllipsis = "...";

[[noreturn]] void refuse(std::string_view equation, const std::string& why) {
  fail<ArgumentError>("[einsum] '{}': {}", equation, why);
}
[[noreturn]] void refuse_shape(std::string_view equation, const std::string& why) {
  fail<ShapeError>("[einsum] '{}': {}", equation, why);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The axes of an ellipsis, counted from its last: no letters that an equation can have.
char ellipsis_letter(int from_behind) { return static_cast<char>(1 + from_behind); }

/// `count` axes of an ellipsis.
std::string ellipsis_letters(int count) {
  std::string letters;
  for (int k = count - 1; k >= 0; --k) letters += ellipsis_letter(k);
  return letters;
}

/// Letters with one ellipsis at most.
void check_letters(std::string_view equation, const std::string& term) {
  std::string letters = term;
  const std::size_t dots = letters.find(kEllipsis);
  if (dots != kNone) letters.erase(dots, 3);
  for (const char letter : letters) {
    if (is_letter(letter)) continue;
    refuse(equation, message("expected letters, one ... a term, commas and ->, got '{}'", letter));
  }
}

/// A letter for each axis of `shape`.
std::string spread_ellipsis(std::string_view equation, const std::string& term,
                            const Shape& shape) {
  const std::size_t dots = term.find(kEllipsis);
  const bool has_dots = dots != kNone;
  const int named = static_cast<int>(term.size()) - (has_dots ? 3 : 0);
  if (has_dots ? named > shape.rank() : named != shape.rank()) {
    refuse_shape(equation, message("'{}' has {}{}, got shape {}", term, named,
                                   has_dots ? " axes or more" : " axes", shape));
  }
  if (!has_dots) return term;
  return term.substr(0, dots) + ellipsis_letters(shape.rank() - named) + term.substr(dots + 3);
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t comma = 0; comma != kNone; start = comma + 1) {
    comma = text.find(',', start);
    parts.push_back(text.substr(start, comma == kNone ? kNone : comma - start));
  }
  return parts;
}

/// Checks that a letter has one length wherever it stands; 1 may stand for another operand's.
void check_lengths(std::string_view equation, const std::vector<std::string>& terms,
                   const std::vector<Shape>& shapes) {
  std::map<char, std::pair<std::int64_t, std::size_t>> known;  // length and term
  for (std::size_t n = 0; n < terms.size(); ++n) {
    for (std::size_t k = 0; k < terms[n].size(); ++k) {
      const char letter = terms[n][k];
      const std::int64_t length = shapes[n][static_cast<int>(k)];
      const std::int64_t first = shapes[n][static_cast<int>(terms[n].find(letter))];
      auto& [before, term] = known.try_emplace(letter, length, n).first->second;
      const bool fits = first == length && (before == length || before == 1 || length == 1);
      if (!fits) {
        refuse_shape(equation, message("'{}' is {} in {} and {} in {}",
                                       is_letter(letter) ? std::string(1, letter) : kEllipsis,
                                       first == length ? before : first,
                                       shapes[first == length ? term : n], length, shapes[n]));
      }
      if (before == 1) {
        before = length;
        term = n;
      }
    }
  }
}

/// What an equation without -> sums to: the ellipsis, and the letters that stand once, in order.
std::string result_of(const std::string& all, const std::string& ellipsis) {
  std::string result;
  for (const char letter : all) {
    const bool is_once = std::count(all.begin(), all.end(), letter) == 1;
    if (is_letter(letter) && is_once) result += letter;
  }
  std::sort(result.begin(), result.end());
  return ellipsis + result;
}

/// The result as it is written.
std::string check_result(std::string_view equation, std::string result, const std::string& all,
                         const std::string& ellipsis) {
  check_letters(equation, result);
  const std::size_t dots = result.find(kEllipsis);
  if (dots != kNone) {
    result.replace(dots, 3, ellipsis);
  } else if (!ellipsis.empty()) {
    refuse(equation, "the result lacks the ... of the terms");
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (all.find(result[i]) == kNone) {
      refuse(equation, message("'{}' of the result stands in no term", result[i]));
    }
    if (result.find(result[i], i + 1) != kNone) {
      refuse(equation, message("'{}' stands twice in the result", result[i]));
    }
  }
  return result;
}

}  // namespace

EinsumEquation read_einsum(std::string_view equation, const std::vector<Shape>& shapes) {
  std::string text(equation);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::vector<std::string> terms = split_at_commas(text.substr(0, arrow));
  if (terms.size() != shapes.size()) {
    refuse(equation, message("expected {} term(s), one for each array", shapes.size()));
  }
  EinsumEquation read;
  std::string all;
  int most = 0;
  for (std::size_t n = 0; n < terms.size(); ++n) {
    check_letters(equation, terms[n]);
    read.terms.push_back(spread_ellipsis(equation, terms[n], shapes[n]));
    all += read.terms.back();
    const auto is_dots = [](char c) { return !is_letter(c); };
    const std::string& term = read.terms.back();
    most = std::max(most, static_cast<int>(std::count_if(term.begin(), term.end(), is_dots)));
  }
  check_lengths(equation, read.terms, shapes);
  const std::string ellipsis = ellipsis_letters(most);
  read.result = arrow == kNone ? result_of(all, ellipsis)
                               : check_result(equation, text.substr(arrow + 2), all, ellipsis);
  return read;
}

EinsumProduct::EinsumProduct(const std::string& a, const std::string& b, const std::string& keep) {
  for (const char letter : a) {
    const bool is_kept = keep.find(letter) != kNone;
    if (b.find(letter) != kNone) {
      (is_kept ? batch : inner) += letter;
    } else if (is_kept) {
      rows += letter;
    }
  }
  for (const char letter : b) {
    if (a.find(letter) == kNone && keep.find(letter) != kNone) columns += letter;
  }
}

std::int64_t count_between(const Shape& shape, std::size_t first, std::size_t last) {
  Shape part;
  for (std::size_t i = first; i < last; ++i) part.push_back(shape[static_cast<int>(i)]);
  return count_elements(part);
}

}  // namespace detail

Array einsum(std::string_view equation, const std::vector<Array>& operands) {
  std::vector<Array> here;
  for (const Array& x : operands) here.push_back(on_current_device(x, "einsum"));
  return detail::einsum_of(equation, std::move(here));
}

Array einsum(std::string_view equation, const Array& a) { return einsum(equation, std::vector{a}); }

Array einsum(std::string_view equation, const Array& a, const Array& b) {
  return einsum(equation, std::vector{a, b});
}

}  // namespace gaia
