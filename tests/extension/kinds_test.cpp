// SPDX-License-Identifier: MIT
// A generator, a layer and a readout that no file of src/ names: what it takes to add one.
#include "../../src/core/kinds.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/core/message.h"
#include "../../src/experiment/config/config_writer.h"
#include "../../src/experiment/run/apply.h"
#include "../../src/io/columns.h"
#include "../../src/io/generators/generator.h"
#include "../../src/layers/choices.h"
#include "../../src/layers/hierarchy/layer_kind.h"
#include "../../src/learning/readout_kind.h"
#include "../../src/report/report.h"
#include "../experiment/cuts.h"
#include "../support/complaint.h"
#include "../support/replaced.h"

namespace gaia::test {
namespace {

// A generator.

/// x_c(t) = height ((t + c) mod period) / period; the latent is the phase of channel 0.
struct SawtoothOptions {
  std::int64_t period = 8;
  std::int64_t channels = 1;
  double height = 1.0;

  static constexpr const char* name = "sawtooth";
  void keys(ConfigVisitor& v) {
    v.integer({"period", "rows from one jump to the next", true}, period, {2, 1000});
    v.integer({"channels", "number of channels, each a row ahead of the last"}, channels, {1, 100});
    v.number({"height", "of the teeth"}, height, kPositive);
  }
  std::unique_ptr<Series> make(std::int64_t rows, std::uint64_t seed) const;
};

class Sawtooth final : public Generator {
 public:
  Sawtooth(const SawtoothOptions& options, std::int64_t rows)
      : Generator(rows, numbered_names(options.channels), {"phase"}), options_(options) {}

  void read(std::int64_t first, std::int64_t count, std::span<double> out) override {
    for (std::int64_t r = 0; r < count; ++r) {
      for (std::int64_t c = 0; c < channels(); ++c) {
        row_of(out, r, channels())[static_cast<std::size_t>(c)] =
            options_.height * phase(first + r + c);
      }
    }
  }
  void read_latents(std::int64_t first, std::int64_t count, std::span<double> out) override {
    for (std::int64_t r = 0; r < count; ++r) out[static_cast<std::size_t>(r)] = phase(first + r);
  }

 private:
  double phase(std::int64_t t) const {
    return static_cast<double>(t % options_.period) / static_cast<double>(options_.period);
  }
  SawtoothOptions options_;
};

std::unique_ptr<Series> SawtoothOptions::make(std::int64_t rows, std::uint64_t /*seed*/) const {
  return std::make_unique<Sawtooth>(*this, rows);
}

// A layer.

class TracingLayer;

/// s <- keep s + x;  y = W s;  while learning W <- W + rate (y s^T - W).
struct TracingOptions {
  double keep = 0.5;
  double rate = 0.001;
  Init init = Init::he;
  bool learn = true;
  DType dtype = DType::float32;
  RandomStream random = {};

  static constexpr const char* name = "tracing";
  using Made = TracingLayer;
  void keys(ConfigVisitor& v) {
    v.number({"keep", "share of the trace that is left at a tick"}, keep, {0.0, 1.0, false, true});
    v.number({"rate", "size of a step"}, rate, {0.0, 1.0});
    v.choice({"init", "initial weights"}, inits(init));
  }
  std::string summary() const { return rate > 0.0 ? "learning" : "fixed"; }
  std::vector<std::string> warnings(std::int64_t /*inputs*/, std::int64_t /*outputs*/) const {
    if (keep > 0.0) return {};
    return {"keep: without a trace a reactive layer does the same"};
  }
};

class TracingLayer final : public Layer {
 public:
  TracingLayer(std::int64_t inputs, std::int64_t outputs, const TracingOptions& options)
      : Layer(inputs, outputs, options.dtype),
        options_(options),
        weights_(initial_weights(options.init, outputs, inputs, options.dtype, options.random)) {}

