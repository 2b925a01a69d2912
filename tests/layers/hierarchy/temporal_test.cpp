// SPDX-License-Identifier: MIT
#include "../../../src/layers/hierarchy/temporal.h"

#include "../../../src/array/create.h"
#include "../../../src/array/joining.h"
#include "../../../src/array/ops.h"
#include "../../reference/plasticity_reference.h"
#include "../../support/catch.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kChannels = 4;
constexpr std::int64_t kOutputs = 7;

TemporalOptions options64(Activation f = Activation::tanh, double leak = 0.3) {
  return {.activation = f,
          .leak = leak,
          .bias = 0.1,
          .dtype = DType::float64,
          .random = RandomStream::named(5, "temporal")};
}

Array samples(std::int64_t streams, std::int64_t ticks) {
  return random_normal({streams, ticks, kChannels}, 0.0, 1.0, DType::float64, {5, 5});
}

/// h <- (1 - a) h + a f(W x + R h + b) from h = 0, for the rows of x [ticks, inputs].
std::vector<Row> plain_loop(const TemporalLayer& layer, const TemporalOptions& options,
                            const Array& x) {
  const Row w = to_row(layer.weights());
  const Row r = to_row(layer.recurrent());
  Row h(kOutputs);
  std::vector<Row> states;
  for (std::int64_t t = 0; t < x.shape(0); ++t) {
    const Row sample = to_row(x[t]);
    Row z(kOutputs, Real(options.bias));
    for (std::size_t i = 0; i < kOutputs; ++i) {
      for (std::size_t j = 0; j < kChannels; ++j) z[i] += w[i * kChannels + j] * sample[j];
      for (std::size_t k = 0; k < kOutputs; ++k) z[i] += r[i * kOutputs + k] * h[k];
    }
    const Row f = reference_activation(options.activation, z);
    const Real leak = options.leak;
    for (std::size_t i = 0; i < kOutputs; ++i) h[i] = (1 - leak) * h[i] + leak * f[i];
    states.push_back(h);
  }
  return states;
}

}  // namespace

TEST_CASE("A temporal layer follows its recurrence, for every activation and leak") {
  for (const Activation f : kActivations) {
    for (const double leak : {0.05, 0.3, 1.0}) {
      const TemporalOptions options = options64(f, leak);
      TemporalLayer layer(kChannels, kOutputs, options);
      const Array x = samples(3, 60);
      const Array y = layer.process(x);
      REQUIRE(y.shape() == Shape{3, 60, kOutputs});
      for (std::int64_t b = 0; b < 3; ++b) {
        const std::vector<Row> expected = plain_loop(layer, options, x[b]);
        const Row found = to_row(y[b]);
        Real difference = 0;
        for (std::size_t k = 0; k < found.size(); ++k) {
          difference =
              std::max(difference, std::abs(found[k] - expected[k / kOutputs][k % kOutputs]));
        }
        INFO(to_string(f) << ", leak " << leak << ", stream " << b);
        CHECK(static_cast<double>(difference) <= 1e-13);
      }
    }
  }
}

TEST_CASE("The state of a temporal layer carries over from block to block") {
  const Array x = samples(2, 50);
  TemporalLayer whole(kChannels, kOutputs, options64());
  TemporalLayer pieces(kChannels, kOutputs, options64());
  const Array expected = whole.process(x);
  const Array found =
      concatenate({pieces.process(x.slice(1, 0, 1)), pieces.process(x.slice(1, 1, 34)),
                   pieces.process(x.slice(1, 34, {}))},
                  1);
  CHECK(all_close(found, expected, 1e-13, 1e-14));
  CHECK(all_close(pieces.state(), found.select(1, -1), 0.0, 0.0));
}

TEST_CASE("Each stream of a temporal layer has a state of its own") {
  const Array x = samples(3, 40);
  TemporalLayer together(kChannels, kOutputs, options64());
  const Array y = together.process(x);
  for (std::int64_t b = 0; b < 3; ++b) {
    TemporalLayer alone(kChannels, kOutputs, options64());
    CHECK(all_close(alone.process(x.slice(0, b, b + 1))[0], y[b], 1e-13, 1e-14));
  }
}

TEST_CASE("A temporal layer forgets its state, not its weights, on reset") {
  const Array x = samples(1, 20);
  TemporalLayer layer(kChannels, kOutputs, options64());
  CHECK(layer.state().size() == 0);
  const Array first = layer.process(x);
  CHECK_FALSE(all_close(layer.process(x), first));
  layer.reset_state();
  CHECK(layer.process(x).to_vector<double>() == first.to_vector<double>());
}

