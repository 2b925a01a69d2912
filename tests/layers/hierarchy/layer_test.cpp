// SPDX-License-Identifier: MIT
/// \file
/// What all layers of a hierarchy have in common.
#include "../../../src/layers/hierarchy/layer.h"

#include <cmath>
#include <limits>
#include <memory>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/layers/hierarchy/hebbian.h"
#include "../../../src/layers/hierarchy/reactive.h"
#include "../../../src/layers/hierarchy/temporal.h"
#include "../../../src/learning/rule_parameters.h"
#include "../../support/catch.h"
#include "../../support/devices.h"

namespace gaia::test {
namespace {

constexpr std::int64_t kStreams = 2;
constexpr std::int64_t kTicks = 11;

std::vector<std::unique_ptr<Layer>> some_layers() {
  std::vector<std::unique_ptr<Layer>> layers;
  for (const Activation f :
       {Activation::linear, Activation::relu, Activation::softmax, Activation::coates}) {
    layers.push_back(std::make_unique<ReactiveLayer>(
        6, 4, ReactiveOptions{.activation = f, .bias = 0.25, .dtype = DType::float64}));
  }
  layers.push_back(std::make_unique<TemporalLayer>(6, 4, TemporalOptions{.dtype = DType::float64}));
  const std::vector<PlasticityRule> rules = {OjaRule{}, SangerRule{}};
  for (const PlasticityRule& rule : rules) {
    layers.push_back(std::make_unique<HebbianLayer>(
        6, 4, HebbianOptions{.rule = rule, .dtype = DType::float64}));
  }
  return layers;
}

Array layer_samples() { return random_normal({kStreams, kTicks, 6}, 0.0, 1.0, DType::float64); }

/// Room for more ticks than a block has, full of NaN.
Array wide_room() {
  return full({kStreams, kTicks + 5, 4}, std::numeric_limits<double>::quiet_NaN(), DType::float64);
}

/// Whether what a layer reads changes its weights: not under a rule whose dw is decay alone.
bool moves_weights(const Layer& layer) {
  const auto* const plastic = dynamic_cast<const HebbianLayer*>(&layer);
  if (plastic == nullptr) return layer.is_plastic();
  const auto* const text = std::get_if<EquationRule>(&plastic->plasticity().rule);
  return text == nullptr || text->name() != "intrinsic_plasticity";
}

}  // namespace

DEVICE_TEST_CASE("A layer writes its answers where it is told and nowhere else, on each device") {
  for (const bool learn : {false, true}) {
    for (const std::unique_ptr<Layer>& layer : some_layers()) {
      INFO(layer->type() << (learn ? " that learns" : ""));
      const std::unique_ptr<Layer> twin = layer->clone();
      const Array x = layer_samples();
      const Array whole = wide_room();
      layer->process(x, learn, whole.slice(1, 2, 2 + kTicks));
      const Array expected = twin->process(x, learn);
      CHECK(whole.slice(1, 2, 2 + kTicks).to_vector<double>() == expected.to_vector<double>());
      CHECK(layer->arrays()[0].value.to_vector<double>() ==
            twin->arrays()[0].value.to_vector<double>());
      for (const Array& rest : {whole.slice(1, 0, 2), whole.slice(1, 2 + kTicks, {})}) {
        for (const double value : rest.to_vector<double>()) CHECK(std::isnan(value));
      }
    }
  }
}

TEST_CASE("Replicas of a layer write their answers where they are told") {
  for (const bool learn : {false, true}) {
    for (const std::unique_ptr<Layer>& layer : some_layers()) {
      INFO(layer->type() << (learn ? " that learns" : ""));
      const std::unique_ptr<Layer> second = layer->clone();
      Layer* const replicas[] = {layer.get(), second.get()};
      const std::unique_ptr<Layer> twin = layer->clone();
      const Array x = layer_samples();
      const Array whole = wide_room();
      layer->process_replicas(replicas, x, learn, whole.slice(1, 0, kTicks));
      const std::vector<double> expected =
          twin->process(x.slice(0, 0, 1), learn).to_vector<double>();
      CHECK(whole.slice(0, 0, 1).slice(1, 0, kTicks).to_vector<double>() == expected);
      CHECK(std::isnan(whole.slice(1, kTicks, {}).to_vector<double>().front()));
    }
  }
}

TEST_CASE("A layer refuses room that does not fit its answers, naming both") {
  ReactiveLayer layer(6, 4, {.dtype = DType::float64});
  const Array x = layer_samples();
  CHECK_THROWS_WITH_TEXT(layer.process(x, false, zeros({kStreams, kTicks, 5}, DType::float64)),
                         ShapeError,
                         "[reactive layer] expected room for answers [2, 11, 4], the last axis "
                         "contiguous, got [2, 11, 5]");
  CHECK_THROWS_WITH_TEXT(
      layer.process(x, false, zeros({kStreams, 4, kTicks}, DType::float64).swapaxes(1, 2)),
      ShapeError, "the last axis contiguous, got [2, 11, 4]");
  CHECK_THROWS_WITH_TEXT(layer.process(x, false, zeros({kStreams, kTicks, 4}, DType::float32)),
                         DTypeError,
                         "[reactive layer] expected room for answers of float64, got float32");
}

TEST_CASE("A layer alone is left as it was by a call that fails") {
  std::vector<std::unique_ptr<Layer>> layers = some_layers();
  for (const PlasticityRule& rule : all_rules()) {
    for (const Executor executor : {Executor::chunkwise, Executor::stepwise}) {
      layers.push_back(std::make_unique<HebbianLayer>(
          6, 4, HebbianOptions{.rule = rule, .executor = executor, .dtype = DType::float64}));
    }
  }
  const Array good = abs(layer_samples()) * 0.3;
  int diverged = 0;
  for (const auto& layer : layers) {
    INFO(layer->type());
    TickSignals signals;
    for (const std::string& column : layer->signal_columns()) {
      signals[column] = ones({kStreams, kTicks}, DType::float64);
    }
    layer->allocate_state(kStreams);
    layer->read_signals(signals);
    layer->process(good, true);
    const auto numbers_of = [](const Layer& one) {
      std::vector<std::vector<double>> all;
      for (const NamedArray& array : one.arrays()) all.push_back(array.value.to_vector<double>());
      return all;
    };
    const auto before = numbers_of(*layer);
    const auto twin = layer->clone();
    if (before != before) {  // NaN, from good samples: these rules are unstable at their rates
      ++diverged;
      continue;
    }
    bool stood = false;
    for (const double value : {std::nan(""), HUGE_VAL, 1e300}) {
      const Array bad = good.copy();
      bad[1][kTicks - 1].slice(0, 2, 3).fill(value);
      try {
        layer->process(bad, true);
        // Under tanh what moves no weights stands infinity, and some rules stand large numbers.
        stood = value == 1e300 || !moves_weights(*layer);
        if (stood) break;
        CHECK(numbers_of(*layer) == before);
      } catch (const ArgumentError& error) {
        CHECK_SAYS(error.what(), "at stream 1, tick 10, input 2");
        CHECK(value != 1e300);
      }
      CHECK(numbers_of(*layer) == before);
    }
    if (stood) continue;
    // Neither hands signals on to its clone.
    layer->read_signals(signals);
    twin->read_signals(signals);
    CHECK(layer->process(good, false).to_vector<double>() ==
          twin->process(good, false).to_vector<double>());
    CHECK(numbers_of(*layer) == numbers_of(*twin));
  }
  CHECK(diverged <= 4);
}

}  // namespace gaia::test
