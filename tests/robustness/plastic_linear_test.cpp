// SPDX-License-Identifier: MIT
/// \file
/// A network of PlasticLinear layers over many steps of training: traces stay bounded, gradients
/// small, memory flat, and a training that is taken up again comes to the same bits.  GAIA v3.1's
/// guide asks for it: traces of at most 1.5 times their target, gradients below 100, less than
/// 100 MB more memory.
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/layers/network/plastic_linear.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/learning/losses.h"
#include "../../src/learning/optimisers.h"
#include "../support/catch.h"
#include "trials.h"

using namespace gaia;

namespace {

constexpr std::int64_t kInputs = 6;
constexpr std::int64_t kAnswers = 4;

/// Memory of this process that is in use, in KiB.
long memory_in_use() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  REQUIRE(file != nullptr);
  long total = 0;
  long resident = 0;
  const int read = std::fscanf(file, "%ld %ld", &total, &resident);
  std::fclose(file);
  REQUIRE(read == 2);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

struct Extremes {
  double fast = 0.0;
  double slow = 0.0;
  double gradient = 0.0;
  bool all_finite = true;
};

/// A model of a world that learns where an action leads.
class LongLearner {
 public:
  LongLearner()
      : optimiser_(
            [&] {
              net_.add<PlasticLinear>(kInputs, 32, options(1))
                  .add<TanhLayer>()
                  .add<PlasticLinear>(32, kAnswers, options(2));
              return net_.parameters();
            }(),
            AdamRule{.learning_rate = 1e-3}) {}

  void train(std::uint64_t first, std::uint64_t last, Extremes& extremes) {
    for (std::uint64_t step = first; step < last; ++step) {
      const Array x = random_normal({8, kInputs}, 0.0, 1.0, DType::float32, {81, step});
      // The target changes slowly, so that there is always something to learn.
      const double turn = std::sin(1e-3 * static_cast<double>(step));
      const Array target = tanh(x.slice(1, 0, kAnswers) + turn * x.slice(1, 2, 6));
      optimiser_.zero_grad();
      const Tensor loss = mse(net_(Tensor(x)), target);
      loss.backward();
      extremes.all_finite &= std::isfinite(loss.item());
      for (const auto& [name, layer] : plastic_linear_layers(net_)) {
        const PlasticLinearDiagnostics now = layer->diagnostics();
        extremes.fast = std::max(extremes.fast, now.fast_norm);
        extremes.slow = std::max(extremes.slow, now.slow_norm);
        extremes.gradient = std::max(extremes.gradient, now.gradient_norm);
      }
      optimiser_.step();
    }
  }

  struct State {
    ArrayMap net;
    ArrayMap optimiser;
  };
  State state() const {
    State state;
    for (const auto& [name, value] : net_.state()) state.net[name] = value.copy();
    for (const auto& [name, value] : optimiser_.state()) state.optimiser[name] = value.copy();
    return state;
  }
  void set_state(const State& state) {
    net_.set_state(state.net);
    optimiser_.set_state(state.optimiser);
  }

 private:
  static PlasticLinearOptions options(std::uint64_t stream) {
    return {.bias = true, .random = {80, stream}};
  }

  NeuralNetwork net_;
  Optimiser optimiser_;
};

}  // namespace

TEST_CASE("plastic layers stay bounded over many steps") {
  const auto most = static_cast<std::uint64_t>(gaia::test::trials("PLASTIC_STEPS", 6000));
  LongLearner learner;
  Extremes extremes;
  learner.train(0, most / 10, extremes);
  const long usual = memory_in_use();
  learner.train(most / 10, most / 2, extremes);
  const LongLearner::State half = learner.state();
  learner.train(most / 2, most, extremes);
  const long grown = memory_in_use() - usual;
  INFO(grown << " KiB more memory");
  CHECK(extremes.all_finite);
  CHECK(extremes.fast > 0.5);
  CHECK(extremes.fast <= 5.0 * (1.0 + 1e-6));
  CHECK(extremes.slow <= 5.0 * (1.0 + 1e-6));
  CHECK(extremes.gradient > 0.0);
  CHECK(extremes.gradient < 100.0);
  if (!gaia::test::kSanitized) CHECK(grown < 2 * 1024);

  LongLearner resumed;
  resumed.set_state(half);
  Extremes again;
  resumed.train(most / 2, most, again);
  const LongLearner::State expected = learner.state();
  for (const auto& [name, value] : resumed.state().net) {
    INFO(name);
    CHECK(value.to_vector<double>() == expected.net.at(name).to_vector<double>());
  }
  char text[200];
  std::snprintf(text, sizeof text,
                "fast trace at most %.4f, slow %.4f, gradient %.3f; %ld KiB more memory than after "
                "a tenth; from the middle on again the same bits",
                extremes.fast, extremes.slow, extremes.gradient, grown);
  gaia::test::tell_row("steps of training of plastic layers", static_cast<std::size_t>(most), text);
}
