// SPDX-License-Identifier: MIT
#include "../../src/training/fit.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/autograd/ops.h"
#include "../../src/core/error.h"
#include "../../src/layers/network/dense.h"
#include "../../src/layers/network/pointwise.h"
#include "../../src/layers/network/sequential.h"
#include "../support/complaint.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

/// y = 2 x0 - x1 + 0.5, without noise.
Array line_x() { return random_normal({64, 2}, 0.0, 1.0, DType::float64, {81, 1}); }
Array line_y(const Array& x) { return matmul(x, array({{2.0}, {-1.0}}, DType::float64)) + 0.5; }

std::unique_ptr<Dense> line_net() {
  return std::make_unique<Dense>(2, 1, DenseOptions{.dtype = DType::float64, .random = {81, 2}});
}

const Loss kMse = loss_from_name("mse");

}  // namespace

DEVICE_TEST_CASE("fit finds a line, and reports what it did") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 16, .shuffle = true});
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = 0.1});
  const History history = fit(*net, train, kMse, optimiser, {.epochs = 40});
  REQUIRE(history.epochs.size() == 40);
  CHECK(history.epochs.back().loss < 1e-6);
  CHECK(history.epochs.front().loss > 0.1);
  CHECK(history.epochs[7].epoch == 7);
  CHECK(history.epochs[7].seconds > 0.0);
  CHECK(history.epochs[7].samples_per_second ==
        Approx(64.0 / history.epochs[7].seconds).epsilon(1e-9));
  CHECK(std::isnan(history.epochs[7].accuracy));
  CHECK(std::isnan(history.epochs[7].validation_loss));
  CHECK(all_close(net->weights().value(), array({{2.0, -1.0}}, DType::float64), 1e-2, 1e-2));
  CHECK(net->bias().value().item() == Approx(0.5).epsilon(1e-2));
}

TEST_CASE("fit is a loop of answer, loss, gradients and step") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 10, .shuffle = true, .seed = 9});
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), AdamRule{.learning_rate = 0.05});
  const History history = fit(*net, train, kMse, optimiser, {.epochs = 3, .clip_norm = 0.7});

  const auto twin = line_net();
  Optimiser by_hand(twin->parameters(), AdamRule{.learning_rate = 0.05});
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    double total = 0.0;
    for (const Batch& batch : train.epoch(epoch)) {
      by_hand.zero_grad();
      const Tensor loss = mse(twin->forward(batch.x), batch.y);
      loss.backward();
      clip_grad_norm(twin->parameters(), 0.7);
      by_hand.step();
      total += loss.item() * static_cast<double>(batch.x.shape(0));
    }
    CHECK(history.epochs[static_cast<std::size_t>(epoch)].loss ==
          Approx(total / 64.0).epsilon(1e-12));
  }
  CHECK(all_close(net->weights().value(), twin->weights().value(), 0.0, 0.0));
}

TEST_CASE("The same seed gives the same network, with any number of threads") {
  const Array x = random_normal({300, 20}, 0.0, 1.0, DType::float32, {81, 3});
  const Array y = less(zeros({}), sum(x, {1})).astype(DType::int64);
  const auto run = [&](int threads) {
    const Threads scope(threads);
    NeuralNetwork net;
    net.add<Dense>(20, 64, DenseOptions{.random = {81, 4}}).add<ReluLayer>();
    net.add<Dropout>(DropoutOptions{.probability = 0.2, .random = {81, 5}});
    net.add<Dense>(64, 2, DenseOptions{.random = {81, 6}});
    Optimiser optimiser(net.parameters(), AdamRule{});
    fit(net, DataLoader(x, y, {.shuffle = true, .seed = 7}), loss_from_name("cross_entropy"),
        optimiser, {.epochs = 2});
    std::vector<double> numbers;
    for (const Tensor& parameter : net.parameters()) {
      for (const double value : parameter.value().to_vector<double>()) numbers.push_back(value);
    }
    return numbers;
  };
  const std::vector<double> once = run(1);
  CHECK(run(1) == once);
  CHECK(run(2) == once);
}

