// SPDX-License-Identifier: MIT
/// \file
/// Chains of slower numbers behind weights, compared with loops in float64, by every executor; and
/// what they are for, memories that fade as slowly as the paper says.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../cpu/equations.h"
#include "../../src/core/parallel.h"
#include "../../src/formulas/equations/how_it_runs.h"
#include "../../src/learning/rule_execution.h"
#include "../support/catch.h"
#include "../support/complaint.h"
#include "../support/devices.h"
#include "../support/long_tests.h"
#include "equation_runs.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr SynapseChain kChain{.length = 4, .ratio = 1.7, .rate = 0.3};

std::vector<RuleCase> learning_cases(int neurons) {
  std::vector<RuleCase> cases = rule_cases(neurons);
  std::erase_if(cases, [](const RuleCase& rule) {
    return !EquationRule(rule.equations, rule.options).program().dw;
  });
  return cases;
}

/// What is left of a write of 1, at ages 1, 2, ..., `ticks`, in a weight with a chain or a decay.
Numbers responses(std::optional<SynapseChain> chain, double tau, int ticks) {
  const std::string decay = tau > 0 ? " - w/" + std::to_string(tau) : "";
  HebbianLayer layer(1, 1,
                     {.rule = EquationRule("dw = (t == 0)*x" + decay),
                      .init = Init::zeros,
                      .chain = chain,
                      .dtype = DType::float64});
  Numbers answers =
      layer.process(ones({1, ticks + 1, 1}, DType::float64), true).to_vector<double>();
  answers.erase(answers.begin());  // that of the tick that writes
  return answers;
}

/// Signal to noise of a memory by its age, kept by 20 000 synapses to which each tick writes an
/// independent 1 or -1: the noise is what all writes before and after leave.
Numbers signal_to_noise(Numbers response) {
  double noise = 0;
  for (const double r : response) noise += r * r;
  for (double& r : response) r *= std::sqrt(20000 / noise);
  return response;
}

double slope(const Numbers& of_age, int from, int to) {
  const auto at = [&](int age) { return of_age[static_cast<std::size_t>(age - 1)]; };
  return std::log(at(to) / at(from)) / std::log(static_cast<double>(to) / from);
}

/// Writes until a memory is below its noise.
std::ptrdiff_t life(const Numbers& of_age) {
  return std::ranges::find_if(of_age, [](double s) { return s < 1; }) - of_age.begin();
}

}  // namespace

TEST_CASE("A chain behind each weight does what loops written from the paper's equation do") {
  for (const int neurons : {11, 70}) {  // 70 are several tasks
    EveryNth some(neurons > 11 ? 13 : 5);
    for (const RuleCase& rule : learning_cases(neurons)) {
      for (const int streams : {1, 3}) {
        for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
          for (const int chunk : {1, 7, 32, 1000}) {
            if (executor == Executor::stepwise && chunk != 7) continue;
            if (!some.takes_next()) continue;
            RuleSetting setting{
                .neurons = neurons, .streams = streams, .executor = executor, .chunk = chunk};
            setting.chain = kChain;
            compare(rule, setting, 1e-12);
            setting.dtype = DType::float32;
            compare(rule, setting, 5e-5);
          }
        }
      }
    }
  }
}

TEST_CASE("A chain of two, a long one, and one with many inputs move as they say") {
  const std::vector<RuleCase> cases = learning_cases(11);
  for (const std::int64_t length : {std::int64_t{2}, std::int64_t{12}, SynapseChain::kLongest}) {
    for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
      for (const int inputs : {1, 300}) {
        RuleSetting setting{.neurons = 11, .inputs = inputs, .ticks = 40, .executor = executor};
        setting.spread = 0.5 / std::sqrt(inputs);
        setting.chain = SynapseChain{.length = length};
        compare(cases.front(), setting, 1e-12);
      }
    }
  }
}

TEST_CASE("A chain moves before homeostasis, normalisation and bounds, which change w alone") {
  for (const RuleCase& rule : learning_cases(11)) {
    RuleSetting setting{.neurons = 11};
    setting.chain = kChain;
    under_each_control(setting, [&](const RuleSetting& under) { compare(rule, under, 1e-11); });
  }
}

