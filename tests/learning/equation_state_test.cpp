// SPDX-License-Identifier: MIT
/// Layers under rules that are text, beside loops that were written from their equations.
#include "../../src/learning/equation_state.h"

#include <cstring>
#include <random>

#include "../../src/array/create.h"
#include "../../src/core/parallel.h"
#include "../../src/formulas/equations/how_it_runs.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "equation_rules.h"

using namespace gaia;
using namespace gaia::test;

namespace {

struct Setting {
  int neurons = 11;
  int inputs = 37;
  int streams = 1;
  int ticks = 70;
  DType dtype = DType::float64;
  Executor executor = Executor::chunkwise;
  int chunk = 32;
  WeightControl control = {};
  std::optional<WeightBounds> bounds = {};
  bool learns = true;
  double events = 1.0;  ///< Of the input's numbers, from tick 20 on, the others being 0.
};

/// What a run of ticks leaves, by name, rows after rows.
using Outcome = std::map<std::string, Numbers>;

/// Samples, signals and weights of a case; those of float32 are numbers of float32.
struct Material {
  Rows w;
  std::vector<std::vector<Numbers>> x;  // [streams][ticks][inputs]
  std::map<std::string, Rows> columns;  // [streams][ticks]
};

Material material(const RuleCase& rule, const Setting& setting) {
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto number = [&](double value) {
    return setting.dtype == DType::float32 ? static_cast<double>(static_cast<float>(value)) : value;
  };
  Material made;
  made.w.assign(static_cast<std::size_t>(setting.neurons),
                Numbers(static_cast<std::size_t>(setting.inputs)));
  for (Numbers& row : made.w) {
    for (double& w : row) w = number(normal(random) / std::sqrt(setting.inputs));
  }
  made.x.resize(static_cast<std::size_t>(setting.streams));
  for (auto& stream : made.x) {
    stream.assign(static_cast<std::size_t>(setting.ticks),
                  Numbers(static_cast<std::size_t>(setting.inputs)));
    for (std::size_t t = 0; t < stream.size(); ++t) {
      for (double& x : stream[t]) {
        x = rule.spikes ? (uniform(random) < 0.2 ? 1.0 : 0.0) : number(0.5 * normal(random));
        if (setting.events < 1 && t >= 20 && uniform(random) > setting.events) x = 0.0;
      }
    }
  }
  const auto column = [&](const std::string& name, const auto& draw) {
    Rows& rows = made.columns[name];
    rows.assign(static_cast<std::size_t>(setting.streams),
                Numbers(static_cast<std::size_t>(setting.ticks)));
    for (Numbers& row : rows) {
      for (double& value : row) value = draw();
    }
  };
  for (const EquationSignalSource& signal : rule.options.signals) {
    if (signal.is_labels) {
      column("labels", [&] {
        return std::floor(uniform(random) * (setting.neurons + 1)) - 1.0;  // -1: none
      });
    }
    for (const std::string& name : signal.columns) {
      column(name, [&] { return number(normal(random)); });
    }
  }
  return made;
}

Outcome by_reference(const RuleCase& rule, const Setting& setting, const Material& data) {
  const EquationRule compiled(rule.equations, rule.options);
  ReferenceLayer layer;
  layer.rule = rule.rule;
  layer.w = data.w;
  layer.learns = setting.learns;
  if (setting.control.homeostasis) {
    layer.homeostasis_target = setting.control.homeostasis->target;
    layer.homeostasis_strength = setting.control.homeostasis->strength;
  }
  layer.normalization = to_string(setting.control.normalization);
  layer.bound = setting.control.bound;
  if (setting.bounds) {
    layer.bounded = true;
    layer.low = setting.bounds->low;
    layer.high = setting.bounds->high;
  }
  for (const auto& [name, tau] : rule.options.traces) {
    layer.trace_keeps[name] = std::exp(-1.0 / std::get<double>(tau));
  }
  TickOfStream stream;
  stream.neurons = setting.neurons;
  stream.inputs = setting.inputs;
  for (const auto& memory : compiled.program().memories) {
    stream.memory[memory.name].assign(data.w.size(), memory.initial);
  }
  for (const auto& [name, keep] : layer.trace_keeps) stream.trace[name].assign(data.w[0].size(), 0);
  stream.e.assign(data.w.size(), Numbers(data.w[0].size()));
  layer.streams.assign(static_cast<std::size_t>(setting.streams), stream);
  Outcome outcome;
  for (int t = 0; t < setting.ticks; ++t) {
    const auto tick = static_cast<std::size_t>(t);
    Rows x;
    for (std::size_t b = 0; b < layer.streams.size(); ++b) {
      x.push_back(data.x[b][tick]);
      for (const EquationSignalSource& signal : rule.options.signals) {
        Numbers& numbers = layer.streams[b].signals[signal.name];
        numbers.assign(data.w.size(), 0.0);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          if (signal.is_labels) {
            numbers[i] = data.columns.at("labels")[b][tick] == static_cast<double>(i) ? 1 : 0;
          } else {
            numbers[i] = data.columns.at(signal.columns[signal.is_list ? i : 0])[b][tick];
          }
        }
      }
    }
    layer.tick(x);
    for (std::size_t b = 0; b < layer.streams.size(); ++b) {
      Numbers& y = outcome["y " + std::to_string(b)];
      y.insert(y.end(), layer.streams[b].y.begin(), layer.streams[b].y.end());
    }
  }
  for (const Numbers& row : layer.w) {
    outcome["weights"].insert(outcome["weights"].end(), row.begin(), row.end());
  }
  for (const TickOfStream& s : layer.streams) {
    for (const auto& [name, values] : s.memory) {
      outcome[name].insert(outcome[name].end(), values.begin(), values.end());
    }
    for (const auto& [name, values] : s.trace) {
      Numbers& all = outcome["trace/" + name];
      all.insert(all.end(), values.begin(), values.end());
    }
    if (!compiled.program().has_eligibility) continue;
    for (const Numbers& row : s.e) {
      outcome["eligibility"].insert(outcome["eligibility"].end(), row.begin(), row.end());
    }
  }
  return outcome;
}

