// SPDX-License-Identifier: MIT
/// \file
/// Rules as text that chance has put together, in layers of chance sizes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"

namespace gaia::test {

/// The same numbers with every standard library.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  T of(const std::vector<T>& some) {
    return some[static_cast<std::size_t>(below(static_cast<int>(some.size())))];
  }
  /// A number of mean 0 and a size of about 1.
  double number() { return (below(1 << 20) + below(1 << 20)) * 0x1p-18 - 4.0; }
  std::vector<double> numbers(int count, double size) {
    std::vector<double> made;
    for (int i = 0; i < count; ++i) made.push_back(size * number());
    return made;
  }

 private:
  std::mt19937_64 engine_;
};

/// The lines of a rule.  Nothing that they say jumps where a number is rounded otherwise, but at
/// places that chance does not meet: so noise keeps neurons apart that are compared.
class ChanceText {
 public:
  explicit ChanceText(Chance& chance)
      : chance_(chance),
        memories_(chance.below(4)),
        traces_(chance.below(3)),
        has_eligibility_(chance.one_in(2)),
        goes_back_(chance.one_in(3)),
        crosses_(chance.one_in(2)) {}

  EquationRule rule() {
    for (int m = 0; m < memories_; ++m) {
      const std::string name = memory(m);
      line(name + " = " +
           (chance_.one_in(3) ? some_memory() : "0.5*" + name + " + 0.4*tanh(" + number(2) + ")"));
    }
    if (chance_.one_in(2)) {
      line("y = " +
           (memories_ > 0 && chance_.one_in(4) ? some_memory() : "tanh(" + number(2) + ")"));
    }
    if (memories_ > 0 && chance_.one_in(2)) line("m0 = 0.9*m0 + 0.1*y");
    const bool eligibility_first = chance_.one_in(2);
    const std::string of_eligibility = has_eligibility_ ? "de = 0.3*" + change() + " - e/3" : "";
    if (has_eligibility_ && eligibility_first) line(of_eligibility);
    std::string dw = "dw = 0.02*" + change() + (has_eligibility_ ? " + 0.05*e" : "");
    EquationRuleOptions options;
    for (int m = 0; m < memories_; ++m) {
      dw += " + 0.001*" + memory(m);
      options.memory.emplace_back(memory(m), 0.1 * m);
    }
    for (int k = 0; k < traces_; ++k) {
      dw += " + 0.001*" + trace(k);
      options.traces.emplace_back(trace(k), 2.0 + k);
    }
    line(dw);
    if (has_eligibility_ && !eligibility_first) line(of_eligibility);
    return EquationRule(text_, options);
  }

 private:
  static std::string memory(int m) { return "m" + std::to_string(m); }
  static std::string trace(int k) { return "q" + std::to_string(k); }
  std::string some_memory() { return memories_ > 0 ? memory(chance_.below(memories_)) : "z"; }
  void line(const std::string& one) { text_ += one + "\n"; }

  /// A sum of known vectors, or a function of vectors.
  std::string change() {
    if (chance_.one_in(2)) return "tanh(" + vector(chance_.one_in(5) ? 6 : 3) + ")";
    std::string sum = "(" + number(1) + "*" + vector(0);
    for (int i = chance_.below(4); i > 0; --i) sum += " + " + number(1) + "*" + vector(0);
    return sum + (chance_.one_in(3) ? " + " + number(0) : "") + ")";
  }

  std::string number(int depth) {
    if (depth == 0 || chance_.one_in(5)) {
      return chance_.of<std::string>({"z", "z", "y", "y", "0.7", "(0.01*t)", "(xx/n_in)",
                                      "(ww/n_in)", "uniform()", "normal()", "learning",
                                      some_memory()});
    }
    const auto inner = [&] { return number(depth - 1); };
    if (crosses_ && chance_.one_in(3)) {
      switch (chance_.below(4)) {
        case 0:
          return chance_.of<std::string>({"mean", "largest", "smallest"}) + "(" + inner() + ")";
        case 1:
          return "(sum(" + inner() + ")/n_out)";
        case 2:
          return "kwta(z + 0.1*normal() + 0.3*" + inner() + ", 1 + n_out/3)";
        default:
          return chance_.of<std::string>({"softmax", "winner", "0.1*rank"}) +
                 "(z + 0.1*normal() + 0.3*" + inner() + ")";
      }
    }
    return function(inner);
  }

  std::string vector(int depth) {
    if (depth == 0 || chance_.one_in(5)) {
      std::vector<std::string> known = {"x", "x", "w", "w"};
      if (has_eligibility_) known.emplace_back("e");
      if (traces_ > 0) known.push_back(trace(chance_.below(traces_)));
      if (goes_back_) known.push_back("back(" + number(1) + ")");
      if (goes_back_) known.push_back("back_upto(" + number(1) + ")");
      return chance_.of(known);
    }
    return function([&] { return chance_.one_in(4) ? number(1) : vector(depth - 1); });
  }

