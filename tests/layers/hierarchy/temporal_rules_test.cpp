// SPDX-License-Identifier: MIT
/// \file
/// Temporal layers whose weights follow rules, compared with plain loops in float64.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../../src/array/create.h"
#include "../../../src/array/joining.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/layers/hierarchy/temporal.h"
#include "../../support/catch.h"
#include "../../support/devices.h"
#include "../../support/near.h"

using namespace gaia;
using namespace gaia::test;

namespace {

constexpr std::int64_t kReads = 3;
constexpr std::int64_t kCells = 5;
using Numbers = std::vector<double>;

TemporalOptions ruled(double leak = 0.4, DType dtype = DType::float64) {
  return {.leak = leak,
          .bias = 0.1,
          .dtype = dtype,
          .random = RandomStream::named(5, "temporal rules")};
}

Array some_samples(std::int64_t streams, std::int64_t ticks, DType dtype = DType::float64) {
  return random_normal({streams, ticks, kReads}, 0.0, 1.0, dtype, {9, 4});
}

/// What a layer under Oja's rule for W and a decaying Hebbian rule for R does, in loops.
struct PlainLayer {
  Numbers w, r, bias;
  double leak = 1.0;
  double rate_w = 0.0;
  double rate_r = 0.0;
  double decay_r = 0.0;
  std::vector<Numbers> h;  // of each stream
  // Gains and shifts of intrinsic plasticity for each stream; empty for tanh(z).
  std::vector<Numbers> gain, shift;
  double rate_ip = 0.0;
  double mu = 0.0;
  double sigma = 0.0;

  static constexpr auto reads = static_cast<std::size_t>(kReads);
  static constexpr auto cells = static_cast<std::size_t>(kCells);

  explicit PlainLayer(const TemporalLayer& layer, std::size_t streams)
      : w(layer.weights().to_vector<double>()),
        r(layer.recurrent().to_vector<double>()),
        h(streams, Numbers(cells)) {
    for (const NamedArray& array : layer.arrays()) {
      if (array.name == "bias") bias = array.value.to_vector<double>();
    }
  }

  /// x [streams][reads]; returns h [streams][cells].
  std::vector<Numbers> tick(const std::vector<Numbers>& x, bool learns) {
    const auto streams = static_cast<double>(x.size());
    Numbers dw(w.size()), dr(r.size());
    std::vector<Numbers> all;
    for (std::size_t b = 0; b < x.size(); ++b) {
      Numbers after(cells);
      for (std::size_t i = 0; i < cells; ++i) {
        double z = bias[i];
        for (std::size_t j = 0; j < reads; ++j) z += w[i * reads + j] * x[b][j];
        for (std::size_t k = 0; k < cells; ++k) z += r[i * cells + k] * h[b][k];
        double y = std::tanh(z);
        if (!gain.empty()) {
          double& a = gain[b][i];
          double& s = shift[b][i];
          y = std::tanh(a * z + s);
          const double variance = sigma * sigma;
          const double ds =
              -rate_ip * (-mu / variance + y / variance * (2 * variance + 1 - y * y + mu * y));
          if (learns) {
            s += ds;
            a = std::max(a + rate_ip / a + ds * z, 0.001);
          }
        }
        after[i] = (1 - leak) * h[b][i] + leak * y;
      }
      for (std::size_t i = 0; i < cells; ++i) {
        const double y = after[i];
        for (std::size_t j = 0; j < reads; ++j) {
          dw[i * reads + j] += rate_w * y * (x[b][j] - y * w[i * reads + j]) / streams;
        }
        for (std::size_t k = 0; k < cells; ++k) {
          dr[i * cells + k] += (rate_r * y * h[b][k] - decay_r * r[i * cells + k]) / streams;
        }
      }
      all.push_back(after);
    }
    h = all;
    for (std::size_t n = 0; learns && n < w.size(); ++n) w[n] += dw[n];
    for (std::size_t n = 0; learns && n < r.size(); ++n) r[n] += dr[n];
    return all;
  }
};

std::vector<Numbers> rows_at(const Array& x, std::int64_t t) {
  std::vector<Numbers> rows;
  for (std::int64_t b = 0; b < x.shape(0); ++b) rows.push_back(x[b][t].to_vector<double>());
  return rows;
}

/// The largest difference of answers between the layer and the loops.
double run_both(TemporalLayer& layer, PlainLayer& plain, const Array& x, bool learns) {
  const Array y = layer.process(x, learns);
  double largest = 0.0;
  for (std::int64_t t = 0; t < x.shape(1); ++t) {
    const std::vector<Numbers> expected = plain.tick(rows_at(x, t), learns);
    const std::vector<Numbers> found = rows_at(y, t);
    for (std::size_t b = 0; b < expected.size(); ++b) {
      largest = std::max(largest, largest_difference(found[b], expected[b]));
    }
  }
  return largest;
}

PlasticityRule hebb_with_decay(double rate, double decay) {
  return HebbRule{.learning_rate = rate, .decay = decay};
}

}  // namespace

