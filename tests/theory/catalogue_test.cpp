// SPDX-License-Identifier: MIT
/// \file
/// What rules and neurons of the catalogue are known for, each compared with a formula or a loop of
/// its own.
#include <Eigen/Dense>
#include <cmath>
#include <set>

#include "../../src/array/orthonormal.h"
#include "../../src/layers/hierarchy/hebbian.h"
#include "../../src/learning/catalogue/catalogue.h"
#include "../reference/rows.h"
#include "../support/catch.h"
#include "spectrum.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Row = std::vector<double>;
using Numbers = std::vector<std::pair<std::string, double>>;

/// A rule with some of its numbers; `rate` is one.
EquationRule rule_of(const std::string& name, const Numbers& numbers,
                     const std::string& neuron = "") {
  PlasticityRule made = rule_from_name(name);
  // A rule that a struct computes has its text where a neuron is named, if only none.
  if (!neuron.empty() || !std::holds_alternative<EquationRule>(made)) {
    made = rule_from_name(name, neuron);
  }
  auto& rule = std::get<EquationRule>(made);
  for (const auto& [key, value] : numbers) {
    double* const own = rule.parameter(key);
    REQUIRE(own != nullptr);
    *own = value;
  }
  return rule;
}

/// The same with a signal from a column of its name.
EquationRule with_signal(const EquationRule& rule, const std::string& name) {
  EquationRuleOptions options = rule.options();
  options.signals = {{.name = name, .columns = {name}}};
  return EquationRule(rule.own_equations(), options);
}

HebbianLayer layer_of(const EquationRule& rule, const Array& weights,
                      const WeightControl& control = {}) {
  HebbianLayer layer(weights.shape(1), weights.shape(0),
                     {.rule = rule, .control = control, .dtype = DType::float64});
  layer.set_weights(weights.copy());
  return layer;
}

Array as_series(const std::vector<Row>& rows) {
  Row values;
  for (const Row& row : rows) values.insert(values.end(), row.begin(), row.end());
  return from_values(values, {1, std::ssize(rows), std::ssize(rows.front())});
}

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Row normals(std::uint64_t seed, const char* name, std::size_t count) {
  Row drawn(count);
  RandomStream::named(seed, name).normals(0, drawn);
  return drawn;
}

/// `steps` samples of n numbers around one of `centres`, of length 1, and which centre it was.
std::vector<Row> clusters(const std::vector<Row>& centres, double spread, std::size_t steps,
                          std::uint64_t seed, std::vector<std::size_t>* of = nullptr) {
  const std::size_t n = centres.front().size();
  const Row noise = normals(seed, "noise", steps * n);
  Row draws(steps);
  RandomStream::named(seed, "clusters").uniforms(0, draws);
  std::vector<Row> samples;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto which = static_cast<std::size_t>(draws[t] * static_cast<double>(centres.size()));
    if (of != nullptr) of->push_back(which);
    Row x = centres[which];
    for (std::size_t j = 0; j < n; ++j) x[j] += spread * noise[t * n + j];
    const double length = std::sqrt(dot(x, x));
    for (double& value : x) value /= length;
    samples.push_back(x);
  }
  return samples;
}

std::vector<Row> random_centres(std::size_t count, std::size_t n, std::uint64_t seed) {
  const Row drawn = normals(seed, "centres", count * n);
  std::vector<Row> centres;
  for (std::size_t c = 0; c < count; ++c) {
    Row centre(drawn.begin() + static_cast<std::ptrdiff_t>(c * n),
               drawn.begin() + static_cast<std::ptrdiff_t>((c + 1) * n));
    const double length = std::sqrt(dot(centre, centre));
    for (double& value : centre) value /= length;
    centres.push_back(centre);
  }
  return centres;
}

/// Rows of many lengths.
std::vector<Row> uneven_start(std::size_t neurons, std::size_t inputs) {
  std::vector<Row> rows = random_centres(neurons, inputs, 17);
  for (std::size_t i = 0; i < neurons; ++i) {
    for (double& value : rows[i]) value *= 0.4 + 0.3 * static_cast<double>(i);
  }
  return rows;
}

/// The one with the least |x - w|^2 + handicap.
std::size_t nearest_of(const std::vector<Row>& w, const Row& x, const Row& handicap) {
  std::size_t nearest = 0;
  double least = 1e300;
  for (std::size_t i = 0; i < w.size(); ++i) {
    double distance = handicap[i];
    for (std::size_t j = 0; j < x.size(); ++j) distance += std::pow(x[j] - w[i][j], 2);
    if (distance < least) {
      least = distance;
      nearest = i;
    }
  }
  return nearest;
}