TEST_CASE("A chain stays as it is where nothing learns, and over trials and moves") {
  const auto chained = [](const HebbianLayer& layer) {
    Numbers all;
    for (const NamedArray& array : layer.arrays()) {
      if (array.role != NamedArray::Role::synapse) continue;
      const Numbers values = array.value.to_vector<double>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const Array x = random_normal({1, 40, 6}, 0.0, 0.4, DType::float64, {3, 1});
  HebbianLayer layer(
      6, 5,
      {.rule = EquationRule("dw = 0.05*y*(x - y*w)"), .chain = kChain, .dtype = DType::float64});
  CHECK(chained(layer) == Numbers(3 * 5 * 6, 0.0));
  layer.process(x, true);
  const Numbers learnt = chained(layer);
  CHECK(std::ranges::all_of(learnt, [](double u) { return u != 0; }));
  layer.process(x, false);
  CHECK(chained(layer) == learnt);
  layer.reset_state();
  CHECK(chained(layer) == learnt);
  // A copy goes on by itself.
  const std::unique_ptr<Layer> twin = layer.clone();
  twin->process(x, true);
  CHECK(chained(layer) == learnt);
  CHECK(chained(dynamic_cast<const HebbianLayer&>(*twin)) != learnt);
  // A call that fails changes nothing.
  Array spoilt = x.copy();
  spoilt.slice(1, 39, 40).fill(std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(layer.process(spoilt, true), ArgumentError);
  CHECK(chained(layer) == learnt);
}

TEST_CASE("A chain beside what goes back to the inputs runs stepwise, and is the same") {
  for (const char* const text : {"dw = rate*y*(x - back(y))", "dw = rate*y*(x - back_upto(y))"}) {
    const bool upto = std::string(text).find("upto") != std::string::npos;
    const RuleCase rule{text, text, {.parameters = {{"rate", 0.02}}}, [upto](TickOfStream& s) {
                          s.y = s.z;
                          s.each([&](std::size_t i, std::size_t j) {
                            const int last = upto ? static_cast<int>(i) : s.neurons - 1;
                            double back = 0;
                            for (int k = 0; k <= last; ++k) {
                              const auto row = static_cast<std::size_t>(k);
                              back += s.y[row] * (*s.w)[row][j];
                            }
                            s.dw[i][j] = 0.02 * s.y[i] * (s.x[j] - back);
                          });
                        }};
    for (const int streams : {1, 3}) {
      RuleSetting setting{.neurons = 11, .streams = streams};
      setting.chain = kChain;
      compare(rule, setting, 1e-12);
    }
  }
}

DEVICE_TEST_CASE("A chain is the same on each device") {
  EveryNth second(2);
  for (const RuleCase& rule : learning_cases(11)) {
    for (const int streams : {1, 3}) {
      if (!second.takes_next()) continue;
      RuleSetting setting{.neurons = 11, .streams = streams, .ticks = 35};
      setting.chain = kChain;
      compare(rule, setting, 1e-12);
    }
  }
}

TEST_CASE("A chain is the same to the bit for any number of threads") {
  for (const char* const text :
       {"dw = 0.01*y*(x - y*w)", "y = softmax(z)\ndw = 0.01*y*(x - w)", "dw = 0.01*y*x*w"}) {
    std::vector<Numbers> seen;
    for (const int threads : {1, 2, 5}) {
      const Threads these(threads);
      HebbianLayer layer(200, 130, {.rule = EquationRule(text), .chain = kChain, .random = {7, 1}});
      layer.process(random_normal({1, 100, 200}, 0.0, 0.1, DType::float32, {3, 1}), true);
      Numbers all;
      for (const NamedArray& array : layer.arrays()) {
        const Numbers values = array.value.astype(DType::float64).to_vector<double>();
        all.insert(all.end(), values.begin(), values.end());
      }
      seen.push_back(all);
    }
    INFO(text);
    CHECK(seen[0] == seen[1]);
    CHECK(seen[0] == seen[2]);
  }
}

TEST_CASE("A layer says whether its chains run chunkwise, and does as it says") {
  const auto why = [](const std::string& equations, EquationSetting setting = {}) {
    setting.has_chain = true;
    return why_stepwise(EquationRule(equations).program(), setting);
  };
  CHECK(why("dw = 0.1*y*(x - y*w) + 0.1").empty());
  CHECK(why("y = softmax(z)\ndw = 0.1*y*x", {.streams = 3}).empty());
  CHECK(why("dw = 0.1*y*x*w") != "");
  CHECK(why("dw = 0.1*y*x", {.is_bounded = true}) == "bounds act on each weight by itself");
  CHECK(why("dw = 0.1*y*x", {.control = {.normalization = Normalization::l2}}) ==
        "normalization and homeostasis change the weights that a chain reads");
  CHECK(why("de = y*x - e\ndw = 0.1*e") == "an eligibility beside a chain is not carried along");
  CHECK(why("dw = 0.1*y*(x - back(y))") == "what goes back beside a chain is not carried along");
  CHECK(why("dw = 0.1*ww*x") == "the length of weights with a chain is not carried along");
  for (const char* const text : {"dw = 0.01*y*(x - y*w)", "dw = 0.01*y*x*w"}) {
    HebbianLayer layer(9, 6, {.rule = EquationRule(text), .chain = kChain, .chunk = 7});
    const cpu::EquationSweeps& count = cpu::equation_sweeps();
    const std::int64_t stepwise = count.stepwise, chunkwise = count.chunkwise;
    layer.process(zeros({1, 70, 9}), true);
    const bool says =
        execution_of({.plasticity = layer.plasticity(), .chain_length = kChain.length}).executor ==
        "chunkwise";
    CHECK(count.chunkwise - chunkwise == (says ? 10 : 0));
    CHECK(count.stepwise - stepwise == (says ? 0 : 70));
    const auto told = layer.attributes();
    CHECK(std::find(told.begin(), told.end(),
                    std::pair<std::string, std::string>(
                        "executor", says ? "chunkwise" : "stepwise")) != told.end());
  }
}

TEST_CASE("What a chain cannot be is told with the way out") {
  const auto complaint = [](const PlasticityRule& rule, const SynapseChain& chain) {
    return complaint_of<ArgumentError>([&] { HebbianLayer(3, 2, {.rule = rule, .chain = chain}); });
  };
  const EquationRule rule("dw = 0.01*y*x");
  CHECK(complaint(OjaRule{}, {}).find("write the rule as its text") != std::string::npos);
  CHECK(complaint(EquationRule("m = y"), {}).find("with a dw") != std::string::npos);
  CHECK(complaint(rule, {.length = 1}).find("length must be 2 to 32, got 1") != std::string::npos);
  CHECK(complaint(rule, {.length = 33}).find("got 33") != std::string::npos);
  CHECK(complaint(rule, {.ratio = 0.9}).find("ratio must be >= 1") != std::string::npos);
  CHECK(complaint(rule, {.rate = 0.6}).find("rate must be in (0, 0.5]") != std::string::npos);
}

TEST_CASE("Memories in a chain fade as the inverse root of their age, those of a decay at once") {
  // The slope of the logarithm of signal to noise over that of age (Benna & Fusi 2016).
  const Numbers chained = signal_to_noise(responses(SynapseChain{}, 0, 20000));
  CHECK(slope(chained, 30, 300) == Approx(-0.5).margin(0.05));
  CHECK(slope(chained, 300, 3000) == Approx(-0.5).margin(0.05));
  CHECK(chained[0] > 30);
  CHECK(life(chained) > 1900);
  // A short chain, up to the age that it reaches.
  const Numbers shorter = signal_to_noise(responses(SynapseChain{.length = 4}, 0, 2000));
  CHECK(slope(shorter, 6, 60) == Approx(-0.5).margin(0.05));
  // A decay is strong at first or lasts, not both.
  for (const double tau : {10.0, 100.0, 1000.0}) {
    const Numbers decayed = signal_to_noise(responses({}, tau, 20000));
    CHECK(slope(decayed, 30, 300) ==
          Approx(270 * std::log(1 - 1 / tau) / std::log(10)).margin(1e-6));
    CHECK(life(decayed) < life(chained));
    if (tau > 10) CHECK(decayed[0] < 0.65 * chained[0]);
  }
}
