// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/recurrent.h"

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../support/devices.h"
#include "../../support/module_gradients.h"
#include "normal.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Real = long double;
using Row = std::vector<Real>;

Real sigma(Real x) { return 1.0L / (1.0L + std::exp(-x)); }

/// The equations of recurrent.h, one stream at a time, number by number.
class Reference {
 public:
  explicit Reference(const Recurrent& layer) : type_(layer.type()), n_(layer.hidden_size()) {
    for (const auto& [name, value] : layer.state()) {
      const std::vector<double> numbers = value.to_vector<double>();
      state_[name] = Row(numbers.begin(), numbers.end());
    }
  }

  /// h and c after x.
  void step(const Row& x, Row& h, Row& c) const {
    const Row before = h;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_); ++i) {
      if (type_ == "rnn") {
        h[i] = std::tanh(in(x, 0, i) + out(before, 0, i));
      } else if (type_ == "gru") {
        const Real r = sigma(in(x, 0, i) + out(before, 0, i));
        const Real z = sigma(in(x, 1, i) + out(before, 1, i));
        const Real m = std::tanh(in(x, 2, i) + r * out(before, 2, i));
        h[i] = (1 - z) * m + z * before[i];
      } else {
        const auto a = [&](std::size_t gate) { return in(x, gate, i) + out(before, gate, i); };
        c[i] = sigma(a(1)) * c[i] + sigma(a(0)) * std::tanh(a(2));
        h[i] = sigma(a(3)) * std::tanh(c[i]);
      }
    }
  }

 private:
  Real product(const char* weights, const char* bias, const Row& x, std::size_t row) const {
    Real sum = state_.contains(bias) ? state_.at(bias)[row] : 0.0L;
    for (std::size_t k = 0; k < x.size(); ++k) {
      sum += state_.at(weights)[row * x.size() + k] * x[k];
    }
    return sum;
  }
  Real in(const Row& x, std::size_t gate, std::size_t i) const {
    return product("input_weights", "input_bias", x, gate * static_cast<std::size_t>(n_) + i);
  }
  Real out(const Row& h, std::size_t gate, std::size_t i) const {
    return product("recurrent_weights", "recurrent_bias", h,
                   gate * static_cast<std::size_t>(n_) + i);
  }

  std::string type_;
  std::int64_t n_;
  std::map<std::string, Row> state_;
};

std::unique_ptr<Recurrent> make(const std::string& type, std::int64_t inputs, std::int64_t n,
                                const RecurrentOptions& options) {
  if (type == "rnn") return std::make_unique<RNN>(inputs, n, options);
  if (type == "gru") return std::make_unique<GRU>(inputs, n, options);
  return std::make_unique<LSTM>(inputs, n, options);
}

Row row_of(const Array& x) {
  const std::vector<double> numbers = x.to_vector<double>();
  return {numbers.begin(), numbers.end()};
}

}  // namespace

DEVICE_TEST_CASE("RNN, GRU and LSTM follow their equations step by step, from any state") {
  for (const std::string type : {"rnn", "gru", "lstm"}) {
    for (const bool bias : {true, false}) {
      INFO(type << (bias ? " with bias" : ""));
      const auto layer =
          make(type, 3, 4, {.bias = bias, .dtype = DType::float64, .random = {8, 1}});
      const Reference reference(*layer);
      const Array x = normal({2, 5, 3}, 2);
      const Array h0 = normal({2, 4}, 3);
      const Array c0 = normal({2, 4}, 4);
      const RecurrentResult result = layer->run(x, Tensor(h0), Tensor(c0));
      REQUIRE(result.sequence.shape() == Shape{2, 5, 4});
      for (std::int64_t b = 0; b < 2; ++b) {
        Row h = row_of(h0[b]);
        Row c = row_of(c0[b]);
        for (std::int64_t t = 0; t < 5; ++t) {
          reference.step(row_of(x[b][t]), h, c);
          for (std::int64_t i = 0; i < 4; ++i) {
            CHECK(result.sequence.value().item({b, t, i}) ==
                  Approx(static_cast<double>(h[static_cast<std::size_t>(i)])).epsilon(1e-12));
          }
        }
        for (std::int64_t i = 0; i < 4; ++i) {
          const auto k = static_cast<std::size_t>(i);
          CHECK(result.hidden.value().item({b, i}) ==
                Approx(static_cast<double>(h[k])).epsilon(1e-12));
          if (type == "lstm") {
            CHECK(result.cell.value().item({b, i}) ==
                  Approx(static_cast<double>(c[k])).epsilon(1e-12));
          }
        }
      }
    }
  }
}