TEST_CASE("A training that was cut goes on where it was") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 16, .shuffle = true});
  const FitOptions six = {.epochs = 6, .schedule = exponential_schedule(0.8)};
  const auto whole = line_net();
  Optimiser one(whole->parameters(), AdamRule{.learning_rate = 0.05});
  fit(*whole, train, kMse, one, six);

  const auto cut = line_net();
  Optimiser two(cut->parameters(), AdamRule{.learning_rate = 0.05});
  FitOptions half = six;
  half.epochs = 3;
  fit(*cut, train, kMse, two, half);
  const auto resumed = line_net();
  resumed->set_state(cut->state());
  Optimiser three(resumed->parameters(), AdamRule{.learning_rate = 0.05});
  three.set_state(two.state());
  FitOptions rest = six;
  rest.first_epoch = 3;
  const History history = fit(*resumed, train, kMse, three, rest);
  REQUIRE(history.epochs.size() == 3);
  CHECK(history.epochs[0].epoch == 3);
  CHECK(history.epochs[0].learning_rate == Approx(0.05 * 0.8 * 0.8 * 0.8));
  CHECK(all_close(resumed->weights().value(), whole->weights().value(), 0.0, 0.0));
}

TEST_CASE("A training goes on from a state that a callback took in the middle of a schedule") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 16, .shuffle = true});
  struct Taken {
    ArrayMap net;
    ArrayMap optimiser;
    EpochSoFar so_far;
    std::int64_t epoch = 0;
  };
  std::vector<Taken> taken;
  const auto whole = line_net();
  Optimiser one(whole->parameters(), AdamRule{.learning_rate = 0.05});
  const auto take = [&](std::int64_t epoch, const EpochSoFar& so_far) {
    taken.push_back({{}, one.state(), so_far, epoch});
    for (const auto& [name, value] : whole->state()) taken.back().net[name] = value.copy();
    return true;
  };
  FitOptions options = {.epochs = 4,
                        .schedule = exponential_schedule(0.8),
                        .batch_schedule = cosine_schedule(16, 0.1)};
  FitOptions watched = options;
  std::int64_t epoch = 0;
  watched.on_batch = [&](const BatchReport& report) { return take(epoch, report.so_far()); };
  watched.on_epoch = [&](const EpochReport&) { return take(++epoch, {}); };
  const History history = fit(*whole, train, kMse, one, watched);
  for (const std::size_t at : {1U, 4U, 8U, 13U}) {
    INFO(at);
    const auto resumed = line_net();
    Optimiser two(resumed->parameters(), AdamRule{.learning_rate = 0.7});
    resumed->set_state(taken[at].net);
    two.set_state(taken[at].optimiser);
    CHECK(two.learning_rate() == 0.05);
    options.first_epoch = taken[at].epoch;
    options.so_far = taken[at].so_far;
    const History rest = fit(*resumed, train, kMse, two, options);
    CHECK(rest.epochs.back().learning_rate == history.epochs.back().learning_rate);
    CHECK(rest.epochs.back().loss == history.epochs.back().loss);
    CHECK(all_close(resumed->weights().value(), whole->weights().value(), 0.0, 0.0));
  }
}

TEST_CASE("What remembers earlier epochs is refused where a training goes on after them") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x));
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), SgdRule{});
  CHECK_THROWS_WITH_TEXT(
      fit(*net, train, kMse, optimiser, {.first_epoch = 2, .plateau = PlateauOptions{}}),
      ArgumentError, "[fit] plateau: expected none with first_epoch above 0, which is 2");
  CHECK_THROWS_WITH_TEXT(
      fit(*net, train, kMse, optimiser, {.first_epoch = 2, .early_stop = EarlyStop{}}),
      ArgumentError, "[fit] early_stop: expected none with first_epoch above 0, which is 2");
}

TEST_CASE("Schedules set the rate by epoch and by batch, and it is as before afterwards") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 16});
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = 0.1});
  std::vector<double> rates;
  fit(*net, train, kMse, optimiser,
      {.epochs = 2,
       .schedule = step_schedule(1, 0.5),
       .batch_schedule = warm_up(4),
       .on_batch = [&](const BatchReport&) {
         rates.push_back(optimiser.learning_rate());
         return true;
       }});
  const std::vector<double> expected = {0.025, 0.05, 0.075, 0.1, 0.05, 0.05, 0.05, 0.05};
  REQUIRE(rates.size() == expected.size());
  for (std::size_t i = 0; i < rates.size(); ++i) CHECK(rates[i] == Approx(expected[i]));
  CHECK(optimiser.learning_rate() == 0.1);
}

TEST_CASE("Training stops early and goes back to the best epoch") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 64});
  const DataLoader test(x, -line_y(x));  // what is learnt makes this worse
  const auto net = line_net();
  net->weights().value().fill(0.0);
  net->bias().value().fill(0.0);
  Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = 0.1});
  Array after_first;
  const History history = fit(*net, train, kMse, optimiser,
                              {.epochs = 50,
                               .validation = &test,
                               .early_stop = EarlyStop{.patience = 2},
                               .on_epoch = [&](const EpochReport& report) {
                                 if (report.epoch == 0) after_first = net->weights().value().copy();
                                 return true;
                               }});
  CHECK(history.stopped_early);
  REQUIRE(history.epochs.size() == 4);
  CHECK(history.epochs[3].validation_loss > history.epochs[0].validation_loss);
  CHECK(all_close(net->weights().value(), after_first, 0.0, 0.0));
}