DEVICE_TEST_CASE(
    "W and R of a temporal layer follow their rules, of one stream and of three, on each device") {
  for (const std::int64_t streams : {1, 3}) {
    for (const auto& [leak, dtype] : std::vector<std::pair<double, DType>>{
             {1.0, DType::float64}, {0.4, DType::float64}, {0.4, DType::float32}}) {
      const double near = dtype == DType::float32 ? 1e-5 : 1e-10;
      TemporalOptions options = ruled(leak, dtype);
      options.input_rule = OjaRule{.learning_rate = 0.05};
      options.recurrent_rule = hebb_with_decay(0.02, 0.01);
      TemporalLayer layer(kReads, kCells, options);
      CHECK(layer.is_plastic());
      PlainLayer plain(layer, static_cast<std::size_t>(streams));
      plain.leak = leak;
      plain.rate_w = 0.05;
      plain.rate_r = 0.02;
      plain.decay_r = 0.01;
      const Numbers first = plain.r;
      INFO(streams << " streams, leak " << leak << ", " << to_string(dtype));
      CHECK(run_both(layer, plain, some_samples(streams, 50, dtype), true) <= near);
      CHECK(largest_difference(layer.weights().to_vector<double>(), plain.w) <= near);
      CHECK(largest_difference(layer.recurrent().to_vector<double>(), plain.r) <= near);
      CHECK(largest_difference(plain.r, first) > 1e-3);
      // Not learning it answers by the weights as they are.
      const Numbers learnt = layer.recurrent().to_vector<double>();
      CHECK(run_both(layer, plain, some_samples(streams, 20, dtype), false) <= near);
      CHECK(layer.recurrent().to_vector<double>() == learnt);
    }
  }
}

DEVICE_TEST_CASE(
    "Intrinsic plasticity moves gain and bias as its paper says, with the full drive") {
  for (const auto& [streams, dtype] : std::vector<std::pair<std::int64_t, DType>>{
           {1, DType::float64}, {3, DType::float64}, {3, DType::float32}}) {
    INFO(streams << " streams, " << to_string(dtype));
    const double near = dtype == DType::float32 ? 1e-4 : 1e-10;
    TemporalOptions options = ruled(1.0, dtype);
    PlasticityRule rule = rule_from_name("intrinsic_plasticity");
    *std::get<EquationRule>(rule).parameter("rate") = 0.01;
    *std::get<EquationRule>(rule).parameter("mu") = 0.1;
    *std::get<EquationRule>(rule).parameter("sigma") = 0.3;
    options.input_rule = rule;
    TemporalLayer layer(kReads, kCells, options);
    PlainLayer plain(layer, static_cast<std::size_t>(streams));
    plain.leak = 1.0;
    plain.gain.assign(plain.h.size(), Numbers(PlainLayer::cells, 1.0));
    plain.shift.assign(plain.h.size(), Numbers(PlainLayer::cells, 0.0));
    plain.rate_ip = 0.01;
    plain.mu = 0.1;
    plain.sigma = 0.3;
    const Numbers first = layer.weights().to_vector<double>();
    CHECK(run_both(layer, plain, some_samples(streams, 80, dtype), true) <= near);
    CHECK(layer.weights().to_vector<double>() == first);
    for (const NamedArray& array : layer.arrays()) {
      if (array.name != "gain" && array.name != "shift") continue;
      Numbers expected;
      for (const Numbers& of_stream : array.name == "gain" ? plain.gain : plain.shift) {
        expected.insert(expected.end(), of_stream.begin(), of_stream.end());
      }
      INFO(array.name);
      CHECK(largest_difference(array.value.to_vector<double>(), expected) <= near);
    }
    // Held while nothing learns, and across trials.
    layer.reset_state();
    for (Numbers& h : plain.h) h.assign(h.size(), 0.0);
    CHECK(run_both(layer, plain, some_samples(streams, 30, dtype), false) <= near);
  }
}

