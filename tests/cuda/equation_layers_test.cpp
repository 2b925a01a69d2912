// SPDX-License-Identifier: MIT
/// \file
/// Layers under rules that are text on the emulated GPU: what they cost in launches and copies, and
/// all of the language, trials and activations compared with the CPU.
#include <functional>

#include "../../src/array/create.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../emulator/machine.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"
#include "../support/near.h"

namespace gaia::test {
namespace {

constexpr int kNeurons = 11, kInputs = 13, kTicks = 9;

double wave(int i) { return 0.8 * std::sin(i * 1.7 + 0.3 * std::sin(i * 0.37)); }

Array waves(const Shape& shape, DType dtype = DType::float64) {
  std::vector<double> numbers;
  for (int i = 0; i < count_elements(shape); ++i) numbers.push_back(wave(i));
  return from_values(numbers, shape).astype(dtype);
}

/// A layer, and what is done with it.
struct Scene {
  HebbianOptions options;
  int neurons = kNeurons;
  std::function<void(HebbianLayer&, std::vector<std::vector<double>>&)> play;

  std::vector<std::vector<double>> played() const {
    HebbianLayer layer(kInputs, neurons, options);
    layer.set_weights(waves({neurons, kInputs}, options.dtype));
    std::vector<std::vector<double>> seen;
    play(layer, seen);
    for (const NamedArray& array : layer.arrays()) {
      seen.push_back(array.value.astype(DType::float64).to_vector<double>());
    }
    return seen;
  }

  /// Checks that a GPU shows what the CPU does; NaN where that has NaN.
  void check(double tolerance = 1e-12) const {
    const std::vector<std::vector<double>> expected = played();
    const OnEmulatedDevice emulated;
    const std::vector<std::vector<double>> found = played();
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      REQUIRE(found[k].size() == expected[k].size());
      for (std::size_t i = 0; i < found[k].size(); ++i) {
        INFO("array " << k << ", number " << i << ": " << found[k][i] << ", " << expected[k][i]);
        CHECK(std::isnan(found[k][i]) == std::isnan(expected[k][i]));
        if (std::isnan(found[k][i])) continue;
        CHECK(std::abs(found[k][i] - expected[k][i]) <= tolerance * (1 + std::abs(expected[k][i])));
      }
    }
  }
};

HebbianOptions options_of(const std::string& equations, EquationRuleOptions rule = {},
                          Activation activation = Activation::linear) {
  return {.rule = EquationRule(equations, std::move(rule)),
          .activation = activation,
          .dtype = DType::float64};
}

void process(HebbianLayer& layer, std::vector<std::vector<double>>& seen, int streams = 2,
             bool learns = true) {
  seen.push_back(layer.process(waves({streams, kTicks, kInputs}), learns).to_vector<double>());
}

void check_text(const std::string& equations, EquationRuleOptions rule = {}) {
  INFO(equations);
  Scene{.options = options_of(equations, std::move(rule)),
        .play = [](HebbianLayer& layer, auto& seen) { process(layer, seen); }}
      .check();
}

/// Launches of a block of ticks, once all is there.
std::int64_t launches_of_block(const std::string& equations, int neurons, int inputs, int ticks,
                               EquationRuleOptions rule = {}, bool learns = true) {
  const OnEmulatedDevice emulated;
  HebbianLayer layer(inputs, neurons, {.rule = EquationRule(equations, std::move(rule))});
  const Array x = waves({1, ticks, inputs}, DType::float32);
  layer.process(x, learns);
  const Array y = zeros({1, ticks, neurons});
  const std::int64_t before = emulator::launches();
  layer.process(x, learns, y);
  return emulator::launches() - before;
}

}  // namespace

TEST_CASE("A block of ticks under equations is one launch where neurons do not see each other") {
  const EquationRuleOptions rate{.parameters = {{"rate", 0.01}}};
  for (const int ticks : {1, 40}) {
    INFO(ticks << " ticks");
    CHECK(launches_of_block("dw = rate*y*(x - y*w)", 100, 60, ticks, rate) == 1);
    CHECK(launches_of_block("dw = rate*y*x*w*(1 - w)", 100, 60, ticks, rate) == 1);
    CHECK(launches_of_block("m = m + z\ndw = rate*m*q\nde = y*x - e/4", 100, 60, ticks,
                            {.parameters = {{"rate", 0.01}}, .traces = {{"q", 3.0}}}) == 1);
    CHECK(launches_of_block("y = tanh(z)\ndw = rate*x", 100, 60, ticks, rate, false) == 1);
    // Small layers whose neurons do.
    CHECK(launches_of_block("y = softmax(z)\ndw = rate*y*(x - w)", 20, 60, ticks, rate) == 1);
    CHECK(launches_of_block("dw = rate*y*(x - back(y))", 20, 60, ticks, rate) == 1);
  }
}

