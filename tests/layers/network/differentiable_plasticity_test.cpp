// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/differentiable_plasticity.h"

#include <limits>

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/array/random_arrays.h"
#include "../../../src/autograd/grad_mode.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/learning/optimisers.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

Tensor drawn(const Shape& shape, std::uint64_t stream, bool requires_grad = false) {
  return Tensor(random_normal(shape, 0.0, 0.8, DType::float64, {51, stream}), requires_grad);
}

DifferentiablePlasticityOptions options(DifferentiableRule rule) {
  return {.rule = rule, .alpha = {.start = 0.5}, .dtype = DType::float64, .random = {51, 1}};
}

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> found;
  for (const auto& [name, parameter] : module.named_parameters()) found.push_back(name);
  return found;
}

bool same(const Array& a, const Array& b) { return all_close(a, b, 1e-12, 1e-14); }

}  // namespace

TEST_CASE("Parameters have names, shapes and starts, and what is not trained is a buffer") {
  const DifferentiablePlasticity hebbian(3, 2);
  CHECK(names(hebbian) == std::vector<std::string>{"weights", "bias", "alpha", "rule.rate"});
  CHECK(hebbian.alpha().shape() == Shape{2, 3});
  CHECK(hebbian.alpha().item({1, 2}) == Approx(0.01));
  CHECK(hebbian.parameter("rate").shape() == Shape{});
  CHECK(hebbian.parameter("rate").item() == Approx(0.1));

  const DifferentiablePlasticity abcd(
      3, 2,
      {.rule = DifferentiableRule::abcd,
       .alpha = {.start = 1.0, .trained = false},
       .parameters = {{"a", {.sharing = PlasticSharing::connection}},
                      {"c", {.start = 0.5, .sharing = PlasticSharing::neuron}},
                      {"d", {.trained = false}}},
       .bias = false});
  CHECK(names(abcd) ==
        std::vector<std::string>{"weights", "rule.rate", "rule.a", "rule.b", "rule.c"});
  CHECK(abcd.bias().size() == 0);
  CHECK(abcd.state().at("alpha").shape() == Shape{});
  CHECK(abcd.state().at("rule.d").item() == 0.0);
  CHECK(abcd.parameter("a").item({1, 2}) == 1.0);
  CHECK(abcd.parameter("c").shape() == Shape{2, 1});

  const EquationRule rule("dw = rate*y*x - decay*w",
                          {.parameters = {{"rate", 0.3}, {"decay", 0.2}}});
  const DifferentiablePlasticity text(3, 2,
                                      {.rule = rule, .parameters = {{"decay", {.start = 0.1}}}});
  CHECK(text.parameter("rate").item() == Approx(0.3));
  CHECK(text.parameter("decay").item() == Approx(0.1));
}

DEVICE_TEST_CASE("W, a bias and what teaches add to what H recalls") {
  const DifferentiablePlasticity layer(3, 2, options(DifferentiableRule::oja));
  const Tensor x = drawn({4, 5, 3}, 2);
  const Tensor drive = drawn({4, 5, 2}, 3);
  const Tensor plastic = drawn({4, 2, 3}, 4);
  const PlasticWindowResult got = layer.run(x, {.plastic = plastic, .drive = drive});
  Array h = plastic.value();
  for (std::int64_t t = 0; t < 5; ++t) {
    const Array now = x.value().select(1, t);
    const Array z = matmul(now, layer.weights().value().transpose()) + layer.bias().value() +
                    drive.value().select(1, t) + matmul(0.5 * h, now.expand_dims(2)).squeeze({2});
    const Array y = tanh(z);
    CHECK(same(got.sequence.value().select(1, t), y));
    h = h + 0.1 * y.expand_dims(2) * (now.expand_dims(1) - y.expand_dims(2) * h);
  }
  CHECK(same(got.plastic.value(), h));
}

TEST_CASE("A window may be cut in two, with gradients across the border or without") {
  for (const auto rule :
       {DifferentiableRule::hebbian, DifferentiableRule::oja, DifferentiableRule::abcd}) {
    INFO(to_string(rule));
    DifferentiablePlasticity layer(3, 2, options(rule));
    const Tensor x = drawn({4, 6, 3}, 5, true);
    const auto gradients = [&](const Tensor& answers) {
      layer.zero_grad();
      Tensor leaf = x;
      leaf.zero_grad();
      sum(square(answers)).backward();
      std::vector<Array> all = {leaf.grad()};
      for (const Tensor& parameter : layer.parameters()) all.push_back(parameter.grad());
      return all;
    };
    const Tensor whole = layer.run(x).sequence;
    const auto of_whole = gradients(slice(whole, 1, 4));
    const PlasticWindowResult first = layer.run(slice(x, 1, 0, 4));
    const Tensor rest = layer.run(slice(x, 1, 4), {.plastic = first.plastic}).sequence;
    CHECK(same(rest.value(), whole.value().slice(1, 4)));
    const auto of_rest = gradients(rest);
    for (std::size_t k = 0; k < of_whole.size(); ++k) CHECK(same(of_rest[k], of_whole[k]));

    // Cut off, the same answers have no gradient by what came before.
    const Tensor cut = layer.run(slice(x, 1, 4), {.plastic = first.plastic.detach()}).sequence;
    CHECK(same(cut.value(), rest.value()));
    const auto of_cut = gradients(cut);
    CHECK(max(abs(of_cut[0].slice(1, 0, 4))).item() == 0.0);
    CHECK(max(abs(of_whole[0].slice(1, 0, 4))).item() > 1e-4);
    // Nothing was passed on, so it begins anew.
    CHECK_FALSE(same(layer.run(slice(x, 1, 4)).sequence.value(), rest.value()));
  }
}

