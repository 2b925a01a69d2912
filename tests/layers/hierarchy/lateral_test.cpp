// SPDX-License-Identifier: MIT
#include "../../../src/layers/hierarchy/lateral.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../support/catch.h"
#include "../../support/complaint.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Numbers = std::vector<double>;

constexpr std::size_t kLateralInputs = 7, kLateralNeurons = 5;

/// A layer tick by tick, in plain loops.
struct LateralReference {
  LateralOptions lateral;
  std::string rule;
  double rate;
  Numbers w, u = Numbers(kLateralNeurons * kLateralNeurons, 0.0),
             theta = Numbers(kLateralNeurons, 1.0);
  std::int64_t first = 0;

  double drive(std::size_t i, const double* x) const {
    double z = 0;
    for (std::size_t j = 0; j < kLateralInputs; ++j) z += w[i * kLateralInputs + j] * x[j];
    return z;
  }

  Numbers triangle(const double* x) const {
    Numbers y(kLateralNeurons);
    for (std::size_t i = 0; i < kLateralNeurons; ++i) {
      y[i] = drive(i, x);
      for (std::size_t k = 0; k < i; ++k) y[i] += u[i * kLateralNeurons + k] * y[k];
      y[i] = std::tanh(y[i]);
    }
    return y;
  }

  Numbers settled(const double* x) const {
    Numbers now(kLateralNeurons, 0.0);
    for (std::int64_t n = 0; n < lateral.iterations; ++n) {
      Numbers next = now;
      for (std::size_t i = 0; i < kLateralNeurons; ++i) {
        double sum = drive(i, x) - theta[i];
        for (std::size_t k = 0; k < kLateralNeurons; ++k)
          sum += u[i * kLateralNeurons + k] * now[k];
        next[i] += lateral.step * (1 / (1 + std::exp(-lateral.gain * sum)) - now[i]);
      }
      now = next;
    }
    for (double& y : now) {
      // Rounding must not decide.
      REQUIRE(std::abs(y - 0.5) > 1e-6);
      y = y > 0.5 ? 1.0 : 0.0;
    }
    return now;
  }

  /// Homeostasis, then the bound on the length, of neuron i that answered y.
  void hold(std::size_t i, double y) {
    double* const row = &w[i * kLateralInputs];
    double square = 0;
    for (std::size_t j = 0; j < kLateralInputs; ++j) {
      row[j] *= std::exp(0.3 * (0.2 - y));
      square += row[j] * row[j];
    }
    const double factor = std::min(1.0, 1.1 / std::sqrt(square));
    for (std::size_t j = 0; j < kLateralInputs; ++j) row[j] *= factor;
  }

  /// y of one stream each.
  std::vector<Numbers> tick(const std::vector<Numbers>& x) {
    std::vector<Numbers> y;
    const bool settles = lateral.form == LateralForm::settle;
    for (const Numbers& one : x) y.push_back(settles ? settled(one.data()) : triangle(one.data()));
    const auto streams = static_cast<double>(x.size());
    const auto mean_of = [&](const auto& value) {
      double sum = 0;
      for (std::size_t b = 0; b < x.size(); ++b) sum += value(b);
      return sum / streams;
    };
    if (settles && first++ < lateral.settle_first) {
      for (std::size_t i = 0; i < kLateralNeurons; ++i) {
        theta[i] += 0.1 * (mean_of([&](std::size_t b) { return y[b][i]; }) - lateral.target);
      }
      return y;
    }
    for (std::size_t i = 0; i < kLateralNeurons; ++i) {
      for (std::size_t k = 0; k < (settles ? kLateralNeurons : i); ++k) {
        double& weight = u[i * kLateralNeurons + k];
        const double product = mean_of([&](std::size_t b) { return y[b][i] * y[b][k]; });
        const double square = mean_of([&](std::size_t b) { return y[b][i] * y[b][i]; });
        if (settles) {
          weight -=
              lateral.rate_lateral.value_or(0.1) * (product - lateral.target * lateral.target);
          if (weight > 0 || i == k) weight = 0;
        } else {
          const bool is_apex = lateral.rule == TriangleRule::apex;
          weight -= lateral.rate_lateral.value_or(2 * rate) *
                    (product + (is_apex ? square * weight : 0.0));
        }
      }
      if (settles) {
        theta[i] += lateral.rate_threshold *
                    (mean_of([&](std::size_t b) { return y[b][i]; }) - lateral.target);
      }
      for (std::size_t j = 0; j < kLateralInputs; ++j) {
        const double before = w[i * kLateralInputs + j];
        w[i * kLateralInputs + j] += rate * mean_of([&](std::size_t b) {
                                       const double of = y[b][i], in = x[b][j];
                                       if (rule == "hebb") return of * in;
                                       if (rule == "oja" || rule == "held")
                                         return of * (in - of * before);
                                       if (rule == "weight by weight")
                                         return of * in * (1 - before);
                                       return of * (in - before);
                                     });
      }
      if (rule == "held") hold(i, mean_of([&](std::size_t b) { return y[b][i]; }));
    }
    return y;
  }
};

