// SPDX-License-Identifier: MIT
#include "../../../src/layers/network/module.h"

#include "../../../src/array/create.h"
#include "../../../src/array/ops.h"
#include "../../../src/autograd/ops.h"
#include "../../../src/core/error.h"
#include "../../../src/layers/network/dense.h"
#include "../../../src/layers/network/normalization.h"
#include "../../../src/layers/network/pointwise.h"
#include "../../../src/layers/network/sequential.h"
#include "../../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// The example of module.h.
class Scale final : public Module {
 public:
  explicit Scale(std::int64_t n) : factor_(ones({n}), true) { add("factor", factor_); }
  std::string type() const override { return "scale"; }
  Tensor forward(const Tensor& x) override { return x * factor_; }

 private:
  Tensor factor_;
};

std::vector<std::string> names_of(const Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, value] : module.named_parameters()) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("Modules name their parameters and buffers, those of children by a path") {
  NeuralNetwork inner;
  auto child = std::make_shared<NeuralNetwork>();
  child->add<Dense>(3, 3).add<BatchNorm1d>(3);
  inner.add<Dense>(2, 3).add<ReluLayer>().add(child).add<Scale>(3);
  CHECK(names_of(inner) == std::vector<std::string>{"0.weights", "0.bias", "2.0.weights",
                                                    "2.0.bias", "2.1.weight", "2.1.bias",
                                                    "3.factor"});
  CHECK(inner.parameter_count() == 6 + 3 + 9 + 3 + 3 + 3 + 3);
  const ArrayMap state = inner.state();
  CHECK(state.size() == 9);
  CHECK(state.contains("2.1.running_mean"));
  CHECK(state.contains("2.1.running_variance"));
  CHECK(inner[3].type() == "scale");
  CHECK_THROWS_AS(inner[4], ArgumentError);
  CHECK(inner.summary().find("0  dense  9  weights [3, 2]  bias [3]\n") != std::string::npos);
}

DEVICE_TEST_CASE("A network answers what its modules answer one after the other") {
  NeuralNetwork net;
  net.add<Dense>(2, 3, DenseOptions{.activation = Activation::tanh, .random = {1, 1}});
  net.add<Dense>(3, 1, DenseOptions{.random = {1, 2}});
  const Array x = random_normal({5, 2}, 0.0, 1.0, DType::float32, {1, 3});
  const ArrayMap s = net.state();
  const Array hidden = tanh(matmul(x, s.at("0.weights").transpose()) + s.at("0.bias"));
  const Array y = matmul(hidden, s.at("1.weights").transpose()) + s.at("1.bias");
  CHECK(all_close(net(x).value(), y, 1e-6, 1e-7));
}

TEST_CASE("State is copied in whole or not at all") {
  NeuralNetwork a;
  NeuralNetwork b;
  a.add<Dense>(2, 3).add<BatchNorm1d>(3);
  b.add<Dense>(2, 3).add<BatchNorm1d>(3);
  const ArrayMap before = [&] {
    ArrayMap copies;
    for (const auto& [name, value] : b.state()) copies.emplace(name, value.copy());
    return copies;
  }();
  const auto is_unchanged = [&] {
    bool same = true;
    for (const auto& [name, value] : b.state()) same = same && all_close(value, before.at(name));
    return same;
  };
  ArrayMap wrong = a.state();
  wrong["1.bias"] = zeros({4});
  CHECK_THROWS_WITH_TEXT(b.set_state(wrong), ShapeError, "expected 1.bias of shape [3], got [4]");
  wrong.erase("1.bias");
  CHECK_THROWS_WITH_TEXT(b.set_state(wrong), ArgumentError, "expected an array '1.bias', got none");
  wrong["1.bais"] = zeros({3});
  CHECK_THROWS_WITH_TEXT(b.set_state(wrong), ArgumentError,
                         "unknown array '1.bais' (did you mean '1.bias'?)");
  CHECK(is_unchanged());
  const Tensor weights = b.parameters()[0];
  b.set_state(a.state());
  for (const auto& [name, value] : b.state()) CHECK(all_close(value, a.state().at(name), 0.0, 0.0));
  // Handles taken before see the new numbers.
  CHECK(all_close(weights.value(), a.state().at("0.weights"), 0.0, 0.0));
}

TEST_CASE("Modes reach all children, and a scope of evaluation puts each back") {
  NeuralNetwork net;
  net.add<Dropout>(0.5).add<Dropout>(0.5);
  CHECK(net[0].is_training());
  net[1].eval();
  {
    const Evaluating scope(net);
    CHECK_FALSE(net.is_training());
    CHECK_FALSE(net[0].is_training());
  }
  CHECK(net.is_training());
  CHECK(net[0].is_training());
  CHECK_FALSE(net[1].is_training());
  net.eval();
  net.add<Dropout>(0.5);
  CHECK_FALSE(net[2].is_training());
  net.train();
  CHECK(net[1].is_training());
}

TEST_CASE("Parameters that require no gradient get none") {
  Dense layer(2, 2);
  layer.set_requires_grad(false);
  const Tensor x(ones({1, 2}), true);
  sum(layer(x)).backward();
  CHECK(x.has_grad());
  CHECK_FALSE(layer.weights().has_grad());
  layer.set_requires_grad(true);
  sum(layer(x)).backward();
  CHECK(layer.weights().has_grad());
  layer.zero_grad();
  CHECK_FALSE(layer.weights().has_grad());
}

TEST_CASE("A module moves with parameters and buffers to another device") {
  const FakeDevice fake;
  NeuralNetwork net;
  net.add<Dense>(2, 3).add<BatchNorm1d>(3);
  const Array x = random_normal({4, 2}, 0.0, 1.0, DType::float32, {3, 3});
  net.eval();
  const Array here = net(x).value();
  net.to(fake.device());
  for (const auto& [name, value] : net.state()) CHECK(value.device() == fake.device());
  const GPUContext scope(fake.device());
  const Array there_x = x.to(fake.device());
  reset_transfer_stats();
  const Array there = net(there_x).value();
  CHECK(transfer_stats().implicit_copies == 0);
  CHECK(all_close(to_cpu(there), here, 1e-6, 1e-6));
  CHECK(net[0].parameters()[0].requires_grad());
}

TEST_CASE("A network refuses a module that is none") {
  NeuralNetwork net;
  CHECK_THROWS_AS(net.add(std::shared_ptr<Module>()), ArgumentError);
}
