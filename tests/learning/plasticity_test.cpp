// SPDX-License-Identifier: MIT
#include "../../src/learning/plasticity.h"

#include "../../src/array/create.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/special_numbers.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Array weights64() { return ones({3, 5}, DType::float64); }
Array memory64() { return zeros({3}, DType::float64); }
Array samples64() { return ones({1, 4, 5}, DType::float64); }

/// What `check` says to a plasticity that is refused.
std::string complaint(const Plasticity& plasticity) {
  return gaia::test::complaint_of<ArgumentError>([&] { check(plasticity); });
}

}  // namespace

TEST_CASE("Names of rules, normalisations and executors lead back to what they name") {
  const std::vector<std::string> names = rule_names();
  REQUIRE(names.size() > 5);
  CHECK(std::vector<std::string>(names.begin(), names.begin() + 6) ==
        std::vector<std::string>{"hebbian", "oja", "bcm", "sanger", "oja_subspace", "law_cooper"});
  for (const std::string& name : rule_names()) CHECK(rule_name(rule_from_name(name)) == name);
  for (const auto normalization :
       {Normalization::none, Normalization::l2, Normalization::max_norm}) {
    CHECK(normalization_from_name(to_string(normalization)) == normalization);
  }
  for (const auto executor : {Executor::stepwise, Executor::chunkwise}) {
    CHECK(executor_from_name(to_string(executor)) == executor);
  }
}

TEST_CASE("A rule made by name has the default parameters") {
  const auto bcm = std::get<BcmRule>(std::get<Rule>(rule_from_name("bcm")));
  CHECK(bcm.learning_rate == 0.01);
  CHECK(bcm.decay == 0.0);
  CHECK(bcm.tau == 50.0);
  CHECK(bcm.theta == 1.0);
}

TEST_CASE("A name that is none is answered with the known ones") {
  CHECK_THROWS_WITH_TEXT(rule_from_name("bmc"), ArgumentError,
                         "unknown rule 'bmc' (did you mean 'bcm'?); known: hebbian, oja, bcm, "
                         "sanger, oja_subspace, law_cooper, ");
  CHECK_THROWS_WITH_TEXT(rule_from_name("OJA"), ArgumentError, "unknown rule 'OJA'");
  CHECK_THROWS_WITH_TEXT(rule_from_name(""), ArgumentError, "unknown rule ''");
  CHECK_THROWS_WITH_TEXT(normalization_from_name("l1"), ArgumentError, "known: none, l2, max_norm");
  CHECK_THROWS_WITH_TEXT(executor_from_name("gpu"), ArgumentError, "known: stepwise, chunkwise");
}

TEST_CASE("A parameter out of its range is named with its range and its value") {
  const double nan = std::nan("");
  CHECK(complaint({.rule = HebbRule{.learning_rate = -0.5}}) ==
        "[plasticity] learning_rate must be >= 0, got -0.5");
  CHECK(complaint({.rule = OjaRule{.learning_rate = -1e-9}}) ==
        "[plasticity] learning_rate must be >= 0, got -1e-09");
  CHECK(complaint({.rule = SangerRule{.learning_rate = nan}}) ==
        "[plasticity] learning_rate must be >= 0, got .nan");
  CHECK(complaint({.rule = OjaSubspaceRule{.learning_rate = kInfinity}}) ==
        "[plasticity] learning_rate must be >= 0, got .inf");
  for (const double decay : {-0.1, 1.5, nan}) {
    CHECK_SAYS(complaint({.rule = OjaRule{.decay = decay}}), "decay must be in [0, 1], got");
  }
  for (const double tau : {0.5, 0.0, -1.0, kInfinity}) {
    CHECK_SAYS(complaint({.rule = BcmRule{.tau = tau}}), "tau must be >= 1, got");
  }
  CHECK_SAYS(complaint({.rule = BcmRule{.theta = nan}}), "theta must be finite, got");
  for (const double bound : {0.0, -1.0, kInfinity}) {
    CHECK_SAYS(complaint({.control = {.normalization = Normalization::max_norm, .bound = bound}}),
               "bound must be > 0, got");
  }
  CHECK_SAYS(complaint({.control = {.homeostasis = Homeostasis{.target = nan}}}),
             "homeostasis target must be finite, got");
  CHECK_SAYS(complaint({.control = {.homeostasis = Homeostasis{.strength = -1}}}),
             "homeostasis strength must be >= 0, got");
  for (const std::int64_t chunk : {0, -3}) {
    CHECK_SAYS(complaint({.chunk = chunk}), "chunk must be >= 1, got");
  }
}

TEST_CASE("Parameters at the ends of their ranges are taken") {
  CHECK(complaint({.rule = HebbRule{.learning_rate = 0.0, .decay = 1.0}}) == "");
  CHECK(complaint({.rule = BcmRule{.tau = 1.0, .theta = -2.0}}) == "");
  CHECK(complaint({.control = {.homeostasis = Homeostasis{.target = -1, .strength = 0}}}) == "");
  CHECK(complaint({.chunk = 1}) == "");
}

TEST_CASE("learn refuses parameters out of range before it touches the weights") {
  const Array weights = weights64();
  CHECK_THROWS_WITH_TEXT(
      learn({.rule = HebbRule{.learning_rate = -1}}, weights, memory64(), samples64()),
      ArgumentError, "[plasticity] learning_rate");
  CHECK(weights.item({0, 0}) == 1.0);
}