HebbianOptions options_of(const std::string& rule, const LateralOptions& lateral) {
  HebbianOptions options{.init = Init::positive, .dtype = DType::float64, .random = {3, 4}};
  if (rule == "hebb") options.rule = HebbRule{.learning_rate = 0.02};
  if (rule == "oja") options.rule = OjaRule{.learning_rate = 0.02};
  if (rule == "held") {
    options.rule = OjaRule{.learning_rate = 0.02};
    options.control = {.homeostasis = Homeostasis{.target = 0.2, .strength = 0.3},
                       .normalization = Normalization::max_norm,
                       .bound = 1.1};
  }
  if (rule == "weight by weight") {
    options.rule = EquationRule("dw = rate*y*x*(1 - w)", {.parameters = {{"rate", 0.02}}});
  }
  if (rule == "text") {
    options.rule = EquationRule("dw = rate*y*(x - w)", {.parameters = {{"rate", 0.02}}});
  }
  if (lateral.form == LateralForm::triangle) options.activation = Activation::tanh;
  options.lateral = lateral;
  return options;
}

Array lateral_samples(std::int64_t streams, std::int64_t ticks) {
  return random_uniform({streams, ticks, kLateralInputs}, 0.0, 1.0, DType::float64, {5, 6});
}

Array named(const Layer& layer, const std::string& name) {
  for (const NamedArray& array : layer.arrays()) {
    if (array.name == name) return array.value;
  }
  FAIL("no array " << name);
  return {};
}

bool near(const Array& x, const Numbers& expected) {
  const Numbers got = x.to_vector<double>();
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(std::abs(got[i] - expected[i]) <= 1e-10)) return false;
  }
  return true;
}

std::vector<LateralOptions> learning_forms() {
  return {
      {},
      {.rule = TriangleRule::apex},
      {.rate_lateral = 0.05},
      {.form = LateralForm::settle, .threshold = 1.0, .settle_first = 9},
      {.form = LateralForm::settle, .iterations = 13, .step = 0.3, .gain = 4, .settle_first = 0}};
}

}  // namespace

