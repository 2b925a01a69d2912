// SPDX-License-Identifier: MIT
#include "equation_products.h"

#include <algorithm>
#include <map>

#include "vector/vector_products.h"

namespace gaia::cpu {
namespace {

using Of = EquationPlace::Of;
using Sum = std::vector<EquationProduct>;

constexpr std::size_t kMostProducts = 4;
constexpr EquationPlace kRow{Of::vector, EquationProgram::kWeights};

/// Values of vectors on the way through the steps.
class Products {
 public:
  void take(const EquationStep& step) { values_[step.result.index] = value(step); }

  /// The value of a place: nothing where it is no sum of products.
  std::optional<Sum> at(const EquationPlace& place) const {
    const auto found = values_.find(place.index);
    if (found != values_.end()) return found->second;
    EquationProduct one;
    one.vectors = {place};
    return Sum{one};
  }

 private:
  std::optional<Sum> value(const EquationStep& step) const {
    switch (step.op) {
      case EquationOp::negate:
        return negative(at(step.a));
      case EquationOp::multiply:
        return product(step.a, step.b);
      case EquationOp::divide:
        return quotient(step.a, step.b);
      case EquationOp::add:
        return sum(at(step.a), at(step.b), step);
      case EquationOp::subtract:
        return difference(step.a, step.b);
      default:
        return {};
    }
  }

  static bool is_number(const EquationPlace& place) { return place.of != Of::vector; }

  static std::optional<Sum> negative(std::optional<Sum> sum) {
    if (sum) {
      for (EquationProduct& one : *sum) one.is_negative = !one.is_negative;
    }
    return sum;
  }

  std::optional<Sum> product(const EquationPlace& a, const EquationPlace& b) const {
    if (is_number(b)) return product(b, a);
    std::optional<Sum> right = at(b);
    if (!right) return {};
    if (is_number(a)) {
      for (EquationProduct& one : *right) one.numbers.push_back(a);
      return right;
    }
    // Sums are not multiplied out, since what they leave would lose its digits.
    const std::optional<Sum> left = at(a);
    if (!left || left->size() != 1 || right->size() != 1) return {};
    const EquationProduct& from = left->front();
    EquationProduct& to = right->front();
    to.is_negative = to.is_negative != from.is_negative;
    const auto join = [](auto& all, const auto& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    join(to.numbers, from.numbers);
    join(to.divisors, from.divisors);
    join(to.vectors, from.vectors);
    join(to.centres, from.centres);
    return right;
  }

  std::optional<Sum> quotient(const EquationPlace& a, const EquationPlace& b) const {
    if (is_number(a) || !is_number(b)) return {};
    std::optional<Sum> sum = at(a);
    if (sum) {
      for (EquationProduct& one : *sum) one.divisors.push_back(b);
    }
    return sum;
  }

  static std::optional<Sum> sum(std::optional<Sum> a, std::optional<Sum> b,
                                const EquationStep& step) {
    if (!a || !b || is_number(step.a) || is_number(step.b)) return {};
    a->insert(a->end(), b->begin(), b->end());
    return a;
  }

  std::optional<Sum> difference(const EquationPlace& a, const EquationPlace& b) const {
    if (!is_number(a) && !is_number(b)) {
      return sum(at(a), negative(at(b)), {EquationOp::subtract, {}, a, b, {}});
    }
    if ((is_number(a) ? b : a) != kRow) return {};
    EquationProduct one;
    one.is_negative = !is_number(a);
    one.centres = {is_number(a) ? a : b};
    return Sum{one};
  }

  std::map<std::uint16_t, std::optional<Sum>> values_;  // of what steps have written
};

/// Whether the kernel has room for it.
bool fits(const EquationProduct& product) {
  const auto rows = std::count(product.vectors.begin(), product.vectors.end(), kRow);
  const auto others = std::ssize(product.vectors) - std::min<std::ptrdiff_t>(rows, 1);
  return others <= VectorProduct<float>::kMost && product.centres.size() <= 1;
}

}  // namespace

std::vector<EquationProduct> products_of_update(const EquationProgram& program) {
  if (!program.dw || program.de || program.dw->of != Of::vector) return {};
  Products values;
  for (const EquationStep& step : program.vector_steps) values.take(step);
  const std::optional<Sum> sum = values.at(*program.dw);
  if (!sum || sum->size() > kMostProducts || !std::all_of(sum->begin(), sum->end(), fits)) {
    return {};
  }
  return *sum;
}

}  // namespace gaia::cpu
