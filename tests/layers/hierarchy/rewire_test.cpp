// SPDX-License-Identifier: MIT
/// \file
/// Plastic layers with few synapses, which come and go, compared with loops in float64.
#include "../../../src/layers/hierarchy/rewire.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../learning/equation_reference.h"
#include "../../reference/rows.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr int kOut = 4, kIn = 13, kRounds = 5, kEvery = 6;

using Matrix = test::Rows;

Array array_named(const Layer& layer, const std::string& name) {
  for (const NamedArray& array : layer.arrays()) {
    if (array.name == name) return array.value;
  }
  FAIL("no array " << name);
  return {};
}

/// What Rewire says, by products, of a layer that is computed by loops.
struct RewiredReference {
  ReferenceLayer layer;
  double share;
  int every;
  int until = 0;
  int ticks = 0;
  Matrix products = Matrix(kOut, Numbers(kIn));

  void tick(const Matrix& x) {
    layer.tick(x);
    ++ticks;
    if (until > 0 && ticks > until) return;
    for (std::size_t b = 0; b < x.size(); ++b) {
      for (std::size_t i = 0; i < kOut; ++i) {
        for (std::size_t j = 0; j < kIn; ++j) {
          products[i][j] += layer.streams[b].y[i] * x[b][j] / static_cast<double>(x.size());
        }
      }
    }
    if (ticks % every == 0) turn_over();
  }

  void turn_over() {
    for (std::size_t i = 0; i < kOut; ++i) {
      std::vector<std::size_t> there, absent;
      for (std::size_t j = 0; j < kIn; ++j) (layer.mask[i][j] != 0 ? there : absent).push_back(j);
      const auto count =
          std::min<std::size_t>(static_cast<std::size_t>(std::max(
                                    1.0, std::round(share * static_cast<double>(there.size())))),
                                absent.size());
      std::ranges::stable_sort(there, {}, [&](std::size_t j) { return std::abs(layer.w[i][j]); });
      std::ranges::stable_sort(absent, {},
                               [&](std::size_t j) { return -std::abs(products[i][j]); });
      for (std::size_t k = 0; k < count; ++k) {
        layer.mask[i][there[k]] = 0;
        layer.mask[i][absent[k]] = 1;
        layer.w[i][there[k]] = 0;
        for (Matrix& rows : layer.chain) rows[i][there[k]] = 0;
        for (TickOfStream& s : layer.streams) {
          if (!s.e.empty()) s.e[i][there[k]] = 0;
        }
      }
      std::ranges::fill(products[i], 0.0);
    }
  }
};

RewireOptions by_products(double density = 0.4, double share = 0.3) {
  return {.density = density, .every = kEvery, .by = RewireOptions::By::products, .share = share};
}

/// Runs a layer in blocks of so many ticks and its reference, and compares all there is.
void compare(HebbianOptions options, const RuleOfTick& rule, int streams,
             const std::vector<int>& blocks,
             const std::map<std::string, double>& trace_keeps = {}) {
  options.dtype = DType::float64;
  options.random = {11, 3};
  HebbianLayer layer(kIn, kOut, options);
  RewiredReference reference;
  reference.share = options.rewire->share;
  reference.every = kEvery;
  reference.until = static_cast<int>(options.rewire->until);
  ReferenceLayer& loops = reference.layer;
  loops.rule = rule;
  loops.w = rows_of(layer.weights());
  loops.mask = rows_of(layer.rewire()->mask());
  loops.trace_keeps = trace_keeps;
  loops.normalization = to_string(options.control.normalization);
  loops.bound = options.control.bound;
  if (options.control.homeostasis && loops.normalization != "l2") {
    loops.homeostasis_target = options.control.homeostasis->target;
    loops.homeostasis_strength = options.control.homeostasis->strength;
  }
  if (options.bounds) {
    loops.bounded = true;
    loops.low = options.bounds->low;
    loops.high = options.bounds->high;
  }
  if (options.chain) {
    loops.chain.assign(static_cast<std::size_t>(options.chain->length - 1),
                       Matrix(kOut, Numbers(kIn)));
  }
  TickOfStream stream;
  stream.neurons = kOut;
  stream.inputs = kIn;
  stream.e.assign(kOut, Numbers(kIn));
  for (const auto& [name, keep] : trace_keeps) stream.trace[name].assign(kIn, 0.0);
  loops.streams.assign(static_cast<std::size_t>(streams), stream);
  int ticks = 0;
  for (const int block : blocks) ticks += block;
  const Array x = random_normal({streams, ticks, kIn}, 0.1, 0.6, DType::float64, {5, 2});
  int first = 0;
  for (const int block : blocks) {
    const Array y = layer.process(x.slice(1, first, first + block), true);
    for (int t = 0; t < block; ++t) {
      Matrix samples;
      for (int b = 0; b < streams; ++b) samples.push_back(x[b][first + t].to_vector<double>());
      reference.tick(samples);
      for (int b = 0; b < streams; ++b) {
        for (int i = 0; i < kOut; ++i) {
          const double expected =
              loops.streams[static_cast<std::size_t>(b)].y[static_cast<std::size_t>(i)];
          REQUIRE(y.item({b, t, i}) == Approx(expected).epsilon(1e-10).margin(1e-12));
        }
      }
    }
    first += block;
  }
  const auto check = [](const Matrix& found, const Matrix& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t j = 0; j < expected[i].size(); ++j) {
        CHECK(found[i][j] == Approx(expected[i][j]).epsilon(1e-10).margin(1e-13));
      }
    }
  };
  CHECK(rows_of(layer.rewire()->mask()) == loops.mask);
  check(rows_of(layer.weights()), loops.w);
  for (std::size_t k = 0; k < loops.chain.size(); ++k) {
    check(rows_of(array_named(layer, "chain/u" + std::to_string(k + 2))), loops.chain[k]);
  }
}