TEST_CASE("learn says which shape it expected and which it got") {
  CHECK_THROWS_WITH_TEXT(learn({}, ones({5}, DType::float64), memory64(), samples64()), ShapeError,
                         "[learn] weights must be [outputs, inputs], got [5]");
  CHECK_THROWS_WITH_TEXT(learn({}, weights64(), memory64(), ones({4, 5}, DType::float64)),
                         ShapeError,
                         "[learn] samples must be [streams, ticks, inputs], got [4, 5]");
  CHECK_THROWS_WITH_TEXT(learn({}, weights64(), memory64(), ones({1, 4, 6}, DType::float64)),
                         ShapeError, "[learn] samples must have shape [1, 4, 5], got [1, 4, 6]");
  CHECK_THROWS_WITH_TEXT(learn({}, weights64(), zeros({4}, DType::float64), samples64()),
                         ShapeError, "[learn] memory must have shape [3], got [4]");
}

TEST_CASE("learn says which dtype it expected and which it got") {
  CHECK_THROWS_WITH_TEXT(learn({}, ones({3, 5}, DType::int32), memory64(), samples64()), DTypeError,
                         "[learn] weights must be float32 or float64, got int32");
  CHECK_THROWS_WITH_TEXT(learn({}, weights64(), memory64(), ones({1, 4, 5})), DTypeError,
                         "[learn] samples must be float64 like the weights, got float32");
  CHECK_THROWS_WITH_TEXT(learn({}, weights64(), zeros({3}), samples64()), DTypeError,
                         "[learn] memory must be float64 like the weights, got float32");
}

TEST_CASE("learn refuses weights and memory that it cannot change in place") {
  CHECK_THROWS_WITH_TEXT(
      learn({}, ones({5, 3}, DType::float64).transpose(), memory64(), samples64()), ShapeError,
      "[learn] weights is changed in place and must be contiguous");
  CHECK_THROWS_WITH_TEXT(
      learn({}, weights64(), ones({6}, DType::float64).slice(0, 0, {}, 2), samples64()), ShapeError,
      "[learn] memory is changed in place and must be contiguous");
}

TEST_CASE("learn answers with the weights before the update, and changes them in place") {
  const Array weights = array({{1, 0}, {0, 2}}, DType::float64);
  const Array shared = weights;  // a handle on the same elements
  const Array samples = array({{1, 1}, {2, 0}}, DType::float64).expand_dims(0);
  const Array answers =
      learn({.rule = HebbRule{.learning_rate = 0.5}}, weights, zeros({2}, DType::float64), samples);
  // Tick 0: y = (1, 2), W = [[1.5, .5], [1, 3]].  Tick 1: y = (3, 2), W += .5 y (2, 0).
  CHECK(answers.to_vector<double>() == std::vector<double>{1, 2, 3, 2});
  CHECK(shared.to_vector<double>() == std::vector<double>{4.5, 0.5, 3, 3});
}

TEST_CASE("learn takes a text that needs nothing but samples and weights") {
  const auto taught = [](const PlasticityRule& rule) {
    const Array weights = array({{1, 0}, {0, 2}}, DType::float64);
    const Array samples = array({{1, 1}, {2, 0}}, DType::float64).expand_dims(0);
    learn({.rule = rule}, weights, zeros({2}, DType::float64), samples);
    return weights.to_vector<double>();
  };
  CHECK(taught(EquationRule("dw = 0.5*y*x")) == std::vector<double>{4.5, 0.5, 3, 3});
  for (const char* const text :
       {"m = m + y\ndw = 0.5*m*x", "de = y*x\ndw = 0.5*e", "dw = 0.5*t*x", "dw = normal()*x"}) {
    CHECK_THROWS_WITH_TEXT(taught(EquationRule(text)), ArgumentError,
                           "carry something from tick to tick, needs room for it; make a "
                           "HebbianLayer with it");
  }
}

TEST_CASE("BCM answers and gains with its threshold before the update") {
  const Array weights = ones({1, 1}, DType::float64);
  const Array theta = array({0.5}, DType::float64);
  learn({.rule = BcmRule{.learning_rate = 0.1, .tau = 4.0}}, weights, theta,
        full({1, 1, 1}, 2.0, DType::float64));
  // y = 2: w = 1 + .1 * 2 * (2 - .5) * 2, theta = .5 + (4 - .5) / 4.
  CHECK(weights.item() == Approx(1.6).epsilon(1e-15));
  CHECK(theta.item() == Approx(1.375).epsilon(1e-15));
}

TEST_CASE("Homeostasis uses the answer of its own tick, and comes before the normalisation") {
  const Array weights = full({1, 1}, 2.0, DType::float64);
  const Plasticity plasticity{
      .rule = HebbRule{.learning_rate = 0.0},
      .control = {.homeostasis = Homeostasis{.target = 0.5, .strength = 0.1},
                  .normalization = Normalization::max_norm,
                  .bound = 1.6}};
  // y = 4: w = 2 exp(.1 (.5 - 4)) = 1.41, below the bound only after homeostasis.
  learn(plasticity, weights, zeros({1}, DType::float64), full({1, 1, 1}, 2.0, DType::float64));
  CHECK(weights.item() == Approx(2.0 * std::exp(-0.35)).epsilon(1e-14));
  // y = -3 w now: the factor is exp(.1 (.5 + 3 w)) > 1, and the bound cuts.
  learn(plasticity, weights, zeros({1}, DType::float64), full({1, 1, 1}, -3.0, DType::float64));
  CHECK(weights.item() == Approx(1.6).epsilon(1e-14));
}
