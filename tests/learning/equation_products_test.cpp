// SPDX-License-Identifier: MIT
/// Updates that are products: of weights, number by number, and of what a sample leaves of itself.
#include "../support/catch.h"
#include "../support/devices.h"
#include "equation_runs.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// dw = f(y, x, w, trace pre), weight by weight.
template <class F>
RuleCase rule_of_weights(const char* name, const char* equations, bool has_trace, F f) {
  EquationRuleOptions options{.parameters = {{"rate", 0.02}}};
  if (has_trace) options.traces = {{"pre", 3.0}};
  return {name, equations, options,
          [=](TickOfStream& s) {
            s.y = s.z;
            s.each([&](std::size_t i, std::size_t j) {
              s.dw[i][j] = f(s.y[i], s.x[j], (*s.w)[i][j], has_trace ? s.trace["pre"][j] : 0.0);
            });
          },
          false};
}

std::vector<RuleCase> rules_of_weights() {
  using D = double;
  return {
      rule_of_weights("soft bounds", "dw = rate*y*x*w*(1 - w)", false,
                      [](D y, D x, D w, D) { return 0.02 * y * x * w * (1 - w); }),
      rule_of_weights("a square less a number", "dw = -rate*y*(w - 0.3)*x/4*w", false,
                      [](D y, D x, D w, D) { return -0.02 * y * (w - 0.3) * x / 4 * w; }),
      rule_of_weights("no weight but in a difference", "dw = rate*y*x*(y - w)", false,
                      [](D y, D x, D w, D) { return 0.02 * y * x * (y - w); }),
      rule_of_weights("a square of the sample", "dw = rate*y*x*x", false,
                      [](D y, D x, D, D) { return 0.02 * y * x * x; }),
      rule_of_weights("a square of weights", "dw = -rate*w*w/20", false,
                      [](D, D, D w, D) { return -0.02 * w * w / 20; }),
      rule_of_weights("a cube of weights", "dw = -rate*y*w*w*w", false,
                      [](D y, D, D w, D) { return -0.02 * y * w * w * w; }),
      rule_of_weights("three products", "dw = rate*(y*pre*(1 - w) - 0.5*y*x*w) - 0.01*w*pre", true,
                      [](D y, D x, D w, D pre) {
                        return 0.02 * (y * pre * (1 - w) - 0.5 * y * x * w) - 0.01 * w * pre;
                      }),
      rule_of_weights("too many for one pass",
                      "dw = rate*(y*x*w + z*w*w - x*x + pre*w*(2 - w) - y*pre*x)", true,
                      [](D y, D x, D w, D pre) {
                        return 0.02 *
                               (y * x * w + y * w * w - x * x + pre * w * (2 - w) - y * pre * x);
                      }),
      rule_of_weights("a sum times a vector", "dw = rate*y*(x - w)*w", false,
                      [](D y, D x, D w, D) { return 0.02 * y * (x - w) * w; }),
      rule_of_weights("a difference of another vector", "dw = rate*y*(1 - x)*w", false,
                      [](D y, D x, D w, D) { return 0.02 * y * (1 - x) * w; })};
}

/// dw = rate*(y*(share*x - back(y)) - decay*w + ones*y), the share being another in some ticks.
RuleCase left_of_samples(const char* name, double decay, double ones, bool stops) {
  std::string sum = std::string("y*(") +
                    (stops ? "where(t > 5, where(t < 12, 1.5, 1), 1)*x" : "x") + " - back(y))";
  EquationRuleOptions options{.parameters = {{"rate", 0.02}}};
  if (decay > 0) {
    sum += " - decay*w";
    options.parameters.emplace_back("decay", decay);
  }
  if (ones > 0) {
    sum += " + ones*y";
    options.parameters.emplace_back("ones", ones);
  }
  return {name, "dw = rate*(" + sum + ")", options, [=](TickOfStream& s) {
            s.y = s.z;
            const double of_x = stops && s.t > 5 && s.t < 12 ? 1.5 : 1.0;
            const Numbers r = s.back(s.y, s.neurons - 1);
            s.each([&](std::size_t i, std::size_t j) {
              s.dw[i][j] =
                  0.02 * (s.y[i] * (of_x * s.x[j] - r[j]) - decay * (*s.w)[i][j] + ones * s.y[i]);
            });
          }};
}

