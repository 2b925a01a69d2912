// SPDX-License-Identifier: MIT
#include "../../../src/layers/hierarchy/predictive.h"

#include <cmath>
#include <limits>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/experiment/setup/get_config.h"
#include "../../../src/hierarchy/manager.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

using namespace gaia;

namespace {

constexpr std::int64_t kInputs = 6;
constexpr std::int64_t kSteps = 23;

using Numbers = std::vector<double>;
using Grid = std::vector<Numbers>;

Grid grid_of(const Array& x) {
  const Numbers flat = x.to_vector<double>();
  const auto columns = static_cast<std::size_t>(x.shape(1));
  Grid rows;
  for (std::size_t i = 0; i < flat.size(); i += columns) {
    rows.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(i),
                      flat.begin() + static_cast<std::ptrdiff_t>(i + columns));
  }
  return rows;
}

double value_of(Activation f, double z) {
  if (f == Activation::tanh) return std::tanh(z);
  if (f == Activation::relu) return z > 0.0 ? z : 0.0;
  if (f == Activation::sigmoid) return 1.0 / (1.0 + std::exp(-z));
  return z;
}

double slope_of(Activation f, double z) {
  const double y = value_of(f, z);
  if (f == Activation::tanh) return 1.0 - y * y;
  if (f == Activation::relu) return z > 0.0 ? 1.0 : 0.0;
  if (f == Activation::sigmoid) return y * (1.0 - y);
  return 1.0;
}

/// Predictive coding as its equations stand in the papers, number by number.
struct PlainStack {
  explicit PlainStack(const PredictiveLayer& layer, const PredictiveOptions& given)
      : options(given) {
    for (const Array& w : layer.weights()) weights.push_back(grid_of(w));
    for (const Array& b : layer.biases()) biases.push_back(b.to_vector<double>());
  }

  Numbers read(std::size_t l, const Numbers& x) const {  // f(x_l), of the sample itself
    Numbers y = x;
    for (double& one : y) one = l == 0 ? one : value_of(options.activation, one);
    return y;
  }
  Numbers prediction(std::size_t l, const Numbers& below) const {  // mu_l, from x_{l-1}
    const Numbers y = read(l - 1, below);
    Numbers mu = biases[l - 1];
    for (std::size_t i = 0; i < mu.size(); ++i) {
      for (std::size_t j = 0; j < y.size(); ++j) mu[i] += weights[l - 1][i][j] * y[j];
    }
    return mu;
  }
  Grid pass_up(const Numbers& sample) const {
    Grid x = {sample};
    for (std::size_t l = 1; l <= weights.size(); ++l) x.push_back(prediction(l, x.back()));
    return x;
  }
  Grid errors(const Grid& x, double variance) const {
    Grid eps(x.size());
    for (std::size_t l = 1; l < x.size(); ++l) {
      const Numbers mu = prediction(l, x[l - 1]);
      for (std::size_t i = 0; i < mu.size(); ++i) {
        eps[l].push_back((x[l][i] - mu[i]) / (l + 1 == x.size() ? variance : 1.0));
      }
    }
    return eps;
  }
  /// x after so many relaxations with the top held.
  Grid relaxed(const Numbers& sample, const Numbers& target, std::int64_t iterations, double step,
               double variance) const {
    Grid x = pass_up(sample);
    x.back() = target;
    for (std::int64_t k = 0; k < iterations; ++k) {
      const Grid eps = errors(x, variance);
      Grid next = x;
      for (std::size_t l = 1; l + 1 < x.size(); ++l) {
        for (std::size_t i = 0; i < x[l].size(); ++i) {
          double pull = 0.0;
          for (std::size_t j = 0; j < eps[l + 1].size(); ++j) {
            pull += weights[l][j][i] * eps[l + 1][j];
          }
          next[l][i] += step * (-eps[l][i] + slope_of(options.activation, x[l][i]) * pull);
        }
      }
      x = next;
    }
    return x;
  }
  void learn(const std::vector<std::pair<Numbers, Numbers>>& rows, double rate) {
    const std::vector<Grid> weights_before = weights;
    const std::size_t top = weights.size();
    std::vector<Grid> dw = weights;
    Grid db = biases;
    for (Grid& grid : dw) {
      for (Numbers& row : grid) std::fill(row.begin(), row.end(), 0.0);
    }
    for (Numbers& row : db) std::fill(row.begin(), row.end(), 0.0);
    for (const auto& [sample, target] : rows) {
      for (std::size_t l = 1; l <= top; ++l) {
        const bool settles = options.learn_when == LearnWhen::settle;
        const double variance = settles ? options.variance : 1.0;
        const Grid x = settles
                           ? relaxed(sample, target, options.iterations, options.step, variance)
                           : relaxed(sample, target, static_cast<std::int64_t>(top - l), 1.0, 1.0);
        const Grid eps = errors(x, variance);
        const Numbers below = read(l - 1, x[l - 1]);
        for (std::size_t i = 0; i < eps[l].size(); ++i) {
          db[l - 1][i] += eps[l][i];
          for (std::size_t j = 0; j < below.size(); ++j) dw[l - 1][i][j] += eps[l][i] * below[j];
        }
      }
    }
    const double share = rate / static_cast<double>(rows.size());
    for (std::size_t l = 0; l < top; ++l) {
      for (std::size_t i = 0; i < dw[l].size(); ++i) {
        biases[l][i] += share * db[l][i];
        for (std::size_t j = 0; j < dw[l][i].size(); ++j) weights[l][i][j] += share * dw[l][i][j];
      }
    }
  }