  std::string type() const override { return TracingOptions::name; }
  std::unique_ptr<Layer> clone() const override {
    auto twin = std::make_unique<TracingLayer>(*this);
    twin->weights_ = weights_.copy();
    twin->trace_ = trace_.copy();
    return twin;
  }
  bool is_plastic() const override { return options_.learn; }
  std::vector<NamedArray> arrays() const override {
    return {{"weights", NamedArray::Role::weights, weights_},
            {"trace", NamedArray::Role::state, trace_}};
  }
  std::int64_t operations_per_tick(bool /*learn*/) const override { return 2 * weights_.size(); }
  void allocate_state(std::int64_t streams) override {
    if (trace_.size() == 0) trace_ = zeros({streams, input_size()}, dtype());
  }
  void reset_state() override { trace_ = Array(); }

 private:
  void answer(const Array& x, bool learn, const Array& y) override {
    allocate_state(x.shape(0));
    for (std::int64_t t = 0; t < x.shape(1); ++t) {
      trace_.assign(trace_ * options_.keep + x.slice(1, t, t + 1).squeeze({1}));
      const Array answers = matmul(trace_, weights_.transpose());
      y.slice(1, t, t + 1).assign(answers.expand_dims(1));
      if (!learn || !options_.learn) continue;
      const double streams = static_cast<double>(x.shape(0));
      const Array step = matmul(answers.transpose(), trace_) / streams - weights_;
      weights_.assign(weights_ + step * options_.rate);
    }
  }
  void move_to_current_device() override {
    weights_ = on_current_device(weights_, "tracing layer");
    trace_ = on_current_device(trace_, "tracing layer");
  }

  TracingOptions options_;
  Array weights_;
  Array trace_;
};

// A readout.

/// The target of the row among those that it was trained on that is nearest.
struct NearestOptions {
  static constexpr const char* name = "nearest";
  static constexpr ReadoutTask task = ReadoutTask::regression;
  void keys(ConfigVisitor& /*v*/) {}
  std::unique_ptr<ReadoutModel> make(const ReadoutSizes& sizes) const;
};

class NearestReadout final : public ReadoutModel {
 public:
  explicit NearestReadout(const ReadoutSizes& sizes) : sizes_(sizes) {}

  void add(std::span<const double> features, std::span<const double> targets) override {
    features_.insert(features_.end(), features.begin(), features.end());
    targets_.insert(targets_.end(), targets.begin(), targets.end());
  }
  void solve() override { is_solved_ = true; }
  bool is_solved() const override { return is_solved_; }
  bool is_linear() const override { return false; }
  std::vector<double> predict(std::span<const double> features) override {
    const auto width = static_cast<std::size_t>(sizes_.features);
    const auto targets = static_cast<std::size_t>(sizes_.targets);
    std::vector<double> predictions;
    for (std::size_t row = 0; row < features.size(); row += width) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t nearest = 0;
      for (std::size_t known = 0; known * width < features_.size(); ++known) {
        double distance = 0.0;
        for (std::size_t i = 0; i < width; ++i) {
          distance += std::pow(features[row + i] - features_[known * width + i], 2);
        }
        if (distance < least) nearest = known;
        least = std::min(least, distance);
      }
      const auto said = targets_.begin() + static_cast<std::ptrdiff_t>(nearest * targets);
      predictions.insert(predictions.end(), said, said + sizes_.targets);
    }
    return predictions;
  }
  std::vector<double> target_means() const override {
    std::vector<double> means(static_cast<std::size_t>(sizes_.targets));
    for (std::size_t i = 0; i < targets_.size(); ++i) means[i % means.size()] += targets_[i];
    const double rows = static_cast<double>(targets_.size()) / static_cast<double>(means.size());
    for (double& mean : means) mean /= rows;
    return means;
  }
  void set_solution(const ReadoutSolution& /*solution*/) override {
    throw ArgumentError("[NearestReadout] there are no weights to take over");
  }
  std::vector<double> state() const override {
    std::vector<double> state = {is_solved_ ? 1.0 : 0.0, static_cast<double>(features_.size())};
    state.insert(state.end(), features_.begin(), features_.end());
    state.insert(state.end(), targets_.begin(), targets_.end());
    return state;
  }
  void set_state(std::span<const double> state) override {
    is_solved_ = state[0] != 0.0;
    const auto targets = state.begin() + 2 + static_cast<std::ptrdiff_t>(state[1]);
    features_.assign(state.begin() + 2, targets);
    targets_.assign(targets, state.end());
  }