/// Maximum of |a|; NaN where there is one.
double largest_of(const Array& a) {
  double found = 0.0;
  for (const double value : a.to_vector<double>()) {
    if (!(std::abs(value) <= found)) found = std::abs(value);
  }
  return found;
}

void move_towards(Row& w, const Row& x, double rate) {
  for (std::size_t j = 0; j < x.size(); ++j) w[j] += rate * (x[j] - w[j]);
}

/// Samples of 6 numbers with the variances 5, 4, 3, .3, .2 and .1, turned by nothing.
std::vector<Row> along_axes(std::size_t steps, double scale) {
  const Row deviations = {std::sqrt(5.0), 2.0,           std::sqrt(3.0), std::sqrt(0.3),
                          std::sqrt(0.2), std::sqrt(0.1)};
  const Row drawn = normals(23, "axes", steps * deviations.size());
  std::vector<Row> samples;
  for (std::size_t t = 0; t < steps; ++t) {
    Row x = deviations;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] *= scale * drawn[t * x.size() + j];
    samples.push_back(x);
  }
  return samples;
}

double farthest_from_orthonormal(const std::vector<Row>& w) {
  double farthest = 0.0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t k = 0; k < w.size(); ++k) {
      farthest = std::max(farthest, std::abs(dot(w[i], w[k]) - (i == k ? 1.0 : 0.0)));
    }
  }
  return farthest;
}

}  // namespace

// ---------------------------------------------------------------------------------- competition

TEST_CASE("SOFT: SoftHebb parts tight clusters, with weights of length 1") {
  int pure = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::size_t> of;
    // Centres at right angles: of any four in eight dimensions two may be so near to each other
    // that one neuron takes both.
    const std::vector<Row> centres =
        rows_of(random_orthonormal(4, 8, RandomStream::named(seed, "centres")));
    const std::vector<Row> samples = clusters(centres, 0.05, 1000, seed, &of);
    HebbianLayer layer = layer_of(rule_of("softhebb", {{"rate", 0.05}, {"temperature", 0.125}}),
                                  random_start(8, 8, seed));
    Array y;
    for (int epoch = 0; epoch < 3; ++epoch) y = layer.process(as_series(samples), true);
    // For each neuron: the samples that it answers most to, and how many are of one cluster.
    std::vector<std::vector<int>> won(8, std::vector<int>(4, 0));
    const std::vector<Row> answers = rows_of(layer.process(as_series(samples), false)[0]);
    for (std::size_t t = 0; t < samples.size(); ++t) {
      const auto best = std::max_element(answers[t].begin(), answers[t].end());
      ++won[static_cast<std::size_t>(best - answers[t].begin())][of[t]];
    }
    int right = 0;
    const std::vector<Row> w = rows_of(layer.weights());
    for (std::size_t i = 0; i < 8; ++i) {
      right += *std::max_element(won[i].begin(), won[i].end());
      int total = 0;
      for (const int count : won[i]) total += count;
      INFO(seed << ", neuron " << i);
      if (total > 50) CHECK(std::abs(std::sqrt(dot(w[i], w[i])) - 1.0) <= 0.01);
    }
    if (right >= 990) ++pure;
  }
  CHECK(pure >= 19);
}

TEST_CASE("online_k_means takes the nearest neuron, whatever the lengths of weights") {
  // The second is nearer: |x - w|^2 is 2.39 and 1.38.
  const Array w = as_series({{-0.816, 2.312}, {-0.744, 0.089}})[0];
  HebbianLayer layer = layer_of(rule_of("online_k_means", {{"rate", 0.5}}), w);
  const std::vector<Row> y = rows_of(layer.process(as_series({{0.0, 1.0}}), true)[0]);
  CHECK(y[0] == Row{0.0, 1.0});
  CHECK(rows_of(layer.weights())[0] == Row{-0.816, 2.312});
  CHECK(all_close(layer.weights()[1], as_series({{-0.372, 0.5445}})[0][0], 1e-14, 0));
}

