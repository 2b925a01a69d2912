// SPDX-License-Identifier: MIT
#include "../../src/training/early_stop.h"

#include <cmath>
#include <memory>
#include <vector>

#include "../../src/array/create.h"
#include "../../src/array/ops.h"
#include "../../src/core/error.h"
#include "../../src/layers/network/dense.h"
#include "../../src/training/fit.h"
#include "../support/devices.h"

using namespace gaia;
using namespace gaia::test;

namespace {

std::unique_ptr<Dense> one_weight() {
  return std::make_unique<Dense>(
      1, 1, DenseOptions{.bias = false, .dtype = DType::float64, .random = {81, 2}});
}

void set_weight(Dense& net, double value) { net.weights().value().fill(value); }
double weight(const Dense& net) { return net.weights().value().item(); }

}  // namespace

TEST_CASE("a stopper counts epochs without progress, and goes back to the best") {
  const auto net = one_weight();
  EarlyStopper stopper({.patience = 2, .least_progress = 0.5});
  CHECK(stopper.best_epoch() == -1);
  // Less than 0.5 below the best is no progress, and neither is NaN.
  const std::vector<double> losses = {9.0, 7.0, 6.6, std::nan(""), 6.4, 6.5, 6.4, 8.0};
  const std::vector<bool> is_over = {false, false, false, false, false, false, false, true};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    set_weight(*net, static_cast<double>(i));
    CHECK(stopper.observe(losses[i], static_cast<std::int64_t>(i), *net) == is_over[i]);
    CHECK(stopper.is_over() == is_over[i]);
  }
  CHECK(stopper.best_epoch() == 4);
  stopper.restore(*net);
  CHECK(weight(*net) == 4.0);
}

TEST_CASE("a stopper without restore_best leaves the network as it is") {
  const auto net = one_weight();
  EarlyStopper stopper({.patience = 0, .restore_best = false});
  set_weight(*net, 1.0);
  CHECK_FALSE(stopper.observe(1.0, 0, *net));
  set_weight(*net, 2.0);
  CHECK(stopper.observe(1.0, 1, *net));
  stopper.restore(*net);
  CHECK(weight(*net) == 2.0);
  CHECK(stopper.state().size() == 1);
}

TEST_CASE("a stopper goes on from its state") {
  const auto net = one_weight();
  EarlyStopper first({.patience = 1});
  set_weight(*net, 3.0);
  first.observe(2.0, 0, *net);
  set_weight(*net, 4.0);
  first.observe(5.0, 1, *net);
  EarlyStopper second({.patience = 1});
  second.set_state(first.state());
  CHECK(second.best_epoch() == 0);
  CHECK_FALSE(second.is_over());
  CHECK(second.observe(5.0, 2, *net));
  second.restore(*net);
  CHECK(weight(*net) == 3.0);
  CHECK_THROWS_WITH_TEXT(second.set_state({}), ArgumentError, "3 numbers so_far");
}

TEST_CASE("what a stopper does not take") {
  CHECK_THROWS_WITH_TEXT(EarlyStopper({.patience = -1}), ArgumentError,
                         "[early_stop] patience: expected at least 0, got -1");
  CHECK_THROWS_WITH_TEXT(EarlyStopper({.least_progress = -0.5}), ArgumentError,
                         "[early_stop] least_progress: expected at least 0");
  CHECK_THROWS_AS(EarlyStopper({.least_progress = std::nan("")}), ArgumentError);
}