TEST_CASE("Large layers under equations whose neurons see each other take launches for a tick") {
  const EquationRuleOptions rate{.parameters = {{"rate", 0.01}}};
  CHECK(launches_of_block("y = softmax(z)\ndw = rate*y*(x - w)", 300, 300, 2, rate) == 2 * 2 + 1);
  CHECK(launches_of_block("dw = rate*y*(x - back(y))", 300, 300, 2, rate) == 2 * 2 + 1);
  CHECK(launches_of_block("y = winner(z)\ndw = rate*y*(x - back(y))", 300, 300, 2, rate) ==
        2 * 3 + 1);
  // What goes back is for learning alone.
  CHECK(launches_of_block("dw = rate*y*(x - back(y))", 300, 300, 2, rate, false) == 1);
}

TEST_CASE(
    "A block of ticks under equations needs less memory on a GPU than a copy of the weights") {
  const OnEmulatedDevice emulated;
  HebbianLayer layer(1000, 64, {.rule = EquationRule("dw = 0.01*y*x*w")});
  const Array x = waves({1, 3, 1000}, DType::float32);
  const Array y = layer.process(x, true);
  synchronize();
  reset_peak_memory();
  const MemoryStats before = memory_stats();
  const TransferStats copied = transfer_stats();
  layer.process(x, true, y);
  synchronize();
  CHECK(memory_stats().peak - before.used < 64 * 1000 * 4 / 4);
  CHECK(transfer_stats().bytes == copied.bytes);
}

TEST_CASE("What goes back under equations is kept on a GPU for threads that learn, and no others") {
  // 75 blocks drive the neurons, 5 learn; of 100 streams it does not fit into shared memory.
  constexpr int neurons = 600, inputs = 40, streams = 100;
  const OnEmulatedDevice emulated;
  HebbianLayer layer(inputs, neurons, {.rule = EquationRule("dw = 0.01*y*(x - back(y))")});
  const Array x = waves({streams, 1, inputs}, DType::float32);
  const Array y = layer.process(x, true);
  synchronize();
  reset_peak_memory();
  const std::int64_t before = memory_stats().used;
  layer.process(x, true, y);
  synchronize();
  constexpr std::int64_t numbers = streams * neurons * 8 * 4;  // 8 of a neuron and stream, or less
  constexpr std::int64_t kept = streams * 5 * 256 * 4;
  CHECK(memory_stats().peak - before < numbers + 2 * kept);
}

TEST_CASE("All functions of the language are the CPU's on a GPU, of numbers") {
  check_text("m = exp(z) + log(4 + z) + sqrt(4 + z) + abs(z) + sign(z)*floor(3*z)");
  check_text("m = tanh(z) + sigmoid(z) + relu(z) + min(z, 0.1) + max(z, y/2) - z^3/(z + 9)");
  check_text("m = (z + 9)^0.37 + 2^z + (z < 0.1) + 2*(z <= 0.2) + 4*(z > -0.1) + 8*(z >= 0)");
  check_text("m = (z == y) + 2*(z != y/2) + 4*(z > 0 and not y < 0.2) + 8*(z > 1 or 0)");
  check_text("m = where(z > 0, z, -2*z) + where(z > 0, 1, log(z - 100))");
  check_text("m = log(z)");  // NaN
  check_text(
      "m = sum(z) + mean(z^2) + largest(z) - smallest(z) + sum(1) + n_in + n_out + learning");
  check_text("m = largest(log(z)) + smallest(sqrt(z))");
  check_text("m = softmax(z) + 10*rank(z) + 100*winner(z) + kwta(z, 3) + kwta(z, 2.5)");
  check_text("m = rank(floor(z)) + 100*kwta(floor(2*z), 4) + 10*winner(floor(z))");  // ties
  check_text("m = rank(sqrt(z))\nk = kwta(sqrt(z), 4)\nv = winner(sqrt(z))");        // NaN
  check_text("m = kwta(z, 1 + rank(z)) + 3*kwta(z, 4*(z > 0))");  // a k for each neuron
  check_text("m = winner(2*z - ww - xx)\nn = ww\ndw = 0.1*m*(x - w) + 0.01*ww*w");
  check_text("m = t + xx + n\nn = n + 0.5*m*rate",
             {.parameters = {{"rate", 0.1}}, .memory = {{"n", 2}}});
  check_text("v = 0.5*v + sum(v)/9 + z\ny = softmax(v)\nq = q + mean(y*q) + 1");
}