TEST_CASE("The rate falls on a plateau of the validation loss") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 64});
  const DataLoader test(x, -line_y(x));
  const auto net = line_net();
  net->weights().value().fill(0.0);
  net->bias().value().fill(0.0);
  Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = 0.1});
  const History history = fit(
      *net, train, kMse, optimiser,
      {.epochs = 5, .validation = &test, .plateau = PlateauOptions{.factor = 0.5, .patience = 1}});
  CHECK(history.epochs[2].learning_rate == Approx(0.1));
  CHECK(history.epochs[3].learning_rate == Approx(0.05));
}

TEST_CASE("Callbacks may end the training") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 16});
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), SgdRule{});
  const auto until = [](std::int64_t last) {
    return [last](const EpochReport& report) { return report.epoch < last; };
  };
  CHECK(fit(*net, train, kMse, optimiser, {.on_epoch = until(2)}).epochs.size() == 3);
  CHECK(fit(*net, train, kMse, optimiser, {.on_batch = [](const BatchReport& report) {
          return report.batch < 2;
        }}).epochs.empty());
}

DEVICE_TEST_CASE("After every batch fit tells how far the epoch is") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 24});
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = 0.1});
  std::vector<BatchReport> reports;
  std::vector<double> losses;
  const History history =
      fit(*net, train, kMse, optimiser, {.epochs = 2, .on_batch = [&](const BatchReport& report) {
                                           reports.push_back(report);
                                           losses.push_back(report.loss());
                                           return true;
                                         }});
  REQUIRE(reports.size() == 6);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    CHECK(reports[i].batch == static_cast<std::int64_t>(i % 3));
    CHECK(reports[i].batches == 3);
    CHECK(reports[i].samples == (i % 3 == 2 ? 64 : 24 * static_cast<std::int64_t>(i % 3 + 1)));
    CHECK(reports[i].seconds > (i % 3 == 0 ? 0.0 : reports[i - 1].seconds));
  }
  // The mean of what was seen of an epoch so far: at its end, that of the epoch.
  CHECK(losses[2] == history.epochs[0].loss);
  CHECK(losses[5] == history.epochs[1].loss);
  CHECK(losses[3] < losses[0]);
}

TEST_CASE("A loss that is no number ends the training with an error") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 16});
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = 1e6});
  CHECK_THROWS_AS(fit(*net, train, kMse, optimiser, {.epochs = 100}), DivergedError);
  const auto other = line_net();
  Optimiser fresh(other->parameters(), SgdRule{});
  const Loss many = [](const Tensor& y, const Array& t) { return mse(y, t, LossReduction::none); };
  CHECK_THROWS_WITH_TEXT(fit(*other, train, many, fresh), ArgumentError,
                         "[fit] expected a loss of one element, got shape [16, 1]");
  CHECK_THROWS_WITH_TEXT(evaluate(*other, train, many), ArgumentError,
                         "[evaluate] expected a loss of one element, got shape [16, 1]");
}

TEST_CASE("Samples that are not finite are refused before anything is learnt from any") {
  for (const bool spoil_targets : {false, true}) {
    Array x = line_x().copy();
    Array y = line_y(x).copy();
    (spoil_targets ? y : x)[33].fill(std::numeric_limits<double>::quiet_NaN());
    const DataLoader train(x, y, {.batch_size = 16});
    const auto net = line_net();
    ArrayMap before;
    for (const auto& [name, value] : net->state()) before.emplace(name, value.copy());
    Optimiser optimiser(net->parameters(), SgdRule{});
    CHECK_THROWS_WITH_TEXT(fit(*net, train, kMse, optimiser), ArgumentError,
                           spoil_targets ? "[fit] expected targets of finite numbers, got NaN or "
                                           "Inf in sample 33"
                                         : "[fit] expected samples of finite numbers, got NaN or "
                                           "Inf in sample 33");
    for (const auto& [name, value] : net->state()) CHECK(all_close(value, before.at(name), 0, 0));
  }
}