namespace {

const Loss kSquare = loss_from_name("mse");

/// 2 x + noise in few samples, so that a network that is trained for long fits the noise.
struct Noisy {
  Array x = random_normal({12, 1}, 0.0, 1.0, DType::float64, {82, 1});
  Array y = 2.0 * x + random_normal({12, 1}, 0.0, 1.0, DType::float64, {82, 2});
  Array other_x = random_normal({50, 1}, 0.0, 1.0, DType::float64, {82, 3});
  Array other_y = 2.0 * other_x + random_normal({50, 1}, 0.0, 1.0, DType::float64, {82, 4});
};

struct Stopped {
  History history;
  double weight = 0.0;
};

/// Trains for 40 epochs, in pieces that end where `ends` of a batch (counted through all) or of an
/// epoch says so; each piece begins from the states that the one before left.
Stopped train_in_pieces(const std::vector<std::int64_t>& cut_batches) {
  const Noisy data;
  const DataLoader train(data.x, data.y, {.batch_size = 5, .shuffle = true, .seed = 4});
  const DataLoader validation(data.other_x, data.other_y);
  Stopped all;
  ArrayMap net_state;
  ArrayMap optimiser_state;
  ArrayMap stopper_state;
  std::int64_t epoch = 0;
  EpochSoFar so_far;
  for (std::size_t piece = 0; piece <= cut_batches.size(); ++piece) {
    const auto net = one_weight();
    set_weight(*net, -1.0);
    Optimiser optimiser(net->parameters(), SgdRule{.learning_rate = 0.05, .momentum = 0.9});
    EarlyStopper stopper({.patience = 3});
    if (piece > 0) {
      net->set_state(net_state);
      optimiser.set_state(optimiser_state);
      stopper.set_state(stopper_state);
    }
    const auto copied = [](const ArrayMap& state) {
      ArrayMap copy;
      for (const auto& [name, value] : state) copy.emplace(name, value.copy());
      return copy;
    };
    const auto take = [&](std::int64_t now, const EpochSoFar& part) {
      net_state = copied(net->state());
      optimiser_state = copied(optimiser.state());
      stopper_state = copied(stopper.state());
      epoch = now;
      so_far = part;
    };
    std::int64_t now = epoch;
    const std::int64_t cut = piece < cut_batches.size() ? cut_batches[piece] : -1;
    const History history = fit(*net, train, kSquare, optimiser,
                                {.epochs = 40,
                                 .first_epoch = epoch,
                                 .so_far = so_far,
                                 .validation = &validation,
                                 .early_stopper = &stopper,
                                 .on_epoch =
                                     [&](const EpochReport&) {
                                       ++now;
                                       if (cut != now * 4)
                                         return true;  // 3 batches, and 1 for the epoch's end
                                       take(now, {});
                                       return false;
                                     },
                                 .on_batch =
                                     [&](const BatchReport& batch) {
                                       if (cut != now * 4 + batch.batch + 1) return true;
                                       take(now, batch.so_far());
                                       return false;
                                     }});
    all.history.epochs.insert(all.history.epochs.end(), history.epochs.begin(),
                              history.epochs.end());
    all.history.stopped_early = history.stopped_early;
    all.weight = weight(*net);
  }
  return all;
}

}  // namespace

TEST_CASE("a training with a stopper that is cut anywhere ends where it would have ended") {
  const Stopped whole = train_in_pieces({});
  REQUIRE(whole.history.stopped_early);
  const auto epochs = std::ssize(whole.history.epochs);
  REQUIRE(epochs > 4);
  REQUIRE(epochs < 40);
  // Behind each batch and each epoch, the last among them.
  for (std::int64_t cut = 1; cut <= 4 * epochs; ++cut) {
    INFO("cut at " << cut);
    const Stopped pieces = train_in_pieces({cut});
    CHECK(pieces.history.stopped_early);
    REQUIRE(std::ssize(pieces.history.epochs) == epochs);
    for (std::int64_t i = 0; i < epochs; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CHECK(pieces.history.epochs[at].validation_loss == whole.history.epochs[at].validation_loss);
      CHECK(pieces.history.epochs[at].loss == whole.history.epochs[at].loss);
    }
    CHECK(pieces.weight == whole.weight);
  }
}

TEST_CASE("fit takes one way to stop early") {
  const Noisy data;
  const DataLoader train(data.x, data.y);
  const auto net = one_weight();
  Optimiser optimiser(net->parameters(), SgdRule{});
  EarlyStopper stopper;
  CHECK_THROWS_WITH_TEXT(
      fit(*net, train, kSquare, optimiser, {.early_stop = EarlyStop{}, .early_stopper = &stopper}),
      ArgumentError, "[fit] early_stop: expected none beside early_stopper");
}