 private:
  ReadoutSizes sizes_;
  bool is_solved_ = false;
  std::vector<double> features_;
  std::vector<double> targets_;
};

std::unique_ptr<ReadoutModel> NearestOptions::make(const ReadoutSizes& sizes) const {
  return std::make_unique<NearestReadout>(sizes);
}

/// Once for all tests.
void register_all() {
  static const bool done = [] {
    register_kind<GeneratorKind, SawtoothOptions>();
    register_kind<LayerKind, TracingOptions>();
    register_kind<ReadoutKind, NearestOptions>();
    return true;
  }();
  static_cast<void>(done);
}

const std::string kBoth =
    "experiment: added\n"
    "data: {source: generator, kind: sawtooth, period: 7, channels: 3, height: 0.5, steps: 600}\n"
    "hierarchy:\n  levels:\n    - layers:\n"
    "        - {type: tracing, size: 4, keep: 0.25}\n"
    "    - temporal_resolution: 3\n      pooling: mean\n      layers:\n"
    "        - {type: hebbian, size: 2, rule: oja, learning_rate: 0.001}\n"
    "readouts:\n"
    "  - {name: phase, target: {latent: 0, horizon: 2}, levels: [0, 1]}\n"
    "  - {name: near, type: nearest, target: {channel: 1, horizon: 2}, levels: [0]}\n"
    "checkpoint: {every: 50}\n";

/// What loading this text complains of.
std::string complaint(const std::string& text) {
  const TempDir folder;
  return complaint_of<ConfigError>([&] { load_experiment(folder.write("e.yaml", text), {}); });
}

}  // namespace

TEST_CASE("a kind of a name that is taken is refused") {
  register_all();
  CHECK_THROWS_WITH((register_kind<LayerKind, TracingOptions>()),
                    ContainsSubstring("expected a name that no other kind has, got 'tracing'"));
}

TEST_CASE("keys of kinds from outside are read, checked and written") {
  register_all();
  const Cuts cuts(kBoth);
  const ExperimentConfig config = cuts.load("read").config;
  const std::string yaml = to_yaml(config);
  CHECK_SAYS(yaml,
             "  source: generator\n  kind: sawtooth\n  period: 7\n"
             "  channels: 3\n  height: 0.5\n  order: none\n  steps: 600\n",
             "        - type: tracing\n          size: 4\n"
             "          learn: true\n          keep: 0.25\n"
             "          rate: 0.001\n          init: he\n");
  CHECK_SAYS(complaint(replaced(kBoth, "period: 7", "period: 1")),
             "e.yaml:2:51: data.period: expected an integer from 2 to 1000");
  CHECK_SAYS(
      complaint(replaced(kBoth, "keep: 0.25", "keep: 1")),
      "e.yaml:6:42: hierarchy.levels[0].layers[0].keep: expected a number in [0, 1), got '1'");
  CHECK_SAYS(complaint(replaced(kBoth, "keep:", "keeps:")),
             "unknown key 'keeps' (did you mean 'keep'?)");
  CHECK_SAYS(
      complaint(replaced(kBoth, "tracing", "tracin")),
      "unknown type 'tracin' (did you mean 'tracing'?); known: reactive, hebbian, temporal, "
      "predictive, kalman, extended_kalman, unscented_kalman, particle, regimes, conv2d, tracing");
  CHECK_SAYS(complaint(replaced(kBoth, ", period: 7", "")),
             "data.period: missing (rows from one jump to the next)");

  const TempDir folder;
  const Experiment idle =
      load_experiment(folder.write("e.yaml", replaced(kBoth, "keep: 0.25", "keep: 0")), {});
  REQUIRE(idle.warnings.size() == 1);
  CHECK(idle.warnings[0] ==
        "hierarchy.levels[0].layers[0]: keep: without a trace a reactive layer does the same");
}

