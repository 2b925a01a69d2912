// SPDX-License-Identifier: MIT
/// \file
/// uniform() and normal() of rules that are text: their numbers, and that nothing but seed, layer,
/// call, stream, tick and neuron decides about them.
#include "equation_draws.h"

#include "../../src/core/parallel.h"
#include "../support/catch.h"
#include "../support/devices.h"
#include "equation_runs.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// y [streams, ticks, neurons] of a layer whose weights are 0.
Array answers(const std::string& equations, const RandomStream& random, int neurons, int ticks,
              int streams = 1, DType dtype = DType::float64, bool learns = false) {
  HebbianLayer layer(
      2, neurons,
      {.rule = EquationRule(equations), .init = Init::zeros, .dtype = dtype, .random = random});
  return layer.process(zeros({streams, ticks, 2}, dtype), learns);
}

Numbers numbers_of(const Array& y) { return y.astype(DType::float64).to_vector<double>(); }

/// The largest distance between the distribution of the numbers and the one they should have
/// (Kolmogorov), times the square root of how many they are.
template <class Distribution>
double kolmogorov(Numbers x, const Distribution& share_below) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double share = share_below(x[i]);
    largest = std::max(
        {largest, share - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - share});
  }
  return largest * std::sqrt(n);
}

double mean_of(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

/// The correlation of pairs, in standard deviations of what independent ones have.
double correlation(const Numbers& a, const Numbers& b) {
  REQUIRE(a.size() == b.size());
  const double mean_a = mean_of(a);
  const double mean_b = mean_of(b);
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb) * std::sqrt(static_cast<double>(a.size()));
}

double normal_share_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

