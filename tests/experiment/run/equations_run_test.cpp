// SPDX-License-Identifier: MIT
/// \file
/// Rules written in the experiment: recomputed from the results file by loops, cut and resumed.
#include <cmath>
#include <string>

#include "../../../src/core/random.h"
#include "../../../src/experiment/run/apply.h"
#include "../../learning/equation_reference.h"
#include "../../reference/rows.h"
#include "../../support/complaint.h"
#include "../../support/fake_device.h"
#include "../../support/log_capture.h"
#include "../../support/replaced.h"
#include "../cuts.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr int kRows = 240;
constexpr int kTrialRows = 60;
constexpr int kChannels = 3;

struct Table {
  test::Rows x;   // [rows][channels]
  Numbers gain;   // a signal
  Numbers state;  // number of the class, in the order of names: busy, idle; -1: none
  std::string csv = "a,b,c,gain,state\n";
};

Table table() {
  const RandomStream noise{4, 2};
  const auto number = [&](int row, int column) {
    const auto index = static_cast<std::uint64_t>(row * 8 + column);
    return static_cast<double>(noise.integer(index, 2001) - 1000) / 1000.0;
  };
  Table made;
  for (int t = 0; t < kRows; ++t) {
    made.x.push_back({number(t, 0), number(t, 1), 0.5 * number(t, 2) + 0.3});
    made.gain.push_back(number(t, 3));
    made.state.push_back(t % 11 == 5 ? -1.0 : (number(t, 4) > 0 ? 0.0 : 1.0));
    for (const double x : made.x.back()) made.csv += std::to_string(x) + ",";
    made.csv += std::to_string(made.gain.back()) + ",";
    made.csv += made.state.back() < 0 ? "" : made.state.back() == 0 ? "busy" : "idle";
    made.csv += "\n";
    // The numbers are as they are read from six digits.
    for (double& x : made.x.back()) x = std::stod(std::to_string(x));
    made.gain.back() = std::stod(std::to_string(made.gain.back()));
  }
  return made;
}

/// Level 0 learns from a reward by an eligibility, chunkwise; level 1, at every fourth step, from
/// labels within bounds, weight by weight.
std::string table_experiment(const std::string& dtype, const std::string& executor = "chunkwise") {
  return "experiment: own_rules\nseed: 5\ndtype: " + dtype +
         "\ndata:\n  {source: file, path: d.csv, columns: [a, b, c], targets: [gain], labels: "
         "state,\n"
         "   trials: {length: 60}}\n"
         "hierarchy:\n"
         "  executor: " +
         executor +
         "\n"
         "  levels:\n    - layers:\n        - type: hebbian\n          size: 5\n          rule:\n"
         "            equations: |\n"
         "              v = leak*v + z          # a membrane\n"
         "              y = tanh(v)\n"
         "              count = count + 1\n"
         "              de = -e/tau_e + y*pre\n"
         "              dw = rate*reward*e - decay*w + rate*0.1*y\n"
         "            parameters: {leak: 0.7, tau_e: 6, rate: 0.02, decay: 0.001}\n"
         "            memory: {v: 0.2}\n"
         "            traces: {pre: 4}\n"
         "            signals: {reward: gain}\n"
         "    - temporal_resolution: 4\n      pooling: mean\n      layers:\n"
         "        - type: hebbian\n          size: 2\n          rule:\n            equations: |\n"
         "              dw = rate*(truth - y)*x*(1 - w*w)\n"
         "              seen = seen + truth\n"
         "            parameters: {rate: 0.1}\n"
         "            signals: {truth: labels}\n"
         "            memory_across_trials: true\n"
         "          activation: sigmoid\n"
         "          bounds: {low: -0.8, high: 0.9}\n"
         "output: {inputs: all, weights: {every: 70}}\n";
}

const std::string kCutRun =
    "readouts:\n"
    "  - {name: ahead, target: {channel: a, horizon: 1}, levels: [0, 1]}\n"
    "  - {name: state, type: logistic, target: {label: true}, levels: [0]}\n"
    "controls: [frozen, same_past]\n"
    "checkpoint: {every: 30}\n";

