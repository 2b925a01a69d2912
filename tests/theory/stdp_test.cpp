// SPDX-License-Identifier: MIT
/// \file
/// Pair STDP: its window, and where weights drift under Poisson spikes.  Song, Miller & Abbott
/// (2000), Nat. Neurosci. 3, 919-926.
#include <cmath>

#include "../../src/hierarchy/manager.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;

namespace {

constexpr double kRate = 0.001;
constexpr double kPlus = 1.0;
constexpr double kMinus = 1.05;
constexpr double kTauPlus = 17.0;
constexpr double kTauMinus = 34.0;

EquationRule pair_stdp() {
  return EquationRule(
      "y = spike\n"
      "post = exp(-1/tau_minus)*post + y\n"
      "dw = rate*(a_plus*y*pre - a_minus*post*x)",
      {.parameters = {{"rate", kRate},
                      {"a_plus", kPlus},
                      {"a_minus", kMinus},
                      {"tau_plus", kTauPlus},
                      {"tau_minus", kTauMinus}},
       .traces = {{"pre", std::string("tau_plus")}},
       .signals = {{.name = "spike", .columns = {"post"}}}});
}

/// What weights of 0 become when the inputs spike as `x` [steps, n] says and the neuron as `post`
/// [steps].
std::vector<double> learnt(const Array& x, const Array& post) {
  const std::int64_t n = x.shape(1);
  HierarchyManager hierarchy;
  HierarchicalLevel level(0, n, 1);
  HebbianLayer layer(n, 1, {.rule = pair_stdp(), .dtype = DType::float64});
  layer.set_weights(zeros({1, n}, DType::float64));
  level.add_layer(std::move(layer));
  hierarchy.add_level(std::move(level));
  hierarchy.process_hierarchy(x, {.learn = true, .signals = {{"post", post}}});
  return dynamic_cast<const HebbianLayer&>(hierarchy.level(0).layer(0))
      .weights()
      .to_vector<double>();
}

/// [steps, n]: 1 with the probability of the column, else 0.
Array spikes(std::int64_t steps, const std::vector<double>& rates, std::uint64_t seed) {
  std::vector<double> u(static_cast<std::size_t>(steps) * rates.size());
  RandomStream::named(seed, "spikes").uniforms(0, u);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = u[i] < rates[i % rates.size()] ? 1.0 : 0.0;
  return from_values(u, {steps, static_cast<std::int64_t>(rates.size())});
}

}  // namespace

TEST_CASE("a pair of spikes changes a weight by the window of STDP") {
  constexpr std::int64_t kMost = 60;  // ticks, the longest lag
  constexpr std::int64_t kSteps = 4 * kMost;
  std::vector<double> x(static_cast<std::size_t>(kSteps * (2 * kMost + 1)), 0.0);
  std::vector<double> post(static_cast<std::size_t>(kSteps), 0.0);
  post[2 * kMost] = 1.0;
  for (std::int64_t lag = -kMost; lag <= kMost; ++lag) {  // from the input's spike to the neuron's
    const std::int64_t row = 2 * kMost - lag;
    x[static_cast<std::size_t>(row * (2 * kMost + 1) + lag + kMost)] = 1.0;
  }
  const std::vector<double> w =
      learnt(from_values(x, {kSteps, 2 * kMost + 1}), from_values(post, {kSteps}));
  for (std::int64_t lag = -kMost; lag <= kMost; ++lag) {
    INFO(lag);
    const auto d = static_cast<double>(lag);
    const double window = lag > 0   ? kPlus * std::exp(-d / kTauPlus)
                          : lag < 0 ? -kMinus * std::exp(d / kTauMinus)
                                    : kPlus - kMinus;
    CHECK(w[static_cast<std::size_t>(lag + kMost)] == Approx(kRate * window).epsilon(1e-12));
  }
}

TEST_CASE("under Poisson spikes weights drift as rates and window say") {
  constexpr std::int64_t kSteps = 400000;
  const std::vector<double> rates = {0.02, 0.05, 0.1};
  constexpr double kOut = 0.04;
  const std::vector<double> w =
      learnt(spikes(kSteps, rates, 1), spikes(kSteps, {kOut}, 2).reshape({kSteps}));
  const double area =
      kPlus / (1.0 - std::exp(-1.0 / kTauPlus)) - kMinus / (1.0 - std::exp(-1.0 / kTauMinus));
  for (std::size_t j = 0; j < rates.size(); ++j) {
    INFO(j);
    const double drift = kRate * rates[j] * kOut * area;
    // The standard deviation over seeds is at most 2 %, by a program of its own.
    CHECK(w[j] / static_cast<double>(kSteps) == Approx(drift).epsilon(0.05));
  }
}
