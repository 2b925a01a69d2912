// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../../../src/formulas/equations/language.h"
#include "../../reference/ops.h"
#include "rules.h"

namespace gaia::test {
namespace {

using Size = std::size_t;

double relu(double a) { return a > 0 ? a : 0; }
double sigmoid(double a) { return 1 / (1 + std::exp(-a)); }
double sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }

/// A rule whose text assigns the memory m alone.
Rule number(std::string equations, std::vector<std::string> parameters,
            std::function<double(Layer&, Size)> m) {
  return {std::move(equations), std::move(parameters), [m = std::move(m)](Layer& l) {
            l.neurons([&](Size i) { l.y[i] = l.f(i); });
            Numbers values(Layer::kNeurons);
            l.neurons([&](Size i) { values[i] = m(l, i); });
            l.memory.at("m") = values;
          }};
}

/// A rule whose text assigns dw alone.
Rule vector(const char* equations, bool is_matrix, std::vector<std::string> parameters,
            std::function<double(Layer&, Size, Size)> dw) {
  return {equations, std::move(parameters),
          [dw = std::move(dw)](Layer& l) {
            l.neurons([&](Size i) { l.y[i] = l.f(i); });
            l.weights_each([&](Size i, Size j) { l.dw(i, j) = dw(l, i, j); });
          },
          is_matrix};
}

Numbers all(const Layer& l, double (*of)(const Layer&, Size)) {
  Numbers values(Layer::kNeurons);
  for (Size i = 0; i < values.size(); ++i) values[i] = of(l, i);
  return values;
}

double drive(const Layer& l, Size i) { return l.z(i); }
double coarse(const Layer& l, Size i) { return std::floor(2 * l.z(i)); }

std::vector<Rule> of_numbers() {
  return {
      number("m = -2^2", {}, [](Layer&, Size) { return -4.0; }),
      number("m = 2^3^2 - (2^3)^2", {}, [](Layer&, Size) { return 448.0; }),
      number("m = 2^-1 + -2^-2", {}, [](Layer&, Size) { return 0.25; }),
      number("m = 7 - 3 - 2 + 8/4/2*3 - 1e-3 + .5 + 5.", {},
             [](Layer&, Size) { return 2 + 3.0 - 0.001 + 0.5 + 5; }),
      number("m = z - -z*--z", {}, [](Layer& l, Size i) { return l.z(i) + l.z(i) * l.z(i); }),
      number("m = (z + 2)^2*z^3 - z^4 + z^1 - (z + 9)^-1 + (z + 9)^0.5 + 2^z", {},
             [](Layer& l, Size i) {
               const double z = l.z(i);
               return std::pow(z + 2, 2) * std::pow(z, 3) - std::pow(z, 4) + z - 1 / (z + 9) +
                      std::sqrt(z + 9) + std::pow(2, z);
             }),
      number("m = 1 + z > 0 - 1", {}, [](Layer& l, Size i) { return double(1 + l.z(i) > -1); }),
      number("m = (z < 0.1) + 2*(z <= 0.2) + 4*(z > -0.1) + 8*(z >= 0) + 16*(y == y) + 32*(y != z)",
             {},
             [](Layer& l, Size i) {
               const double z = l.z(i);
               return (z < 0.1) + 2.0 * (z <= 0.2) + 4.0 * (z > -0.1) + 8.0 * (z >= 0) + 16.0 +
                      32.0 * (l.f(i) != z);
             }),
      number("m = z > 0 and not y < 0.2 or z <= -0.5", {},
             [](Layer& l, Size i) {
               return double((l.z(i) > 0 && !(l.f(i) < 0.2)) || l.z(i) <= -0.5);
             }),
      number("m = not z > 0 and 3", {}, [](Layer& l, Size i) { return double(!(l.z(i) > 0)); }),
      number("m = (not z) + (not 0) + (2 and 3) + (0 or 5)", {}, [](Layer&, Size) { return 3.0; }),
      number("m = 1 or 0 and 0", {}, [](Layer&, Size) { return 1.0; }),
      number("m = not not z", {}, [](Layer&, Size) { return 1.0; }),
      number("m = log(4 + z) + sqrt(4 + z) + sign(0) + min(z, y) - max(z, theta)", {"theta"},
             [](Layer& l, Size i) {
               const double z = l.z(i);
               return std::log(4 + z) + std::sqrt(4 + z) + std::min(z, l.f(i)) - std::max(z, 0.3);
             }),
      number("m = where(z > 0, log(z), log(-z)) + where(0, 1, 2) + where(3, 1, 2) + where(z - 9, "
             "4, 8)",
             {}, [](Layer& l, Size i) { return std::log(std::abs(l.z(i))) + 7.0; }),
      number(
          "m = exp(-1/tau)*(1 - exp(-1/tau))*z + tau^2 + (tau > 3 and theta < tau)",
          {"tau", "theta"},
          [](Layer& l, Size i) { return std::exp(-0.25) * (1 - std::exp(-0.25)) * l.z(i) + 17; }),
      number("m = sum(z) + 2*mean(y) - largest(z) + smallest(z*z)", {},
             [](Layer& l, Size) {
               const Numbers z = all(l, drive);
               return Layer::sum([&](Size k) { return z[k] + 2 * std::tanh(z[k]) / 4; }) -
                      *std::max_element(z.begin(), z.end()) + Layer::sum([&](Size k) {
                        const auto smaller = [&](Size a, Size b) {
                          return std::abs(z[a]) < std::abs(z[b]);
                        };
                        const Size order[] = {0, 1, 2, 3};
                        return k == *std::min_element(order, order + 4, smaller) ? z[k] * z[k]
                                                                                 : 0.0;
                      });
             }),
      number("m = sum(2) + mean(xx) + largest(theta) - smallest(3)", {"theta"},
             [](Layer& l, Size) { return 8.0 + l.xx() + 0.3 - 3.0; }),
      number("m = softmax(z/temperature)", {"temperature"},
             [](Layer& l, Size i) {
               return std::exp(l.z(i) / 0.7) /
                      Layer::sum([&](Size k) { return std::exp(l.z(k) / 0.7); });
             }),
      number("m = softmax(1000*z)", {},
             [](Layer& l, Size i) {
               return 1 / Layer::sum([&](Size k) { return std::exp(1000 * (l.z(k) - l.z(i))); });
             }),
      number("m = rank(z)", {},
             [](Layer& l, Size i) { return double(Layer::rank(all(l, drive), i)); }),
      number("m = rank(floor(2*z))", {},
             [](Layer& l, Size i) { return double(Layer::rank(all(l, coarse), i)); }),
      number("m = kwta(z, k) + 10*winner(floor(2*z))", {"k"},
             [](Layer& l, Size i) {
               return (Layer::rank(all(l, drive), i) < 2 ? l.z(i) : 0) +
                      10.0 * (Layer::rank(all(l, coarse), i) == 0);
             }),
      number("m = kwta(z, 1 + rank(z))", {}, [](Layer& l, Size i) { return l.z(i); }),
      number("m = 1\nm = rank(m)", {}, [](Layer&, Size i) { return double(i); }),
      number("m = uniform() + 2*normal() - uniform()^2", {},
             [](Layer& l, Size i) {
               const std::vector<Numbers>& draws = l.in.draws;
               return draws[0][i] + 2 * draws[1][i] - draws[2][i] * draws[2][i];
             }),
      number("m = rank(normal()) - sum(uniform())", {},
             [](Layer& l, Size i) {
               return double(Layer::rank(l.in.draws[0], i)) -
                      Layer::sum([&](Size k) { return l.in.draws[1][k]; });
             }),
      number("m = rank(softmax(z) + rank(y))", {},
             [](Layer& l, Size i) { return 3.0 - double(Layer::rank(all(l, drive), i)); }),
  };
}

std::vector<Rule> of_vectors() {
  return {
      vector("dw = where(z > 0, rate*x, rate*log(-z)*w)", true, {"rate"},
             [](Layer& l, Size i, Size j) {
               return l.z(i) > 0 ? 0.05 * l.x(j) : 0.05 * std::log(-l.z(i)) * l.w(i, j);
             }),
      vector("dw = where(winner(z), rate*(x - w), 0)", true, {"rate"},
             [](Layer& l, Size i, Size j) {
               return Layer::rank(all(l, drive), i) == 0 ? 0.05 * (l.x(j) - l.w(i, j)) : 0.0;
             }),
      vector("dw = where(z > 0, where(y > 0.1, x, 1), w) - where(learning, x, y)", true, {},
             [](Layer& l, Size i, Size j) {
               const double inner = l.f(i) > 0.1 ? l.x(j) : 1.0;
               return (l.z(i) > 0 ? inner : l.w(i, j)) - l.x(j);
             }),
      vector("dw = rate*where(w > 0.1, x - w, -w^2)", false, {"rate"},
             [](Layer& l, Size i, Size j) {
               return 0.05 * (l.w(i, j) > 0.1 ? l.x(j) - l.w(i, j) : -l.w(i, j) * l.w(i, j));
             }),
      vector("dw = rate*uniform()*(x - normal()*w) + normal()", true, {"rate"},
             [](Layer& l, Size i, Size j) {
               const std::vector<Numbers>& draws = l.in.draws;
               return 0.05 * draws[0][i] * (l.x(j) - draws[1][i] * l.w(i, j)) + draws[2][i];
             }),
      vector("dw = where(uniform() < 0.5, x, w)*w", false, {},
             [](Layer& l, Size i, Size j) {
               return (l.in.draws[0][i] < 0.5 ? l.x(j) : l.w(i, j)) * l.w(i, j);
             }),
      vector("dw = -(-x + -(w - y))", true, {},
             [](Layer& l, Size i, Size j) { return l.x(j) + l.w(i, j) - l.f(i); }),
      vector("dw = (rate*(x - w)*y - w/tau + 3)/(1 + xx) - 2 - (x - 1)", true, {"rate", "tau"},
             [](Layer& l, Size i, Size j) {
               return (0.05 * (l.x(j) - l.w(i, j)) * l.f(i) - l.w(i, j) / 4 + 3) / (1 + l.xx()) -
                      2 - (l.x(j) - 1);
             }),
      vector("dw = rate*((x - y*w)*(1 + y) - (w + x)*2 + w)*y", true, {"rate"},
             [](Layer& l, Size i, Size j) {
               const double y = l.f(i);
               return 0.05 *
                      ((l.x(j) - y * l.w(i, j)) * (1 + y) - (l.w(i, j) + l.x(j)) * 2 + l.w(i, j)) *
                      y;
             }),
      vector("dw = rate*min(max(w, x), 0.5)", false, {"rate"},
             [](Layer& l, Size i, Size j) {
               return 0.05 * std::min(std::max(l.w(i, j), l.x(j)), 0.5);
             }),
      vector("dw = rate*(exp(-w^2) + tanh(x)*sigmoid(w) + sqrt(abs(w)) + sign(x)*floor(3*w) + "
             "relu(x) + log(1 + abs(w)))",
             false, {"rate"},
             [](Layer& l, Size i, Size j) {
               const double w = l.w(i, j);
               const double x = l.x(j);
               return 0.05 *
                      (std::exp(-w * w) + std::tanh(x) * sigmoid(w) + std::sqrt(std::abs(w)) +
                       sign(x) * std::floor(3 * w) + relu(x) + std::log(1 + std::abs(w)));
             }),
      vector("dw = rate*y/(1 + w*w) - rate*x/(2 + w) + rate*2^w + rate*(w + 3)^x", false, {"rate"},
             [](Layer& l, Size i, Size j) {
               const double w = l.w(i, j);
               return 0.05 * l.f(i) / (1 + w * w) - 0.05 * l.x(j) / (2 + w) +
                      0.05 * std::pow(2, w) + 0.05 * std::pow(w + 3, l.x(j));
             }),
      vector("dw = rate*((w < x) + 2*(w >= y) + 4*(x > 0 and w > 0) + 8*(not x > z or w == w))",
             false, {"rate"},
             [](Layer& l, Size i, Size j) {
               const double w = l.w(i, j);
               const double x = l.x(j);
               return 0.05 * ((w < x) + 2.0 * (w >= l.f(i)) + 4.0 * (x > 0 && w > 0) + 8.0);
             }),
  };
}

}  // namespace

std::vector<Rule> rules_of_functions() {
  std::vector<Rule> rules = of_numbers();
  // Those of one number that the table of operations has; NaN is equal to NaN.
  for (const UnaryOp& op : unary_ops()) {
    if (equation_language::function_named(op.name) == nullptr) continue;
    rules.push_back(
        number("m = " + op.name + "(3*z)", {}, [op](Layer& l, Size i) { return op(3 * l.z(i)); }));
  }
  const std::vector<Rule> more = of_vectors();
  rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}

}  // namespace gaia::test