TEST_CASE("Intrinsic plasticity brings the deviation of answers to what was asked for") {
  TemporalOptions options = ruled(1.0);
  options.spectral_radius = 0.5;
  PlasticityRule rule = rule_from_name("intrinsic_plasticity");
  *std::get<EquationRule>(rule).parameter("rate") = 0.002;
  options.input_rule = rule;
  TemporalLayer layer(kReads, kCells, options);
  layer.process(some_samples(1, 6000), true);
  const Numbers y = layer.process(some_samples(1, 3000), false).to_vector<double>();
  double sum = 0.0;
  double squares = 0.0;
  for (const double value : y) {
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(y.size());
  const double mean = sum / count;
  CHECK(std::abs(mean) < 0.05);
  CHECK(std::sqrt(squares / count - mean * mean) == Approx(0.2).margin(0.05));
}

TEST_CASE("A temporal layer that learns may be cut, copied and put back anywhere") {
  TemporalOptions options = ruled();
  options.input_rule = EquationRule("m = m + (y - m)/5\ndw = rate*(y - m)*pre",
                                    {.parameters = {{"rate", 0.02}}, .traces = {{"pre", 3.0}}});
  options.recurrent_rule = EquationRule("dw = rate*z*x - 0.01*w", {.parameters = {{"rate", 0.01}}});
  options.hold_spectral_radius = 7;
  options.time_window = 4;
  const Array x = some_samples(2, 40);
  TemporalLayer whole(kReads, kCells, options);
  const Numbers expected = whole.process(x, true).to_vector<double>();
  for (const std::int64_t cut : {1, 7, 39}) {
    TemporalLayer first(kReads, kCells, options);
    const Array before = first.process(x.slice(1, 0, cut), true);
    const std::unique_ptr<Layer> twin = first.clone();
    ArrayUndo undo;
    first.keep(undo, true);
    first.process(x.slice(1, 0, cut), true);
    undo.put_back();
    for (Layer* const layer : {static_cast<Layer*>(&first), twin.get()}) {
      const Array after = layer->process(x.slice(1, cut, 40), true);
      INFO("cut " << cut);
      CHECK(concatenate({before, after}, 1).to_vector<double>() == expected);
      const std::vector<NamedArray> mine = layer->arrays();
      const std::vector<NamedArray> theirs = whole.arrays();
      REQUIRE(mine.size() == theirs.size());
      for (std::size_t i = 0; i < mine.size(); ++i) {
        INFO(mine[i].name);
        CHECK(mine[i].value.to_vector<double>() == theirs[i].value.to_vector<double>());
      }
    }
  }
}

TEST_CASE("hold_spectral_radius brings R back after so many ticks that learn") {
  TemporalOptions options = ruled();
  options.spectral_radius = 0.8;
  options.recurrent_rule = hebb_with_decay(0.05, 0.0);
  options.hold_spectral_radius = 10;
  TemporalLayer layer(kReads, kCells, options);
  const Array x = some_samples(1, 40);
  layer.process(x.slice(1, 0, 9), true);
  CHECK(std::abs(spectral_radius(layer.recurrent()) - 0.8) > 1e-3);
  layer.process(x.slice(1, 9, 10), true);
  CHECK(spectral_radius(layer.recurrent()) == Approx(0.8).epsilon(1e-9));
  layer.process(x.slice(1, 10, 19), true);
  CHECK(std::abs(spectral_radius(layer.recurrent()) - 0.8) > 1e-3);
  layer.process(x.slice(1, 20, 40), false);  // which counts nothing
  layer.process(x.slice(1, 19, 20), true);
  CHECK(spectral_radius(layer.recurrent()) == Approx(0.8).epsilon(1e-9));
}

TEST_CASE("A time window has the last inputs of the trial, zeros before the first") {
  TemporalOptions options = ruled();
  options.time_window = 3;
  TemporalLayer layer(kReads, kCells, options);
  const Array x = some_samples(2, 8);
  CHECK(layer.time_window().size() == 0);
  layer.process(x.slice(1, 0, 2));
  REQUIRE(layer.time_window().shape() == Shape{2, 3, kReads});
  for (std::int64_t b = 0; b < 2; ++b) {
    CHECK(layer.time_window()[b][0].to_vector<double>() == Numbers(kReads, 0.0));
    for (std::int64_t k = 0; k < 2; ++k) {
      CHECK(layer.time_window()[b][k + 1].to_vector<double>() == x[b][k].to_vector<double>());
    }
  }
  layer.process(x.slice(1, 2, 8));
  for (std::int64_t k = 0; k < 3; ++k) {
    CHECK(layer.time_window()[1][k].to_vector<double>() == x[1][5 + k].to_vector<double>());
  }
  layer.reset_state();
  layer.process(x.slice(1, 0, 1));
  CHECK(layer.time_window()[0][1].to_vector<double>() == Numbers(kReads, 0.0));
}

TEST_CASE("A learning rate that is scaled scales both rules") {
  TemporalOptions options = ruled();
  options.input_rule = OjaRule{.learning_rate = 0.01};
  options.recurrent_rule = hebb_with_decay(0.01, 0.0);
  TemporalLayer scaled(kReads, kCells, options);
  scaled.scale_learning_rate(3.0);
  options.input_rule = OjaRule{.learning_rate = 0.03};
  options.recurrent_rule = hebb_with_decay(0.03, 0.0);
  TemporalLayer given(kReads, kCells, options);
  const Array x = some_samples(1, 20);
  CHECK(scaled.process(x, true).to_vector<double>() == given.process(x, true).to_vector<double>());
  CHECK(scaled.recurrent().to_vector<double>() == given.recurrent().to_vector<double>());
}

TEST_CASE("A temporal layer says what its rules may not do, and how it runs") {
  TemporalOptions options = ruled();
  options.recurrent_rule = rule_from_name("intrinsic_plasticity");
  CHECK_THROWS_WITH_TEXT(TemporalLayer(kReads, kCells, options), ArgumentError, "the rule says y");
  options.recurrent_rule.reset();
  options.hold_spectral_radius = 5;
  CHECK_THROWS_WITH_TEXT(TemporalLayer(kReads, kCells, options), ArgumentError,
                         "there is no recurrent rule");
  options.hold_spectral_radius = 0;
  CHECK(TemporalLayer(kReads, kCells, options).attributes().empty());
  options.input_rule = OjaRule{};
  const TemporalLayer layer(kReads, kCells, options);
  const auto told = layer.attributes();
  const auto has = [&](const std::string& name, const std::string& value) {
    return std::find(told.begin(), told.end(), std::pair(name, value)) != told.end();
  };
  CHECK(has("executor", "stepwise"));
  CHECK(has("input_rule_class", "matrix"));
  options.learn = false;
  CHECK_FALSE(TemporalLayer(kReads, kCells, options).is_plastic());
  CHECK_FALSE(layer.why_not_replica(TemporalLayer(kReads, kCells, ruled())).empty());
}