void oja(TickOfStream& s) {
  s.y = s.z;
  s.each([&](std::size_t i, std::size_t j) {
    s.dw[i][j] = 0.05 * s.y[i] * (s.x[j] - s.y[i] * (*s.w)[i][j]);
  });
}

const std::vector<int> kBlocks = {kEvery * kRounds - 4, 1, 7};

HebbianOptions oja_by_text(const RewireOptions& rewire = by_products()) {
  return {.rule = EquationRule("dw = 0.05*y*(x - y*w)"), .rewire = rewire};
}

}  // namespace

TEST_CASE("Synapses that come by products are those of loops, whatever the blocks") {
  for (const int streams : {1, 3}) {
    for (const std::vector<int>& blocks : {kBlocks, std::vector<int>(34, 1), {34}}) {
      compare(oja_by_text(), oja, streams, blocks);
      compare({.rule = OjaRule{.learning_rate = 0.05, .decay = 0}, .rewire = by_products()}, oja,
              streams, blocks);
    }
  }
}

TEST_CASE("Synapses come and go by their share, at any density, until they stay") {
  for (const double density : {0.01, 0.3, 0.9, 1.0}) {
    for (const double share : {0.0, 0.01, 0.5, 1.0}) {
      INFO(density << ", " << share);
      RewireOptions rewire = by_products(density, share);
      if (share == 0.0) {  // the mask stays, as it does where `every` is 0
        HebbianLayer never(kIn, kOut, oja_by_text({.density = density, .every = 0}));
        const Matrix first = rows_of(never.rewire()->mask());
        never.process(random_normal({1, 20, kIn}, 0.0, 0.5, DType::float32, {5, 2}), true);
        CHECK(rows_of(never.rewire()->mask()) == first);
        HebbianLayer layer(kIn, kOut, oja_by_text(rewire));
        const Matrix before = rows_of(layer.rewire()->mask());
        layer.process(random_normal({1, 20, kIn}, 0.0, 0.5, DType::float32, {5, 2}), true);
        CHECK(rows_of(layer.rewire()->mask()) == before);
        continue;
      }
      compare(oja_by_text(rewire), oja, 1, kBlocks);
      rewire.until = 2 * kEvery;
      compare(oja_by_text(rewire), oja, 1, kBlocks);
    }
  }
}

TEST_CASE("Homeostasis, normalisation and bounds act on the synapses that are there") {
  HebbianOptions options = oja_by_text();
  options.control.homeostasis = Homeostasis{.target = 0.2, .strength = 0.05};
  compare(options, oja, 2, kBlocks);
  options.control.normalization = Normalization::max_norm;
  options.control.bound = 0.5;
  compare(options, oja, 2, kBlocks);
  options.control = {.normalization = Normalization::l2};
  compare(options, oja, 2, kBlocks);
  options.control = {};
  options.bounds = WeightBounds{0.05, 0.3};  // what is not there is 0 nevertheless
  compare(options, oja, 2, kBlocks);
}