  PredictiveOptions options;
  std::vector<Grid> weights;
  Grid biases;
};

const Array& samples(std::int64_t streams) {
  static const Array x = random_normal({3, kSteps, kInputs}, 0.0, 1.0, DType::float64, {7, 1});
  static const Array one = x.slice(0, 0, 1).contiguous();
  return streams == 1 ? one : x;
}

/// Every fifth tick, counted through streams, has no label.
Array labels(std::int64_t streams, std::int64_t classes) {
  Numbers numbers;
  for (std::int64_t k = 0; k < streams * kSteps; ++k) {
    numbers.push_back(k % 5 == 3 ? -1.0 : static_cast<double>((k * 7 + k / 3) % classes));
  }
  return from_values(numbers, {streams, kSteps});
}

PredictiveOptions predictive64(std::vector<std::int64_t> sizes) {
  PredictiveOptions options;
  options.sizes = std::move(sizes);
  options.learning_rate = 0.1;
  options.iterations = 7;
  options.dtype = DType::float64;
  options.random = {3, 4};
  return options;
}

TickSignals part_of(const TickSignals& signals, std::int64_t first, std::int64_t end) {
  TickSignals part;
  for (const auto& [name, values] : signals) part[name] = values.slice(1, first, end);
  return part;
}

/// Answers to x, which is read in pieces that end at `cuts`.
Array answers_in_pieces(Layer& layer, const Array& x, const TickSignals& signals,
                        std::vector<std::int64_t> cuts) {
  const Array y = zeros({x.shape(0), x.shape(1), layer.output_size()}, layer.dtype());
  cuts.push_back(x.shape(1));
  std::int64_t first = 0;
  for (const std::int64_t end : cuts) {
    layer.read_signals(part_of(signals, first, end));
    y.slice(1, first, end).assign(layer.process(x.slice(1, first, end), true));
    first = end;
  }
  return y;
}

void check_near(const Grid& expected, const Array& actual) {
  const Grid got = grid_of(actual);
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    for (std::size_t j = 0; j < got[i].size(); ++j) {
      CHECK(std::abs(got[i][j] - expected[i][j]) < 1e-10);
    }
  }
}

/// Reads all ticks with the layer and with plain loops, and compares answers and weights.
void check_against_loops(const PredictiveOptions& options, std::int64_t streams) {
  INFO(to_string(options.learn_when)
       << ", " << options.sizes.size() << " layers, " << to_string(options.activation) << ", batch "
       << options.batch << ", streams " << streams);
  PredictiveLayer layer(kInputs, options);
  PlainStack plain(layer, options);
  const std::int64_t top = options.sizes.back();
  const TickSignals signals = {{"labels", labels(streams, top)}};
  layer.read_signals(signals);
  const Array y = layer.process(samples(streams), true);
  std::vector<std::pair<Numbers, Numbers>> batch;
  for (std::int64_t t = 0; t < kSteps; ++t) {
    for (std::int64_t b = 0; b < streams; ++b) {
      const Numbers sample = samples(streams)[b][t].to_vector<double>();
      const Numbers expected = plain.pass_up(sample).back();
      for (std::int64_t i = 0; i < top; ++i) {
        REQUIRE(std::abs(y.item({b, t, i}) - expected[static_cast<std::size_t>(i)]) < 1e-10);
      }
      const auto label = static_cast<std::int64_t>(signals.at("labels").item({b, t}));
      if (label < 0) continue;
      Numbers target(static_cast<std::size_t>(top));
      target[static_cast<std::size_t>(label)] = 1.0;
      batch.emplace_back(sample, target);
    }
    if ((t + 1) % options.batch != 0) continue;
    if (!batch.empty()) plain.learn(batch, options.learning_rate);
    batch.clear();
  }
  for (std::size_t l = 0; l < options.sizes.size(); ++l) {
    check_near(plain.weights[l], layer.weights()[l]);
    check_near({plain.biases[l]}, layer.biases()[l].expand_dims(0));
  }
}

}  // namespace

