// SPDX-License-Identifier: MIT
#include "linear.h"

#include <algorithm>
#include <string>

#include "ops.h"

namespace gaia {
namespace {

constexpr std::size_t kNone = std::string::npos;

[[noreturn]] void refuse(std::string_view equation, const std::string& why) {
  throw ArgumentError("[einsum] '" + std::string(equation) + "': " + why);
}

/// The letters of an equation.
struct Equation {
  std::string a;
  std::string b;
  std::string result;
};

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

Equation read_equation(std::string_view equation, int operands) {
  std::string text(equation);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  const std::string terms = text.substr(0, arrow);
  const std::size_t comma = terms.find(',');
  Equation read;
  read.a = terms.substr(0, comma);
  if ((comma != kNone) != (operands == 2)) {
    refuse(equation, "expected " + std::to_string(operands) + " term(s), one for each array");
  }
  if (comma != kNone) read.b = terms.substr(comma + 1);
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

void check_rank(std::string_view equation, const std::string& letters, const Array& x) {
  if (static_cast<int>(letters.size()) == x.rank()) return;
  throw ShapeError("[einsum] '" + std::string(equation) + "': '" + letters + "' has " +
                   std::to_string(letters.size()) + " axes, got shape " + to_string(x.shape()));
}

/// x without the axes whose letters `keep` does not name, and its letters accordingly.
Array sum_others(const Array& x, std::string& letters, const std::string& keep) {
  Axes others;
  std::string kept;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (keep.find(letters[i]) == kNone) {
      others.push_back(static_cast<std::int64_t>(i));
    } else {
      kept += letters[i];
    }
  }
  letters = kept;
  return others.empty() ? x : sum(x, others);
}

/// x with axes `letters` in the order `wanted`, which has the same letters.
Array reorder(const Array& x, const std::string& letters, const std::string& wanted) {
  Axes axes;
  for (const char letter : wanted) {
    axes.push_back(static_cast<std::int64_t>(letters.find(letter)));
  }
  return axes.empty() ? x : x.transpose(axes);
}

/// Product of the lengths of axes [first, last).
std::int64_t count(const Shape& shape, std::size_t first, std::size_t last) {
  Shape part;
  for (std::size_t i = first; i < last; ++i) part.push_back(shape[static_cast<int>(i)]);
  return count_elements(part);
}

}  // namespace

Array dot(const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    const DType dtype = floating_result(promote(a.dtype(), b.dtype()));
    return multiply(on_current_device(a, "dot").astype(dtype),
                    on_current_device(b, "dot").astype(dtype));
  }
  const int inner = b.rank() == 1 ? 0 : b.rank() - 2;
  if (a.shape(-1) != b.shape(inner)) {
    throw ShapeError("[dot] shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
                     " do not fit: axis " + std::to_string(a.rank() - 1) + " of length " +
                     std::to_string(a.shape(-1)) + " meets axis " + std::to_string(inner) +
                     " of length " + std::to_string(b.shape(inner)));
  }
  const Array left = on_current_device(a, "dot");
  const Array right = on_current_device(b, "dot");
  if (b.rank() <= 2) return matmul(left, right);
  // [..., m, n] as one matrix [m, all others].
  Axes order = {inner};
  Shape shape = a.shape();
  shape.erase(shape.rank() - 1);
  std::int64_t columns = 1;
  for (int axis = 0; axis < b.rank(); ++axis) {
    if (axis == inner) continue;
    order.push_back(axis);
    shape.push_back(b.shape(axis));
    columns *= b.shape(axis);
  }
  const Array matrix = right.transpose(order).reshape({b.shape(inner), columns});
  return matmul(left, matrix).reshape(shape);
}

Array outer(const Array& a, const Array& b) {
  return multiply(on_current_device(a, "outer").reshape({a.size(), 1}),
                  on_current_device(b, "outer").reshape({1, b.size()}));
}

Array trace(const Array& x, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  return sum(on_current_device(x, "trace").diagonal(offset, axis1, axis2), {-1});
}

Array einsum(std::string_view equation, const Array& a) {
  Equation read = read_equation(equation, 1);
  check_rank(equation, read.a, a);
  const Array kept = sum_others(on_current_device(a, "einsum"), read.a, read.result);
  return reorder(kept, read.a, read.result);
}

Array einsum(std::string_view equation, const Array& a, const Array& b) {
  Equation read = read_equation(equation, 2);
  check_rank(equation, read.a, a);
  check_rank(equation, read.b, b);
  Array left = sum_others(on_current_device(a, "einsum"), read.a, read.b + read.result);
  Array right = sum_others(on_current_device(b, "einsum"), read.b, read.a + read.result);
  std::string batch;  // in both and in the result
  std::string inner;  // in both, summed over
  std::string rows;   // in a alone
  std::string columns;
  for (const char letter : read.a) {
    const bool shared = read.b.find(letter) != kNone;
    (!shared ? rows : read.result.find(letter) != kNone ? batch : inner) += letter;
  }
  for (const char letter : read.b) {
    if (read.a.find(letter) == kNone) columns += letter;
  }
  left = reorder(left, read.a, batch + rows + inner);
  right = reorder(right, read.b, batch + inner + columns);
  const std::size_t r = batch.size() + rows.size();
  const std::size_t i = batch.size() + inner.size();
  for (std::size_t k = 0; k < i; ++k) {
    const std::int64_t from_a =
        left.shape(static_cast<int>(k < batch.size() ? k : k + rows.size()));
    const std::int64_t from_b = right.shape(static_cast<int>(k));
    if (from_a == from_b) continue;
    throw ShapeError("[einsum] '" + std::string(equation) + "': '" + (batch + inner)[k] + "' is " +
                     std::to_string(from_a) + " in " + to_string(a.shape()) + " and " +
                     std::to_string(from_b) + " in " + to_string(b.shape()));
  }
  const std::int64_t batches = count(left.shape(), 0, batch.size());
  const std::int64_t inners = count(right.shape(), batch.size(), i);
  Shape shape;
  for (std::size_t k = 0; k < r; ++k) shape.push_back(left.shape(static_cast<int>(k)));
  for (std::size_t k = i; k < i + columns.size(); ++k) {
    shape.push_back(right.shape(static_cast<int>(k)));
  }
  const Array product =
      matmul(left.reshape({batches, count(left.shape(), batch.size(), r), inners}),
             right.reshape({batches, inners, count(right.shape(), i, i + columns.size())}));
  return reorder(product.reshape(shape), batch + rows + columns, read.result);
}

}  // namespace gaia