HebbianLayer layer_of(const RuleCase& rule, const Setting& setting) {
  return HebbianLayer(setting.inputs, setting.neurons,
                      {.rule = EquationRule(rule.equations, rule.options),
                       .control = setting.control,
                       .bounds = setting.bounds,
                       .executor = setting.executor,
                       .chunk = setting.chunk,
                       .dtype = setting.dtype});
}

Outcome by_gaia(const RuleCase& rule, const Setting& setting, const Material& data,
                std::vector<int> pieces) {
  HebbianLayer layer = layer_of(rule, setting);
  Numbers w;
  for (const Numbers& row : data.w) w.insert(w.end(), row.begin(), row.end());
  layer.set_weights(from_values(w, {setting.neurons, setting.inputs}).astype(setting.dtype));
  Outcome outcome;
  int first = 0;
  for (const int ticks : pieces) {
    Numbers x;
    for (const auto& stream : data.x) {
      for (int t = first; t < first + ticks; ++t) {
        const Numbers& row = stream[static_cast<std::size_t>(t)];
        x.insert(x.end(), row.begin(), row.end());
      }
    }
    TickSignals signals;
    for (const auto& [name, rows] : data.columns) {
      Numbers values;
      for (const Numbers& row : rows) {
        values.insert(values.end(), row.begin() + first, row.begin() + first + ticks);
      }
      signals[name] = from_values(values, {setting.streams, ticks});
    }
    layer.read_signals(signals);
    const Array y = layer.process(
        from_values(x, {setting.streams, ticks, setting.inputs}).astype(setting.dtype),
        setting.learns);
    const Numbers values = y.astype(DType::float64).to_vector<double>();
    for (int b = 0; b < setting.streams; ++b) {
      const auto n = static_cast<std::ptrdiff_t>(ticks * setting.neurons);
      Numbers& all = outcome["y " + std::to_string(b)];
      all.insert(all.end(), values.begin() + b * n, values.begin() + (b + 1) * n);
    }
    first += ticks;
  }
  for (const NamedArray& array : layer.arrays()) {
    if (array.name == "tick") continue;
    outcome[array.name] = array.value.astype(DType::float64).to_vector<double>();
  }
  return outcome;
}

/// The largest difference relative to the largest number, of all arrays.
double distance(const Outcome& a, const Outcome& b) {
  double worst = 0;
  REQUIRE(a.size() == b.size());
  for (const auto& [name, values] : b) {
    INFO(name);
    REQUIRE(a.count(name) == 1);
    const Numbers& others = a.at(name);
    REQUIRE(others.size() == values.size());
    double largest = 1e-30;
    double difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      REQUIRE(std::isfinite(values[i]));
      REQUIRE(std::isfinite(others[i]));
      largest = std::max(largest, std::abs(values[i]));
      difference = std::max(difference, std::abs(values[i] - others[i]));
    }
    worst = std::max(worst, difference / largest);
    CAPTURE(difference / largest);
  }
  return worst;
}

void compare(const RuleCase& rule, const Setting& setting, double tolerance) {
  const Material data = material(rule, setting);
  const Outcome expected = by_reference(rule, setting, data);
  const Outcome found = by_gaia(rule, setting, data, {setting.ticks - 29, 29});
  INFO(rule.name << ", " << setting.neurons << " neurons, " << setting.inputs << " inputs, "
                 << setting.streams << " streams, " << to_string(setting.executor) << " chunk "
                 << setting.chunk << ", " << to_string(setting.dtype));
  CHECK(distance(found, expected) < tolerance);
}

}  // namespace