TEST_CASE("A training that diverges in its last step ends with an error") {
  const Array x = line_x();
  const DataLoader train(x, line_y(x), {.batch_size = 64});
  const DataLoader test(x.slice(0, 0, 8), line_y(x).slice(0, 0, 8));
  const DataLoader nothing(x.slice(0, 0, 0), line_y(x).slice(0, 0, 0));
  const auto complaint = [&](double rate, const DataLoader* validation) {
    const auto net = line_net();
    Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = rate});
    return complaint_of<DivergedError>(
        [&] { fit(*net, train, kMse, optimiser, {.epochs = 1, .validation = validation}); });
  };
  CHECK(complaint(0.1, &test) == "");
  CHECK(complaint(0.1, &nothing) == "");
  CHECK(complaint(0.1, nullptr) == "");
  // The loss of the epoch is from before its only step.
  CHECK_THAT(complaint(1e200, &test),
             Catch::Matchers::StartsWith("[fit] the validation loss of epoch 0 is infinite"));
  CHECK_THAT(complaint(1e308, nullptr),
             Catch::Matchers::StartsWith("[fit] the parameters after epoch 0 are NaN or infinite"));
}

TEST_CASE("A training without a batch is refused") {
  const Array x = line_x();
  const auto net = line_net();
  Optimiser optimiser(net->parameters(), SgdRule{});
  CHECK_THROWS_WITH_TEXT(
      fit(*net, DataLoader(x, line_y(x), {.batch_size = 65, .drop_last = true}), kMse, optimiser),
      ArgumentError, "[fit] expected at least one batch to train on, got none of 64 samples");
  const Array none = x.slice(0, 0, 0);
  CHECK_THROWS_WITH_TEXT(fit(*net, DataLoader(none, none), kMse, optimiser), ArgumentError,
                         "got none of 0 samples");
}

DEVICE_TEST_CASE("evaluate and predict leave mode and gradients alone") {
  NeuralNetwork net;
  net.add<Dropout>(0.5).add<Dense>(2, 3, DenseOptions{.random = {81, 8}});
  const Array x = random_normal({10, 2}, 0.0, 1.0, DType::float32, {81, 9});
  const Array y = predict(net, x, 4);
  CHECK(net.is_training());
  CHECK(y.shape() == Shape{10, 3});
  const Array expected = net[1].forward(x).value();
  CHECK(all_close(y, expected, 1e-6, 1e-6));
  const Array best = argmax(expected, 1);
  const DataLoader all_right(x, best, {.batch_size = 3});
  const Evaluation evaluation = evaluate(net, all_right, loss_from_name("cross_entropy"));
  CHECK(evaluation.samples == 10);
  CHECK(evaluation.accuracy == 1.0);
  CHECK(evaluation.loss == Approx(cross_entropy(expected, best).item()).epsilon(1e-5));
  CHECK_FALSE(net.parameters()[0].has_grad());
  CHECK(accuracy(expected, best) == 1.0);
  CHECK(accuracy(expected, remainder(best + 1, 3)) == 0.0);
  CHECK_THROWS_AS(accuracy(expected, x), ShapeError);
  CHECK_THROWS_AS(predict(net, zeros({0, 2})), ShapeError);
}

DEVICE_TEST_CASE("A confusion matrix counts answers by class") {
  const Array truth = from_values(std::vector<std::int64_t>{0, 0, 1, 2, 2, 2}, {6});
  const Array answers = from_values(std::vector<std::int64_t>{0, 1, 1, 0, 2, 2}, {6});
  const Array counts = confusion_matrix(truth, answers, 3);
  CHECK(counts.dtype() == DType::int64);
  CHECK(counts.to_vector<double>() == std::vector<double>{1, 1, 0, 0, 1, 0, 1, 0, 2});
  CHECK_THROWS_AS(confusion_matrix(truth, answers, 2), ArgumentError);
  CHECK_THROWS_AS(confusion_matrix(truth, answers.slice(0, 1), 3), ShapeError);
}

TEST_CASE("A network trains itself, as in the guides") {
  const Array x = line_x();
  NeuralNetwork line;
  line.add<Dense>(2, 1, DenseOptions{.dtype = DType::float64, .random = {81, 2}});
  const History history = line.fit(x, line_y(x), 60, 0.1);
  CHECK(history.epochs.size() == 60);
  CHECK(history.epochs.back().loss < 1e-3);

  const Array classes = (x.select(1, 0) > 0).astype(DType::int64);
  NeuralNetwork sides;
  sides.add<Dense>(2, 2, DenseOptions{.dtype = DType::float64, .random = {81, 3}});
  CHECK(sides.fit(x, classes, 40, 0.1).epochs.back().accuracy > 0.95);
}