TEST_CASE("online_k_means moves the centre that is nearest, as MacQueen's rule does") {
  constexpr double kRate = 0.05;
  const std::vector<Row> samples = clusters(random_centres(5, 6, 3), 0.4, 2000, 3);
  const std::vector<Row> centres = uneven_start(5, 6);
  HebbianLayer layer =
      layer_of(rule_of("online_k_means", {{"rate", kRate}}), as_series(centres)[0]);
  layer.process(as_series(samples), false);
  layer.process(as_series(samples), true);
  std::vector<Row> w = centres;
  for (const Row& x : samples) move_towards(w[nearest_of(w, x, Row(5))], x, kRate);
  CHECK(all_close(layer.weights(), as_series(w)[0], 1e-10, 1e-12));
}

TEST_CASE("under MacQueen's rule each neuron is the mean of what it has won") {
  const std::vector<Row> samples = clusters(random_centres(5, 6, 3), 0.4, 2000, 3);
  const std::vector<Row> start = uneven_start(5, 6);
  HebbianLayer layer = layer_of(rule_of("macqueen", {}), as_series(start)[0]);
  const std::vector<Row> y = rows_of(layer.process(as_series(samples), true)[0]);
  std::vector<Row> sums = start;  // which count as one sample each
  Row counts(5, 1.0);
  for (std::size_t t = 0; t < samples.size(); ++t) {
    for (std::size_t i = 0; i < 5; ++i) {
      if (y[t][i] == 0) continue;
      ++counts[i];
      for (std::size_t j = 0; j < 6; ++j) sums[i][j] += samples[t][j];
    }
  }
  for (std::size_t i = 0; i < 5; ++i) {
    for (double& sum : sums[i]) sum /= counts[i];
  }
  CHECK(all_close(layer.weights(), as_series(sums)[0], 1e-10, 1e-12));
}

TEST_CASE("conscience and fatigue give neurons that nothing is near to a share of the samples") {
  // All samples in one corner, and one neuron alone near it.
  const std::vector<Row> samples = clusters({{1, 0, 0, 0, 0, 0}}, 0.2, 4000, 3);
  std::vector<Row> start = uneven_start(8, 6);
  for (Row& row : start) row[1] += 10;
  start[3] = {1, 0, 0, 0, 0, 0};
  const auto wins = [&](const EquationRule& rule, const char* memory) {
    HebbianLayer layer = layer_of(rule, as_series(start)[0]);
    Row won(8, 0.0);
    for (const Row& x : samples) {
      const Array y = layer.process(as_series({x}), true);
      for (const NamedArray& array : layer.arrays()) {
        const bool told = memory == nullptr ? false : array.name == std::string(memory);
        const Array& of = told ? array.value : y[0][0];
        if (!told && (memory != nullptr || array.name != "weights")) continue;
        for (std::size_t i = 0; i < 8; ++i) won[i] += of.item({static_cast<std::int64_t>(i)});
      }
    }
    return won;
  };
  const auto least = [](const Row& won) { return *std::min_element(won.begin(), won.end()); };
  CHECK(least(wins(rule_of("online_k_means", {{"rate", 0.05}}), nullptr)) == 0);
  CHECK(least(wins(rule_of("nearest_with_fatigue", {{"rate", 0.05}, {"fatigue", 0.5}}), "won")) >
        300);
  CHECK(least(wins(rule_of("competitive_conscience", {{"rate", 0.05}, {"b", 0.01}, {"c", 1000.0}}),
                   "won")) > 50);
}

TEST_CASE("neurons are born where samples are far from all others, and only while they learn") {
  constexpr double kRadius = 0.8;
  const std::vector<Row> centres = {{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}};
  const std::vector<Row> samples = clusters(centres, 0.1, 600, 3);
  HebbianLayer layer = layer_of(rule_of("nearest_with_birth", {{"radius", kRadius}}),
                                as_series(uneven_start(8, 6))[0]);
  layer.process(as_series({{9, 9, 9, 9, 9, 9}}), false);  // is forgotten
  layer.process(as_series(samples), true);
  const std::vector<Row> w = rows_of(layer.weights());
  std::vector<Row> leaders;
  Row wins;
  for (const Row& x : samples) {
    std::size_t at = leaders.empty() ? 0 : nearest_of(leaders, x, Row(leaders.size()));
    double far = 1e300;
    if (!leaders.empty()) {
      far = 0;
      for (std::size_t j = 0; j < 6; ++j) far += std::pow(x[j] - leaders[at][j], 2);
    }
    if (far > kRadius * kRadius) {
      at = leaders.size();
      leaders.push_back(x);
      wins.push_back(0);
    }
    ++wins[at];
    move_towards(leaders[at], x, 1 / wins[at]);
  }
  REQUIRE(leaders.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 6; ++j) CHECK(w[i][j] == Approx(leaders[i][j]).margin(1e-12));
  }
  const std::vector<Row> start = uneven_start(8, 6);
  CHECK(std::vector<Row>(w.begin() + 3, w.end()) ==
        std::vector<Row>(start.begin() + 3, start.end()));
}