TEST_CASE("A predictive layer does what the equations of its papers say, number by number") {
  for (const LearnWhen when : {LearnWhen::settle, LearnWhen::exact}) {
    for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{4}, {5, 4}, {7, 5, 4}}) {
      for (const std::int64_t batch : {1, 5}) {
        for (const std::int64_t streams : {1, 3}) {
          PredictiveOptions options = predictive64(sizes);
          options.learn_when = when;
          options.batch = batch;
          check_against_loops(options, streams);
        }
      }
    }
  }
}

TEST_CASE("A predictive layer has any activation of one number, and a variance of its top") {
  for (const Activation f :
       {Activation::linear, Activation::relu, Activation::sigmoid, Activation::tanh}) {
    PredictiveOptions options = predictive64({5, 4, 3});
    options.activation = f;
    options.variance = 2.5;
    options.step = 0.3;
    check_against_loops(options, 1);
  }
  PredictiveOptions options = predictive64({5, 3});
  options.activation = Activation::softmax;
  CHECK_THROWS_AS(PredictiveLayer(kInputs, options), ArgumentError);
}

TEST_CASE("A predictive layer without relaxations learns by its top alone") {
  PredictiveOptions options = predictive64({5, 4});
  options.iterations = 0;
  check_against_loops(options, 1);
  PredictiveLayer layer(kInputs, options);
  const Array before = layer.weights()[0].copy();
  layer.read_signals({{"labels", labels(1, 4)}});
  layer.process(samples(1), true);
  CHECK(all_close(layer.weights()[0], before, 0.0, 0.0));
}

TEST_CASE("exact predictive coding moves weights by the gradients of autograd") {
  PredictiveOptions options = predictive64({8, 7, 4});
  options.learn_when = LearnWhen::exact;
  options.batch = kSteps;
  options.learning_rate = 1.0;
  PredictiveLayer layer(kInputs, options);
  std::vector<Tensor> weights;
  std::vector<Tensor> biases;
  for (const Array& w : layer.weights()) weights.emplace_back(w.copy(), true);
  for (const Array& b : layer.biases()) biases.emplace_back(b.copy(), true);
  Numbers classes;
  Numbers ones(static_cast<std::size_t>(kSteps * 4));
  for (std::int64_t t = 0; t < kSteps; ++t) {
    classes.push_back(static_cast<double>(t % 4));
    ones[static_cast<std::size_t>(t * 4 + t % 4)] = 1.0;
  }
  Tensor x(samples(1)[0]);
  for (std::size_t l = 0; l < 3; ++l) {
    x = matmul(x, weights[l].transpose()) + biases[l];
    if (l < 2) x = tanh(x);
  }
  const Tensor loss =
      sum(square(Tensor(from_values(ones, {kSteps, 4})) - x)) * (0.5 / static_cast<double>(kSteps));
  loss.backward();
  const std::vector<Array> before = [&] {
    std::vector<Array> all;
    for (const Array& w : layer.weights()) all.push_back(w.copy());
    return all;
  }();
  layer.read_signals({{"labels", from_values(classes, {1, kSteps})}});
  layer.process(samples(1), true);
  for (std::size_t l = 0; l < 3; ++l) {
    CHECK(all_close(subtract(before[l], layer.weights()[l]), weights[l].grad(), 0.0, 1e-12));
    CHECK(all_close(negative(layer.biases()[l]), biases[l].grad(), 0.0, 1e-12));
    CHECK(norm(weights[l].grad()).item() > 1e-3);
  }
}

