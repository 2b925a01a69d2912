// SPDX-License-Identifier: MIT
#include "../../src/filters/text_model.h"

#include <cmath>
#include <random>
#include <vector>

#include "../../src/core/error.h"
#include "../../src/formulas/equations/equations.h"
#include "../support/catch.h"

namespace gaia::test {
namespace {

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("A text steps the states from top to bottom") {
  const TextModel model({.state = "a = 0.5*a + b  # the b before\nb = a*b + k*t",
                         .observation = "seen = a - b\nalso = seen^2",
                         .parameters = {{"k", 3.0}}});
  CHECK(model.observation_names() == std::vector<std::string>{"seen", "also"});
  Numbers x = {2.0, 5.0};
  Numbers jacobian(4);
  model.step(x, 7.0, jacobian);
  CHECK(x == Numbers{6.0, 51.0});
  // b' = (0.5 a + b) b + k t.
  CHECK(jacobian == Numbers{0.5, 1.0, 0.5 * 5.0, 0.5 * 2.0 + 2.0 * 5.0});
  Numbers y(2);
  model.observe(Numbers{6.0, 4.0}, 0.0, y, jacobian);
  CHECK(y == Numbers{2.0, 4.0});
  CHECK(jacobian == Numbers{1.0, -1.0, 4.0, -4.0});
}

TEST_CASE("Derivatives of every function are those of central differences") {
  const TextModel model({.state = R"(
      a = exp(b/3) + log(a^2 + 1) - sqrt(c^2 + 0.5)
      b = sin(a*b) + cos(c)/(2 + b^2) + tanh(c) * sigmoid(b) - -a
      c = where(c < a, abs(c), relu(c)*b) + min(a, b) * max(b, c) + (1.5 + sigmoid(a))^(c/4)
      d = d^3 + floor(d) + sign(d) + (d > 0) * d)",
                         .observation = "y = a*b*c*d"});
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  double largest = 0.0;
  for (int trial = 0; trial < 50; ++trial) {
    Numbers x(4);
    for (double& value : x) value = normal(random);
    x[3] = 0.3 + 0.4 * std::abs(std::sin(x[3]));  // no jump of floor within the difference
    Numbers at = x;
    Numbers jacobian(16);
    model.step(at, 0.0, jacobian);
    for (std::size_t j = 0; j < 4; ++j) {
      constexpr double h = 1e-6;
      Numbers more = x;
      Numbers less = x;
      more[j] += h;
      less[j] -= h;
      model.step(more, 0.0);
      model.step(less, 0.0);
      for (std::size_t i = 0; i < 4; ++i) {
        const double slope = (more[i] - less[i]) / (2.0 * h);
        const double error = std::abs(slope - jacobian[i * 4 + j]) / (1.0 + std::abs(slope));
        largest = std::max(largest, error);
      }
    }
  }
  CHECK(largest < 1e-7);
}

TEST_CASE("At kinks the derivatives are those that PyTorch takes") {
  const TextModel model(
      {.state = "a = a", .observation = "p = abs(a)\nq = relu(a)\nr = min(a, 2*a)\ns = max(a, a)"});
  Numbers y(4);
  Numbers jacobian(4);
  model.observe(Numbers{0.0}, 0.0, y, jacobian);
  CHECK(jacobian == Numbers{0.0, 0.0, 1.5, 1.0});
}

TEST_CASE("Texts that are no models are refused where they stand") {
  const auto make = [](const std::string& state, const std::string& observation,
                       std::vector<std::pair<std::string, double>> parameters = {}) {
    return TextModel({.state = state, .observation = observation, .parameters = parameters});
  };
  CHECK_THROWS_WITH_TEXT(make("x = x + sum(x)", "y = x"), EquationError, "goes over the neurons");
  CHECK_THROWS_WITH_TEXT(make("x = x + normal()", "y = x"), EquationError, "draws");
  CHECK_THROWS_WITH_TEXT(make("x = x +", "y = x"), EquationError, "^");
  CHECK_THROWS_WITH_TEXT(make("x = x", "y = z"), EquationError, "unknown name 'z'");
  CHECK_THROWS_WITH_TEXT(make("x = x", "x = x"), EquationError, "is a state");
  CHECK_THROWS_WITH_TEXT(make("k = k", "y = k", {{"k", 1.0}}), EquationError, "a parameter");
  CHECK_THROWS_WITH_TEXT(make("t = t", "y = t"), EquationError, "index of the tick");
  CHECK_THROWS_WITH_TEXT(make("", "y = 1"), ArgumentError, "without any");
  CHECK_THROWS_WITH_TEXT(make("x = x", "y = x", {{"k", 1.0}}), ArgumentError, "parameters.k");
  CHECK_THROWS_WITH_TEXT(make("", "y = 1"), EquationError, "state has an error");
}

TEST_CASE("Errors of both texts are told at once, each where it stands") {
  std::vector<EquationProblem> problems;
  try {
    TextModel({.state = "a = b\nc = 2*", .observation = "y = c\nz = d + a", .parameters = {}});
  } catch (const EquationError& error) {
    problems = error.problems();
  }
  REQUIRE(problems.size() == 3);
  CHECK((problems[0].key == "state" && problems[0].line == 1 && problems[0].column == 5));
  CHECK((problems[1].key == "state" && problems[1].line == 2));
  CHECK((problems[2].key == "observation" && problems[2].line == 2 && problems[2].column == 5));
}

}  // namespace gaia::test