TEST_CASE("A text that reads what comes from above learns with the synapses that are there") {
  HebbianOptions options = oja_by_text();
  options.dtype = DType::float64;
  options.random = {11, 3};
  options.chain = SynapseChain{.length = 3};
  options.control = {.normalization = Normalization::max_norm, .bound = 0.5};
  HebbianLayer plain(kIn, kOut, options);
  options.rule = EquationRule("y = z + td\ndw = 0.05*y*(x - y*w)", {.hears_above = true});
  options.top_down = TopDownOptions{.as = TopDownOptions::As::bias};
  HebbianLayer hears(kIn, kOut, options);
  const Matrix first = rows_of(hears.rewire()->mask());
  const Array x = random_normal({2, kEvery * kRounds, kIn}, 0.1, 0.6, DType::float64, {5, 2});
  const Array nothing = zeros({2, 1, kOut}, DType::float64);
  for (std::int64_t t = 0; t < x.shape(1); ++t) {
    const Array sample = x.slice(1, t, t + 1);
    const Array y = plain.process(sample, true);
    const Array heard = hears.hear(sample, t, nothing, true).answer;
    for (int i = 0; i < kOut; ++i) {
      CHECK(heard.item({1, 0, i}) == Approx(y.item({1, 0, i})).epsilon(1e-10));
    }
  }
  CHECK(rows_of(hears.rewire()->mask()) == rows_of(plain.rewire()->mask()));
  CHECK(rows_of(hears.rewire()->mask()) != first);
  const Matrix w = rows_of(hears.weights());
  const Matrix expected = rows_of(plain.weights());
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < w[i].size(); ++j) {
      CHECK(w[i][j] == Approx(expected[i][j]).epsilon(1e-10).margin(1e-13));
    }
  }
}

TEST_CASE("Eligibility, chain and what goes back know only the synapses that are there") {
  compare({.rule = EquationRule("de = 0.5*y*pre - e/4\ndw = 0.1*e", {.traces = {{"pre", 3.0}}}),
           .rewire = by_products()},
          [](TickOfStream& s) {
            s.y = s.z;
            s.each([&](std::size_t i, std::size_t j) {
              s.e[i][j] += 0.5 * s.y[i] * s.trace["pre"][j] - s.e[i][j] / 4;
              s.dw[i][j] = 0.1 * s.e[i][j];
            });
          },
          2, kBlocks, {{"pre", std::exp(-1.0 / 3.0)}});
  INFO("chain");
  HebbianOptions options = oja_by_text();
  options.chain = SynapseChain{.length = 4};
  compare(options, oja, 2, kBlocks);
  INFO("back");
  compare(
      {.rule = EquationRule("dw = 0.05*y*(x - back(y)) - 0.01*ww*w"), .rewire = by_products()},
      [](TickOfStream& s) {
        s.y = s.z;
        const Numbers back = s.back(s.y, s.neurons - 1);
        s.each([&](std::size_t i, std::size_t j) {
          s.dw[i][j] =
              0.05 * s.y[i] * (s.x[j] - back[j]) - 0.01 * s.squared_weights(i) * (*s.w)[i][j];
        });
      },
      2, kBlocks);
}

TEST_CASE("Synapses that come at random hold the density, differ by seed, and repeat") {
  const RewireOptions rewire{.density = 0.3, .every = 5, .share = 0.25};
  const Array x = random_normal({1, 60, kIn}, 0.0, 0.5, DType::float32, {5, 2});
  const auto run = [&](std::uint64_t seed, const std::vector<int>& blocks) {
    HebbianOptions options = oja_by_text(rewire);
    options.random = {seed, 4};
    HebbianLayer layer(kIn, kOut, options);
    std::vector<Matrix> masks = {rows_of(layer.rewire()->mask())};
    int first = 0;
    for (const int block : blocks) {
      layer.process(x.slice(1, first, first + block), true);
      first += block;
      masks.push_back(rows_of(layer.rewire()->mask()));
      const Matrix w = rows_of(layer.weights());
      for (std::size_t i = 0; i < kOut; ++i) {
        double there = 0;
        for (std::size_t j = 0; j < kIn; ++j) {
          there += masks.back()[i][j];
          if (masks.back()[i][j] == 0) CHECK(w[i][j] == 0);
        }
        CHECK(there == 4);  // of 13, .3
      }
    }
    return masks;
  };
  const std::vector<Matrix> fives = run(1, std::vector<int>(12, 5));
  std::set<std::size_t> tried;
  for (std::size_t r = 0; r + 1 < fives.size(); ++r) {
    for (std::size_t i = 0; i < kOut; ++i) {
      int changed = 0;
      for (std::size_t j = 0; j < kIn; ++j) {
        changed += fives[r][i][j] != fives[r + 1][i][j] ? 1 : 0;
        if (fives[r + 1][i][j] != 0) tried.insert(j);
      }
      CHECK(changed == 2);  // one goes, another comes
    }
  }
  CHECK(tried.size() == kIn);
  CHECK(run(1, {60}).back() == fives.back());
  CHECK(run(1, {7, 53}).back() == fives.back());
  CHECK(run(2, {60}).back() != fives.back());
}