TEST_CASE("The state of a temporal layer is of as many streams as it began with") {
  TemporalLayer layer(kChannels, kOutputs, options64());
  layer.process(samples(2, 3));
  CHECK_THROWS_WITH_TEXT(layer.process(samples(3, 3)), ShapeError,
                         "[temporal layer] its state is of 2 stream(s), got 3; reset its state "
                         "first");
  layer.reset_state();
  CHECK(layer.process(samples(3, 3)).shape() == Shape{3, 3, kOutputs});
}

TEST_CASE("A clone of a temporal layer goes on from the same state, on its own") {
  const Array x = samples(1, 20);
  TemporalLayer layer(kChannels, kOutputs, options64());
  layer.process(x);
  const auto twin = layer.clone();
  const Array a = twin->process(x);
  const Array b = layer.process(x);
  CHECK(a.to_vector<double>() == b.to_vector<double>());
  const auto fresh = TemporalLayer(kChannels, kOutputs, options64()).clone();
  CHECK(fresh->process(x).shape() == Shape{1, 20, kOutputs});
}

TEST_CASE("A temporal layer lists weights, recurrent weights, bias and state") {
  TemporalLayer layer(kChannels, kOutputs, options64());
  layer.process(samples(2, 3));
  const std::vector<NamedArray> arrays = layer.arrays();
  REQUIRE(arrays.size() == 4);
  CHECK(arrays[0].name == "weights");
  CHECK(arrays[0].value.shape() == Shape{kOutputs, kChannels});
  CHECK(arrays[1].name == "recurrent");
  CHECK(arrays[1].value.shape() == Shape{kOutputs, kOutputs});
  CHECK(arrays[2].name == "bias");
  CHECK(arrays[2].value.item({3}) == 0.1);
  CHECK(arrays[3].name == "state");
  CHECK(arrays[3].role == NamedArray::Role::state);
  CHECK(arrays[3].value.shape() == Shape{2, kOutputs});
  CHECK(layer.type() == "temporal");
  CHECK_FALSE(layer.is_plastic());
}

TEST_CASE("A temporal layer has the spectral radius asked for, and input weights apart from it") {
  for (const double radius : {0.0, 0.4, 0.9, 1.3}) {
    TemporalOptions options = options64();
    options.spectral_radius = radius;
    const TemporalLayer layer(1, 50, options);
    CHECK(spectral_radius(layer.recurrent()) == Approx(radius).epsilon(1e-8).margin(1e-300));
  }
  const TemporalLayer square(50, 50, options64());
  const Array a = square.weights();
  const Array b = square.recurrent();
  const double overlap = sum(multiply(a, b)).item() / (norm(a).item() * norm(b).item());
  CHECK(std::abs(overlap) <= 5.0 / 50.0);
}

TEST_CASE("Recurrent weights are independent of the weights that the next layer draws") {
  set_seed(3);
  const TemporalLayer layer(50, 50);
  const TemporalLayer next(50, 50);
  set_seed(0);
  for (const Array& other : {next.weights(), next.recurrent(), layer.weights()}) {
    const double overlap = sum(multiply(layer.recurrent(), other)).item();
    CHECK(std::abs(overlap) / (norm(layer.recurrent()).item() * norm(other).item()) <= 5.0 / 50.0);
  }
}

TEST_CASE("With a spectral radius below one a linear temporal layer forgets its beginning") {
  TemporalOptions options = options64(Activation::linear, 1.0);
  options.bias = 0.0;
  options.spectral_radius = 0.8;
  TemporalLayer layer(kChannels, kOutputs, options);
  layer.process(samples(1, 5));
  const Array silence = layer.process(zeros({1, 400, kChannels}, DType::float64));
  // |h| falls as radius^t.
  const double early = norm(silence[0][99]).item();
  const double late = norm(silence[0][299]).item();
  CHECK(std::pow(late / early, 1.0 / 200.0) == Approx(0.8).epsilon(0.01));
}

TEST_CASE("A leak of one leaves nothing of the old state") {
  TemporalOptions options = options64(Activation::linear, 1.0);
  options.spectral_radius = 0.0;
  options.bias = 0.0;
  TemporalLayer layer(kChannels, kOutputs, options);
  const Array x = samples(1, 10);
  CHECK(all_close(layer.process(x), matmul(x, layer.weights().transpose()), 1e-13, 1e-15));
}