TEST_CASE("competitive learning of weights of length 1 is k-means by angles") {
  constexpr double kRate = 0.05;
  const std::vector<Row> samples = clusters(random_centres(5, 6, 3), 0.4, 2000, 3);
  std::vector<Row> w = random_centres(5, 6, 17);
  HebbianLayer layer = layer_of(rule_of("competitive", {{"rate", kRate}}), as_series(w)[0],
                                {.normalization = Normalization::l2});
  layer.process(as_series(samples), true);
  for (const Row& x : samples) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < w.size(); ++i) {
      if (dot(w[i], x) > dot(w[nearest], x)) nearest = i;
    }
    Row& own = w[nearest];
    for (std::size_t j = 0; j < x.size(); ++j) own[j] += kRate * (x[j] - own[j]);
    const double length = std::sqrt(dot(own, own));
    for (double& value : own) value /= length;
  }
  CHECK(all_close(layer.weights(), as_series(w)[0], 1e-10, 1e-12));
}

TEST_CASE("rows that win under the rule of Krotov and Hopfield end on the unit sphere") {
  std::vector<std::size_t> of;
  const std::vector<Row> samples = clusters(random_centres(4, 8, 5), 0.2, 6000, 5, &of);
  const Array start = random_start(8, 8, 5);
  HebbianLayer layer =
      layer_of(rule_of("krotov_hopfield", {{"rate", 0.02}, {"delta", 0.2}, {"k", 3.0}}), start);
  layer.process(as_series(samples), true);
  const std::vector<Row> w = rows_of(layer.weights());
  const std::vector<Row> z = rows_of(layer.process(as_series(samples), false)[0]);
  std::vector<int> won(8, 0);
  for (const Row& drives : z) {
    ++won[static_cast<std::size_t>(std::max_element(drives.begin(), drives.end()) -
                                   drives.begin())];
  }
  int winners = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    if (won[i] < 300) continue;
    ++winners;
    INFO(i << " won " << won[i]);
    CHECK(std::abs(std::sqrt(dot(w[i], w[i])) - 1.0) <= 0.05);
  }
  CHECK(winners >= 3);
}

// ---------------------------------------------------------------------------------- correlation

TEST_CASE("covariance finds in raw data what Hebb's rule finds in centred data") {
  // The mean lies along the first axis, most variance along the second.
  constexpr std::int64_t kSteps = 30000;
  const Row drawn = normals(7, "data", 3 * kSteps);
  std::vector<Row> raw;
  std::vector<Row> centred;
  for (std::size_t t = 0; t < kSteps; ++t) {
    const Row x = {drawn[3 * t], 2 * drawn[3 * t + 1], 0.5 * drawn[3 * t + 2]};
    centred.push_back(x);
    raw.push_back({x[0] + 5, x[1], x[2]});
  }
  const WeightControl l2{.normalization = Normalization::l2};
  const Array start = array({{0.8, 0.6, 0.0}}, DType::float64);
  const auto learnt = [&](const EquationRule& rule, const std::vector<Row>& samples) {
    HebbianLayer layer = layer_of(rule, start, l2);
    layer.process(as_series(samples), true);
    return rows_of(layer.weights())[0];
  };
  const Numbers slow = {{"rate", 0.001}, {"tau", 500.0}, {"tau_x", 500.0}};
  const Row by_covariance = learnt(rule_of("covariance", slow), raw);
  const Row by_hebb = learnt(rule_of("hebbian", {{"rate", 0.001}}), centred);
  const Row by_hebb_raw = learnt(rule_of("hebbian", {{"rate", 0.001}}), raw);
  CHECK(std::abs(by_hebb[1]) > 0.99);
  CHECK(std::abs(by_covariance[1]) > 0.99);
  CHECK(std::abs(by_hebb_raw[0]) > 0.99);
}

