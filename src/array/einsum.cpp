// SPDX-License-Identifier: MIT
/// \file
/// The part of linear.h that reads equations.
#include <algorithm>
#include <string>

#include "einsum_steps.h"
#include "linear.h"

namespace gaia {
namespace detail {
namespace {

constexpr std::size_t kNone = std::string::npos;

[[noreturn]] void refuse(std::string_view equation, const std::string& why) {
  throw ArgumentError("[einsum] '" + std::string(equation) + "': " + why);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void check_letters(std::string_view equation, const std::string& letters) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (!is_letter(letters[i])) {
      refuse(equation, std::string("expected letters, commas and ->, got '") + letters[i] + "'");
    }
    if (letters.find(letters[i], i + 1) != kNone) {
      refuse(equation, std::string("'") + letters[i] +
                           "' stands twice in one term; diagonal() reads diagonals");
    }
  }
}

}  // namespace

EinsumEquation read_einsum(std::string_view equation, int terms) {
  std::string text(equation);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  const std::size_t comma = left.find(',');
  EinsumEquation read;
  read.a = left.substr(0, comma);
  if ((comma != kNone) != (terms == 2)) {
    refuse(equation, "expected " + std::to_string(terms) + " term(s), one for each array");
  }
  if (comma != kNone) read.b = left.substr(comma + 1);
  check_letters(equation, read.a);
  check_letters(equation, read.b);
  if (arrow != kNone) {
    read.result = text.substr(arrow + 2);
    check_letters(equation, read.result);
    for (const char letter : read.result) {
      if (read.a.find(letter) == kNone && read.b.find(letter) == kNone) {
        refuse(equation, std::string("'") + letter + "' of the result stands in no term");
      }
    }
  } else {
    for (const char letter : read.a) {
      if (read.b.find(letter) == kNone) read.result += letter;
    }
    for (const char letter : read.b) {
      if (read.a.find(letter) == kNone) read.result += letter;
    }
    std::sort(read.result.begin(), read.result.end());
  }
  return read;
}

EinsumProduct::EinsumProduct(const EinsumEquation& read) {
  for (const char letter : read.a) {
    const bool in_result = read.result.find(letter) != kNone;
    if (read.b.find(letter) != kNone) {
      (in_result ? batch : inner) += letter;
    } else if (in_result) {
      rows += letter;
    }
  }
  for (const char letter : read.b) {
    const bool alone = read.a.find(letter) == kNone;
    if (alone && read.result.find(letter) != kNone) columns += letter;
  }
}

void check_einsum_rank(std::string_view equation, const std::string& letters, const Shape& shape) {
  if (static_cast<int>(letters.size()) == shape.rank()) return;
  throw ShapeError("[einsum] '" + std::string(equation) + "': '" + letters + "' has " +
                   std::to_string(letters.size()) + " axes, got shape " + to_string(shape));
}

void check_einsum_lengths(std::string_view equation, const EinsumEquation& read, const Shape& a,
                          const Shape& b) {
  for (std::size_t k = 0; k < read.a.size(); ++k) {
    const std::size_t at = read.b.find(read.a[k]);
    if (at == kNone) continue;
    const std::int64_t from_a = a[static_cast<int>(k)];
    const std::int64_t from_b = b[static_cast<int>(at)];
    if (from_a == from_b) continue;
    throw ShapeError("[einsum] '" + std::string(equation) + "': '" + read.a[k] + "' is " +
                     std::to_string(from_a) + " in " + to_string(a) + " and " +
                     std::to_string(from_b) + " in " + to_string(b));
  }
}

std::int64_t count_between(const Shape& shape, std::size_t first, std::size_t last) {
  Shape part;
  for (std::size_t i = first; i < last; ++i) part.push_back(shape[static_cast<int>(i)]);
  return count_elements(part);
}

}  // namespace detail

Array einsum(std::string_view equation, const Array& a) {
  return detail::einsum_of(equation, on_current_device(a, "einsum"));
}

Array einsum(std::string_view equation, const Array& a, const Array& b) {
  return detail::einsum_of(equation, on_current_device(a, "einsum"),
                           on_current_device(b, "einsum"));
}

}  // namespace gaia