/// dw = rate*y*(x - back_upto(y)) - lost*w, `lost` being a text of t and y.
RuleCase sanger_that_loses(const char* lost, double (*f)(Size t, double y)) {
  return {std::string("loses ") + lost,
          std::string("dw = rate*y*(x - back_upto(y)) - (") + lost + ")*w",
          {.parameters = {{"rate", 0.02}}},
          [=](TickOfStream& s) {
            s.y = s.z;
            s.each_upto(s.y, [&](Size i, Size j, double r) {
              s.dw[i][j] =
                  0.02 * s.y[i] * (s.x[j] - r) - f(static_cast<Size>(s.t), s.y[i]) * (*s.w)[i][j];
            });
          }};
}

}  // namespace

TEST_CASE("Rules weight by weight that are sums of products do what their loops do") {
  for (const RuleCase& rule : rules_of_weights()) {
    for (const int inputs : {5, 37, 64, 70, 131, 300}) {
      compare(rule, {.neurons = 11, .inputs = inputs, .spread = 0.2}, 1e-12);
      compare(rule, {.neurons = 11, .inputs = inputs, .dtype = DType::float32, .spread = 0.2},
              2e-5);
    }
    compare(rule, {.neurons = 61, .inputs = 70, .streams = 3, .spread = 0.2}, 1e-12);
    under_each_control({.neurons = 11, .inputs = 70, .spread = 0.2},
                       [&](const RuleSetting& setting) { compare(rule, setting, 1e-12); });
  }
}

TEST_CASE("Rules that learn from what is left of a sample do what their loops do") {
  for (const RuleCase& rule : {left_of_samples("all ticks ride", 0.0, 0.0, false),
                               left_of_samples("beside a decay", 0.1, 0.0, false),
                               left_of_samples("beside all else", 0.1, 0.3, false),
                               left_of_samples("some ticks do not ride", 0.0, 0.0, true),
                               left_of_samples("nor beside all else", 0.1, 0.3, true)}) {
    for (const int chunk : {1, 7, 20, 32, 64}) {
      compare(rule, {.neurons = 61, .chunk = chunk}, 1e-12);
      compare(rule, {.neurons = 61, .inputs = 130, .dtype = DType::float32, .chunk = chunk}, 2e-5);
    }
  }
}

TEST_CASE("Sanger's rule beside decays of all kinds does what its loop does") {
  for (const RuleCase& rule :
       {sanger_that_loses("0.01", [](Size, double) { return 0.01; }),
        sanger_that_loses("-0.004", [](Size, double) { return -0.004; }),
        sanger_that_loses("0.7", [](Size, double) { return 0.7; }),
        sanger_that_loses("1", [](Size, double) { return 1.0; }),
        sanger_that_loses("where(t > 9, where(t < 19, 0.05, 0), 0)",
                          [](Size t, double) { return t > 9 && t < 19 ? 0.05 : 0.0; }),
        sanger_that_loses("0.02*y^2", [](Size, double y) { return 0.02 * y * y; })}) {
    for (const int chunk : {7, 20, 32, 64}) {
      compare(rule, {.neurons = 61, .chunk = chunk}, 1e-12);
      compare(rule, {.neurons = 61, .inputs = 130, .dtype = DType::float32, .chunk = chunk}, 2e-5);
    }
  }
}

TEST_CASE("Products of weights and coupled rules give the same bits for any number of threads") {
  std::vector<RuleCase> rules = rules_of_weights();
  rules.push_back(left_of_samples("all ticks ride", 0.1, 0.3, false));
  rules.push_back(left_of_samples("some ticks do not ride", 0.1, 0.3, true));
  rules.push_back(sanger_that_loses("0.01", [](Size, double) { return 0.01; }));
  for (const RuleCase& rule : rules) {
    const RuleSetting setting{.neurons = 90, .inputs = 260, .dtype = DType::float32, .spread = 0.1};
    const RuleMaterial data = material(rule, setting);
    RuleOutcome one;
    for (const int threads : {1, 2, 3, 7}) {
      const Threads some(threads);
      const RuleOutcome found = by_gaia(rule, setting, data, {setting.ticks});
      if (threads == 1) one = found;
      INFO(rule.name << ", " << threads << " threads");
      CHECK(found == one);
    }
  }
}