TEST_CASE("LC-speed: under Law and Cooper's rule winners spread less than under BCM") {
  constexpr std::int64_t kPatterns = 5;
  const Array patterns = initial_weights(Init::orthogonal, kPatterns, kPatterns, DType::float64,
                                         RandomStream::named(3, "patterns"));
  const auto spread = [&](const char* name) {
    Row winners;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Row draws(20000);
      RandomStream::named(seed, "presentations").uniforms(0, draws);
      const std::vector<Row> rows = rows_of(patterns);
      std::vector<Row> samples;
      for (const double u : draws) {
        samples.push_back(rows[static_cast<std::size_t>(u * kPatterns)]);
      }
      const Array wanted = random_uniform({kPatterns}, 0.1, 0.9, DType::float64,
                                          RandomStream::named(seed, "responses"));
      HebbianLayer layer = layer_of(rule_of(name, {{"rate", 0.01}, {"tau", 50.0}}),
                                    matmul(wanted, patterns).reshape({1, kPatterns}));
      layer.process(as_series(samples), true);
      const Row answers = matmul(patterns, layer.weights()[0]).to_vector<double>();
      winners.push_back(*std::max_element(answers.begin(), answers.end()));
    }
    const double mean = mean_of(winners);
    for (double& value : winners) value -= mean;
    CHECK(mean > 4.0);  // 5 is the fixed point
    CHECK(mean < 6.0);
    return root_mean_square(winners);
  };
  const double law_cooper = spread("law_cooper");
  const double bcm = spread("bcm");
  CAPTURE(law_cooper, bcm);
  CHECK(law_cooper < bcm);
}

TEST_CASE("Földiák's trace makes a neuron answer a bar wherever it is") {
  // Four orientations at eight places, swept across; 32 inputs, four neurons.
  constexpr std::size_t kPlaces = 8;
  const auto invariant = [](double delta, std::uint64_t seed) {
    Row draws(1000);
    RandomStream::named(seed, "sweeps").uniforms(0, draws);
    std::vector<Row> samples;
    for (std::size_t sweep = 0; sweep < 500; ++sweep) {
      const auto orientation = static_cast<std::size_t>(4 * draws[2 * sweep]);
      for (std::size_t k = 0; k < kPlaces; ++k) {
        const std::size_t place = draws[2 * sweep + 1] < 0.5 ? k : kPlaces - 1 - k;
        Row x(4 * kPlaces, 0.0);
        x[orientation * kPlaces + place] = 1.0;
        samples.push_back(x);
      }
    }
    HebbianLayer layer = layer_of(
        rule_of("foldiak_trace", {{"rate", 0.02}, {"delta", delta}}, "winner"),
        random_uniform({4, 32}, 0.0, 0.1, DType::float64, RandomStream::named(seed, "start")));
    layer.process(as_series(samples), true);
    const std::vector<Row> w = rows_of(layer.weights());
    std::set<std::size_t> neurons;
    for (std::size_t orientation = 0; orientation < 4; ++orientation) {
      std::set<std::size_t> here;
      for (std::size_t place = 0; place < kPlaces; ++place) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < 4; ++i) {
          const std::size_t j = orientation * kPlaces + place;
          if (w[i][j] > w[best][j]) best = i;
        }
        here.insert(best);
      }
      if (here.size() > 1) return false;
      neurons.insert(*here.begin());
    }
    return neurons.size() == 4;
  };
  int with_trace = 0;
  int without = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    with_trace += invariant(0.2, seed) ? 1 : 0;
    without += invariant(1.0, seed) ? 1 : 0;
  }
  CHECK(with_trace >= 7);
  CHECK(without == 0);
}

// -------------------------------------------------------------------------------------- targets

