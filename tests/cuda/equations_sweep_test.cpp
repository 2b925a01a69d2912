// SPDX-License-Identifier: MIT
/// \file
/// Rules as text that chance has put together, on the emulated GPU beside the CPU.
#include <cstdlib>
#include <random>

#include "../../cuda/equation_form.h"
#include "../../src/array/create.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../emulator/schedules.h"
#include "../support/catch.h"
#include "../support/emulated_device.h"

namespace gaia::test {
namespace {

using cuda::emulated::EquationKind;
using cuda::emulated::forced_equation_kind;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T, std::size_t N>
  T of(const T (&some)[N]) {
    return some[static_cast<std::size_t>(below(static_cast<int>(N)))];
  }
  double number() { return normal_(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

class RandomText {
 public:
  RandomText(Chance& chance, bool smooth) : chance_(chance), smooth_(smooth) {
    memories_ = chance_.below(4);
    traces_ = chance_.below(3);
    has_e_ = chance_.one_in(2);
    back_ = chance_.one_in(3);
    across_ = chance_.one_in(2);
    signals_ = chance_.below(2);
    for (int m = 0; m < memories_; ++m) names_.push_back("m" + std::to_string(m));
    std::string use;
    for (int m = 0; m < memories_; ++m) {
      if (chance_.one_in(3)) {
        line("m" + std::to_string(m) + " = m" + std::to_string(chance_.below(memories_)));
      } else {
        line("m" + std::to_string(m) + " = 0.5*m" + std::to_string(m) + " + 0.4*tanh(" +
             number(2) + ")");
      }
    }
    if (chance_.one_in(2)) {
      line(chance_.one_in(4) && memories_ > 0 ? std::string("y = m0")
                                              : "y = tanh(" + number(2) + ")");
    }
    if (memories_ > 0 && chance_.one_in(2)) line("m0 = m0*0.9 + 0.1*y");
    std::string extra;
    for (int k = 0; k < traces_; ++k) extra += " + 0.001*q" + std::to_string(k);
    for (const std::string& name : names_) extra += " + 0.001*" + name;
    if (signals_ > 0) extra += " + 0.01*r*x + 0.01*l";
    const bool change_first = chance_.one_in(2);
    if (has_e_ && !change_first) line("de = -e/3 + 0.3*" + change() + "");
    if (chance_.one_in(12) && has_e_) {
      line("dw = 0.05*e" + extra);
    } else {
      line("dw = 0.02*" + change() + (has_e_ ? " + 0.05*e" : "") + extra);
    }
    if (has_e_ && change_first) line("de = -e/3 + 0.3*" + change() + "");
  }
  std::string text;
  EquationRuleOptions options() {
    EquationRuleOptions made{.parameters = {{"rate", 0.3}}};
    for (int m = 0; m < memories_; ++m) {
      made.memory.push_back({"m" + std::to_string(m), 0.1 * m});
    }
    for (int k = 0; k < traces_; ++k) made.traces.push_back({"q" + std::to_string(k), 2.0 + k});
    if (signals_ > 0) {
      made.signals.push_back({.name = "r", .columns = {"column"}});
      made.signals.push_back({.name = "l", .is_labels = true});
    }
    if (text.find("rate") == std::string::npos) made.parameters.clear();
    return made;
  }

 private:
  void line(const std::string& one) { text += (text.empty() ? "" : "\n") + one; }
  std::string change() {
    if (chance_.one_in(2)) {  // sums
      std::string sum = "(" + number(1) + "*" + vector(0);
      const int more = chance_.below(4);
      for (int i = 0; i < more; ++i) sum += " + " + number(1) + "*" + vector(0);
      if (chance_.one_in(3)) sum += " + " + number(0);
      return sum + ")";
    }
    return "tanh(" + vector(3) + ")";
  }
  std::string number(int depth) {
    if (depth == 0 || chance_.one_in(5)) {
      switch (chance_.below(13)) {
        case 0:
        case 1:
        case 2:
          return "z";
        case 3:
        case 4:
          return "y";
        case 5:
          return "0.7";
        case 6:
          return "rate";
        case 7:
          return "(0.01*t)";
        case 8:
          return "(xx/n_in)";
        case 9:
          return chance_.one_in(2) ? "uniform()" : "normal()";
        case 10:
          return signals_ > 0 ? (chance_.one_in(2) ? "r" : "l") : "z";
        case 11:
          return "learning";
        default:
          return memories_ > 0 ? "m" + std::to_string(chance_.below(memories_)) : "z";
      }
    }
    const auto inner = [&] { return number(depth - 1); };
    switch (chance_.below(across_ ? 16 : 9)) {
      case 0:
      case 1:
        return "(" + inner() + " + " + inner() + ")";
      case 2:
        return "(" + inner() + " - 0.5*" + inner() + ")";
      case 3:
        return "(" + inner() + "*" + inner() + ")";
      case 4:
        return std::string(chance_.of({"tanh", "sigmoid", "relu", "abs"})) + "(" + inner() + ")";
      case 5:
        return std::string(chance_.of({"min", "max"})) + "(" + inner() + ", " + inner() + ")";
      case 6:
        return smooth_ ? "(" + inner() + "/(1 + abs(" + inner() + ")))"
                       : "where(" + inner() + " > " + inner() + ", " + inner() + ", " + inner() +
                             ")";
      case 7:
        return "(1 + abs(" + inner() + "))^0.3";
      case 8:
        return "exp(-abs(" + inner() + "))";
      case 9:
        return "(sum(" + inner() + ")/n_out)";
      case 10:
        return "mean(" + inner() + ")";
      case 11:
        return "largest(" + inner() + ")";
      case 12:
        return "smallest(" + inner() + ")";
      case 13:
        return "softmax(z + " + inner() + ")";
      case 14:
        return smooth_ ? "softmax(z)" : "(rank(z + 0.3*" + inner() + ")/n_out)";
      default:
        if (smooth_) return "mean(z)";
        return chance_.one_in(2) ? "kwta(z + 0.3*" + inner() + ", 1 + n_out/3)"
                                 : "winner(z + 0.3*" + inner() + ")";
    }
  }
  std::string vector(int depth) {
    if (depth == 0 || chance_.one_in(5)) {
      switch (chance_.below(8)) {
        case 0:
        case 1:
          return "x";
        case 2:
        case 3:
          return "w";
        case 4:
          return has_e_ ? "e" : "x";
        case 5:
          return traces_ > 0 ? "q" + std::to_string(chance_.below(traces_)) : "x";
        case 6:
          return back_ ? "back(" + number(1) + ")" : "w";
        default:
          return back_ ? "back_upto(" + number(1) + ")" : "x";
      }
    }
    const auto inner = [&] { return chance_.one_in(4) ? number(1) : vector(depth - 1); };
    switch (chance_.below(7)) {
      case 0:
      case 1:
        return "(" + inner() + " + " + inner() + ")";
      case 2:
        return "(" + inner() + " - 0.5*" + inner() + ")";
      case 3:
        return "(" + inner() + "*" + inner() + ")";
      case 4:
        return std::string(chance_.of({"tanh", "sigmoid", "relu", "abs"})) + "(" + inner() + ")";
      case 5:
        return std::string(chance_.of({"min", "max"})) + "(" + inner() + ", " + inner() + ")";
      default:
        return smooth_ ? "(1 + abs(" + inner() + "))^0.3"
                       : "where(" + inner() + " > " + inner() + ", " + inner() + ", " + inner() +
                             ")";
    }
  }

  Chance& chance_;
  bool smooth_;
  int memories_, traces_, signals_;
  bool has_e_, back_, across_;
  std::vector<std::string> names_;
};

struct Piece {
  int ticks;
  bool learns;
  bool resets;
};

using Seen = std::vector<std::vector<double>>;

std::string sweep_one(std::uint64_t seed) {
  Chance chance(seed);
  const bool is_double = !chance.one_in(3);
  RandomText text(chance, !is_double);
  constexpr int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127,
                           128, 129, 255, 256, 257, 300, 511, 513, 700, 1025, 2049};
  int neurons = 0, inputs = 0, streams = 0;
  do {
    neurons = chance.of(sizes);
    inputs = chance.of(sizes);
    streams = chance.of({1, 1, 1, 2, 3, 5, 33});
  } while (neurons * inputs * streams > 12000);
  HebbianOptions options{.rule = EquationRule(text.text, text.options()),
                         .activation = chance.of({Activation::linear, Activation::linear,
                                                  Activation::tanh, Activation::softmax,
                                                  Activation::relu}),
                         .dtype = is_double ? DType::float64 : DType::float32,
                         .random = {seed, 3}};
  options.executor = chance.one_in(2) ? Executor::stepwise : Executor::chunkwise;
  options.chunk = 1 + chance.below(8);
  if (chance.one_in(4)) options.control.homeostasis = Homeostasis{.target = 0.2, .strength = 0.01};
  if (chance.one_in(4)) options.control.normalization = Normalization::l2;
  if (chance.one_in(4)) {
    options.control.normalization = Normalization::max_norm;
    options.control.bound = 0.9;
  }
  if (chance.one_in(4)) options.bounds = WeightBounds{-0.3, 0.25};
  std::vector<Piece> pieces;
  for (int i = 1 + chance.below(4); i > 0; --i) {
    pieces.push_back({1 + chance.below(6), !chance.one_in(3), chance.one_in(6)});
  }
  int ticks = 0;
  for (const Piece& piece : pieces) ticks += piece.ticks;
  std::vector<double> w, x, column, labels;
  for (int i = 0; i < neurons * inputs; ++i) w.push_back(chance.number() / std::sqrt(inputs));
  const bool sparse = chance.one_in(3);
  const int view = chance.below(3);
  const auto total = streams * ticks * inputs;
  for (int i = 0; i < total; ++i) {
    x.push_back(sparse && !chance.one_in(8) ? 0.0 : 0.5 * chance.number());
  }
  for (int i = 0; i < streams * ticks; ++i) {
    column.push_back(chance.number());
    labels.push_back(chance.below(neurons + 1) - 1);
  }
  const auto play = [&](const DType dtype) {
    HebbianOptions own = options;
    own.dtype = dtype;
    HebbianLayer layer(inputs, neurons, own);
    layer.set_weights(from_values(w, {neurons, inputs}).astype(dtype));
    const Array all = from_values(x, {streams, ticks, inputs}).astype(dtype);
    Seen seen;
    int first = 0;
    for (const Piece& piece : pieces) {
      TickSignals signals;
      if (layer.signal_columns().size() > 0) {
        const GPUContext host(Device::cpu());
        const auto cut = [&](const std::vector<double>& from) {
          std::vector<double> values;
          for (int b = 0; b < streams; ++b) {
            values.insert(values.end(), from.begin() + b * ticks + first,
                          from.begin() + b * ticks + first + piece.ticks);
          }
          return from_values(values, {streams, piece.ticks});
        };
        signals["column"] = cut(column);
        signals["labels"] = cut(labels);
      }
      layer.read_signals(signals);
      if (piece.resets) layer.reset_state();
      Array samples = all.slice(1, first, first + piece.ticks);
      if (view == 1) samples = samples.contiguous();
      if (view == 2) samples = samples.swapaxes(0, 1).contiguous().swapaxes(0, 1);
      const Array y = layer.process(samples, piece.learns);
      seen.push_back(y.astype(DType::float64).to_vector<double>());
      first += piece.ticks;
    }
    for (const NamedArray& array : layer.arrays()) {
      seen.push_back(array.value.astype(DType::float64).to_vector<double>());
    }
    return seen;
  };
  const Seen expected = play(DType::float64);
  const Seen of_cpu = play(options.dtype);
  std::string what;
  const auto compare = [&](const Seen& found, const std::string& who, double tolerance) {
    if (found.size() != expected.size()) what += who + ": other arrays; ";
    for (std::size_t k = 0; k < expected.size(); ++k) {
      double scale = 0;
      for (const double value : expected[k]) {
        if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
      }
      if (found[k].size() != expected[k].size()) {
        what += who + ": other size; ";
        continue;
      }
      for (std::size_t i = 0; i < expected[k].size(); ++i) {
        const double a = found[k][i], b = expected[k][i];
        if (std::isnan(a) && std::isnan(b)) continue;
        if (a == b) continue;
        if (!(std::abs(a - b) <= tolerance * (1e-3 + scale))) {
          what += who + ": array " + std::to_string(k) + " of " +
                  std::to_string(expected.size()) + ", number " + std::to_string(i) + " is " +
                  std::to_string(a) + ", not " + std::to_string(b) + "; ";
          return;
        }
      }
    }
  };
  const double tolerance = is_double ? 1e-10 : 1e-3;
  compare(of_cpu, "cpu", is_double ? 1e-12 : tolerance);
  const EmulatedDevice emulated;
  const GPUContext scope(EmulatedDevice::device());
  const int kind = chance.below(4);
  if (kind < 3) forced_equation_kind() = static_cast<EquationKind>(kind);
  emulator::set_schedule(static_cast<emulator::Schedule>(chance.below(5)));
  compare(play(options.dtype), "gpu", tolerance);
  const Seen first = play(options.dtype);
  emulator::set_schedule(static_cast<emulator::Schedule>(chance.below(5)));
  const Seen second = play(options.dtype);
  for (std::size_t k = 0; k < first.size(); ++k) {
    for (std::size_t i = 0; i < first[k].size(); ++i) {
      const double a = first[k][i], b = second[k][i];
      if (a != b && !(a != a && b != b)) {
        what += "schedules: array " + std::to_string(k) + ", number " + std::to_string(i) + "; ";
        i = first[k].size() - 1;
      }
    }
  }
  emulator::set_schedule(emulator::Schedule::forward);
  forced_equation_kind().reset();
  if (what.empty()) return what;
  return "seed " + std::to_string(seed) + ": " + what + "\n  " + std::to_string(neurons) +
         " neurons, " + std::to_string(inputs) + " inputs, " + std::to_string(streams) +
         " streams, kind " + std::to_string(kind) + ", " + to_string(options.dtype) + ", " +
         to_string(options.activation) + ", norm " + to_string(options.control.normalization) +
         (options.control.homeostasis ? ", homeostasis" : "") +
         (options.bounds ? ", bounds" : "") + ", executor " + to_string(options.executor) +
         ", pieces " + std::to_string(pieces.size()) + "\n" + text.text + "\n";
}

}  // namespace

TEST_CASE("Rules as text that chance has put together are the CPU's on a GPU") {
  const char* const asked = std::getenv("GAIA_SWEEP");
  const char* const from = std::getenv("GAIA_SWEEP_FROM");
  const int count = asked == nullptr ? 100 : std::atoi(asked);
  const int begin = from == nullptr ? 0 : std::atoi(from);
  for (int seed = begin; seed < begin + count; ++seed) {
    std::string found;
    try {
      found = sweep_one(static_cast<std::uint64_t>(seed));
    } catch (const std::exception& error) {
      found = "seed " + std::to_string(seed) + " throws " + error.what();
      forced_equation_kind().reset();
    }
    INFO(found);
    CHECK(found.empty());
  }
}

}  // namespace gaia::test
