// SPDX-License-Identifier: MIT
#include "../../src/training/consolidation.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/layers/network/dense.h"
#include "../../src/training/fit.h"
#include "../support/complaint.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

using Held = ConsolidateOptions::Method;
constexpr std::int64_t kSamples = 12;
constexpr double kRate = 0.05;
const Loss kMseOfTask = loss_from_name("mse");

struct TaskOfTwo {
  Array x;
  Array y;
};

/// Samples [12, 3] and targets [12, 2].
TaskOfTwo task_of_two(std::uint64_t number) {
  return {random_normal({kSamples, 3}, 0.0, 1.0, DType::float64, {91, 2 * number}),
          random_normal({kSamples, 2}, 0.0, 1.0, DType::float64, {91, 2 * number + 1})};
}

std::unique_ptr<Dense> net_of_two() {
  return std::make_unique<Dense>(3, 2, DenseOptions{.dtype = DType::float64, .random = {91, 7}});
}

/// y = W x + b under mse and plain steps, held as the equations of Consolidation say: loops over
/// single numbers, W row by row and b behind it.
struct HeldLoop {
  std::vector<double> w;
  ConsolidateOptions options;
  std::vector<double> anchor = w, importance = std::vector<double>(8, 0.0), path = importance;
  bool has_task = false;

  /// d mse / dw of samples [begin, end).
  std::vector<double> gradient(const TaskOfTwo& task, std::int64_t begin, std::int64_t end) const {
    const std::vector<double> x = task.x.to_vector<double>();
    const std::vector<double> y = task.y.to_vector<double>();
    std::vector<double> g(8, 0.0);
    for (std::int64_t n = begin; n < end; ++n) {
      for (std::size_t i = 0; i < 2; ++i) {
        const auto row = static_cast<std::size_t>(n);
        double e = w[6 + i] - y[row * 2 + i];
        for (std::size_t j = 0; j < 3; ++j) e += w[i * 3 + j] * x[row * 3 + j];
        const double d = 2.0 * e / static_cast<double>(2 * (end - begin));
        for (std::size_t j = 0; j < 3; ++j) g[i * 3 + j] += d * x[row * 3 + j];
        g[6 + i] += d;
      }
    }
    return g;
  }

  void step(const TaskOfTwo& task, std::int64_t begin, std::int64_t end) {
    const std::vector<double> g = gradient(task, begin, end);
    for (std::size_t i = 0; i < 8; ++i) {
      const double twice = options.method == Held::synaptic_intelligence ? 2.0 : 1.0;
      const double stiff = std::min(twice * options.strength * importance[i], 1.0 / kRate);
      const double pull = has_task ? stiff * (w[i] - anchor[i]) : 0.0;
      const double before = w[i];
      w[i] -= kRate * (g[i] + pull);
      path[i] -= g[i] * (w[i] - before);
    }
  }

  void end_task(const TaskOfTwo& task) {
    const std::int64_t count = std::min(options.samples, kSamples);
    for (std::int64_t n = 0; n < count && options.method == Held::ewc; ++n) {
      const std::vector<double> g = gradient(task, n, n + 1);
      for (std::size_t i = 0; i < 8; ++i) importance[i] += g[i] * g[i] / static_cast<double>(count);
    }
    for (std::size_t i = 0; i < 8; ++i) {
      const double way = w[i] - anchor[i];
      if (options.method == Held::synaptic_intelligence) {
        importance[i] += std::max(path[i], 0.0) / (way * way + options.damping);
      }
      if (options.method == Held::last_weights) importance[i] = 1.0;
      path[i] = 0.0;
    }
    anchor = w;
    has_task = true;
  }
};

std::vector<double> in_one(const Array& weights, const Array& bias) {
  std::vector<double> all = weights.to_vector<double>();
  for (const double b : bias.to_vector<double>()) all.push_back(b);
  return all;
}

}  // namespace

TEST_CASE("weights are held as loops over single numbers hold them") {
  const auto method = GENERATE(Held::ewc, Held::synaptic_intelligence, Held::last_weights);
  // The pulls of the last are as stiff as they may be.
  const double strength = GENERATE(0.3, 5.0, 1e6);
  const ConsolidateOptions options{
      .method = method, .strength = strength, .damping = 0.05, .samples = 9};
  on_each_device([&] {
    const auto net = net_of_two();
    HeldLoop loop{in_one(net->weights().value(), net->bias().value()), options};
    Consolidation held(net->parameters(), options);
    Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = kRate});
    for (std::uint64_t task = 0; task < 3; ++task) {
      const TaskOfTwo data = task_of_two(task);
      const DataLoader train(data.x, data.y, {.batch_size = 4});
      fit(*net, train, kMseOfTask, optimiser, {.epochs = 2, .consolidation = &held});
      held.end_task(*net, data.x, data.y, kMseOfTask);
      for (int epoch = 0; epoch < 2; ++epoch) {
        for (std::int64_t at = 0; at < kSamples; at += 4) loop.step(data, at, at + 4);
      }
      loop.end_task(data);
    }
    CHECK(held.tasks() == 3);
    const std::vector<double> w = in_one(net->weights().value(), net->bias().value());
    const std::vector<double> importance = in_one(held.importance()[0], held.importance()[1]);
    const std::vector<double> anchors = in_one(held.anchors()[0], held.anchors()[1]);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(w[i] == Approx(loop.w[i]).epsilon(1e-10));
      CHECK(importance[i] == Approx(loop.importance[i]).epsilon(1e-10));
      CHECK(anchors[i] == Approx(loop.anchor[i]).epsilon(1e-10));
      CHECK(importance[i] > 0.0);
    }
  });
}