TEST_CASE("Streams of a batch do not see each other") {
  const DifferentiablePlasticity layer(3, 2, options(DifferentiableRule::hebbian));
  const Tensor x = drawn({5, 7, 3}, 6);
  const PlasticWindowResult together = layer.run(x);
  for (std::int64_t b = 0; b < 5; ++b) {
    const PlasticWindowResult alone = layer.run(slice(x, 0, b, b + 1));
    CHECK(same(alone.sequence.value()[0], together.sequence.value()[b]));
    CHECK(same(alone.plastic.value()[0], together.plastic.value()[b]));
  }
}

TEST_CASE("Nothing but the plastic weights at hand is kept under NoGrad") {
  DifferentiablePlasticity layer(20, 10, options(DifferentiableRule::hebbian));
  const Tensor x = drawn({4, 50, 20}, 7);
  const auto most_bytes = [&](bool recorded) {
    const std::int64_t before = memory_stats().used;
    const PlasticWindowResult kept = layer.run(x);
    CHECK(kept.sequence.requires_grad() == recorded);
    return memory_stats().used - before;
  };
  constexpr std::int64_t kOfOneTick = 4 * 10 * 20 * 8;
  CHECK(most_bytes(true) > 49 * kOfOneTick);
  const NoGrad no_grad;
  CHECK(most_bytes(false) < 5 * kOfOneTick);
}

TEST_CASE("Forward answers with all steps or the last, in either precision") {
  DifferentiablePlasticity all(3, 2, {.random = {51, 1}});
  DifferentiablePlasticity last(3, 2, {.answer = RecurrentAnswer::last, .random = {51, 1}});
  const Tensor x(random_normal({4, 6, 3}, 0.0, 1.0, DType::float32, {51, 8}));
  const Tensor sequence = all(x);
  CHECK(sequence.shape() == Shape{4, 6, 2});
  CHECK(sequence.dtype() == DType::float32);
  CHECK(all_close(last(x).value(), sequence.value().select(1, -1), 0.0, 0.0));
  // An input of another dtype is cast, and its gradient comes back in its own.
  const Tensor wide(x.value().astype(DType::float64), true);
  sum(all(wide)).backward();
  CHECK(wide.grad().dtype() == DType::float64);
  CHECK_THROWS_AS(last(Tensor(zeros({4, 0, 3}))), ShapeError);
}

TEST_CASE("An optimiser trains the rule, and the state brings it back") {
  DifferentiablePlasticity layer(3, 2, options(DifferentiableRule::hebbian));
  Optimiser optimiser(layer.parameters(), AdamRule{.learning_rate = 0.05});
  const Tensor x = drawn({8, 6, 3}, 9);
  double before = 0.0;
  double after = 0.0;
  for (int step = 0; step < 30; ++step) {
    optimiser.zero_grad();
    const Tensor loss = mean(square(layer(x) - 0.5));
    loss.backward();
    optimiser.step();
    (step == 0 ? before : after) = loss.item();
  }
  CHECK(after < 0.9 * before);
  CHECK(layer.parameter("rate").item() != Approx(0.1));
  DifferentiablePlasticity twin(3, 2, options(DifferentiableRule::hebbian));
  twin.set_state(layer.state());
  CHECK(same(twin(x).value(), layer(x).value()));
}

TEST_CASE("A differentiable plasticity refuses what does not fit") {
  DifferentiablePlasticity layer(3, 2);
  CHECK_THROWS_WITH_TEXT(
      layer(Tensor(ones({2, 3}))), ShapeError,
      "[differentiable_plasticity] expected [batch, steps, 3], got shape [2, 3]");
  const Tensor x(ones({2, 4, 3}));
  CHECK_THROWS_WITH_TEXT(layer.run(x, {.plastic = Tensor(ones({2, 3}))}), ShapeError,
                         "plastic: expected [2, 2, 3], got [2, 3]");
  CHECK_THROWS_WITH_TEXT(layer.run(x, {.drive = Tensor(ones({2, 4, 3}))}), ShapeError,
                         "drive: expected [2, 4, 2], got [2, 4, 3]");
  CHECK_THROWS_WITH_TEXT(DifferentiablePlasticity(3, 2, {.parameters = {{"rat", {.start = 0.2}}}}),
                         ArgumentError,
                         "the rule has no parameter 'rat' (did you mean 'rate'?); known: rate");
  CHECK_THROWS_AS(DifferentiablePlasticity(0, 2), ArgumentError);
  CHECK_THROWS_AS(DifferentiablePlasticity(3, 2, {.dtype = DType::int32}), DTypeError);
  CHECK_THROWS_WITH_TEXT(
      DifferentiablePlasticity(3, 2, {.alpha = {.start = std::numeric_limits<double>::infinity()}}),
      ArgumentError, "alpha: expected a finite start, got inf");
  CHECK_THROWS_WITH_TEXT(DifferentiablePlasticity(3, 2, {.rule = EquationRule("dw = normal()*x")}),
                         ArgumentError, "draws random numbers");
  CHECK_THROWS_AS(layer.parameter("tau"), ArgumentError);
}