TEST_CASE("Rules as text do what loops written from their equations do") {
  for (const int neurons : {11, 61}) {
    for (const RuleCase& rule : rule_cases(neurons)) {
      for (const int streams : {1, 3}) {
        for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
          Setting setting{.neurons = neurons, .streams = streams, .executor = executor};
          compare(rule, setting, 1e-12);
          setting.chunk = 7;
          compare(rule, setting, 1e-12);
          setting.dtype = DType::float32;
          compare(rule, setting, 2e-5);
        }
      }
    }
  }
}

TEST_CASE("Rules as text learn from events among zeros as from any samples") {
  for (const RuleCase& rule : rule_cases(61)) {
    for (const int streams : {1, 3}) {
      // Chunks with many events and with few.
      Setting setting{.neurons = 61, .inputs = 400, .streams = streams, .chunk = 16};
      setting.events = rule.spikes ? 0.2 : 0.04;
      compare(rule, setting, 1e-12);
      setting.dtype = DType::float32;
      compare(rule, setting, 2e-5);
      setting.control.homeostasis = Homeostasis{.target = 0.2, .strength = 0.01};
      setting.dtype = DType::float64;
      compare(rule, setting, 1e-11);
    }
  }
}

TEST_CASE("Rules as text leave weights alone where nothing learns, and what y depends on goes on") {
  for (const RuleCase& rule : rule_cases(61)) {
    for (const int streams : {1, 2}) {
      const Setting setting{.neurons = 61, .streams = streams, .learns = false};
      const Material data = material(rule, setting);
      Outcome expected = by_reference(rule, setting, data);
      Outcome found = by_gaia(rule, setting, data, {41, 29});
      // Memories on which y does not depend, and the eligibility, are not as in the loops.
      for (const std::string name : {"eligibility", "theta", "y_mean", "post", "g"}) {
        expected.erase(name);
        found.erase(name);
      }
      Numbers w;
      for (const Numbers& row : data.w) w.insert(w.end(), row.begin(), row.end());
      expected["weights"] = w;
      INFO(rule.name << ", " << streams << " streams");
      CHECK(distance(found, expected) < 1e-12);
    }
  }
}

TEST_CASE("Rules as text under homeostasis, normalisation and bounds") {
  for (const RuleCase& rule : rule_cases(61)) {
    for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
      Setting setting{.neurons = 61, .streams = 2, .executor = executor};
      setting.control.homeostasis = Homeostasis{.target = 0.2, .strength = 0.01};
      compare(rule, setting, 1e-11);
      setting.control.normalization = Normalization::max_norm;
      setting.control.bound = 0.9;
      compare(rule, setting, 1e-11);
      setting.control.homeostasis.reset();
      setting.control.normalization = Normalization::l2;
      compare(rule, setting, 1e-11);
      setting.streams = 1;
      compare(rule, setting, 1e-11);
      setting.control.normalization = Normalization::none;
      setting.bounds = WeightBounds{-0.1, 0.15};
      compare(rule, setting, 1e-11);
    }
  }
}

TEST_CASE("Rules as text give the same bits on any number of threads") {
  for (const RuleCase& rule : rule_cases(300)) {
    // A chunk's products are large enough to be shared.
    Setting setting{.neurons = 300, .inputs = 250, .dtype = DType::float32};
    const Material data = material(rule, setting);
    const auto run = [&](int threads) {
      const Threads these(threads);
      return by_gaia(rule, setting, data, {70});
    };
    const Outcome one = run(1);
    const Outcome three = run(3);
    INFO(rule.name);
    for (const auto& [name, values] : one) {
      INFO(name);
      // As bits: what has diverged is NaN in both.
      const Numbers& others = three.at(name);
      REQUIRE(values.size() == others.size());
      CHECK(std::memcmp(values.data(), others.data(), values.size() * sizeof(double)) == 0);
    }
  }
}

TEST_CASE("A rule runs through products where its class says so") {
  const auto why = [](const std::string& equations, const EquationSetting& setting = {},
                      EquationRuleOptions options = {}) {
    return why_stepwise(EquationRule(equations, std::move(options)).program(), setting);
  };
  CHECK(why("dw = 0.1*y*x").empty());
  CHECK(why("dw = 0.1*y*x*w") != "");
  CHECK(why("dw = 0.1*y*x", {.is_bounded = true}) == "bounds act on each weight by itself");
  CHECK(why("dw = 0.1*y*(x - back_upto(y))").empty());
  CHECK(why("dw = 0.1*y*(x - back_upto(y))", {.streams = 2}) ==
        "back is another sum for each stream of a batch");
  CHECK(why("de = y*x - e\ndw = 0.1*e - back_upto(y)") ==
        "an eligibility beside back is not carried along");
  CHECK(why("de = y*x - e\ndw = 0.1*e").empty());
  CHECK(why("de = y*x - e\ndw = 0.1*e", {.streams = 2}) ==
        "each stream of a batch has an eligibility of its own");
  CHECK(why("dw = 0.1*y*x + 0.01", {.control = {.normalization = Normalization::l2}}) ==
        "the length of weights that learn from more than samples is not carried along");
}