TEST_CASE("The Philox of these tests gives the answers of its authors") {
  // Random123, kat_vectors.
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(philox_of_paper({0, 0, 0, 0}, {0, 0}) ==
        PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox_of_paper({ones, ones, ones, ones}, {ones, ones}) ==
        PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(
      philox_of_paper({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
      PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("uniform() and normal() give the numbers that docs/rules.md describes") {
  const RandomStream random{0x123456789abcdef0, 0xfedcba9876543210};
  const DrawsOfLayer expected(random);
  on_each_device([&] {
    for (const int neurons : {1, 2, 33, 301}) {
      for (const bool learns : {false, true}) {
        const int ticks = 9;
        const int streams = 3;
        // The second and third call; of the first nobody reads y.
        const Numbers u = numbers_of(answers("m = normal()\ny = uniform()", random, neurons, ticks,
                                             streams, DType::float64, learns));
        const Numbers n = numbers_of(answers("y = 0*uniform() + 0*uniform() + normal()", random,
                                             neurons, ticks, streams, DType::float64, learns));
        const Numbers u32 = numbers_of(answers("m = normal()\ny = uniform()", random, neurons,
                                               ticks, streams, DType::float32, learns));
        const Numbers n32 = numbers_of(answers("y = 0*uniform() + 0*uniform() + normal()", random,
                                               neurons, ticks, streams, DType::float32, learns));
        std::size_t k = 0;
        for (int b = 0; b < streams; ++b) {
          for (int t = 0; t < ticks; ++t) {
            for (int i = 0; i < neurons; ++i, ++k) {
              CAPTURE(b, t, i, neurons, learns);
              const double uniform = expected.uniform(1, b, t, i);
              const double normal = expected.normal(2, b, t, i);
              REQUIRE(u[k] == uniform);
              REQUIRE(u32[k] == std::floor(uniform * 0x1p24) / 0x1p24);
              REQUIRE(std::abs(n[k] - normal) < 1e-14);
              REQUIRE(std::abs(n32[k] - normal) < 1e-6);
            }
          }
        }
      }
    }
  });
}

TEST_CASE("Rules that draw do what loops written from their equations do") {
  for (const int neurons : {11, 61}) {
    RuleSetting setting{.neurons = neurons};
    for (const RuleCase& rule : drawing_cases(setting.random)) {
      for (const int streams : {1, 3}) {
        for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
          setting.streams = streams;
          setting.executor = executor;
          setting.dtype = DType::float64;
          compare(rule, setting, 1e-12);
          setting.dtype = DType::float32;
          compare(rule, setting, 2e-5);
        }
      }
    }
  }
}

DEVICE_TEST_CASE("Rules that draw do on each device what loops written from their equations do") {
  for (const int streams : {1, 3}) {
    const RuleSetting setting{.neurons = 11, .streams = streams, .ticks = 35};
    for (const RuleCase& rule : drawing_cases(setting.random)) compare(rule, setting, 1e-12);
  }
}

TEST_CASE("Rules that draw give the same bits for any number of threads") {
  for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
    const RuleSetting setting{.neurons = 150, .inputs = 90, .streams = 2, .executor = executor};
    for (const RuleCase& rule : drawing_cases(setting.random)) {
      const RuleMaterial data = material(rule, setting);
      std::optional<RuleOutcome> alone;
      for (const int threads : {1, 2, 5}) {
        const Threads some(threads);
        const RuleOutcome found = by_gaia(rule, setting, data, {setting.ticks});
        if (!alone) alone = found;
        INFO(rule.name << ", " << to_string(executor) << ", " << threads << " threads");
        CHECK(found == *alone);
      }
    }
  }
}

TEST_CASE("Rules that draw may be cut anywhere") {
  for (const bool learns : {true, false}) {
    for (const Executor executor : {Executor::stepwise, Executor::chunkwise}) {
      RuleSetting setting{.neurons = 61, .executor = executor, .learns = learns};
      for (const RuleCase& rule : drawing_cases(setting.random)) {
        const RuleMaterial data = material(rule, setting);
        const RuleOutcome whole = by_gaia(rule, setting, data, {70});
        for (const std::vector<int>& pieces : {std::vector{1, 69}, {33, 37}, {64, 1, 5}}) {
          INFO(rule.name << ", " << to_string(executor) << ", first cut after " << pieces[0]);
          const RuleOutcome cut = by_gaia(rule, setting, data, pieces);
          if (learns && executor == Executor::stepwise) CHECK(cut == whole);
          CHECK(distance(cut, whole) < 1e-12);
        }
      }
    }
  }
}

TEST_CASE("Draws are the same whether a tick learns or not, and go on across it") {
  const RandomStream random{3, 8};
  const Numbers whole = numbers_of(answers("y = normal()", random, 10, 30));
  HebbianLayer layer(
      2, 10, {.rule = EquationRule("y = normal()\ndw = 0.1*uniform()*x"), .random = random});
  Numbers found;
  for (const auto& [ticks, learns] : {std::pair{7, true}, {9, false}, {14, true}}) {
    const Array y = layer.process(zeros({1, ticks, 2}), learns);
    const Numbers values = numbers_of(y);
    found.insert(found.end(), values.begin(), values.end());
  }
  for (std::size_t k = 0; k < whole.size(); ++k) {
    REQUIRE(found[k] == static_cast<double>(static_cast<float>(whole[k])));
  }
}

TEST_CASE("Draws go on where a trial begins, and t does not") {
  const RandomStream random{3, 8};
  const Numbers whole = numbers_of(answers("y = uniform()", random, 5, 20));
  HebbianLayer layer(2, 5,
                     {.rule = EquationRule("y = uniform()\ndw = 0*t*x"),
                      .dtype = DType::float64,
                      .random = random});
  Numbers found;
  for (const int ticks : {6, 3, 11}) {
    layer.reset_state();
    const Numbers values = numbers_of(layer.process(zeros({1, ticks, 2}, DType::float64), true));
    found.insert(found.end(), values.begin(), values.end());
    for (const NamedArray& array : layer.arrays()) {
      if (array.name == "tick") CHECK(array.value.item() == ticks);
    }
  }
  CHECK(found == whole);
  // A layer goes on with the same draws when it gets other streams.
  const Array more = layer.process(zeros({2, 4, 2}, DType::float64), true);
  CHECK(more.slice(0, 0, 1).slice(1, 0, 1).to_vector<double>()[0] ==
        DrawsOfLayer(random).uniform(0, 0, 20, 0));
}

TEST_CASE("A layer goes on from its state with the draws that it would have had") {
  const RandomStream random{3, 8};
  const HebbianOptions options{.rule = EquationRule("y = uniform()"), .random = random};
  HebbianLayer whole(2, 5, options);
  whole.process(zeros({1, 6, 2}), true);
  whole.reset_state();
  whole.process(zeros({1, 4, 2}), true);
  const auto twin = whole.clone();
  HebbianLayer later(2, 5, options);
  for (const NamedArray& array : later.arrays()) {
    for (const NamedArray& kept : whole.arrays()) {
      if (kept.name == array.name) array.value.assign(kept.value);
    }
  }
  const Numbers next = numbers_of(whole.process(zeros({1, 5, 2}), true));
  CHECK(numbers_of(later.process(zeros({1, 5, 2}), true)) == next);
  CHECK(numbers_of(twin->process(zeros({1, 5, 2}), true)) == next);
  CHECK(next[0] == std::floor(DrawsOfLayer(random).uniform(0, 0, 10, 0) * 0x1p24) / 0x1p24);
}

TEST_CASE("Rules without draws have no state of them") {
  const HebbianLayer layer(2, 3, {.rule = EquationRule("dw = x")});
  for (const NamedArray& array : layer.arrays()) CHECK(array.name != "ticks_before");
}

TEST_CASE("uniform() is uniform and normal() normal") {
  // A million numbers each.  Of sums and of Kolmogorov's distance right generators are beyond these
  // bounds once in a hundred thousand.
  const RandomStream random{1, 2};
  const Numbers u = numbers_of(answers("y = uniform()", random, 250, 4000));
  const Numbers n = numbers_of(answers("y = normal()", random, 250, 4000));
  constexpr double kBound = 4.4;
  constexpr double kKolmogorov = 2.47;
  const double root = std::sqrt(static_cast<double>(u.size()));
  const auto moment = [&](const Numbers& x, int power, double expected, double deviation) {
    double sum = 0;
    for (const double value : x) sum += std::pow(value, power);
    CAPTURE(power);
    CHECK(std::abs(sum / static_cast<double>(x.size()) - expected) * root < kBound * deviation);
  };
  moment(u, 1, 1.0 / 2, std::sqrt(1.0 / 12));
  moment(u, 2, 1.0 / 3, std::sqrt(1.0 / 5 - 1.0 / 9));
  moment(u, 3, 1.0 / 4, std::sqrt(1.0 / 7 - 1.0 / 16));
  CHECK(*std::min_element(u.begin(), u.end()) >= 0);
  CHECK(*std::max_element(u.begin(), u.end()) < 1);
  CHECK(kolmogorov(u, [](double x) { return x; }) < kKolmogorov);
  moment(n, 1, 0, 1);
  moment(n, 2, 1, std::sqrt(2.0));
  moment(n, 3, 0, std::sqrt(15.0));
  moment(n, 4, 3, std::sqrt(96.0));
  CHECK(kolmogorov(n, normal_share_below) < kKolmogorov);
}

TEST_CASE("Kolmogorov's distance tells distributions that are a little wrong") {
  Numbers u = numbers_of(answers("y = uniform()", {1, 2}, 250, 4000));
  for (double& x : u) x = 0.995 * x;
  CHECK(kolmogorov(u, [](double x) { return std::min(x, 1.0); }) > 2.47);
  Numbers n = numbers_of(answers("y = normal()", {1, 2}, 250, 4000));
  for (double& x : n) x = 1.02 * x;
  CHECK(kolmogorov(n, normal_share_below) > 2.47);
}

TEST_CASE("Draws of different calls, streams, layers, seeds, ticks and neurons are independent") {
  constexpr int kTicks = 20000;
  constexpr double kBound = 4.4;  // once in a hundred thousand pairs
  std::vector<Numbers> series;
  const auto add = [&](const Array& y, int stream, int neuron) {
    series.push_back(numbers_of(y.slice(0, stream, stream + 1).slice(2, neuron, neuron + 1)));
  };
  for (const std::string draw : {"uniform()", "normal()"}) {
    const std::string equations = "m = " + draw + "\ny = " + draw;
    const Array y = answers(equations, {5, 6}, 4, kTicks, 3);
    for (int b = 0; b < 3; ++b) {
      for (int i = 0; i < 4; ++i) add(y, b, i);
    }
    add(answers("y = " + draw, {5, 6}, 4, kTicks), 0, 0);  // another call
    add(answers(equations, {5, 7}, 4, kTicks), 0, 0);      // another layer
    add(answers(equations, {6, 6}, 4, kTicks), 0, 0);      // another seed
    series.emplace_back(series[0].begin() + 1, series[0].end());
    series.back().push_back(series[0][0]);  // the tick before
  }
  for (std::size_t a = 0; a < series.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      CAPTURE(a, b);
      const bool same_numbers = a == b + series.size() / 2;  // uniform and normal of the same words
      if (!same_numbers) CHECK(std::abs(correlation(series[a], series[b])) < kBound);
    }
  }
  // These are the numbers of one tick, across neurons.
  const Numbers wide = numbers_of(answers("y = normal()", {5, 6}, kTicks, 1));
  Numbers shifted(wide.begin() + 1, wide.end());
  shifted.push_back(wide[0]);
  CHECK(std::abs(correlation(wide, shifted)) < kBound);
}

TEST_CASE("Two calls alike are two draws, and one name is one") {
  for (const bool learns : {false, true}) {
    const Numbers two =
        numbers_of(answers("y = uniform() - uniform()", {1, 1}, 9, 50, 1, DType::float64, learns));
    CHECK(std::count(two.begin(), two.end(), 0.0) == 0);
    const Numbers one =
        numbers_of(answers("u = uniform()\ny = u - u", {1, 1}, 9, 50, 1, DType::float64, learns));
    CHECK(std::count(one.begin(), one.end(), 0.0) == 450);
  }
}

TEST_CASE("Layers that a program makes draw apart, and again alike") {
  const auto first = [] {
    HebbianLayer layer(2, 6, {.rule = EquationRule("y = normal()")});
    return numbers_of(layer.process(zeros({1, 3, 2}), false));
  };
  set_seed(4);
  const Numbers one = first();
  const Numbers other = first();
  CHECK(one != other);
  set_seed(4);
  CHECK(first() == one);
  set_seed(0);
}