TEST_CASE(
    "the Cayley rule keeps rows orthonormal at a rate at which Oja's subspace rule runs away") {
  const std::vector<Row> samples = along_axes(20000, 1.0);
  const Array start =
      initial_weights(Init::orthogonal, 3, 6, DType::float64, RandomStream::named(3, "start"));
  const double rate = 0.3;
  for (const Executor executor : {Executor::chunkwise, Executor::stepwise}) {
    HebbianLayer layer(6, 3,
                       {.rule = rule_of("cayley_subspace", {{"rate", rate}}),
                        .executor = executor,
                        .dtype = DType::float64});
    layer.set_weights(start);
    layer.process(as_series(samples), true);
    const std::vector<Row> w = rows_of(layer.weights());
    // Some six roundings a tick, 20 000 times, walk off by 4e-14; by ten times that hardly ever.
    CHECK(farthest_from_orthonormal(w) < 4e-13);
    CHECK(largest_of(layer.weights() - start) > 0.1);
  }
  // The same as turns: W (I - c B)^-1 (I + c B), B = r x^T - x r^T, r = W^T z, c = rate / 2.
  HebbianLayer layer = layer_of(rule_of("cayley_subspace", {{"rate", rate}}), start);
  Eigen::Matrix<double, 3, 6> turned;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 6; ++j) turned(i, j) = start.item({i, j});
  }
  const std::vector<Row> first(samples.begin(), samples.begin() + 200);
  for (const Row& sample : first) {
    const Eigen::Map<const Eigen::VectorXd> x(sample.data(), 6);
    const Eigen::VectorXd r = turned.transpose() * (turned * x);
    const Eigen::MatrixXd b = rate / 2 * (r * x.transpose() - x * r.transpose());
    const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(6, 6);
    turned = (turned * (unit - b).inverse() * (unit + b)).eval();
  }
  layer.process(as_series(first), true);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 6; ++j) {
      CHECK(layer.weights().item({i, j}) == Approx(turned(i, j)).margin(1e-10));
    }
  }
  HebbianLayer plain = layer_of(rule_of("oja_subspace", {{"rate", rate}}), start);
  plain.process(as_series(samples), true);
  CHECK_FALSE(largest_of(plain.weights()) < 1e6);
}

TEST_CASE("at a small rate the Cayley rule finds the principal subspace") {
  const std::vector<Row> samples = along_axes(20000, 1.0);
  const Array start =
      initial_weights(Init::orthogonal, 3, 6, DType::float64, RandomStream::named(3, "start"));
  HebbianLayer layer = layer_of(rule_of("cayley_subspace", {{"rate", 0.005}}), start);
  const auto share = [](const std::vector<Row>& w) {  // of the rows' length that lies in it
    double inside = 0.0;
    for (const Row& row : w) inside += row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
    return inside / static_cast<double>(w.size());
  };
  CHECK(share(rows_of(start)) < 0.9);
  layer.process(as_series(samples), true);
  CHECK(share(rows_of(layer.weights())) > 0.98);
}

TEST_CASE("neurons with rates of their own learn the same from data of every scale") {
  const Array start =
      initial_weights(Init::he, 3, 6, DType::float64, RandomStream::named(5, "start"));
  for (const char* const name : {"oja_own_rate", "sanger_own_rate"}) {
    INFO(name);
    std::vector<Array> learnt;
    for (const double scale : {0.1, 1.0, 10.0}) {
      HebbianLayer layer = layer_of(rule_of(name, {{"beta", 0.999}}), start);
      layer.process(as_series(along_axes(20000, scale)), true);
      learnt.push_back(layer.weights().copy());
    }
    CHECK(largest_of(learnt[0] - learnt[1]) < 1e-8);
    CHECK(largest_of(learnt[2] - learnt[1]) < 1e-8);
    const std::vector<Row> w = rows_of(learnt[1]);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t component = std::string(name) == "oja_own_rate" ? 0 : i;
      CHECK(std::abs(w[i][component]) / std::sqrt(dot(w[i], w[i])) > 0.98);
      CHECK(dot(w[i], w[i]) == Approx(1.0).margin(0.03));
    }
  }
  // At a fixed rate it does not.
  HebbianLayer small = layer_of(rule_of("oja", {{"rate", 0.002}}), start);
  small.process(as_series(along_axes(2000, 0.1)), true);
  HebbianLayer large = layer_of(rule_of("oja", {{"rate", 0.002}}), start);
  large.process(as_series(along_axes(2000, 1.0)), true);
  CHECK(largest_of(small.weights() - large.weights()) > 0.1);
}

TEST_CASE("ltp and ltd weigh growth and shrinking, and are Hebb's rule where both are 1") {
  const std::vector<Row> samples = along_axes(30, 0.3);
  const Array start =
      initial_weights(Init::he, 3, 6, DType::float64, RandomStream::named(7, "start"));
  const auto learnt = [&](const std::string& name, const Numbers& numbers) {
    HebbianLayer layer = layer_of(rule_of(name, numbers), start);
    layer.process(as_series(samples), true);
    return layer.weights().copy();
  };
  const Array hebbian = learnt("hebbian", {{"rate", 0.02}});
  CHECK(largest_of(learnt("hebbian_ltp_ltd", {{"rate", 0.02}, {"ltp", 1.0}, {"ltd", 1.0}}) -
                   hebbian) < 1e-12);
  std::vector<Row> w = rows_of(start);
  for (const Row& x : samples) {
    for (Row& row : w) {
      const double y = dot(row, x);
      for (std::size_t j = 0; j < x.size(); ++j) {
        row[j] += 0.02 * (y * x[j] > 0 ? 1.5 : 0.25) * y * x[j];
      }
    }
  }
  const Array both = learnt("hebbian_ltp_ltd", {{"rate", 0.02}, {"ltp", 1.5}, {"ltd", 0.25}});
  CHECK(largest_of(both - as_series(w)[0]) < 1e-12);
  CHECK(largest_of(both - hebbian) > 0.01);
}