ReferenceLayer layer_of(RuleOfTick rule, const test::Rows& w) {
  ReferenceLayer layer;
  layer.rule = std::move(rule);
  layer.w = w;
  TickOfStream stream;
  stream.neurons = static_cast<int>(w.size());
  stream.inputs = static_cast<int>(w[0].size());
  stream.e.assign(w.size(), Numbers(w[0].size()));
  layer.streams = {stream};
  return layer;
}

void check_near(const Numbers& found, const Numbers& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  double largest = 1e-30;
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  CHECK(worst / largest < tolerance);
}

/// Compares a results file with loops over the same table.
void recompute(const Datasets& file, const Table& data, double tolerance) {
  ReferenceLayer low = layer_of(
      [](TickOfStream& s) {
        Numbers& v = s.memory["v"];
        s.y = v;
        for (std::size_t i = 0; i < v.size(); ++i) {
          v[i] = 0.7 * v[i] + s.z[i];
          s.y[i] = std::tanh(v[i]);
          s.memory["count"][i] += 1;
        }
        s.each([&](std::size_t i, std::size_t j) {
          s.e[i][j] += -s.e[i][j] / 6 + s.y[i] * s.trace["pre"][j];
          s.dw[i][j] = 0.02 * s.signals["reward"][0] * s.e[i][j] - 0.001 * (*s.w)[i][j] +
                       0.02 * 0.1 * s.y[i];
        });
      },
      rows_of(file.at("/levels/0/layers/0/weights_initial"), kChannels));
  low.trace_keeps["pre"] = std::exp(-1.0 / 4);
  ReferenceLayer high = layer_of(
      [](TickOfStream& s) {
        s.y = s.z;
        for (std::size_t i = 0; i < s.y.size(); ++i) {
          s.y[i] = 1 / (1 + std::exp(-s.z[i]));
          s.memory["seen"][i] += s.signals["truth"][i];
        }
        s.each([&](std::size_t i, std::size_t j) {
          const double w = (*s.w)[i][j];
          s.dw[i][j] = 0.1 * (s.signals["truth"][i] - s.y[i]) * s.x[j] * (1 - w * w);
        });
      },
      rows_of(file.at("/levels/1/layers/0/weights_initial"), 5));
  high.bounded = true;
  high.low = -0.8;
  high.high = 0.9;
  high.streams[0].memory["seen"] = {0, 0};
  test::Rows low_y, high_y;
  Numbers window(5);
  int held = 0;
  for (int t = 0; t < kRows; ++t) {
    TickOfStream& s = low.streams[0];
    if (t % kTrialRows == 0) {
      s.memory["v"].assign(5, 0.2);
      s.memory["count"].assign(5, 0.0);
      s.trace["pre"].assign(kChannels, 0.0);
      s.e.assign(5, Numbers(kChannels));
      window.assign(5, 0.0);
      held = 0;
    }
    const auto row = static_cast<std::size_t>(t);
    s.signals["reward"] = {data.gain[row]};
    low.tick({data.x[row]});
    low_y.push_back(s.y);
    for (std::size_t i = 0; i < 5; ++i) window[i] += s.y[i];
    ++held;
    if (t % kTrialRows % 4 != 0) continue;
    for (double& value : window) value /= held;
    TickOfStream& above = high.streams[0];
    above.signals["truth"] = {data.state[row] == 0 ? 1.0 : 0.0, data.state[row] == 1 ? 1.0 : 0.0};
    high.tick({window});
    high_y.push_back(above.y);
    window.assign(5, 0.0);
    held = 0;
  }
  const auto check = [&](const std::string& name, const Numbers& expected) {
    INFO(name);
    check_near(file.at(name), expected, tolerance);
  };
  check("/levels/0/representation", flat(low_y));
  check("/levels/1/representation", flat(high_y));
  const std::string layer = "/levels/0/layers/0/";
  check(layer + "weights", flat(low.w));
  check(layer + "memory/v", low.streams[0].memory["v"]);
  check(layer + "memory/count", low.streams[0].memory["count"]);
  check(layer + "trace/pre", low.streams[0].trace["pre"]);
  check(layer + "eligibility", flat(low.streams[0].e));
  check("/levels/1/layers/0/weights", flat(high.w));
  check("/levels/1/layers/0/memory/seen", high.streams[0].memory["seen"]);
}