TEST_CASE("Lateral connections answer and learn as plain loops do, at any chunk and streams") {
  for (const LateralOptions& lateral : learning_forms()) {
    for (const char* const rule : {"hebb", "oja", "text", "weight by weight", "held"}) {
      for (const std::int64_t streams : {1, 3}) {
        const Array x = lateral_samples(streams, 50);
        HebbianOptions options = options_of(rule, lateral);
        LateralReference reference{.lateral = lateral, .rule = rule, .rate = 0.02, .w = {}};
        reference.w =
            HebbianLayer(kLateralInputs, kLateralNeurons, options).weights().to_vector<double>();
        Numbers expected(static_cast<std::size_t>(streams) * 50 * kLateralNeurons);
        for (std::int64_t t = 0; t < 50; ++t) {
          std::vector<Numbers> rows;
          for (std::int64_t b = 0; b < streams; ++b) rows.push_back(x[b][t].to_vector<double>());
          const std::vector<Numbers> y = reference.tick(rows);
          for (std::size_t b = 0; b < y.size(); ++b) {
            std::copy(
                y[b].begin(), y[b].end(),
                expected.begin() + static_cast<std::ptrdiff_t>(
                                       (b * 50 + static_cast<std::size_t>(t)) * kLateralNeurons));
          }
        }
        for (const Executor executor : {Executor::chunkwise, Executor::stepwise}) {
          for (const std::int64_t chunk : {1, 7, 32}) {
            CAPTURE(to_string(lateral.form), rule, streams, to_string(executor), chunk);
            options.executor = executor;
            options.chunk = chunk;
            HebbianLayer layer(kLateralInputs, kLateralNeurons, options);
            CHECK(near(layer.process(x, true), expected));
            CHECK(near(layer.weights(), reference.w));
            CHECK(near(named(layer, "lateral/weights"), reference.u));
            if (lateral.form == LateralForm::settle) {
              CHECK(near(named(layer, "lateral/threshold"), reference.theta));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("A layer with lateral connections cut in two gives the bytes of one that is not") {
  for (const LateralOptions& lateral : learning_forms()) {
    const Array x = lateral_samples(2, 40);
    HebbianLayer whole(kLateralInputs, kLateralNeurons, options_of("oja", lateral));
    HebbianLayer cut(kLateralInputs, kLateralNeurons, options_of("oja", lateral));
    // A whole number of chunks, so that sums are taken in the same order.
    whole.process(x, true);
    cut.process(x.slice(1, 0, 16), true);
    const std::unique_ptr<Layer> twin = cut.clone();
    twin->process(x.slice(1, 16, 40), true);
    CHECK(near(named(*twin, "weights"), whole.weights().to_vector<double>()));
    CHECK(
        near(named(*twin, "lateral/weights"), named(whole, "lateral/weights").to_vector<double>()));
    CHECK_FALSE(near(named(cut, "weights"), whole.weights().to_vector<double>()));
  }
}

TEST_CASE("Lateral connections of a layer that does not learn stay, and are answered by") {
  HebbianLayer layer(kLateralInputs, kLateralNeurons, options_of("oja", {}));
  const Array x = lateral_samples(1, 40);
  layer.process(x, true);
  LateralReference reference{.lateral = {}, .rule = "oja", .rate = 0, .w = {}};
  reference.w = layer.weights().to_vector<double>();
  reference.u = named(layer, "lateral/weights").to_vector<double>();
  const Array y = layer.process(x, false);
  for (std::int64_t t = 0; t < 40; ++t) {
    CHECK(near(y[0][t], reference.triangle(x[0][t].to_vector<double>().data())));
  }
  CHECK(near(named(layer, "lateral/weights"), reference.u));
}

TEST_CASE("A call that fails leaves lateral connections as they were") {
  HebbianLayer layer(kLateralInputs, kLateralNeurons, options_of("oja", {}));
  layer.process(lateral_samples(1, 20), true);
  const Numbers before = named(layer, "lateral/weights").to_vector<double>();
  const Array bad = lateral_samples(1, 20).copy();
  bad.slice(1, 7, 8).fill(std::nan(""));
  CHECK_THROWS_AS(layer.process(bad, true), ArgumentError);
  CHECK(named(layer, "lateral/weights").to_vector<double>() == before);
}

TEST_CASE("Rates of lateral connections follow the schedule") {
  HebbianLayer layer(kLateralInputs, kLateralNeurons,
                     options_of("oja", {.form = LateralForm::settle, .settle_first = 0}));
  layer.scale_learning_rate(0.0);
  const Numbers theta = named(layer, "lateral/threshold").to_vector<double>();
  layer.process(lateral_samples(1, 20), true);
  CHECK(named(layer, "lateral/weights").to_vector<double>() ==
        Numbers(kLateralNeurons * kLateralNeurons, 0.0));
  CHECK(named(layer, "lateral/threshold").to_vector<double>() == theta);
}

TEST_CASE("Connections that are given are solved") {
  LateralOptions lateral{.form = LateralForm::solve};
  lateral.weights.assign(kLateralNeurons, Numbers(kLateralNeurons, -0.2));
  for (std::size_t i = 0; i < kLateralNeurons; ++i) lateral.weights[i][i] = 0.0;
  HebbianLayer layer(kLateralInputs, kLateralNeurons, options_of("oja", lateral));
  const Array x = lateral_samples(1, 1);
  const Numbers z = matmul(x, layer.weights().transpose()).to_vector<double>();
  const Numbers y = layer.process(x, true).to_vector<double>();
  for (std::size_t i = 0; i < kLateralNeurons; ++i) {
    double rest = y[i];
    for (std::size_t k = 0; k < kLateralNeurons; ++k) rest -= lateral.weights[i][k] * y[k];
    CHECK(std::abs(rest - z[i]) < 1e-12);
  }
}

TEST_CASE("Connections that are set are those that are solved") {
  LateralOptions lateral{.form = LateralForm::solve};
  lateral.weights.assign(kLateralNeurons, Numbers(kLateralNeurons, -0.2));
  HebbianLayer layer(kLateralInputs, kLateralNeurons, options_of("oja", lateral));
  const Array x = lateral_samples(1, 1);
  layer.process(x, false);
  // Copies weights as a run does that begins from another.
  const Array u = named(layer, "lateral/weights");
  u.assign(random_uniform(u.shape(), -0.1, 0.1, DType::float64, {7, 8}));
  const Numbers now = u.to_vector<double>();
  const Numbers z = matmul(x, layer.weights().transpose()).to_vector<double>();
  const std::unique_ptr<Layer> twin = layer.clone();
  for (Layer* const one : {static_cast<Layer*>(&layer), twin.get()}) {
    const Numbers y = one->process(x, false).to_vector<double>();
    for (std::size_t i = 0; i < kLateralNeurons; ++i) {
      double rest = y[i];
      for (std::size_t k = 0; k < kLateralNeurons; ++k) rest -= now[i * kLateralNeurons + k] * y[k];
      CHECK(std::abs(rest - z[i]) < 1e-12);
    }
  }
  u.fill(0.2);
  CHECK(complaint_of<ArgumentError>([&] { layer.process(x, false); }).find("no inverse") !=
        std::string::npos);
}

TEST_CASE("Lateral connections compute the same in float32 and on each device") {
  for (const LateralOptions& lateral : learning_forms()) {
    HebbianOptions options = options_of("oja", lateral);
    const Array x = lateral_samples(2, 40);
    HebbianLayer exact(kLateralInputs, kLateralNeurons, options);
    const Numbers expected = exact.process(x, true).to_vector<double>();
    const Numbers weights = exact.weights().to_vector<double>();
    const Numbers connections = named(exact, "lateral/weights").to_vector<double>();
    on_each_device([&] {
      for (const DType dtype : {DType::float64, DType::float32}) {
        options.dtype = dtype;
        HebbianLayer layer(kLateralInputs, kLateralNeurons, options);
        const Array samples = lateral_samples(2, 40).astype(dtype);
        const auto check = [&](const Array& found, const Numbers& wanted) {
          CHECK(found.device() == current_device());
          const Numbers got = found.astype(DType::float64).to_vector<double>();
          REQUIRE(got.size() == wanted.size());
          for (std::size_t i = 0; i < got.size(); ++i) {
            CHECK(got[i] == Approx(wanted[i]).margin(dtype == DType::float64 ? 1e-12 : 2e-5));
          }
        };
        check(layer.process(samples, true), expected);
        check(layer.weights(), weights);
        check(named(layer, "lateral/weights"), connections);
        std::string why;
        for (const auto& [name, value] : layer.attributes()) {
          if (name == "executor_why") why = value;
        }
        CHECK(why.empty() == current_device().is_cpu());
        if (!why.empty()) CHECK(why.find("on the CPU") != std::string::npos);
      }
    });
  }
}

TEST_CASE("Lateral connections beside one from above are refused") {
  HebbianOptions options = options_of("oja", {});
  options.top_down = TopDownOptions{.from = 1, .as = TopDownOptions::As::bias};
  CHECK(complaint_of<ArgumentError>([&] {
          HebbianLayer(kLateralInputs, kLateralNeurons, options);
        }).find("no place beside top_down") != std::string::npos);
}

TEST_CASE("Lateral connections that cannot be are refused with the key that is to blame") {
  const auto complaint = [](const char* rule, const LateralOptions& lateral,
                            Activation f = Activation::linear) {
    HebbianOptions options = options_of(rule, lateral);
    options.activation = f;
    return complaint_of<ArgumentError>(
        [&] { HebbianLayer(kLateralInputs, kLateralNeurons, options); });
  };
  CHECK(complaint("oja", {}, Activation::softmax).find("softmax") != std::string::npos);
  CHECK(complaint("oja", {.form = LateralForm::settle}, Activation::tanh).find("linear neurons") !=
        std::string::npos);
  CHECK(complaint("oja", {.form = LateralForm::settle, .step = 2}).find("lateral.step") !=
        std::string::npos);
  CHECK(complaint("oja", {.form = LateralForm::solve}).find("expected 5 lists") !=
        std::string::npos);
  LateralOptions singular{.form = LateralForm::solve};
  singular.weights.assign(kLateralNeurons, Numbers(kLateralNeurons, 0.2));
  CHECK(complaint("oja", singular).find("no inverse") != std::string::npos);
  HebbianOptions deaf = options_of("oja", {});
  deaf.activation = Activation::linear;
  deaf.rule = EquationRule("y = z\ndw = rate*y*x", {.parameters = {{"rate", 0.1}}});
  CHECK(complaint_of<ArgumentError>([&] {
          HebbianLayer(kLateralInputs, kLateralNeurons, deaf);
        }).find("no effect") != std::string::npos);
}

TEST_CASE("Positive weights lie between 0 and 1 and have rows of length 1") {
  const Numbers w =
      initial_weights(Init::positive, 6, 9, DType::float64, {1, 2}).to_vector<double>();
  for (std::size_t i = 0; i < 6; ++i) {
    double square = 0;
    for (std::size_t j = 0; j < 9; ++j) {
      CHECK(w[i * 9 + j] >= 0.0);
      square += w[i * 9 + j] * w[i * 9 + j];
    }
    CHECK(std::abs(square - 1) < 1e-14);
  }
}