TEST_CASE("without a task that has ended, or at strength 0, nothing is held") {
  const TaskOfTwo data = task_of_two(0);
  const DataLoader train(data.x, data.y, {.batch_size = 5});
  const auto trained = [&](bool is_held) {
    const auto net = net_of_two();
    Consolidation held(net->parameters(), {.strength = is_held ? 30.0 : 0.0});
    if (!is_held) held.end_task(*net, data.x, data.y, kMseOfTask);
    Optimiser optimiser(net->parameters(), AdamRule{});
    fit(*net, train, kMseOfTask, optimiser, {.epochs = 3, .consolidation = &held});
    return net->weights().value().to_vector<double>();
  };
  const auto plain = net_of_two();
  Optimiser optimiser(plain->parameters(), AdamRule{});
  fit(*plain, train, kMseOfTask, optimiser, {.epochs = 3});
  const std::vector<double> expected = plain->weights().value().to_vector<double>();
  CHECK(trained(true) == expected);
  CHECK(trained(false) == expected);
}

TEST_CASE("what holds weights goes on from its state") {
  const auto method = GENERATE(Held::ewc, Held::synaptic_intelligence, Held::last_weights);
  const ConsolidateOptions options{.method = method, .strength = 2.0};
  const TaskOfTwo first = task_of_two(0);
  const TaskOfTwo second = task_of_two(1);
  const DataLoader before(first.x, first.y, {.batch_size = 4});
  const DataLoader behind(second.x, second.y, {.batch_size = 4});
  const auto run = [&](bool is_cut) {
    auto net = net_of_two();
    auto held = std::make_unique<Consolidation>(net->parameters(), options);
    auto optimiser = std::make_unique<Optimiser>(net->parameters(), SgdRule{.learning_rate = 0.1});
    fit(*net, before, kMseOfTask, *optimiser, {.epochs = 1, .consolidation = held.get()});
    held->end_task(*net, first.x, first.y, kMseOfTask);
    fit(*net, behind, kMseOfTask, *optimiser, {.epochs = 1, .consolidation = held.get()});
    if (is_cut) {
      auto other = net_of_two();
      other->set_state(net->state());
      auto twin = std::make_unique<Consolidation>(other->parameters(), options);
      twin->set_state(held->state());
      optimiser = std::make_unique<Optimiser>(other->parameters(), SgdRule{.learning_rate = 0.1});
      net = std::move(other);
      held = std::move(twin);
    }
    fit(*net, behind, kMseOfTask, *optimiser,
        {.epochs = 2, .first_epoch = 1, .consolidation = held.get()});
    held->end_task(*net, second.x, second.y, kMseOfTask);
    return in_one(net->weights().value(), held->importance()[0]);
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("what holds weights complains of what it cannot do") {
  const auto net = net_of_two();
  const auto of = [&](const ConsolidateOptions& options) {
    return complaint_of([&] { Consolidation(net->parameters(), options); });
  };
  CHECK(of({.strength = -1.0}) == "[consolidate] strength: expected at least 0, got -1.0");
  CHECK(of({.damping = 0.0}) == "[consolidate] damping: expected more than 0, got 0.0");
  CHECK(of({.samples = 0}) == "[consolidate] samples: expected at least 1, got 0");
  CHECK(complaint_of([] { Consolidation({}, {}); }) ==
        "[consolidate] expected parameters, got none");
  Consolidation held(net->parameters(), {});
  const TaskOfTwo data = task_of_two(0);
  CHECK_THROWS_AS(held.end_task(*net, data.x, data.y.slice(0, 0, 3), kMseOfTask), ShapeError);
  ArrayMap state = held.state();
  state.erase("1.anchor");
  CHECK(complaint_of([&] { held.set_state(state); }) ==
        "[consolidate] expected an array '1.anchor' in the state, got none");
  state = held.state();
  state["0.anchor"] = zeros({2}, DType::float64);
  CHECK_THROWS_AS(held.set_state(state), ShapeError);
}