TEST_CASE("A mask is held where nothing learns, copied with its layer, and put back with it") {
  const Array x = random_normal({1, 20, kIn}, 0.0, 0.5, DType::float32, {5, 2});
  HebbianLayer layer(kIn, kOut, oja_by_text());
  const auto state = [](const Layer& of) {
    std::vector<Numbers> all;
    for (const NamedArray& array : of.arrays()) all.push_back(array.value.to_vector<double>());
    return all;
  };
  const std::vector<Numbers> before = state(layer);
  const std::unique_ptr<Layer> twin = layer.clone();
  twin->process(x, true);
  CHECK(state(layer) == before);
  Array spoilt = x.copy();
  spoilt.slice(1, 19, 20).fill(std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(layer.process(spoilt, true), ArgumentError);
  CHECK(state(layer) == before);
  layer.process(x, true);
  CHECK(state(layer) == state(*twin));
  const Matrix mask = rows_of(array_named(layer, "mask"));
  for (int i = 0; i < 3; ++i) layer.process(x, false);
  CHECK(rows_of(array_named(layer, "mask")) == mask);
  // Weights from outside lose what has no synapse.
  layer.set_weights(ones({kOut, kIn}));
  CHECK(rows_of(layer.weights()) == rows_of(layer.rewire()->mask()));
}

TEST_CASE("A rewired layer is the same on each device") {
  const auto run = [] {
    HebbianLayer layer(kIn, kOut, oja_by_text());
    layer.process(random_normal({2, 20, kIn}, 0.0, 0.5, DType::float32, {5, 2}).copy(), true);
    return std::pair(rows_of(layer.rewire()->mask()), rows_of(layer.weights()));
  };
  set_seed(3);
  const auto expected = run();
  on_each_device([&] {
    set_seed(3);
    const auto found = run();
    CHECK(found.first == expected.first);
    for (std::size_t i = 0; i < kOut; ++i) {
      for (std::size_t j = 0; j < kIn; ++j) {
        CHECK(found.second[i][j] == Approx(expected.second[i][j]).margin(1e-6));
      }
    }
  });
}

TEST_CASE("A rewired layer says that it runs stepwise, and why, and what it cannot be") {
  HebbianLayer layer(kIn, kOut, oja_by_text());
  std::map<std::string, std::string> told;
  for (const auto& [name, value] : layer.attributes()) told[name] = value;
  CHECK(told["executor"] == "stepwise");
  CHECK(told["executor_why"] == "a mask has a Gram matrix of its own for each neuron");
  HebbianLayer plain(kIn, kOut, {.rule = EquationRule("dw = 0.05*y*(x - y*w)")});
  CHECK(layer.why_not_replica(plain) == "is not rewired");
  CHECK(plain.why_not_replica(layer) == "is rewired");
  const auto complaint = [](const RewireOptions& rewire) {
    return complaint_of<ArgumentError>([&] { HebbianLayer(3, 2, oja_by_text(rewire)); });
  };
  CHECK(complaint({.density = 0}).find("density: expected 0 < x <= 1") != std::string::npos);
  CHECK(complaint({.every = -1}).find("every: expected at least 0") != std::string::npos);
  CHECK(complaint({.share = 1.1}).find("share: expected 0 to 1") != std::string::npos);
  CHECK(complaint({.until = -1}).find("until: expected at least 0") != std::string::npos);
}