/// What reading this experiment says is wrong.
std::string load_complaint(const std::string& yaml) {
  const Cuts cuts(yaml);
  cuts.folder().write("d.csv", table().csv);
  return complaint_of<ConfigError>([&] { cuts.load("r"); });
}

}  // namespace

TEST_CASE("rules of an experiment are recomputed from its file by loops") {
  const Table data = table();
  for (const auto& [dtype, tolerance] : {std::pair("float64", 1e-10), std::pair("float32", 1e-4)}) {
    for (const char* const executor : {"chunkwise", "stepwise"}) {
      INFO(dtype << " " << executor);
      const Cuts cuts(table_experiment(dtype, executor));
      cuts.folder().write("d.csv", data.csv);
      cuts.run("r");
      recompute(datasets_of(cuts.result("r")), data, tolerance);
      const hdf5::File file = hdf5::File::open(cuts.result("r"));
      const hdf5::Group low = file.open_group("levels").open_group("0").open_group("layers/0");
      CHECK(low.text_attribute("rule") == "equations");
      CHECK(low.text_attribute("rule_class") == "matrix");
      CHECK(low.text_attribute("executor") == std::string(executor));
      CHECK(low.number_attribute("parameter_leak") == 0.7);
      CHECK(low.number_attribute("trace_pre_tau") == 4.0);
      CHECK_FALSE(low.has_attribute("trace_pre"));
      const hdf5::Group high = file.open_group("levels/1/layers/0");
      CHECK(high.text_attribute("rule_class") == "weights");
      CHECK(high.text_attribute("executor") == "stepwise");
    }
  }
}

TEST_CASE("rules of an experiment go on bit for bit where the run was cut, on any threads") {
  const Cuts cuts(table_experiment("float32") + kCutRun);
  cuts.folder().write("d.csv", table().csv);
  cuts.check_goes_on_after({30, 90, 120, 150, 210});
  cuts.check_same_on_any_threads();
}

TEST_CASE("rules of an experiment on a GPU are recomputed, and go on where the run was cut") {
  if (without_emulated_gpu()) return;
  const EmulatedDevice emulated;
  const Table data = table();
  for (const auto& [dtype, tolerance] : {std::pair("float64", 1e-10), std::pair("float32", 1e-4)}) {
    INFO(dtype);
    const Cuts cuts(table_experiment(dtype) + kCutRun, "cuda");
    cuts.folder().write("d.csv", data.csv);
    cuts.check_goes_on_after({30, 150});
    recompute(datasets_of(cuts.result("uncut")), data, tolerance);
    const hdf5::File file = hdf5::File::open(cuts.result("uncut"));
    CHECK(file.text_attribute("device") == "cuda:0");
    const hdf5::Group low = file.open_group("levels/0/layers/0");
    CHECK(low.text_attribute("rule_class") == "matrix");
    CHECK(low.text_attribute("executor") == "stepwise");
    CHECK(low.text_attribute("executor_why")->find("a GPU") != std::string::npos);
  }
}

TEST_CASE("rules of an experiment that was cut on one device go on on another") {
  if (without_emulated_gpu()) return;
  const EmulatedDevice emulated;
  const Table data = table();
  for (const auto& [from, to] : {std::pair("cpu", "cuda"), std::pair("cuda", "cpu")}) {
    INFO(from << " to " << to);
    const Cuts cuts(table_experiment("float64") + kCutRun, from);
    cuts.folder().write("d.csv", data.csv);
    cuts.run_until("r", 100);
    const LogCapture log;  // which is reported, as for every rule
    CHECK(cuts.resume("r", {}, {.device = to}).status == RunStatus::complete);
    recompute(datasets_of(cuts.result("r")), data, 1e-10);
  }
}