TEST_CASE("the delta rule comes to the least squares") {
  constexpr std::int64_t kSamples = 200;
  const Row drawn = normals(9, "samples", 5 * kSamples);
  Eigen::MatrixXd x(kSamples, 4);
  Eigen::VectorXd target(kSamples);
  for (std::int64_t t = 0; t < kSamples; ++t) {
    for (std::int64_t j = 0; j < 4; ++j) x(t, j) = drawn[static_cast<std::size_t>(5 * t + j)];
    target(t) = x(t, 0) - 2 * x(t, 1) + 0.5 * drawn[static_cast<std::size_t>(5 * t + 4)];
  }
  const Eigen::VectorXd best = x.colPivHouseholderQr().solve(target);
  std::vector<Row> samples;
  Row targets;
  for (std::int64_t t = 0; t < kSamples; ++t) {
    samples.push_back({x(t, 0), x(t, 1), x(t, 2), x(t, 3)});
    targets.push_back(target(t));
  }
  const Array target_row = from_values(targets, {1, kSamples});
  EquationRule rule = with_signal(rule_of("delta", {{"rate", 0.02}}), "target");
  Array weights = zeros({1, 4}, DType::float64);
  for (int epoch = 0; epoch < 4000; ++epoch) {
    *rule.parameter("rate") = 0.02 / (1.0 + epoch / 4.0);
    HebbianLayer layer = layer_of(rule, weights);
    layer.read_signals({{"target", target_row}});
    layer.process(as_series(samples), true);
    weights = layer.weights();
  }
  for (std::int64_t j = 0; j < 4; ++j) {
    INFO(j);
    CHECK(weights.item({0, j}) == Approx(best(j)).margin(1e-3));
  }
}

TEST_CASE("the logistic rule goes up the likelihood of each sample") {
  constexpr double kRate = 0.3;
  const Row drawn = normals(10, "samples", 4 * 50);
  std::vector<Row> samples;
  Row targets;
  for (std::size_t t = 0; t < 50; ++t) {
    samples.emplace_back(drawn.begin() + static_cast<std::ptrdiff_t>(4 * t),
                         drawn.begin() + static_cast<std::ptrdiff_t>(4 * t + 4));
    targets.push_back(samples[t][0] + samples[t][2] > 0.3 ? 1.0 : 0.0);
  }
  HebbianLayer layer = layer_of(with_signal(rule_of("logistic", {{"rate", kRate}}), "target"),
                                zeros({1, 4}, DType::float64));
  layer.read_signals({{"target", from_values(targets, {1, 50})}});
  layer.process(as_series(samples), true);
  // Differences of the logarithm of the likelihood take the place of its slope.
  Row w(4, 0.0);
  for (std::size_t t = 0; t < 50; ++t) {
    const auto likelihood = [&](const Row& weights) {
      const double z = dot(weights, samples[t]);
      return -std::log1p(std::exp(targets[t] > 0.5 ? -z : z));
    };
    Row slope(4);
    for (std::size_t j = 0; j < 4; ++j) {
      Row up = w;
      Row down = w;
      up[j] += 1e-5;
      down[j] -= 1e-5;
      slope[j] = (likelihood(up) - likelihood(down)) / 2e-5;
    }
    for (std::size_t j = 0; j < 4; ++j) w[j] += kRate * slope[j];
  }
  for (std::size_t j = 0; j < 4; ++j) {
    CHECK(layer.weights().item({0, static_cast<std::int64_t>(j)}) == Approx(w[j]).margin(1e-7));
  }
}

// --------------------------------------------------------------------------------------- spikes