  template <class Inner>
  std::string function(const Inner& inner) {
    switch (chance_.below(7)) {
      case 0:
        return "(" + inner() + " + " + inner() + ")";
      case 1:
        return "(" + inner() + " - 0.5*" + inner() + ")";
      case 2:
        return "(" + inner() + "*" + inner() + ")";
      case 3:
        return chance_.of<std::string>({"tanh", "sigmoid", "relu", "abs"}) + "(" + inner() + ")";
      case 4:
        return chance_.of<std::string>({"min", "max"}) + "(" + inner() + ", " + inner() + ")";
      case 5:
        return "(1 + abs(" + inner() + "))^0.3";
      default:
        return "where(z > 0.1, " + inner() + ", " + inner() + ")";
    }
  }

  Chance& chance_;
  int memories_, traces_;
  bool has_eligibility_, goes_back_, crosses_;
  std::string text_;
};

/// Blocks of ticks of a layer.
struct ChanceRun {
  struct Block {
    int ticks;
    bool learns;
    bool begins_trial;
  };
  int neurons = 1, inputs = 1, streams = 1, ticks = 0;
  HebbianOptions options;
  std::vector<Block> blocks;
  bool by_tick = false;  ///< The samples of a tick's streams lie beside each other.
  std::vector<double> weights, samples;

  explicit ChanceRun(Chance& chance) : options{.rule = ChanceText(chance).rule()} {
    const std::vector<int> sizes = {1,  2,  3,  5,  7,   8,   9,   16,  17,  31,
                                    32, 33, 64, 65, 100, 129, 255, 257, 513, 1025};
    do {
      neurons = chance.of(sizes);
      inputs = chance.of(sizes);
      streams = chance.of<int>({1, 1, 2, 3, 33});
    } while (neurons * inputs * streams > 8000);
    options.activation = chance.of<Activation>(
        {Activation::linear, Activation::linear, Activation::tanh, Activation::softmax});
    options.dtype = DType::float64;
    options.executor = chance.one_in(2) ? Executor::stepwise : Executor::chunkwise;
    options.chunk = 1 + chance.below(8);
    options.random = {7, 3};
    options.control.normalization = chance.of<Normalization>(
        {Normalization::none, Normalization::none, Normalization::l2, Normalization::max_norm});
    if (options.control.normalization != Normalization::l2 && chance.one_in(4)) {
      options.control.homeostasis = Homeostasis{.target = 0.2, .strength = 0.01};
    }
    if (chance.one_in(4)) options.bounds = WeightBounds{-0.3, 0.25};
    for (int i = 1 + chance.below(4); i > 0; --i) {
      blocks.push_back({1 + chance.below(6), !chance.one_in(3), chance.one_in(6)});
      ticks += blocks.back().ticks;
    }
    by_tick = chance.one_in(3);
    weights = chance.numbers(neurons * inputs, 0.7 / std::sqrt(inputs));
    samples = chance.numbers(streams * ticks * inputs, 0.4);
  }

  /// All that is to be seen of it, on the current device.
  std::vector<std::vector<double>> played() const {
    HebbianLayer layer(inputs, neurons, options);
    layer.set_weights(from_values(weights, {neurons, inputs}));
    Array x = from_values(samples, {streams, ticks, inputs});
    if (by_tick) x = x.swapaxes(0, 1).contiguous().swapaxes(0, 1);
    std::vector<std::vector<double>> seen;
    int first = 0;
    for (const Block& block : blocks) {
      if (block.begins_trial) layer.reset_state();
      const Array part = x.slice(1, first, first + block.ticks);
      // Unguarded, since some texts of chance diverge.
      seen.push_back(layer.process_unguarded(part, block.learns).to_vector<double>());
      first += block.ticks;
    }
    for (const NamedArray& array : layer.arrays()) {
      seen.push_back(array.value.astype(DType::float64).to_vector<double>());
    }
    return seen;
  }
};

/// The largest difference relative to the largest number, infinite for NaN; 0 where the expected
/// ones grow without bound.
inline double distance(const std::vector<std::vector<double>>& found,
                       const std::vector<std::vector<double>>& expected) {
  REQUIRE(found.size() == expected.size());
  double worst = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    REQUIRE(found[k].size() == expected[k].size());
    double largest = 1e-3;
    double difference = 0;
    for (std::size_t i = 0; i < expected[k].size(); ++i) {
      if (!(std::abs(expected[k][i]) < 1e6)) return 0;
      largest = std::max(largest, std::abs(expected[k][i]));
      const double apart = std::abs(found[k][i] - expected[k][i]);
      if (std::isnan(apart)) return std::numeric_limits<double>::infinity();
      difference = std::max(difference, apart);
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

}  // namespace gaia::test