TEST_CASE("Parameters of recurrent layers have PyTorch's shapes and range") {
  const LSTM lstm(3, 25, {.random = {1, 1}});
  const ArrayMap state = lstm.state();
  CHECK(state.at("input_weights").shape() == Shape{100, 3});
  CHECK(state.at("recurrent_weights").shape() == Shape{100, 25});
  CHECK(state.at("input_bias").shape() == Shape{100});
  CHECK(state.at("recurrent_bias").shape() == Shape{100});
  CHECK(max(abs(state.at("recurrent_weights"))).item() < 0.2);
  CHECK(max(abs(state.at("recurrent_weights"))).item() > 0.19);
}

TEST_CASE("Gradients through time agree with differences") {
  const Array x = normal({2, 4, 3}, 5);
  for (const std::string type : {"rnn", "gru", "lstm"}) {
    for (const RecurrentAnswer answer : {RecurrentAnswer::sequence, RecurrentAnswer::last}) {
      INFO(type << (answer == RecurrentAnswer::last ? ", last" : ", sequence"));
      const auto layer =
          make(type, 3, 4, {.answer = answer, .dtype = DType::float64, .random = {8, 6}});
      CHECK(gradient_complaint(*layer, x) == "");
    }
  }
  RNN relu_rnn(3, 4, {.activation = Activation::relu, .dtype = DType::float64, .random = {8, 7}});
  CHECK(gradient_complaint(relu_rnn, x) == "");
}

namespace {

/// A loss of everything that a run answers, as a function of its initial states.
class FromStates final : public Module {
 public:
  FromStates(Recurrent& layer, Array x) : layer_(layer), x_(std::move(x)) {}
  std::string type() const override { return "from states"; }
  Tensor forward(const Tensor& states) override {
    const RecurrentResult result = layer_.run(x_, select(states, 0, 0), select(states, 0, 1));
    std::vector<Tensor> all = {reshape(result.sequence, {-1}), reshape(result.hidden, {-1})};
    if (layer_.type() == "lstm") all.push_back(reshape(result.cell, {-1}));
    return concatenate(all, 0);
  }

 private:
  Recurrent& layer_;
  Array x_;
};

}  // namespace

TEST_CASE("Gradients reach the initial states, and come from the last cell too") {
  for (const std::string type : {"rnn", "gru", "lstm"}) {
    INFO(type);
    const auto layer = make(type, 3, 4, {.dtype = DType::float64, .random = {8, 8}});
    FromStates from_states(*layer, normal({2, 3, 3}, 9));
    const Array states = normal({2, 2, 4}, 10);
    CHECK(gradient_complaint(from_states, states) == "");
  }
}

TEST_CASE("A run may be cut in two, and no steps leave the state as it was") {
  for (const std::string type : {"rnn", "gru", "lstm"}) {
    INFO(type);
    const auto layer = make(type, 2, 3, {.dtype = DType::float64, .random = {8, 11}});
    const Tensor x(normal({2, 6, 2}, 12));
    const RecurrentResult whole = layer->run(x);
    const RecurrentResult first = layer->run(slice(x, 1, 0, 4));
    const RecurrentResult second =
        layer->run(slice(x, 1, 4), first.hidden,
                   type == "lstm" ? std::optional<Tensor>(first.cell) : std::nullopt);
    CHECK(all_close(second.sequence.value(), whole.sequence.value().slice(1, 4), 1e-13, 1e-14));
    const RecurrentResult none = layer->run(slice(x, 1, 0, 0), first.hidden);
    CHECK(none.sequence.shape() == Shape{2, 0, 3});
    CHECK(all_close(none.hidden.value(), first.hidden.value(), 0.0, 0.0));
  }
}

TEST_CASE("Recurrent layers refuse what does not fit") {
  GRU layer(3, 4);
  CHECK_THROWS_WITH_TEXT(layer(Tensor(ones({2, 3}))), ShapeError,
                         "[gru] expected [batch, steps, 3], got shape [2, 3]");
  CHECK_THROWS_AS(layer(Tensor(ones({2, 5, 4}))), ShapeError);
  CHECK_THROWS_WITH_TEXT(layer.run(ones({2, 5, 3}), Tensor(ones({1, 4}))), ShapeError,
                         "hidden: expected [2, 4], got [1, 4]");
  CHECK_THROWS_AS(RNN(3, 4, {.activation = Activation::gelu}), ArgumentError);
  CHECK_THROWS_AS(LSTM(0, 4), ArgumentError);
}

