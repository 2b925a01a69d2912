// SPDX-License-Identifier: MIT
// Which class rules are of, and why; and what else a program says of its rule.
#include "../../../src/formulas/equations/equations.h"
#include "../../support/catch.h"
#include "check_program.h"

namespace gaia::test {
namespace {

using Class = EquationProgram::Class;

struct Classified {
  const char* name;
  const char* equations;
  std::vector<std::string> parameters;
  const char* why;
  std::vector<std::pair<std::string, std::variant<double, std::string>>> traces = {};
  std::vector<EquationText::Signal> signals = {};
};

EquationProgram compiled(const Classified& rule) {
  EquationText text{.equations = rule.equations, .traces = rule.traces, .signals = rule.signals};
  for (const std::string& name : rule.parameters) text.parameters.emplace_back(name, 1.0);
  return compile_equations(text);
}

EquationProgram compiled(const char* equations) {
  return compile_equations({.equations = equations});
}

TEST_CASE("The rules of the literature are sums of known vectors") {
  const std::vector<Classified> rules = {
      {"hebbian",
       "dw = rate*y*x - decay*w",
       {"rate", "decay"},
       "dw is a sum of w and x, each times a number"},
      {"oja", "dw = rate*y*(x - y*w)", {"rate"}, "dw is a sum of w and x, each times a number"},
      {"bcm",
       "dw = rate*y*(y - theta)*x\ntheta = theta + (y^2 - theta)/tau",
       {"rate", "tau"},
       "dw is x times a number"},
      {"law_cooper",
       "dw = rate*y*(y - theta)*x / theta\ntheta = theta + (y^2 - theta)/tau",
       {"rate", "tau"},
       "dw is x times a number"},
      {"covariance",
       "y_mean = y_mean + (y - y_mean)/tau\n"
       "dw = rate*(y - y_mean)*(x - x_sum*(1 - exp(-1/tau)))",
       {"rate", "tau"},
       "dw is a sum of x and x_sum, each times a number",
       {{"x_sum", "tau"}}},
      {"competitive",
       "y = winner(z)\ndw = rate*y*(x - w)",
       {"rate"},
       "dw is a sum of w and x, each times a number"},
      {"softhebb",
       "y = softmax(z/temperature)\ndw = rate*y*(x - z*w)",
       {"rate", "temperature"},
       "dw is a sum of w and x, each times a number"},
      {"krotov_hopfield",
       "g = (rank(z)==0) - delta*(rank(z)==k-1)\ndw = rate*g*(x - z*w)",
       {"rate", "delta", "k"},
       "dw is a sum of w and x, each times a number"},
      {"foldiak_trace",
       "ybar = (1-delta)*ybar + delta*y\ndw = rate*ybar*(x - w)",
       {"rate", "delta"},
       "dw is a sum of w and x, each times a number"},
      {"abcd",
       "dw = rate*(A*x*y + B*x + C*y + D)",
       {"rate", "A", "B", "C", "D"},
       "dw is a sum of x and 1, each times a number"},
      {"stdp",
       "post = exp(-1/tau_post)*post + y\ndw = a_plus*y*pre - a_minus*post*x",
       {"tau_post", "a_plus", "a_minus"},
       "dw is a sum of x and pre, each times a number",
       {{"pre", 20.0}}},
      {"triplet_stdp",
       "dw = y*r1*(a2 + a3*o2) - x*o1*(b2 + b3*r2o)\n"
       "o1 = exp(-1/tau_1)*o1 + y\no2 = exp(-1/tau_2)*o2 + y\nr2o = o2",
       {"a2", "a3", "b2", "b3", "tau_1", "tau_2"},
       "dw is a sum of x and r1, each times a number",
       {{"r1", 16.8}}},
      {"reward_stdp",
       "post = exp(-1/tau_post)*post + y\n"
       "de = -e/tau_e + a_plus*y*pre - a_minus*post*x\ndw = reward*e",
       {"tau_post", "tau_e", "a_plus", "a_minus"},
       "dw is a sum of e, x and pre, each times a number; "
       "de is a sum of e, x and pre, each times a number",
       {{"pre", 20.0}},
       {{"reward", false}}},
      {"delta",
       "dw = rate*(target - y)*x",
       {"rate"},
       "dw is x times a number",
       {},
       {{"target", true}}},
      {"nlms",
       "dw = rate*(target - y)*x/(epsilon + xx)",
       {"rate", "epsilon"},
       "dw is x times a number",
       {},
       {{"target", true}}},
      {"lif",
       "v = leak*v + z\ny = v > threshold\nv = v*(1-y)",
       {"leak", "threshold"},
       "there is neither dw nor de, so that no weight changes"},
      {"oja_subspace",
       "dw = rate*y*(x - back(y))",
       {"rate"},
       "dw is a sum of x and back(y), each times a number"},
      {"sanger",
       "dw = rate*y*(x - back_upto(y))",
       {"rate"},
       "dw is a sum of x and back_upto(y), each times a number"},
  };
  for (const Classified& rule : rules) {
    INFO(rule.name);
    const EquationProgram program = compiled(rule);
    CHECK(program.rule_class == Class::matrix);
    CHECK(program.why == rule.why);
    CHECK(broken_promise(program) == "");
  }
}

TEST_CASE("What is not a sum of known vectors is said in its own words") {
  const std::vector<Classified> rules = {
      {"stdp_multiplicative",
       "post = exp(-1/tau_post)*post + y\ndw = a_plus*y*pre*(1 - w) - a_minus*post*x*w",
       {"tau_post", "a_plus", "a_minus"},
       "dw multiplies a_plus*y*pre by (1 - w), so it is not a sum of known vectors",
       {{"pre", 20.0}}},
      {"soft bound",
       "dw = y*w*(1 - w)",
       {},
       "dw multiplies y*w by (1 - w), so it is not a sum of known vectors"},
      {"product", "dw = x*w", {}, "dw multiplies x by w, so it is not a sum of known vectors"},
      {"quotient",
       "dw = y / (2 + w)",
       {},
       "dw divides y by (2 + w), so it is not a sum of known vectors"},
      {"square",
       "dw = x - w^2",
       {},
       "dw raises w to the power 2, so it is not a sum of known vectors"},
      {"power", "dw = 2^x", {}, "dw raises 2 to the power x, so it is not a sum of known vectors"},
      {"function",
       "dw = x + exp( w )*y",
       {},
       "dw has exp( w ), a function of a vector, so it is not a sum of known vectors"},
      {"larger",
       "dw = y*max(x, # or 0\n 0)",
       {},
       "dw has max(x, 0), a function of a vector, so it is not a sum of known vectors"},
      {"comparison",
       "dw = x*(y > 0) - (w > 1)",
       {},
       "dw has w > 1, a choice by a vector, so it is not a sum of known vectors"},
      {"logic",
       "dw = not x",
       {},
       "dw has not x, a choice by a vector, so it is not a sum of known vectors"},
      {"choice",
       "dw = where(x, y, 0)",
       {},
       "dw chooses by the vector x, so it is not a sum of known vectors"},
      {"of e",
       "de = x*w\ndw = y*e",
       {},
       "de multiplies x by w, so it is not a sum of known vectors"},
      {"of de alone",
       "dw = y*e\nde = x*w",
       {},
       "de multiplies x by w, so it is not a sum of known vectors"},
      {"the first one",
       "dw = abs(w) + x*w",
       {},
       "dw has abs(w), a function of a vector, so it is not a sum of known vectors"},
      {"nothing is cancelled",
       "dw = (x - x)*w",
       {},
       "dw multiplies (x - x) by w, so it is not a sum of known vectors"},
      {"long",
       "dw = abs(x + x + x + x + x + x + x + x + x + x + x + x + x + x + x)",
       {},
       "dw has abs(x + x + x + x + x + x + x + x + x + x + x + x + x + x..., a function of a "
       "vector, so it is not a sum of known vectors"},
  };
  for (const Classified& rule : rules) {
    INFO(rule.name);
    const EquationProgram program = compiled(rule);
    CHECK(program.rule_class == Class::weights);
    CHECK(program.why == rule.why);
    CHECK(broken_promise(program) == "");
  }
}

TEST_CASE("A program says what its rule reads and sets") {
  CHECK(!compiled("dw = y*x").assigns_output);
  CHECK(compiled("dw = y*x").reads_activation);
  CHECK(compiled("y = relu(y)\ndw = y*x").reads_activation);
  const EquationProgram own = compiled("y = relu(z)\ndw = y*x");
  CHECK(own.assigns_output);
  CHECK(!own.reads_activation);
  CHECK(!own.reads_square);
  CHECK(!own.crosses_layer);
  CHECK(!own.has_eligibility);
  CHECK(compiled("dw = x/(1 + xx)").reads_square);
  CHECK(compiled("dw = x*w/(1 + xx)").reads_square);
  CHECK(!own.reads_weight_square);
  CHECK(compiled("dw = x/(1 + ww)").reads_weight_square);
  CHECK(compiled("y = 2*z - ww").reads_weight_square);
  CHECK(!compiled("dw = ww*x").crosses_layer);
  CHECK(compiled("y = softmax(z)").crosses_layer);
  CHECK(compiled("m = mean(z)").crosses_layer);
  CHECK(compiled("dw = rank(z)*x").crosses_layer);
  CHECK(compiled("dw = rank(z)*x*w").crosses_layer);
  CHECK(!compiled("dw = x - back(y)").crosses_layer);
  CHECK(!compiled("m = mean(xx)").crosses_layer);
  CHECK(compiled("de = x").has_eligibility);
  CHECK(!compiled("de = x").dw);
}

TEST_CASE("A program has names and values in the order of its rule") {
  const EquationProgram program = compile_equations(
      {.equations = "m2 = a*z\nm1 = m2 + b + r1 + r2\nm2 = m1 + n1\ndw = pre + slow",
       .parameters = {{"b", 1.5}, {"tau", 3.0}, {"a", 2.5}},
       .memory = {{"m1", 4.0}},
       .traces = {{"slow", "tau"}, {"pre", 2.0}},
       .signals = {{"r2", false}, {"n1", true}, {"r1", false}}});
  CHECK(program.parameters == std::vector<std::string>{"b", "tau", "a"});
  REQUIRE(program.memories.size() == 2);
  CHECK(program.memories[0].name == "m2");
  CHECK(program.memories[1].name == "m1");
  REQUIRE(program.traces.size() == 2);
  CHECK(program.traces[0].name == "slow");
  CHECK(program.traces[0].tau == std::variant<double, std::string>("tau"));
  CHECK(program.traces[1].tau == std::variant<double, std::string>(2.0));
  REQUIRE(program.signals.size() == 3);
  CHECK(program.signals[1].name == "n1");
  CHECK(program.signals[1].of_neurons);
}

TEST_CASE("Draws are counted by the calls of a text, which nothing merges") {
  const EquationProgram program =
      compile_equations({.equations = "unused = uniform()\n"
                                      "y = normal() + (uniform() - uniform())\n"
                                      "dw = uniform()*x*of_neurons*of_layer",
                         .signals = {{"of_neurons", true}, {"of_layer", false}}});
  using Draw = EquationDraw;
  CHECK(program.draws ==
        std::vector{Draw::uniform, Draw::normal, Draw::uniform, Draw::uniform, Draw::uniform});
  CHECK(program.first_draw() == EquationProgram::kFirstMemory + 1 + 1);
  CHECK(program.draws_read(true) == std::vector{true, true, true, true, true});
  CHECK(program.draws_read(false) == std::vector{false, true, true, true, false});
  CHECK(program.rule_class == EquationProgram::Class::matrix);
  CHECK_FALSE(program.output_remembers());
  CHECK_FALSE(program.reads_tick());
  // What is read twice is drawn once.
  CHECK(compiled("u = normal()\ndw = u*x - u*w").draws.size() == 1);
  CHECK(compiled("dw = y*x").draws.empty());
  CHECK(compiled("y = softmax(normal())").crosses_layer);
}

TEST_CASE("What follows from parameters is computed once, and follows them") {
  const EquationProgram program =
      compile_equations({.equations = "dw = (1 - exp(-1/tau))*2^-3*x*n_in/n_out*learning",
                         .parameters = {{"tau", 1.0}}});
  CHECK(program.learning.steps.empty());
  REQUIRE(program.dw_terms.size() == 1);
  const EquationPlace factor = program.dw_terms[0].factor;
  CHECK(factor.of == EquationPlace::Of::constant);
  const auto value = [&](double tau, bool learns) {
    return program.bound_constants({tau}, 6, 3, learns)[factor.index];
  };
  CHECK(value(2.0, true) == Approx((1 - std::exp(-0.5)) / 4).epsilon(1e-15));
  CHECK(value(5.0, true) == Approx((1 - std::exp(-0.2)) / 4).epsilon(1e-15));
  CHECK(value(5.0, false) == 0.0);
  CHECK_THROWS_AS(program.bound_constants({}, 6, 3, true), InternalError);
}

TEST_CASE("Numbers of the layer are computed once a tick, and places are used again") {
  const EquationProgram program = compiled("dw = (xx + t^2)*(z + 1)*x");
  std::size_t of_layer = 0;
  for (const EquationStep& step : program.learning.steps) {
    of_layer += step.result.of == EquationPlace::Of::layer;
  }
  CHECK(of_layer == 2);
  std::string chain = "m = z";
  for (int i = 0; i < 100; ++i) chain += "\nm = tanh(m*z + 1)";
  const EquationProgram longer = compiled(chain.c_str());
  CHECK(longer.learning.steps.size() == 300 + 0);
  CHECK(longer.neuron_places <= EquationProgram::kFirstMemory + 3);
  std::string vectors = "dw = w";
  for (int i = 0; i < 100; ++i) vectors = "dw = tanh(" + vectors.substr(5) + " + x)";
  const EquationProgram deep = compiled(vectors.c_str());
  CHECK(deep.vector_steps.size() == 200);
  CHECK(deep.vector_places <= EquationProgram::kFirstTrace + 2);
}

TEST_CASE("A tick that does not learn computes no more than it needs") {
  const EquationProgram program =
      compiled("m1 = tanh(z)\ny = m1 + m2\nm2 = 0.5*m2\nm3 = exp(y)\ndw = m3*x");
  CHECK(program.still.steps.size() == 3);
  CHECK(program.learning.steps.size() == 4);
  const auto old = [](std::uint16_t index) {
    return EquationPlace{EquationPlace::Of::neuron,
                         static_cast<std::uint16_t>(EquationProgram::kFirstMemory + index)};
  };
  CHECK(program.still.memory[0] != old(0));
  CHECK(program.still.memory[1] != old(1));
  CHECK(program.still.memory[2] == old(2));
}

}  // namespace
}  // namespace gaia::test
