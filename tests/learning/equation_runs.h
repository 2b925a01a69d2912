// SPDX-License-Identifier: MIT
/// \file
/// Layers under the rules of equation_rules.h, run by gaia on the current device and as loops.
#pragma once

#include <random>

#include "../../src/array/create.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../support/catch.h"
#include "equation_rules.h"

namespace gaia::test {

struct RuleSetting {
  int neurons = 11;
  int inputs = 37;
  int streams = 1;
  int ticks = 70;
  DType dtype = DType::float64;
  Executor executor = Executor::chunkwise;
  int chunk = 32;
  WeightControl control = {};
  std::optional<WeightBounds> bounds = {};
  std::optional<SynapseChain> chain = {};
  bool learns = true;
  RandomStream random = {9, 4};
  double events = 1.0;  ///< Share of the input's numbers from tick 20 on, the others being 0.
  double spread = 0.5;  ///< Standard deviation of the input's numbers, where they are no spikes.
};

/// Runs test(setting) under homeostasis, alone and with a norm that is bounded, under unit length
/// and under bounds.
template <class Test>
void under_each_control(RuleSetting setting, const Test& test) {
  setting.control.homeostasis = Homeostasis{.target = 0.2, .strength = 0.01};
  test(setting);
  setting.control.normalization = Normalization::max_norm;
  setting.control.bound = 0.9;
  test(setting);
  setting.control.homeostasis.reset();
  setting.control.normalization = Normalization::l2;
  test(setting);
  setting.control.normalization = Normalization::none;
  setting.bounds = WeightBounds{-0.1, 0.15};
  test(setting);
}

/// What a run of ticks leaves, by name, rows after rows.
using RuleOutcome = std::map<std::string, Numbers>;

/// Samples, signals and weights of a case; those of float32 are numbers of float32.
struct RuleMaterial {
  Rows w;
  std::vector<std::vector<Numbers>> x;  // [streams][ticks][inputs]
  std::map<std::string, Rows> columns;  // [streams][ticks]
};

inline RuleMaterial material(const RuleCase& rule, const RuleSetting& setting) {
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto number = [&](double value) {
    return setting.dtype == DType::float32 ? static_cast<double>(static_cast<float>(value)) : value;
  };
  RuleMaterial made;
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
        x = rule.spikes ? (uniform(random) < 0.2 ? 1.0 : 0.0)
                        : number(setting.spread * normal(random));
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

inline RuleOutcome by_reference(const RuleCase& rule, const RuleSetting& setting,
                                const RuleMaterial& data) {
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
  if (setting.chain) {
    layer.chain.assign(static_cast<std::size_t>(setting.chain->length - 1),
                       Rows(data.w.size(), Numbers(data.w[0].size())));
    layer.chain_ratio = setting.chain->ratio;
    layer.chain_rate = setting.chain->rate;
  }
  TickOfStream stream;
  stream.neurons = setting.neurons;
  stream.inputs = setting.inputs;
  for (const auto& memory : compiled.program().memories) {
    stream.memory[memory.name].assign(data.w.size(), compiled.initial(memory.name));
  }
  for (const auto& [name, keep] : layer.trace_keeps) stream.trace[name].assign(data.w[0].size(), 0);
  stream.e.assign(data.w.size(), Numbers(data.w[0].size()));
  layer.streams.assign(static_cast<std::size_t>(setting.streams), stream);
  for (int b = 0; b < setting.streams; ++b) layer.streams[static_cast<std::size_t>(b)].stream = b;
  RuleOutcome outcome;
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
  for (std::size_t k = 0; k < layer.chain.size(); ++k) {
    for (const Numbers& row : layer.chain[k]) {
      Numbers& all = outcome["chain/u" + std::to_string(k + 2)];
      all.insert(all.end(), row.begin(), row.end());
    }
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

inline HebbianLayer layer_of(const RuleCase& rule, const RuleSetting& setting) {
  return HebbianLayer(setting.inputs, setting.neurons,
                      {.rule = EquationRule(rule.equations, rule.options),
                       .control = setting.control,
                       .bounds = setting.bounds,
                       .chain = setting.chain,
                       .executor = setting.executor,
                       .chunk = setting.chunk,
                       .dtype = setting.dtype,
                       .random = setting.random});
}

inline RuleOutcome by_gaia(const RuleCase& rule, const RuleSetting& setting,
                           const RuleMaterial& data, std::vector<int> pieces) {
  HebbianLayer layer = layer_of(rule, setting);
  Numbers w;
  for (const Numbers& row : data.w) w.insert(w.end(), row.begin(), row.end());
  layer.set_weights(from_values(w, {setting.neurons, setting.inputs}).astype(setting.dtype));
  RuleOutcome outcome;
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
      const GPUContext host(Device::cpu());
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
    if (array.role == NamedArray::Role::state) continue;
    outcome[array.name] = array.value.astype(DType::float64).to_vector<double>();
  }
  return outcome;
}

/// The largest difference relative to the largest number, of all arrays.
inline double distance(const RuleOutcome& a, const RuleOutcome& b) {
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

/// Checks that gaia, in two pieces, leaves what loops leave.
inline void compare(const RuleCase& rule, const RuleSetting& setting, double tolerance) {
  const RuleMaterial data = material(rule, setting);
  INFO(rule.name << ", " << setting.neurons << " neurons, " << setting.inputs << " inputs, "
                 << setting.streams << " streams, " << to_string(setting.executor) << " chunk "
                 << setting.chunk << ", " << to_string(setting.dtype));
  CHECK(distance(by_gaia(rule, setting, data, {setting.ticks - 29, 29}),
                 by_reference(rule, setting, data)) < tolerance);
}

}  // namespace gaia::test