TEST_CASE("kinds from outside are in the schema") {
  register_all();
  const std::string schema = json_schema();
  CHECK_SAYS(schema, "\"const\": \"sawtooth\"", "share of the trace that is left at a tick");
}

TEST_CASE("a run with kinds from outside is cut, resumed, begun from and reported") {
  register_all();
  const Cuts cuts(kBoth);
  cuts.run("uncut");
  const Datasets uncut = datasets_of(cuts.result("uncut"));
  // Behind the first checkpoint, in the midst of a block; without its trace it would go on
  // otherwise.
  cuts.run_until("cut", 150);
  CHECK(cuts.resume("cut").status == RunStatus::complete);
  cuts.check_same("cut", uncut);

  const hdf5::File file = hdf5::File::open(cuts.result("uncut"));
  CHECK(file.open_group("data").text_attribute("source") == "sawtooth");
  const hdf5::Group layer = file.open_group("levels/0/layers/0");
  CHECK(layer.text_attribute("type") == "tracing");
  CHECK(layer.number_attribute("keep") == 0.25);
  CHECK(layer.number_attribute("rate") == 0.001);
  const std::vector<double>& before = uncut.at("/levels/0/layers/0/weights_initial");
  const std::vector<double>& after = uncut.at("/levels/0/layers/0/weights");
  CHECK(!same_bits(before, after));

  const std::string later = cuts.folder().write(
      "later.yaml", replaced(kBoth, "  levels:", "  from: uncut/r.h5\n  levels:"));
  Experiment next = load_experiment(later, {.output = cuts.result("next")});
  run_hierarchy(next, {});
  CHECK(
      same_bits(datasets_of(cuts.result("next")).at("/levels/0/layers/0/weights_initial"), after));

  const std::string other = cuts.folder().write(
      "other.yaml", replaced(replaced(kBoth, "  levels:", "  from: uncut/r.h5\n  levels:"),
                             "{type: tracing, size: 4, keep: 0.25}", "{type: reactive, size: 4}"));
  CHECK_THROWS_WITH(load_experiment(other, {}),
                    ContainsSubstring("layers[0].type: expected tracing, as that of"));

  const std::string page = report_page({cuts.result("uncut")});
  CHECK_SAYS(page, "tracing", "sawtooth");
}

TEST_CASE(
    "a readout from outside that is not linear has no weights, and is applied to other data") {
  register_all();
  const Cuts cuts(
      replaced(kBoth, "  - {name: phase, target: {latent: 0, horizon: 2}, levels: [0, 1]}\n", ""));
  cuts.run("trained");
  const Datasets trained = datasets_of(cuts.result("trained"));
  CHECK(trained.contains("/readouts/near/prediction"));
  CHECK_FALSE(trained.contains("/readouts/near/weights"));

  std::string rows = "a,b,c\n";
  for (int t = 0; t < 210; ++t) rows += message("{},{},{}\n", t % 7, (t + 1) % 7, (t + 2) % 7);
  Experiment applied = application_of(
      cuts.result("trained"),
      {.data = cuts.folder().write("rows.csv", rows), .output = cuts.result("applied")});
  run_experiment(applied, {});
  const hdf5::File file = hdf5::File::open(cuts.result("applied"));
  CHECK(file.open_group("readouts/near").number_attribute("r2").value() > 0.99);
}

}  // namespace gaia::test