DEVICE_TEST_CASE("A GRU that resets before the product follows its equations, number by number") {
  GRU layer(2, 3, {.reset = GruReset::before, .dtype = DType::float64, .random = {71, 1}});
  const ArrayMap state = layer.state();
  const auto at = [&](const char* name, std::int64_t row, std::int64_t column) {
    return state.at(name).item({row, column});
  };
  const Array x = random_normal({2, 4, 2}, 0.0, 1.0, DType::float64, {71, 2});
  const Array y = layer(Tensor(x)).value();
  for (std::int64_t b = 0; b < 2; ++b) {
    std::vector<double> h(3, 0.0);
    for (std::int64_t t = 0; t < 4; ++t) {
      const auto drive = [&](std::int64_t row) {
        double sum = state.at("input_bias").item({row}) + state.at("recurrent_bias").item({row});
        for (std::int64_t i = 0; i < 2; ++i) sum += at("input_weights", row, i) * x.item({b, t, i});
        return sum;
      };
      const auto back = [&](std::int64_t row, const std::vector<double>& of) {
        double sum = 0;
        for (std::int64_t i = 0; i < 3; ++i) {
          sum += at("recurrent_weights", row, i) * of[static_cast<std::size_t>(i)];
        }
        return sum;
      };
      const auto gate = [&](std::int64_t row) {
        return static_cast<double>(sigma(static_cast<Real>(drive(row) + back(row, h))));
      };
      std::vector<double> kept = h;
      for (std::int64_t i = 0; i < 3; ++i) kept[static_cast<std::size_t>(i)] *= gate(i);
      std::vector<double> next = h;
      for (std::int64_t i = 0; i < 3; ++i) {
        const double z = gate(3 + i);
        const double m = std::tanh(drive(6 + i) + back(6 + i, kept));
        next[static_cast<std::size_t>(i)] = (1 - z) * m + z * h[static_cast<std::size_t>(i)];
      }
      h = next;
      for (std::int64_t i = 0; i < 3; ++i) {
        CHECK(y.item({b, t, i}) == Approx(h[static_cast<std::size_t>(i)]).margin(1e-10));
      }
    }
  }
  CHECK(gradient_complaint(layer, x) == "");
}

DEVICE_TEST_CASE("Bidirectional joins a layer and one that reads from the end") {
  const Array x = random_normal({2, 5, 3}, 0.0, 1.0, DType::float64, {72, 1});
  const RecurrentOptions options = {.dtype = DType::float64, .random = {72, 2}};
  RecurrentOptions last = options;
  last.answer = RecurrentAnswer::last;
  Bidirectional<LSTM> layer(3, 4, options);
  Bidirectional<LSTM> ends(3, 4, last);
  LSTM there(3, 4, options);
  LSTM back(3, 4, options);
  ArrayMap weights;
  for (const auto& [name, value] : layer.state()) {
    if (name.starts_with("backward.")) weights[name.substr(9)] = value;
  }
  back.set_state(weights);
  CHECK_FALSE(all_close(weights.at("input_weights"), there.state().at("input_weights")));
  const Array y = layer(Tensor(x)).value();
  CHECK(y.shape() == Shape{2, 5, 8});
  CHECK(all_close(y.slice(2, 0, 4), there(Tensor(x)).value(), 0, 0));
  const Array turned = flip(back(Tensor(flip(x, {1}))).value(), {1});
  CHECK(all_close(y.slice(2, 4, 8), turned, 0, 0));
  const Array end = ends(Tensor(x)).value();
  CHECK(all_close(end.slice(1, 0, 4), y.slice(1, 4, 5).slice(2, 0, 4).reshape({2, 4}), 0, 0));
  CHECK(all_close(end.slice(1, 4, 8), y.slice(1, 0, 1).slice(2, 4, 8).reshape({2, 4}), 0, 0));
  Bidirectional<GRU> gru(3, 2, {.reset = GruReset::before, .dtype = DType::float64});
  CHECK(gradient_complaint(gru, x) == "");
  CHECK(gru.type() == "bidirectional_gru");
}
