// SPDX-License-Identifier: MIT
/// \file
/// Random expressions, each as a text and, for comparison, as a function that computes the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>

#include "../../../src/core/text.h"
#include "interpreter.h"

namespace gaia::test {

constexpr std::size_t kNeurons = 3, kInputs = 4;
inline const Numbers kParameters = {0.3, 2.0, -1.25};

/// What expressions read, and how near a decision came to fall otherwise.
struct RandomWorld {
  Numbers x, w, e, pre, y, z, ww;
  std::vector<Numbers> memory;
  double reward = 0.0, t = 0.0;
  Numbers target;
  double margin = 1.0;
  bool is_rounded = false;  ///< Some softmax is in it, whose sum may be 1 or nearly 1.
  double largest = 0.0;

  void note(double made) {
    largest = std::isfinite(made) ? std::max(largest, std::abs(made)) : HUGE_VAL;
  }
  void decide(double a, double b) {
    // What is nearly equal proves nothing, and equal numbers do only where they are not rounded in
    // a way of their own.
    if (a == b) {
      if (is_rounded) margin = 0.0;
    } else {
      margin = std::min(margin, std::abs(a - b) / (std::abs(a) + std::abs(b)));
    }
  }
};

using Value = std::function<double(RandomWorld&, std::size_t, std::size_t)>;

/// A text with what it means.  How strongly its outermost operator binds: 1 or, 2 and, 3 not,
/// 4 comparison, 5 sum, 6 product, 7 sign, 8 power, 9 none.
struct RandomExpression {
  std::string text;
  Value value;
  int binding = 9;
  bool is_vector = false;
  bool is_of_neurons = false;
};

class ExpressionMaker {
 public:
  explicit ExpressionMaker(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  std::size_t memories = 0;  ///< How many there are to read.
  bool has_de = false;

  RandomExpression expression(int depth, bool may_be_vector) {
    if (depth == 0) return leaf(may_be_vector);
    switch (below(may_be_vector ? 9 : 11)) {
      case 0:
        return leaf(may_be_vector);
      case 1:
        return prefix(depth, may_be_vector);
      case 2:
      case 3:
      case 4:
        return sum_or_product(depth, may_be_vector);
      case 5:
        return power(depth, may_be_vector);
      case 6:
        return function(depth, may_be_vector);
      case 7:
        return comparison(depth, may_be_vector);
      case 8:
        return choice(depth, may_be_vector);
      default:
        return over_layer(depth);
    }
  }

 private:
  static RandomExpression with(std::string text, Value value, int binding,
                               const RandomExpression& a) {
    return {std::move(text), std::move(value), binding, a.is_vector, a.is_of_neurons};
  }
  static RandomExpression with(std::string text, Value value, int binding,
                               const RandomExpression& a, const RandomExpression& b) {
    return {std::move(text), std::move(value), binding, a.is_vector || b.is_vector,
            a.is_of_neurons || b.is_of_neurons};
  }

  /// In parentheses where it binds less than `least`, and at times elsewhere.
  std::string inside(const RandomExpression& part, int least) {
    const std::string blank = below(4) == 0 ? "\n " : "";
    if (part.binding < least || below(8) == 0) return "(" + blank + part.text + blank + ")";
    return part.text;
  }

  static RandomExpression neuron(const char* text, Numbers RandomWorld::*member) {
    return {text, [=](RandomWorld& s, std::size_t i, std::size_t) { return (s.*member)[i]; }, 9,
            false, true};
  }

  RandomExpression leaf(bool may_be_vector) {
    const std::size_t one = below(may_be_vector ? 17 : 12);
    switch (one) {
      case 0: {
        const double value = std::floor(number(0.0, 8.0)) / 4;
        return {number_text(value), [=](RandomWorld&, std::size_t, std::size_t) { return value; }};
      }
      case 1:
      case 2:
      case 3: {
        const std::size_t k = below(3);
        return {std::string("p") + std::to_string(k),
                [=](RandomWorld&, std::size_t, std::size_t) { return kParameters[k]; }};
      }
      case 4:
        return {"n_in", [](RandomWorld&, std::size_t, std::size_t) { return double(kInputs); }};
      case 5:
        return {"t", [](RandomWorld& s, std::size_t, std::size_t) { return s.t; }};
      case 6:
        return {"reward", [](RandomWorld& s, std::size_t, std::size_t) { return s.reward; }};
      case 7:
        return neuron("target", &RandomWorld::target);
      case 8:
        return neuron("y", &RandomWorld::y);
      case 9:
        return neuron("z", &RandomWorld::z);
      case 10: {
        if (memories == 0) return neuron("z", &RandomWorld::z);
        const std::size_t k = below(memories);
        return {"m" + std::to_string(k),
                [=](RandomWorld& s, std::size_t i, std::size_t) { return s.memory[k][i]; }, 9,
                false, true};
      }
      case 11:
        return neuron("ww", &RandomWorld::ww);
      case 12:
      case 13:
        return {"x", [](RandomWorld& s, std::size_t, std::size_t j) { return s.x[j]; }, 9, true};
      case 14:
        return {"pre", [](RandomWorld& s, std::size_t, std::size_t j) { return s.pre[j]; }, 9,
                true};
      default:
        break;
    }
    if (one == 15 && has_de) {
      return {"e",
              [](RandomWorld& s, std::size_t i, std::size_t j) { return s.e[i * kInputs + j]; }, 9,
              true};
    }
    return {"w", [](RandomWorld& s, std::size_t i, std::size_t j) { return s.w[i * kInputs + j]; },
            9, true};
  }

  RandomExpression prefix(int depth, bool may_be_vector) {
    const RandomExpression a = expression(depth - 1, may_be_vector);
    if (below(3) == 0) {
      return with(
          "not " + inside(a, 3),
          [v = a.value](RandomWorld& s, std::size_t i, std::size_t j) {
            return double(v(s, i, j) == 0);
          },
          3, a);
    }
    return with(
        "-" + inside(a, 7),
        [v = a.value](RandomWorld& s, std::size_t i, std::size_t j) { return -v(s, i, j); }, 7, a);
  }

  RandomExpression sum_or_product(int depth, bool may_be_vector) {
    const std::size_t which = below(4);
    const RandomExpression a = expression(depth - 1, may_be_vector);
    const RandomExpression b = expression(depth - 1, may_be_vector);
    const int binding = which < 2 ? 5 : 6;
    const std::string text = inside(a, binding) + (below(2) == 0 ? " " : "") + "+-*/"[which] + " " +
                             inside(b, binding + 1);
    return with(
        text,
        [=, l = a.value, r = b.value](RandomWorld& s, std::size_t i, std::size_t j) {
          const double left = l(s, i, j);
          const double right = r(s, i, j);
          const double made = which == 0   ? left + right
                              : which == 1 ? left - right
                              : which == 2 ? left * right
                                           : left / right;
          // A small difference of large numbers, and what divides by it, has few right digits.
          if (which < 2 && made != 0) {
            s.margin = std::min(s.margin, std::abs(made) / (std::abs(left) + std::abs(right)));
          }
          s.note(made);
          return made;
        },
        binding, a, b);
  }

  RandomExpression power(int depth, bool may_be_vector) {
    const RandomExpression a = expression(depth - 1, may_be_vector);
    const auto exponent = static_cast<int>(below(6)) - 1;
    // The sign of a base is inside its parentheses, that of an exponent needs none.
    return with(
        inside(a, 9) + "^" + std::to_string(exponent),
        [=, v = a.value](RandomWorld& s, std::size_t i, std::size_t j) {
          const double made = std::pow(v(s, i, j), exponent);
          s.note(made);
          return made;
        },
        8, a);
  }

  RandomExpression function(int depth, bool may_be_vector) {
    const RandomExpression a = expression(depth - 1, may_be_vector);
    const auto of = [&](const char* name, double (*f)(double)) {
      return with(
          std::string(name) + "(" + a.text + ")",
          [f, v = a.value](RandomWorld& s, std::size_t i, std::size_t j) { return f(v(s, i, j)); },
          9, a);
    };
    switch (below(7)) {
      case 0:
        return of("tanh", [](double v) { return std::tanh(v); });
      case 1:
        return of("abs", [](double v) { return std::abs(v); });
      case 2:
        return of("sigmoid", [](double v) { return 1 / (1 + std::exp(-v)); });
      case 3:
        return of("relu", [](double v) { return v > 0 ? v : 0; });
      case 4:
        return of("sign", [](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0; });
      default:
        break;
    }
    const RandomExpression b = expression(depth - 1, may_be_vector);
    const bool least = below(2) == 0;
    return with((least ? "min(" : "max( ") + a.text + ", " + b.text + ")",
                [=, l = a.value, r = b.value](RandomWorld& s, std::size_t i, std::size_t j) {
                  const double left = l(s, i, j);
                  const double right = r(s, i, j);
                  return least ? std::min(left, right) : std::max(left, right);
                },
                9, a, b);
  }

  RandomExpression comparison(int depth, bool may_be_vector) {
    const RandomExpression a = expression(depth - 1, may_be_vector);
    const RandomExpression b = expression(depth - 1, may_be_vector);
    if (const std::size_t which = below(4); which < 2) {
      const int binding = which == 0 ? 1 : 2;
      return with(
          inside(a, binding) + (which == 0 ? " or " : " and ") + inside(b, binding + 1),
          [=, l = a.value, r = b.value](RandomWorld& s, std::size_t i, std::size_t j) {
            const bool left = l(s, i, j) != 0;
            const bool right = r(s, i, j) != 0;
            return double(which == 0 ? left || right : left && right);
          },
          binding, a, b);
    }
    const std::size_t which = below(6);
    const char* const signs[] = {" < ", "<=", " >", ">= ", " == ", "!="};
    return with(
        inside(a, 5) + signs[which] + inside(b, 5),
        [=, l = a.value, r = b.value](RandomWorld& s, std::size_t i, std::size_t j) {
          const double left = l(s, i, j);
          const double right = r(s, i, j);
          s.decide(left, right);
          const bool holds[] = {left<right, left <= right, left> right, left >= right,
                                left == right, left != right};
          return double(holds[which]);
        },
        4, a, b);
  }

  RandomExpression choice(int depth, bool may_be_vector) {
    const RandomExpression c = comparison(depth, may_be_vector && below(3) == 0);
    const RandomExpression a = expression(depth - 1, may_be_vector);
    const RandomExpression b = expression(depth - 1, may_be_vector);
    RandomExpression made = with(
        "where(" + c.text + ", " + a.text + ", " + b.text + ")",
        [cv = c.value, l = a.value, r = b.value](RandomWorld& s, std::size_t i, std::size_t j) {
          return cv(s, i, j) != 0 ? l(s, i, j) : r(s, i, j);
        },
        9, a, b);
    made.is_vector = made.is_vector || c.is_vector;
    made.is_of_neurons = made.is_of_neurons || c.is_of_neurons;
    return made;
  }

  RandomExpression over_layer(int depth) {
    const RandomExpression a = expression(depth - 1, false);
    const auto values = [v = a.value](RandomWorld& s) {
      Numbers all(kNeurons);
      for (std::size_t i = 0; i < kNeurons; ++i) all[i] = v(s, i, 0);
      return all;
    };
    const auto rank = [values](RandomWorld& s, std::size_t i) {
      const Numbers all = values(s);
      double ahead = 0;
      for (std::size_t k = 0; k < kNeurons; ++k) {
        if (k != i) s.decide(all[k], all[i]);
        ahead += all[k] > all[i] || (all[k] == all[i] && k < i);
      }
      return ahead;
    };
    Value value = [values](RandomWorld& s, std::size_t, std::size_t) {
      double sum = 0;
      for (const double one : values(s)) sum += one;
      return sum;
    };
    if (below(2) == 0 || !a.is_of_neurons) return {"sum(" + a.text + ")", std::move(value)};
    switch (below(4)) {
      case 0:
        value = [values](RandomWorld& s, std::size_t i, std::size_t) {
          const Numbers all = values(s);
          double sum = 0;
          for (const double one : all) sum += std::exp(one - all[i]);
          s.is_rounded = true;
          return 1 / sum;
        };
        return {"softmax(" + a.text + ")", std::move(value), 9, false, true};
      case 1:
        value = [rank](RandomWorld& s, std::size_t i, std::size_t) { return rank(s, i); };
        return {"rank(" + a.text + ")", std::move(value), 9, false, true};
      case 2:
        value = [rank, v = a.value](RandomWorld& s, std::size_t i, std::size_t) {
          return rank(s, i) < 2 ? v(s, i, 0) : 0.0;
        };
        return {"kwta(" + a.text + ", 2)", std::move(value), 9, false, true};
      default:
        value = [values](RandomWorld& s, std::size_t, std::size_t) {
          const Numbers all = values(s);
          return *std::max_element(all.begin(), all.end());
        };
        return {"largest(" + a.text + ")", std::move(value)};
    }
  }

  std::mt19937 random_;
};

}  // namespace gaia::test