TEST_CASE("a leaky neuron spikes at the rate of its closed form") {
  // v_n = I (1 - a^n) / (1 - a) is above the threshold first at n = ceil-like of a logarithm.
  constexpr double kLeak = 0.9;
  constexpr double kThreshold = 1.0;
  constexpr std::int64_t kSteps = 10000;
  for (const double current : {0.05, 0.1001, 0.11, 0.2, 0.5, 1.5}) {
    const double share = kThreshold * (1 - kLeak) / current;
    const double ticks = share < 1 ? std::floor(std::log(1 - share) / std::log(kLeak)) + 1 : 1e300;
    for (const double rest : {0.0, 3.0}) {
      INFO(current << ", rest " << rest);
      const Numbers numbers = {{"leak", kLeak}, {"threshold", kThreshold}};
      EquationRule rule = rest > 0 ? rule_of("hebbian", numbers, "lif_refractory")
                                   : rule_of("hebbian", numbers, "lif");
      if (rest > 0) *rule.parameter("refractory") = rest;
      HebbianLayer layer = layer_of(rule, ones({1, 1}, DType::float64));
      const Array y = layer.process(full({1, kSteps, 1}, current, DType::float64), false);
      const double expected = std::floor((static_cast<double>(kSteps) + rest) / (ticks + rest));
      CHECK(sum(y).item() == expected);
    }
  }
}

TEST_CASE("triplet STDP follows the frequency of pairings as its closed form does") {
  // Sixty pairings at a frequency, ticks of 1 ms; the model's numbers of the visual cortex.
  const auto& entry = *named_rule("triplet_stdp");
  const auto number = [&](const char* name) {
    for (const NamedParameter& one : entry.parameters) {
      if (std::string(one.name) == name) return one.value;
    }
    FAIL(name);
    return 0.0;
  };
  constexpr int kPairs = 60;
  // Value of a trace with spikes at every `period` ticks, `age` after the last of k of them.
  const auto trace = [](double tau, double period, double age, int k) {
    double sum = 0;
    for (int m = 0; m < k; ++m) sum += std::exp(-(age + m * period) / tau);
    return sum;
  };
  const auto change = [&](double period, double lag) {  // lag: from the input to the neuron
    double w = 0;
    for (int k = 0; k < kPairs; ++k) {
      // The neuron's spike k: inputs of this pairing have come before it where lag > 0.
      const double r1 = lag > 0 ? trace(number("tau_plus"), period, lag, k + 1)
                                : trace(number("tau_plus"), period, period + lag, k);
      const double o2 = trace(number("tau_y"), period, period, k);
      w += r1 * (number("a2_plus") + number("a3_plus") * o2);
      const double o1 = lag > 0 ? trace(number("tau_minus"), period, period - lag, k)
                                : trace(number("tau_minus"), period, -lag, k + 1);
      const double r2 = trace(number("tau_x"), period, period, k);
      w -= o1 * (number("a2_minus") + number("a3_minus") * r2);
    }
    return w;
  };
  const auto simulated = [&](std::int64_t period, std::int64_t lag) {
    const std::int64_t steps = (kPairs + 1) * period;
    Row x(static_cast<std::size_t>(steps), 0.0);
    Row spike(static_cast<std::size_t>(steps), 0.0);
    for (std::int64_t k = 0; k < kPairs; ++k) {
      const std::int64_t first = k * period + 15;
      x[static_cast<std::size_t>(first)] = 1;
      spike[static_cast<std::size_t>(first + lag)] = 1;
    }
    EquationRule rule = rule_of("triplet_stdp", {}, "driven");
    EquationRuleOptions options = rule.options();
    HebbianLayer layer = layer_of(rule, zeros({1, 1}, DType::float64));
    layer.read_signals({{"spike", from_values(spike, {1, steps})}});
    layer.process(from_values(x, {1, steps, 1}), true);
    return layer.weights().item({0, 0});
  };
  for (const std::int64_t period : {1000, 100, 50, 25, 20}) {
    for (const std::int64_t lag : {10, -10}) {
      INFO(1000 / period << " Hz, lag " << lag << " ms");
      CHECK(simulated(period, lag) ==
            Approx(change(static_cast<double>(period), static_cast<double>(lag))).epsilon(1e-10));
    }
  }
  // Sjöström, Turrigiano & Nelson (2001, Neuron 32, 1149): potentiation needs frequency, and at
  // 50 Hz comes whatever the order.
  CHECK(simulated(1000, 10) < 0.1 * simulated(20, 10));
  CHECK(simulated(20, 10) > 0.3);
  CHECK(simulated(100, -10) < 0.0);
  CHECK(simulated(20, -10) > 0.0);
}