TEST_CASE("All functions of the language are the CPU's on a GPU, of vectors") {
  check_text("dw = 0.01*(exp(w) + log(4 + x) + sqrt(4 + w) + abs(x) + sign(w)*floor(3*x))");
  check_text("dw = 0.01*(tanh(w) + sigmoid(x) + relu(w) + min(w, x) + max(w, y) - w^3/(w + 9))");
  check_text("dw = 0.01*((w + 9)^0.37 + 2^x + (w < x) + 2*(w <= 0.2) + (x > w) + (x >= 0))");
  check_text("dw = 0.01*((w == x) + (w != y) + (w > 0 and not x < 0.2) + (w > x or 0))");
  check_text("dw = 0.01*where(w > 0, y*x, w) + 0.01*where(x > 0, 1, log(x - 100))");
  check_text("dw = 0.01*where(z > 0, x, w)*y + 0.01*mean(y)");
  check_text("dw = 0.001");
  check_text("dw = 0.01*z");
  check_text("de = 0.1*z\ndw = 0.1*e");
  check_text("dw = 0.01*tanh(e)*w\nde = -0.1*e + y*x*w");
  check_text("dw = 0.01*e\nde = x*x - e*e + pre*w", {.traces = {{"pre", 4.0}}});
  check_text("dw = 0.01*y*tanh(x - back(y)) + 0.001*back_upto(z)*w*pre",
             {.traces = {{"pre", 4.0}}});
  check_text("dw = 0.01*(back(1) + back_upto(y)*z - back_upto(2)*0.1 + back(z > 0)*y)");
}

TEST_CASE("Trials under equations begin on a GPU as on the CPU") {
  for (const bool across : {false, true}) {
    for (const char* const text :
         {"m = 0.9*m + y\nde = y*x - e/3\ndw = 0.01*m*e + 0.01*t*pre",
          "m = 0.9*m + winner(z)\nde = y*x - e/3\ndw = 0.01*m*e + 0.01*t*pre*back(y)"}) {
      INFO(text << ", " << across);
      Scene{.options = options_of(
                text,
                {.memory = {{"m", 0.3}}, .traces = {{"pre", 4.0}}, .memory_across_trials = across}),
            .play =
                [](HebbianLayer& layer, auto& seen) {
                  process(layer, seen);
                  process(layer, seen, 2, false);
                  layer.reset_state();
                  process(layer, seen);
                  process(layer, seen);
                }}
          .check(1e-11);
    }
  }
}

TEST_CASE("Activations beside equations are the CPU's on a GPU") {
  for (const Activation activation : kActivations) {
    if (activation == Activation::linear) continue;  // which the other tests have
    for (const char* const text : {"dw = 0.01*y*(x - w)", "m = 0.5*m + y\ny = m\ndw = 0.01*m*x"}) {
      for (const int neurons : {kNeurons, 1}) {
        INFO(text << ", " << to_string(activation));
        Scene{.options = options_of(text, {}, activation),
              .neurons = neurons,
              .play = [](HebbianLayer& layer, auto& seen) { process(layer, seen); }}
            .check();
      }
    }
  }
}

TEST_CASE("A layer under equations moves to a GPU and back with all that it carries") {
  Scene scene{.options = options_of("m = 0.9*m + y\nde = y*x - e/3\ndw = 0.01*m*e + 0.01*t*pre",
                                    {.traces = {{"pre", 4.0}}}),
              .play = [](HebbianLayer& layer, auto& seen) { process(layer, seen, 1); }};
  const EmulatedDevice emulated;
  const auto played = [&](bool moves) {
    HebbianLayer layer(kInputs, kNeurons, scene.options);
    layer.set_weights(waves({kNeurons, kInputs}));
    std::vector<std::vector<double>> seen;
    for (int i = 0; i < 4; ++i) {
      const GPUContext scope(moves && i % 2 == 1 ? EmulatedDevice::device() : Device::cpu());
      process(layer, seen, 1);
    }
    return seen;
  };
  const std::vector<std::vector<double>> expected = played(false);
  const std::vector<std::vector<double>> found = played(true);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    for (std::size_t i = 0; i < expected[k].size(); ++i) {
      CHECK(found[k][i] == Approx(expected[k][i]).margin(1e-12));
    }
  }
}

}  // namespace gaia::test