TEST_CASE("A temporal layer refuses numbers that its dtype rounds to 0 or infinity") {
  const auto check = [](TemporalOptions options, const char* text) {
    CHECK_THROWS_WITH_TEXT(TemporalLayer(2, 2, options), ArgumentError, text);
    options.dtype = DType::float64;
    TemporalLayer(2, 2, options);
  };
  check({.leak = 1e-50}, "[temporal layer] leak: expected a number that float32 can hold");
  check({.spectral_radius = 1e-50}, "[temporal layer] spectral_radius: expected a number that");
  check({.bias = 1e39}, "[temporal layer] bias: expected a number that float32 can hold");
}

TEST_CASE("A temporal layer refuses a leak or a spectral radius out of its range") {
  for (const double leak : {0.0, -0.5, 1.5, std::nan("")}) {
    CHECK_THROWS_WITH_TEXT(TemporalLayer(4, 7, {.leak = leak}), ArgumentError,
                           "[temporal layer] leak must be in (0, 1], got");
  }
  for (const double radius : {-0.1, 1e7, std::nan("")}) {
    CHECK_THROWS_WITH_TEXT(TemporalLayer(4, 7, {.spectral_radius = radius}), ArgumentError,
                           "[temporal layer] spectral_radius must be in [0, 1e6), got");
  }
}

TEST_CASE("A temporal layer adds what a readout has said to its drive, with rules too") {
  for (const bool learns : {false, true}) {
    TemporalOptions options = options64();
    options.feedback = "next";
    options.feedback_size = 2;
    options.feedback_scale = 0.5;
    if (learns) options.input_rule = PlasticityRule(OjaRule{.learning_rate = 0.0});
    TemporalLayer layer(kChannels, kOutputs, options);
    TemporalOptions alone = options64();
    const TemporalLayer without(kChannels, kOutputs, alone);
    // What is drawn for it leaves the other weights as they are.
    CHECK(to_row(layer.weights()) == to_row(without.weights()));
    CHECK(to_row(layer.recurrent()) == to_row(without.recurrent()));
    REQUIRE(layer.feedback().shape() == Shape{kOutputs, 2});
    CHECK(layer.signal_columns() == std::vector<std::string>{"feedback/next/0", "feedback/next/1"});

    constexpr std::int64_t ticks = 30;
    const Array x = samples(2, ticks);
    const Array said = random_normal({2, 2, ticks}, 0.0, 1.0, DType::float64, {6, 6});
    const TickSignals signals = {{"feedback/next/0", said[0]}, {"feedback/next/1", said[1]}};
    layer.read_signals(signals);
    std::unique_ptr<Layer> twin = layer.clone();
    const Array y = layer.process(x, true);
    const Row w = to_row(layer.weights());
    const Row r = to_row(layer.recurrent());
    const Row f = to_row(layer.feedback());
    for (std::int64_t b = 0; b < 2; ++b) {
      Row h(kOutputs);
      for (std::int64_t t = 0; t < ticks; ++t) {
        const Row sample = to_row(x[b][t]);
        Row z(kOutputs, Real(options.bias));
        for (std::size_t i = 0; i < kOutputs; ++i) {
          for (std::size_t j = 0; j < kChannels; ++j) z[i] += w[i * kChannels + j] * sample[j];
          for (std::size_t k = 0; k < kOutputs; ++k) z[i] += r[i * kOutputs + k] * h[k];
          for (std::int64_t k = 0; k < 2; ++k) {
            z[i] += f[2 * i + static_cast<std::size_t>(k)] * Real(said[k][b][t].item());
          }
        }
        for (std::size_t i = 0; i < kOutputs; ++i) {
          h[i] = Real(0.7) * h[i] + Real(0.3) * std::tanh(z[i]);
          CHECK(static_cast<double>(h[i]) ==
                Approx(y[b][t][static_cast<std::int64_t>(i)].item()).margin(1e-12));
        }
      }
    }
    // A clone hears the same; a layer that is told nothing hears zeros.
    CHECK(to_row(twin->process(x, true)) == to_row(y));
    TemporalLayer deaf(kChannels, kOutputs, options);
    TemporalLayer plain(kChannels, kOutputs, alone);
    const Row heard_nothing = to_row(deaf.process(x));
    const Row expected = to_row(plain.process(x));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(static_cast<double>(heard_nothing[i]) ==
            Approx(static_cast<double>(expected[i])).margin(1e-14));
    }
    layer.read_signals({{"feedback/next/0", said[0].slice(1, 0, 3)}});
    CHECK_THROWS_AS(layer.process(x), ShapeError);
  }
}