TEST_CASE("A predictive layer gives the same bytes wherever its blocks end, if not chunkwise") {
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t streams : {1, 3}) {
      for (const std::int64_t batch : {1, 4, 40}) {
        PredictiveOptions options = predictive64({9, 4});
        options.batch = batch;
        options.dtype = dtype;
        // A batch of as many rows as a chunk is one product under both executors.
        options.executor =
            batch < PredictiveLayer::kChunk ? Executor::stepwise : Executor::chunkwise;
        const TickSignals signals = {{"labels", labels(streams, 4)}};
        const auto run = [&](const std::vector<std::int64_t>& cuts) {
          PredictiveLayer layer(kInputs, options);
          std::vector<Numbers> left;
          left.push_back(
              answers_in_pieces(layer, samples(streams), signals, cuts).to_vector<double>());
          for (const NamedArray& array : layer.arrays()) {
            left.push_back(array.value.to_vector<double>());
          }
          return left;
        };
        const std::vector<Numbers> whole = run({});
        CHECK(run({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15}) == whole);
        CHECK(run({6, 13}) == whole);
        CHECK(run({4, 8, 22}) == whole);
      }
    }
  }
}

TEST_CASE("A predictive layer learns chunkwise what it learns batch by batch") {
  for (const LearnWhen when : {LearnWhen::settle, LearnWhen::exact}) {
    for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{4}, {7, 5, 4}}) {
      for (const std::int64_t streams : {1, 3}) {
        for (const std::int64_t batch : {1, 2, 5, 11}) {
          INFO(to_string(when) << ", " << sizes.size() << " layers, streams " << streams
                               << ", batch " << batch);
          PredictiveOptions options = predictive64(sizes);
          options.learn_when = when;
          options.batch = batch;
          const TickSignals signals = {{"labels", labels(streams, 4)}};
          const auto run = [&](Executor executor, const std::vector<std::int64_t>& cuts) {
            options.executor = executor;
            PredictiveLayer layer(kInputs, options);
            const Array y = answers_in_pieces(layer, samples(streams), signals, cuts);
            std::vector<Array> made = {y};
            for (const NamedArray& array : layer.arrays()) made.push_back(array.value);
            return made;
          };
          const std::vector<Array> expected = run(Executor::stepwise, {});
          for (const auto& cuts :
               std::vector<std::vector<std::int64_t>>{{}, {1, 2, 9}, {6, 13}, {20}}) {
            const std::vector<Array> got = run(Executor::chunkwise, cuts);
            for (std::size_t i = 0; i < got.size(); ++i) {
              CHECK(all_close(got[i], expected[i], 1e-12, 1e-12));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("A predictive layer says by which executor it learns") {
  PredictiveOptions options = predictive64({5, 4});
  using Attributes = std::vector<std::pair<std::string, std::string>>;
  const std::pair<std::string, std::string> why{"rule_class_why",
                                                "dw of the first weights is x times a number"};
  CHECK(PredictiveLayer(kInputs, options).attributes() ==
        Attributes{{"rule_class", "matrix"}, {"executor", "chunkwise"}, why});
  options.executor = Executor::stepwise;
  CHECK(PredictiveLayer(kInputs, options).attributes() ==
        Attributes{{"rule_class", "matrix"},
                   {"executor", "stepwise"},
                   why,
                   {"executor_why", "its executor was asked for"}});
  options.learn = false;
  CHECK(PredictiveLayer(kInputs, options).attributes().empty());
}

TEST_CASE("A hierarchy with a predictive layer is written as YAML") {
  PredictiveOptions options = predictive64({5, 4});
  options.learn_when = LearnWhen::exact;
  options.learn = false;
  options.executor = Executor::stepwise;
  HierarchicalLevel level(0, kInputs, 4);
  level.add_layer(PredictiveLayer(kInputs, options));
  HierarchyManager hierarchy;
  hierarchy.add_level(std::move(level));
  const std::string yaml = get_config(hierarchy);
  for (const char* const text : {"type: predictive", "sizes: [5, 4]", "learning_rate: 0.1",
                                 "learn_when: exact", "learn: false", "executor: stepwise"}) {
    CHECK_SAYS(yaml, text);
  }
}

TEST_CASE(
    "A batch of a predictive layer that waits goes on in a copy, and in what it was put into") {
  PredictiveOptions options = predictive64({5, 4});
  options.batch = 6;
  const auto hierarchy_of = [&] {
    HierarchyManager hierarchy;
    HierarchicalLevel level(0, kInputs, 4);
    level.add_layer(PredictiveLayer(kInputs, options));
    hierarchy.add_level(std::move(level));
    return hierarchy;
  };
  const TickSignals signals = {{"labels", labels(1, 4)[0]}};
  const auto read = [&](HierarchyManager& hierarchy, std::int64_t first, std::int64_t end) {
    ProcessOptions process;
    for (const auto& [name, values] : signals) process.signals[name] = values.slice(0, first, end);
    return hierarchy.process_hierarchy(samples(1)[0].slice(0, first, end), process)
        .at(0)
        .ticks.to_vector<double>();
  };
  HierarchyManager whole = hierarchy_of();
  read(whole, 0, 10);
  HierarchyManager copy = whole.clone();
  ArrayMap state;
  for (const NamedArray& array : whole.state()) state[array.name] = array.value.copy();
  HierarchyManager resumed = hierarchy_of();
  resumed.allocate_state(1, kInputs, DType::float64);
  resumed.set_state(state, 10);
  const Numbers expected = read(whole, 10, kSteps);
  CHECK(read(copy, 10, kSteps) == expected);
  CHECK(read(resumed, 10, kSteps) == expected);
  CHECK(copy.arrays(0, 0)[0].value.to_vector<double>() ==
        whole.arrays(0, 0)[0].value.to_vector<double>());
}

TEST_CASE("A trial that begins keeps what a predictive layer has read of a batch") {
  PredictiveOptions options = predictive64({5, 4});
  options.batch = 6;
  options.executor = Executor::stepwise;  // under which blocks make no difference at all
  const TickSignals signals = {{"labels", labels(1, 4)}};
  PredictiveLayer whole(kInputs, options);
  const Numbers expected = answers_in_pieces(whole, samples(1), signals, {}).to_vector<double>();
  PredictiveLayer in_trials(kInputs, options);
  Numbers got;
  for (const auto& [first, end] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 4}, {4, 9}, {9, kSteps}}) {
    in_trials.reset_state();
    in_trials.allocate_state(1);
    in_trials.read_signals(part_of(signals, first, end));
    const Numbers part =
        in_trials.process(samples(1).slice(1, first, end), true).to_vector<double>();
    got.insert(got.end(), part.begin(), part.end());
  }
  CHECK(got == expected);
}

TEST_CASE("A predictive layer whose top is a target reads a column for each neuron") {
  PredictiveOptions options = predictive64({5, 2});
  options.top = PredictiveTop::target;
  options.target = {"force", "angle"};
  PredictiveLayer layer(kInputs, options);
  CHECK(layer.signal_columns() == std::vector<std::string>{"force", "angle"});
  PlainStack plain(layer, options);
  Numbers force;
  Numbers angle;
  for (std::int64_t t = 0; t < kSteps; ++t) {
    force.push_back(std::sin(static_cast<double>(t)));
    // A tick does not learn where a number is missing.
    angle.push_back(t % 4 == 1 ? std::numeric_limits<double>::quiet_NaN()
                               : std::cos(static_cast<double>(t)));
  }
  layer.read_signals(
      {{"force", from_values(force, {1, kSteps})}, {"angle", from_values(angle, {1, kSteps})}});
  layer.process(samples(1), true);
  for (std::int64_t t = 0; t < kSteps; ++t) {
    const auto at = static_cast<std::size_t>(t);
    if (std::isnan(angle[at])) continue;
    plain.learn({{samples(1)[0][t].to_vector<double>(), {force[at], angle[at]}}}, 0.1);
  }
  for (std::size_t l = 0; l < 2; ++l) check_near(plain.weights[l], layer.weights()[l]);
}

TEST_CASE("A predictive layer says what is wrong with labels and targets") {
  PredictiveLayer layer(kInputs, predictive64({5, 4}));
  CHECK_THROWS_WITH(layer.process(samples(1), true),
                    Catch::Matchers::ContainsSubstring("'labels', which is not given"));
  layer.read_signals({{"labels", full({1, kSteps}, 4.0)}});
  CHECK_THROWS_WITH(layer.process(samples(1), true),
                    Catch::Matchers::ContainsSubstring("classes below 4"));
  layer.read_signals({{"labels", zeros({1, 3}, DType::float64)}});
  CHECK_THROWS_AS(layer.process(samples(1), true), ShapeError);
  // Nothing has been learnt, and without learning nothing is asked for.
  layer.read_signals({});
  CHECK_NOTHROW(layer.process(samples(1), false));

  PredictiveOptions options = predictive64({5, 2});
  options.top = PredictiveTop::target;
  options.target = {"force"};
  CHECK_THROWS_AS(PredictiveLayer(kInputs, options), ArgumentError);
  CHECK_THROWS_AS(PredictiveLayer(kInputs, predictive64({})), ArgumentError);
  CHECK_THROWS_AS(PredictiveLayer(kInputs, predictive64({0})), ArgumentError);
  options = predictive64({2});
  options.batch = 0;
  CHECK_THROWS_AS(PredictiveLayer(kInputs, options), ArgumentError);
  options = predictive64({2});
  options.step = 0.0;
  CHECK_THROWS_AS(PredictiveLayer(kInputs, options), ArgumentError);
}

TEST_CASE("A predictive layer that does not learn answers with the weights that it has") {
  PredictiveOptions options = predictive64({5, 4});
  options.learn = false;
  PredictiveLayer layer(kInputs, options);
  CHECK_FALSE(layer.is_plastic());
  CHECK(layer.signal_columns().empty());
  const PlainStack plain(layer, options);
  const Array y = layer.process(samples(1), true);
  const Numbers expected = plain.pass_up(samples(1)[0][kSteps - 1].to_vector<double>()).back();
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(y.item({0, kSteps - 1, i}) ==
          Approx(expected[static_cast<std::size_t>(i)]).epsilon(1e-12));
  }
  check_near(plain.weights[0], layer.weights()[0]);
}

TEST_CASE("A predictive layer learns at a rate that is scaled") {
  PredictiveOptions options = predictive64({5, 4});
  PredictiveOptions half = options;
  half.learning_rate = options.learning_rate / 2;
  PredictiveLayer scaled(kInputs, options);
  PredictiveLayer slow(kInputs, half);
  scaled.scale_learning_rate(0.5);
  for (PredictiveLayer* const layer : {&scaled, &slow}) {
    layer->read_signals({{"labels", labels(1, 4)}});
    layer->process(samples(1), true);
  }
  CHECK(scaled.weights()[0].to_vector<double>() == slow.weights()[0].to_vector<double>());
}

TEST_CASE("A predictive layer that fails leaves weights and the batch that waits as they were") {
  PredictiveOptions options = predictive64({5, 4});
  options.batch = 4;
  PredictiveLayer layer(kInputs, options);
  const TickSignals signals = {{"labels", labels(1, 4)}};
  layer.read_signals(part_of(signals, 0, 6));
  layer.process(samples(1).slice(1, 0, 6), true);
  std::vector<Numbers> before;
  for (const NamedArray& array : layer.arrays()) before.push_back(array.value.to_vector<double>());
  const Array bad = samples(1).slice(1, 6, 12).copy();
  bad.slice(1, 1, 2).fill(std::numeric_limits<double>::infinity());
  layer.read_signals(part_of(signals, 6, 12));
  CHECK_THROWS_AS(layer.process(bad, true), ArgumentError);
  std::vector<Numbers> after;
  for (const NamedArray& array : layer.arrays()) after.push_back(array.value.to_vector<double>());
  CHECK(after == before);
}

TEST_CASE("A predictive layer learns the same on each device") {
  for (const LearnWhen when : {LearnWhen::settle, LearnWhen::exact}) {
    PredictiveOptions options = predictive64({7, 5, 4});
    options.learn_when = when;
    options.batch = 4;
    const TickSignals signals = {{"labels", labels(3, 4)}};
    const auto run = [&] {
      PredictiveLayer layer(kInputs, options);
      const Array y = answers_in_pieces(layer, samples(3).to(current_device()), signals, {6, 13});
      std::vector<Array> made = {y};
      for (const Array& weights : layer.weights()) made.push_back(weights);
      for (const Array& bias : layer.biases()) made.push_back(bias);
      return made;
    };
    const std::vector<Array> expected = run();
    gaia::test::on_each_device([&] {
      const std::vector<Array> made = run();
      for (std::size_t i = 0; i < made.size(); ++i) {
        CHECK(made[i].device() == current_device());
        CHECK(all_close(made[i], expected[i].to(current_device()), 1e-12, 1e-12));
      }
    });
  }
}