TEST_CASE("device auto tries rules that are text on every device") {
  const Table data = table();
  for (const bool is_fast : {true, false}) {
    const FakeDevice fake(is_fast ? fake::Behaviour{} : fake::Behaviour{.seconds = 0.02});
    const Cuts cuts(table_experiment("float64"), "auto");
    cuts.folder().write("d.csv", data.csv);
    const std::int64_t before = fake.backend().calls();
    cuts.run("r");
    CHECK(fake.backend().calls() > before);
    const auto device = hdf5::File::open(cuts.result("r")).text_attribute("device");
    if (!is_fast) CHECK(device == "cpu");
    recompute(datasets_of(cuts.result("r")), data, 1e-10);
  }
}

TEST_CASE("what is wrong with a rule is told where it stands in the file") {
  const std::string yaml = table_experiment("float64");
  const auto check = [&](const std::string& from, const std::string& to, const std::string& text) {
    const std::string told = load_complaint(replaced(yaml, from, to));
    INFO(told);
    CHECK(told.find(text) != std::string::npos);
  };
  check("y = tanh(v)", "y = tanh(vv)",
        "e.yaml:16:24: hierarchy.levels[0].layers[0].rule.equations: unknown name 'vv'");
  check("reward: gain", "reward: gaim",
        "rule.signals.reward: 'gaim' is none of data.targets (did you mean 'gain'?)");
  check("size: 2", "size: 1",
        "rule.signals.truth: these data have 2 classes, one for each neuron, and the layer 1; "
        "write size: 2");
  check("          size: 5", "          size: 5\n          learning_rate: 0.1",
        "learning_rate: has no place here: a rule that is a map has its own numbers");
  check("          size: 5", "          size: 5\n          activation: relu",
        "activation: has no place here: the equations assign y");
  check("high: 0.9", "high: -0.9", "bounds.high: must be above low");
  check("leak: 0.7", "leak: fast", "rule.parameters.leak: expected a number, got");
}

TEST_CASE("a rate that falls needs a rate, and a network no equations") {
  const std::string data = "experiment: e\ndata: {source: file, path: d.csv, columns: [a, b, c]}\n";
  const std::string rule = "rule: {equations: dw = eta*y*x, parameters: {eta: 0.01}}";
  const std::string scheduled =
      load_complaint(data + "hierarchy:\n  schedule: {half_life: 50}\n  levels:\n    - layers:\n" +
                     "        - {type: hebbian, size: 2, " + rule + "}\n");
  INFO(scheduled);
  CHECK(scheduled.find("layers[0].rule.parameters: hierarchy.schedule makes the parameter `rate` "
                       "fall, which these equations have not") != std::string::npos);
}

TEST_CASE("data without what only learning reads can be applied to") {
  const std::string yaml =
      "experiment: told\nseed: 2\ndtype: float64\ndata:\n  {source: file, path: d.csv, "
      "columns: [a, b, c], targets: [gain], labels: state}\n"
      "hierarchy:\n  levels:\n    - layers:\n"
      "        - type: hebbian\n          size: 2\n          rule:\n"
      "            equations: |\n              y = tanh(z)\n"
      "              dw = rate*(truth - y)*x*(1 + gain^2)\n"
      "            parameters: {rate: 0.1}\n"
      "            signals: {truth: labels, gain: gain}\n";
  const Cuts cuts(yaml);
  cuts.folder().write("d.csv", table().csv);
  cuts.run("r");
  // The same channels, and nothing beside them.
  std::string plain = "a,b,c\n";
  for (const Numbers& row : table().x) {
    plain +=
        std::to_string(row[0]) + "," + std::to_string(row[1]) + "," + std::to_string(row[2]) + "\n";
  }
  const std::string data = cuts.folder().write("plain.csv", plain);
  const std::string out = cuts.folder().path("applied.h5");
  Experiment application = application_of(cuts.result("r"), {.data = data, .output = out});
  run_hierarchy(application);
  const Datasets applied = datasets_of(out);
  const Datasets learnt = datasets_of(cuts.result("r"));
  const test::Rows w = rows_of(learnt.at("/levels/0/layers/0/weights"), kChannels);
  Numbers expected;
  for (const Numbers& x : table().x) {
    for (const Numbers& row : w) {
      expected.push_back(std::tanh(row[0] * x[0] + row[1] * x[1] + row[2] * x[2]));
    }
  }
  check_near(applied.at("/levels/0/representation"), expected, 1e-12);
}
